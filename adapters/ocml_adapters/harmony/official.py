"""Compare the official parser with ours, message by message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.formats.comparison import Comparison, Verdict
from ocml_bridge.loss import Log
from ocml_bridge.model import Message

from .body import body_of
from .frames import scanned
from .header import fields_of
from .reader import FrameReader
from .syntax import CONSTRAIN, IDS, TOOL
from .tokens import checked, encode, to_pieces
from .vocabulary import load_encoding, load_library

Fields = dict[str, str]
"""A message as the official parser returns it: role, name, channel, recipient, content_type, content, unless None."""


def compare(source: str | Sequence[int]) -> list[Comparison]:
    """Read a text or token ids with both parsers.

    The official parser stops at its first error. It is restarted with the next message, so that each message has a
    result. A text is encoded with all seven control tokens, as for a model.

    Raises:
        BridgeError: OCB-SHAPE if a value is not an id; OCB-DEPENDENCY or OCB-VOCABULARY if the official encoder is
            missing.
    """
    ids, text = checked(encode(source, tuple(IDS)) if isinstance(source, str) else source)
    pieces, places = to_pieces(ids, text)
    frames, rest = scanned(pieces)
    reader, judge = FrameReader(Log(), restore=False), _Judge()
    if not frames:
        theirs, error = judge.finish(ids)
        return [_comparison(k, message, theirs, error) for k, message in enumerate(reader.finish(rest).messages)]
    out: list[Comparison] = []
    start = 0
    for frame in frames:
        stop = places[frame.last // 2] + (1 if frame.stop else 0) if frame.last < len(pieces) else len(ids)
        before = len(reader.messages)
        reader.frame(frame)
        theirs, error = judge.take(ids[start:stop], opened=frame.opened)
        message = reader.messages[-1] if len(reader.messages) > before else reader.open_turn
        index = before if len(reader.messages) > before else None
        out.append(_comparison(index, message, theirs, error))
        start = stop
    theirs, error = judge.finish(ids[start:])
    if out and out[-1].theirs is None and not out[-1].detail and (theirs or error) and start == len(ids):
        last = out.pop()
        out.append(_judged(last.index, last.ours, theirs, error))
    elif theirs or error:
        out.append(_judged(None, None, theirs, error))
    return out


def _comparison(index: int | None, message: Message | None, theirs: Fields | None, error: str) -> Comparison:
    return _judged(index, None if message is None else as_official(message), theirs, error)


def _judged(index: int | None, ours: Fields | None, theirs: Fields | None, error: str) -> Comparison:
    verdict: Verdict = "same" if ours == theirs else "differs"
    if theirs is None:
        verdict = "refused" if error and (index is not None or ours is None) else "only-ours"
    elif ours is None:
        verdict = "only-theirs"
    return Comparison(index, ours, theirs, verdict, error)


def as_official(message: Message) -> Fields:
    """Return a message as the official parser would return it."""
    fields = fields_of(message)
    kind = fields.content_type if fields.constraint is None else CONSTRAIN + fields.constraint
    theirs = {
        "role": fields.role,
        "name": TOOL if fields.role == TOOL and fields.name is None else fields.name,
        "channel": fields.channel,
        "recipient": fields.recipient,
        "content_type": kind,
        "content": body_of(message),
    }
    return {field: value for field, value in theirs.items() if value is not None}


class _Judge:
    """The official streaming parser, restarted after each message and each error."""

    def __init__(self) -> None:
        self._library: Final[Any] = load_library()
        self._encoding: Final = load_encoding()
        self._parser: Any = None

    def take(self, ids: Sequence[int], *, opened: bool) -> tuple[Fields | None, str]:
        """Feed a frame; return the message that it completes (None if it completes none), and the error, or ""."""
        if self._parser is None:
            role = None if opened else self._library.Role.ASSISTANT
            self._parser = self._library.StreamableParser(self._encoding, role=role)
        return self._run(ids, eos=False)

    def finish(self, ids: Sequence[int]) -> tuple[Fields | None, str]:
        """Feed the ids after the last frame, and the end; return the same as `take`."""
        if self._parser is None:
            self._parser = self._library.StreamableParser(self._encoding, role=None)
        return self._run(ids, eos=True)

    def _run(self, ids: Sequence[int], *, eos: bool) -> tuple[Fields | None, str]:
        parser, error = self._parser, ""
        try:
            for number in ids:
                parser.process(number)
            if eos:
                parser.process_eos()
        except self._library.HarmonyError as failure:
            self._parser, error = None, str(failure)
        messages = parser.messages
        if messages:
            self._parser = None
            return _fields(messages[-1]), error
        return None, error


def _fields(message: Any) -> Fields:
    author = message.author
    fields: dict[str, str | None] = {
        "role": author.role.value,
        "name": author.name,
        "channel": message.channel,
        "recipient": message.recipient,
        "content_type": message.content_type,
        "content": "".join(part.text for part in message.content),
    }
    return {field: value for field, value in fields.items() if value is not None}
