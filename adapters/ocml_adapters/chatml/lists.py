"""The list form: `{"token": …}` objects and strings ↔ frames, in which whatever a string says is data.

How a text is cut into strings says nothing, so it is remembered only where it is not as the specification's examples
have it: header and content in one string, what stands between frames in one other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import EDGES, is_list_of_lists, several, several_documents
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import gap_behind, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Parted, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.reader import UnitReader

from .plain import Frames, Remembered, default_frame, remark, remark_gap, remark_header, remark_tail, remember_tail
from .syntax import END, LIST, MARKUP, NOTES, START

# --- pieces -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Pieces:
    """What a list says, and how it is cut.

    Attributes:
        frames: the frames; `offset` is the index of the start token.
        tail: the text behind the last.
        gaps: the pieces before each frame, and those behind the last.
        bodies: the pieces inside each frame.
    """

    frames: list[Frame] = field(default_factory=list[Frame])
    tail: str = ""
    gaps: list[list[Json]] = field(default_factory=list[list[Json]])
    bodies: list[list[Json]] = field(default_factory=list[list[Json]])


def inner(frame: Frame) -> str:
    """What stands between a frame's tokens."""
    return f"{frame.header}\n{frame.body}" if frame.newline else frame.header


def whole(gap: str) -> list[Json]:
    """A gap in the pieces that it is written in by default."""
    return [gap] if gap else []


def cut(key: str, pieces: list[Json], default: list[Json]) -> dict[str, Json]:
    """Layout of pieces that are not cut as by default."""
    return {} if pieces == default else {key: pieces}


def gap_pieces(notes: Mapping[str, Json], key: str, gap: str, before: Frame | None) -> list[Json]:
    """The pieces of a gap as remembered, where they still say the same; else as by default."""
    pieces = notes.get(key)
    usable = (before is None or before.end != "") and joined(pieces, START) == gap
    return cast("list[Json]", pieces) if usable else whole(gap)


def inner_pieces(notes: Mapping[str, Json], frame: Frame) -> list[Json]:
    """The pieces between a frame's tokens as remembered, where they still say the same; else as by default."""
    pieces = notes.get("pieces")
    return cast("list[Json]", pieces) if joined(pieces, START, END) == inner(frame) else [inner(frame)]


def joined(value: Json, *without: str) -> str | None:
    """The text of pieces; None for what is not a list of pieces, or has one of the tokens named."""
    if not isinstance(value, list):
        return None
    texts: list[str] = []
    for item in cast("list[Json]", value):
        token = token_of(item)
        if token in without or (token is None and not isinstance(item, str)):
            return None
        texts.append(item if token is None else token)
    return "".join(texts)


def token_of(item: Json) -> str | None:
    """The token that a piece is, or None."""
    if not isinstance(item, dict) or len(cast("dict[str, Json]", item)) != 1:
        return None
    token = cast("dict[str, Json]", item).get("token")
    return token if isinstance(token, str) else None


def from_list(source: Json, log: Log) -> Pieces:
    """Take a list apart.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first item that is neither a token nor a string.
    """
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, 'ChatML as JSON must be a list of {"token": …} objects and strings', path="")
    out = Pieces()
    gap: list[Json] = []
    body: list[Json] | None = None
    start = 0
    items = cast("list[Json]", source)
    for index, item in enumerate(items):
        token = token_of(item)
        if token is None and not isinstance(item, str):
            raise BridgeError(ErrorCode.SHAPE, 'an item must be a string or {"token": "…"}', path=f"/{index}")
        if token == START or (token == END and body is not None):
            if body is not None:
                _close(out, gap, body, start, END if token == END else "")
                gap = []
            body = list[Json]() if token == START else None
            start = index
        elif body is None:
            gap.append(item)
        else:
            body.append(item)
            if token is not None:
                path = f"/messages/{len(out.frames)}/content"
                log.find(FindingCode.STRAY_TOKEN, path, f"the token {token} inside a message is read as text")
    if body is not None:
        _close(out, gap, body, start, "")
        out.frames[-1].last = True
        gap = []
    out.gaps.append(gap)
    out.tail = joined(gap) or ""
    return out


def _close(out: Pieces, gap: list[Json], body: list[Json], start: int, end: str) -> None:
    header, newline, text = (joined(body) or "").partition("\n")
    at = EDGES.cut([joined([item]) or "" for item in gap]) if out.frames else -1
    begins = -1 if at < 0 else start - len(gap) + at
    out.frames.append(Frame(joined(gap) or "", START, header, newline != "", text, end, start, False, begins))
    out.gaps.append(gap)
    out.bodies.append(body)


