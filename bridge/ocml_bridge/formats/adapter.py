"""Define `Adapter`: the data and functions that describe one format to the bridge.

An adapter maps one format to the canonical form and back. A writer returns each output with its *image*: the document
that the output reads as, which is the nearest one that the format can hold. The engine reports every difference between
the document and the image as a loss, so nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from ..model import Json, Transcript
from ..options import DEFAULT, FormatOption, Options, Policy

__all__ = [
    "DEFAULT",
    "Adapter",
    "AddedTokens",
    "FormatOption",
    "Kind",
    "MakeDecoder",
    "MakeEncoder",
    "Options",
    "Policy",
    "Source",
]

if TYPE_CHECKING:
    from ..events import Answer, Decoder, Encoder
    from ..spans.frames import FrameMarks
    from ..units.reader import UnitReader
    from ..units.writer import UnitWriter
    from .comparison import Comparison
    from .prompting import ChatTemplate, HostedTool

Source = str | Json
"""The input of a reader: text for text formats, a JSON value for JSON formats."""


class Kind(StrEnum):
    """Whether the documents of a format are text or JSON."""

    TEXT = "text"
    JSON = "json"


class AddedTokens(NamedTuple):
    """The special tokens that the options name and the format itself does not know.

    Attributes:
        tokens: their texts.
        bos: the token at the beginning of a whole text, which is not content there; "" for none.
        eos: the token at the end of a whole text, likewise.
    """

    tokens: tuple[str, ...]
    bos: str = ""
    eos: str = ""


TakeTools = Callable[[Transcript, Collection[str]], tuple[Transcript, "Sequence[HostedTool]"]]
"""Takes the tools of some kinds out of a request; returns the rest of the request, and these tools."""
MakeDecoder = Callable[[Options], "Decoder"]
"""Makes a decoder of a stream."""
MakeEncoder = Callable[["Answer", Options], "Encoder"]
"""Makes an encoder of a stream."""


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """One format.

    Attributes:
        id: the format id.
        title: the name of the format, for people.
        kind: whether its documents are text or JSON.
        home: the key of the format's `extras` and `layout` in the canonical form; two spellings of one format share it.
        sniff: returns how likely a source is in this format: 0 no, 1 possibly, 2 probably, 3 certainly.
        reads_units: makes the `UnitReader` for some options.
        writes_units: makes the `UnitWriter` for some options.
        dialects: the dialects that it can write, the default one first.
        dialect_of: returns the dialect that a document of the format was read in; None if the document does not show
            it. The document is written in this dialect again unless the options name another one.
        has_marks: whether a JSON value with a key or type that only this format has (`recognise`) is certainly in this
            format, whatever `sniff` returns.
        options: the options that the format declares for its reader or its writer.
        split: cuts a source into sources of one conversation each; returns for each its offset (text) or index (list),
            and the source. The reader raises OCB-SEVERAL for a source that this cuts. None if a source is always one
            conversation.
        compare: reads a source with the format's official reader and with ours; None if there is no official reader.
        decoders: what makes a decoder, by stream id. A stream id is the format id, or the format id with a framing
            (`openai-sse`).
        encoders: what makes an encoder, by stream id.
        added_tokens: returns those special tokens of the options that the engine has to break in content, because the
            writer does not; None if content cannot form a token, because the format has an escape or is not text.
        frame_tokens: returns the special tokens that its texts consist of; an engine must not strip them.
        engine_keys: the keys of a request that concern the engine or the gateway, and are no part of a prompt.
        continuing: the key of a request whose value `true` makes the answer continue the last message, then the keys
            that have no further meaning next to it.
        hosted_tools: takes the tools of some kinds, which the model's server runs, out of a request.
        profiles: the chat templates of models that read the format, by profile name.
        frame_marks: the meaning of the tokens of its frames, from which spans are computed; None if its outputs are
            neither text nor token ids.
        token_bytes: returns the bytes of each token id of a format of token ids; a character may be cut between two of
            them, and control tokens are spelled out. None if that is not known.
        answer_ids: the prefix of the ids of its answers, such as `chatcmpl-`; "" if it requires none.
    """

    id: str
    title: str
    kind: Kind
    home: str
    sniff: Callable[[Source], int]
    reads_units: Callable[[Options], UnitReader]
    writes_units: Callable[[Options], UnitWriter]
    dialects: tuple[str, ...] = field(default=())
    dialect_of: Callable[[Transcript], str | None] | None = None
    has_marks: bool = False
    options: tuple[FormatOption[str] | FormatOption[None], ...] = ()
    split: Callable[[Source, Options], Sequence[tuple[int, Source]]] | None = None
    compare: Callable[[Source], Sequence[Comparison]] | None = None
    decoders: Mapping[str, MakeDecoder] = field(default_factory=dict[str, MakeDecoder])
    encoders: Mapping[str, MakeEncoder] = field(default_factory=dict[str, MakeEncoder])
    added_tokens: Callable[[Options], AddedTokens] | None = None
    frame_tokens: Callable[[], Sequence[str]] | None = None
    engine_keys: frozenset[str] = frozenset()
    continuing: tuple[str, ...] = ()
    hosted_tools: TakeTools | None = None
    profiles: Mapping[str, ChatTemplate] = field(default_factory=dict[str, "ChatTemplate"])
    frame_marks: FrameMarks | None = None
    token_bytes: Callable[[Sequence[int]], Sequence[bytes]] | None = None
    answer_ids: str = ""
