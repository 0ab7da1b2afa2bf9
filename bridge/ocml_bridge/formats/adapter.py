"""What an adapter is: one entry of data and a few functions.

An adapter maps one format to the canonical form and back. With each output goes its *image*, the nearest document that
the format can hold. It is exactly what reading the output gives back, so the difference between a document and its
image is the loss, and nothing is lost in silence.
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
"""What a reader is given: text for text formats, a JSON value for the others."""


class Kind(StrEnum):
    """What a format's documents are made of."""

    TEXT = "text"
    JSON = "json"


class AddedTokens(NamedTuple):
    """Special tokens that the options name and a format does not list, with what begins and ends its texts.

    Attributes:
        tokens: their spellings.
        bos: the token that a text begins with, if any; there it stands as such.
        eos: the token that it ends with.
    """

    tokens: tuple[str, ...]
    bos: str = ""
    eos: str = ""


TakeTools = Callable[[Transcript, Collection[str]], tuple[Transcript, "Sequence[HostedTool]"]]
MakeDecoder = Callable[[Options], "Decoder"]
MakeEncoder = Callable[["Answer", Options], "Encoder"]


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """One format.

    Attributes:
        id: the format id.
        title: what it is called, for people.
        kind: whether its documents are text or JSON.
        home: the key under which the format keeps extras and layout; two spellings of one format share it.
        sniff: how sure it is that a source is of this format: 0 no, 1 possibly, 2 probably, 3 certainly.
        reads_units: makes what reads it, unit by unit, with some options.
        writes_units: makes what writes it.
        dialects: the spellings it can write, the default one first.
        dialect_of: the dialect that a document of the format was read in, whatever its messages; None where it says
            nothing of that. It is written again unless the options name another.
        has_marks: whether JSON is of the format as soon as it has what only that format has (`recognise`), whatever the
            sniffer thinks of the rest.
        options: the options that are the format's own, with which it is read or written.
        split: cuts a source at its boundaries into sources of one conversation each, with the place of each: its offset
            in a text, its index in a list. None where a source is always one. The reader refuses what it would cut
            (OCB-SEVERAL).
        compare: reads a source with the format's official reader beside ours, where there is one.
        decoders: by stream id, what reads the format as it arrives. A stream id is the format's id, or begins with it
            and says how it is framed (`openai-sse`).
        encoders: by stream id, what writes it as it comes.
        added_tokens: of the special tokens that the options name, those that the writer does not see to itself; None
            where content makes no token, because the format has an escape or is no text.
        frame_tokens: the special tokens that its texts are made with: an engine must not leave them out.
        engine_keys: keys of its requests that are the engine's and the gateway's business: no part of a prompt.
        continuing: the key of its requests that says, being true, that the answer goes on with the last message; then
            those that say no more beside it.
        hosted_tools: takes out of one of its requests the tools of some kinds that no client runs.
        profiles: by name, how models that read the format are prompted.
        frame_marks: what the tokens of its frames mean, so that spans of its outputs are told; None for a format whose
            outputs are neither text nor token ids.
        token_bytes: of a format of token ids, what each id spells, control tokens as they are written; a character may
            be cut in two. None where that cannot be told.
        answer_ids: what the ids of its answers begin with.
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