# --- reading ----------------------------------------------------------------------------------------------------------


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """The conversations of a list, each with its index: lists in it, or what stands between boundaries.

    Raises:
        BridgeError: OCB-SHAPE for what is not such a list.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    items = cast("list[Json]", source)
    places = [0, *(frame.begins for frame in from_list(items, Log()).frames if frame.begins >= 0)]
    return [(at, items[at:end]) for at, end in zip(places, (*places[1:], len(items)), strict=True)]


class ListReader(UnitReader):
    """Reads frames that stand in a list of tokens and strings; how each is cut into strings is kept beside it."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a list.

        Raises:
            BridgeError: OCB-SHAPE for what is not such a list, with the path of the item; OCB-SEVERAL.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        pieces = from_list(source, log)
        begins = next((frame.begins for frame in pieces.frames if frame.begins >= 0), None)
        if begins is not None:
            raise several(path=f"/{begins}")
        opens = pieces.frames != [] and pieces.frames[-1].last and pieces.frames[-1].body == ""
        return Parted(pieces.frames[:-1] if opens else pieces.frames, Transcript(), document=pieces)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The message of a frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        frame, path = cast("Frame", unit), f"/messages/{index}"
        heading = read_header(frame.header)
        name = name_from_header(heading.role, heading.name)
        made = message(heading.role, frame.body, name, "end" if frame.end else None)
        remark(frame, path, log, LIST)
        tag = next((tag for tag in MARKUP.get(made.role, ()) if tag in frame.body), None)
        if tag is not None:
            detail = f"`{tag}` is read as text here: this format does not read the markup of Hermes and Qwen"
            log.find(FindingCode.MARKUP, f"{path}/content", detail)
        return (_remembering(made, frame, at, cast("Pieces", parted.document)),)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with its open turn and what stands behind the frames.

        Raises:
            BridgeError: OCB-NO-FRAMES where no message begins.
        """
        pieces, turn = cast("Pieces", parted.document), None
        last = pieces.frames[-1] if pieces.frames else None
        if last is not None and len(pieces.frames) > len(parted.units):
            heading = read_header(last.header)
            turn = Message(heading.role, "", name_from_header(heading.role, heading.name), end=None)
            remark_header(last, "/open_turn", log)
            remark_gap(last, "/open_turn", log)
            turn = _remembering(turn, last, len(parted.units), pieces, opening=True)
        remark_tail(pieces.tail, last, log, LIST)
        layout, extras = remember_tail(pieces.tail, gap_behind(last))
        layout.update(cut("tail_pieces", pieces.gaps[-1], whole(pieces.tail)))
        around = Transcript(open_turn=turn, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))
        return Conversation(items, around)


def _remembering(made: Message, frame: Frame, at: int, pieces: Pieces, *, opening: bool = False) -> Message:
    """A message with what it has to remember of its frame, which stands at an index."""
    before = pieces.frames[at - 1] if at else None
    layout, extras = remember(frame, default_frame(made, before, LIST, last=frame.last, opening=opening))
    layout.update(cut("gap_pieces", pieces.gaps[at], whole(frame.gap)))
    layout.update(cut("pieces", pieces.bodies[at], [inner(frame)]))
    made.layout, made.extras = NOTES.by_format(layout), NOTES.by_format(extras)
    return made


# --- writing ----------------------------------------------------------------------------------------------------------


class ListFrames(Frames):
    """Writes frames as tokens and strings. Strings are data, so nothing in them needs a guard."""

    target = LIST.id
    mark = None
    form = LIST

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Nothing is broken."""

    def remembered(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Remembered:
        """What a message has to remember of its frame, and of the pieces that it is cut into."""
        layout, extras = super().remembered(message, frame, default, before)
        notes = NOTES.together(message.layout)
        gap = gap_pieces(notes, "gap_pieces", frame.gap, before)
        layout.update(cut("gap_pieces", gap, whole(frame.gap)))
        layout.update(cut("pieces", inner_pieces(notes, frame), [inner(frame)]))
        return layout, extras

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """The pieces of a frame."""
        notes = NOTES.together(image.layout)
        end = [{"token": END}] if frame.end else []
        gap = gap_pieces(notes, "gap_pieces", frame.gap, before)
        return [*gap, {"token": START}, *inner_pieces(notes, frame), *end]

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """All pieces, and how those behind the frames are cut."""
        behind = gap_pieces(NOTES.together(around.layout), "tail_pieces", tail, before)
        return [*chain.from_iterable(units), *behind], cut("tail_pieces", behind, whole(tail))
