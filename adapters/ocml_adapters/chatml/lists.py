"""Read and write the list: `{"token": …}` objects and strings ↔ frames. Strings are data, whatever they contain.

How a text is cut into strings (pieces) has no meaning. The layout keeps the pieces if they are not the default: header
and content in one string, the gap between two frames in another, as in the examples of the specification.
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
from ocml_bridge.text.edges import Notes, gap_behind, remember, remember_tail
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import SplitDocument, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.reader import UnitReader

from .findings import check_frame, check_tail, report_open_turn
from .plain import Frames, default_frame, read_open_turn
from .syntax import END, LIST, MARKUP, NOTES, START

# --- pieces -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Pieces:
    """The frames of a list, and the pieces that they are cut into.

    Attributes:
        frames: the frames; `offset` is the index of the start token.
        tail: the text after the last frame.
        gaps: the pieces before each frame, and those after the last one.
        bodies: the pieces between the tokens of each frame.
    """

    frames: list[Frame] = field(default_factory=list[Frame])
    tail: str = ""
    gaps: list[list[Json]] = field(default_factory=list[list[Json]])
    bodies: list[list[Json]] = field(default_factory=list[list[Json]])


def text_between(frame: Frame) -> str:
    """Return the text between a frame's tokens."""
    return f"{frame.header}\n{frame.body}" if frame.newline else frame.header


def default_gap_pieces(gap: str) -> list[Json]:
    """Return the default pieces of a gap."""
    return [gap] if gap else []


def piece_notes(key: str, pieces: list[Json], default: list[Json]) -> dict[str, Json]:
    """Return the layout of pieces: empty if they are the default."""
    return {} if pieces == default else {key: pieces}


def gap_pieces(notes: Mapping[str, Json], key: str, gap: str, before: Frame | None) -> list[Json]:
    """Return the pieces of a gap: those of the notes if they still have its text, else the default."""
    pieces = notes.get(key)
    usable = (before is None or before.end != "") and joined(pieces, START) == gap
    return cast("list[Json]", pieces) if usable else default_gap_pieces(gap)


def inner_pieces(notes: Mapping[str, Json], frame: Frame) -> list[Json]:
    """Return the pieces between a frame's tokens: those of the notes if they still have its text, else the default."""
    pieces = notes.get("pieces")
    return cast("list[Json]", pieces) if joined(pieces, START, END) == text_between(frame) else [text_between(frame)]


def joined(value: Json, *without: str) -> str | None:
    """Return the text of a list of pieces; None if a value is no such list, or contains one of the tokens `without`."""
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
    """Return the token of a piece; None for a string."""
    if not isinstance(item, dict) or len(cast("dict[str, Json]", item)) != 1:
        return None
    token = cast("dict[str, Json]", item).get("token")
    return token if isinstance(token, str) else None


def from_list(source: Json, log: Log) -> Pieces:
    """Split a list into frames.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first item that is neither a token nor a string.
    """
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, 'ChatML as JSON must be a list of {"token": …} objects and strings', path="")
    pieces = Pieces()
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
                _close(pieces, gap, body, start, END if token == END else "")
                gap = []
            body = list[Json]() if token == START else None
            start = index
        elif body is None:
            gap.append(item)
        else:
            body.append(item)
            if token is not None:
                path = f"/messages/{len(pieces.frames)}/content"
                log.find(FindingCode.STRAY_TOKEN, path, f"the token {token} inside a message is read as text")
    if body is not None:
        _close(pieces, gap, body, start, "")
        pieces.frames[-1].last = True
        gap = []
    pieces.gaps.append(gap)
    pieces.tail = joined(gap) or ""
    return pieces


def _close(pieces: Pieces, gap: list[Json], body: list[Json], start: int, end: str) -> None:
    """Add a frame, which begins at the index `start`, and its pieces."""
    header, newline, text = (joined(body) or "").partition("\n")
    boundary = EDGES.cut([joined([item]) or "" for item in gap]) if pieces.frames else -1
    begins = -1 if boundary < 0 else start - len(gap) + boundary
    pieces.frames.append(Frame(joined(gap) or "", START, header, newline != "", text, end, start, False, begins))
    pieces.gaps.append(gap)
    pieces.bodies.append(body)


# --- reading ----------------------------------------------------------------------------------------------------------


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """Return the conversations of a list, each with its index: its lists, or the parts between boundaries.

    Raises:
        BridgeError: OCB-SHAPE if the source is not such a list.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    items = cast("list[Json]", source)
    places = [0, *(frame.begins for frame in from_list(items, Log()).frames if frame.begins >= 0)]
    return [(at, items[at:end]) for at, end in zip(places, (*places[1:], len(items)), strict=True)]


class ListReader(UnitReader):
    """Reads frames from a list of tokens and strings; the layout keeps how each frame is cut into strings."""

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Return the frames of a list.

        Raises:
            BridgeError: OCB-SHAPE if the source is not such a list, with the path of the item; OCB-SEVERAL.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        pieces = from_list(source, log)
        begins = next((frame.begins for frame in pieces.frames if frame.begins >= 0), None)
        if begins is not None:
            raise several(path=f"/{begins}")
        opens = pieces.frames != [] and pieces.frames[-1].last and pieces.frames[-1].body == ""
        return SplitDocument(pieces.frames[:-1] if opens else pieces.frames, Transcript(), document=pieces)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the message of a frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        frame, path = cast("Frame", unit), f"/messages/{index}"
        heading = read_header(frame.header)
        name = name_from_header(heading.role, heading.name)
        result = message(heading.role, frame.body, name, "end" if frame.end else None)
        check_frame(frame, path, log, LIST)
        tag = next((tag for tag in MARKUP.get(result.role, ()) if tag in frame.body), None)
        if tag is not None:
            detail = f"`{tag}` is read as text here: this format does not read the markup of Hermes and Qwen"
            log.find(FindingCode.MARKUP, f"{path}/content", detail)
        return (_remembering(result, frame, at, cast("Pieces", split.document)),)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation with its open turn and its tail.

        Raises:
            BridgeError: OCB-NO-FRAMES if no message begins.
        """
        pieces, turn = cast("Pieces", split.document), None
        last = pieces.frames[-1] if pieces.frames else None
        if last is not None and len(pieces.frames) > len(split.units):
            report_open_turn(last, log, LIST)
            turn = _remembering(read_open_turn(last, LIST), last, len(split.units), pieces, is_open_turn=True)
        check_tail(pieces.tail, last, log, LIST)
        layout, extras = remember_tail(pieces.tail, gap_behind(last))
        layout.update(piece_notes("tail_pieces", pieces.gaps[-1], default_gap_pieces(pieces.tail)))
        around = Transcript(open_turn=turn, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))
        return Conversation(items, around)


def _remembering(message: Message, frame: Frame, at: int, pieces: Pieces, *, is_open_turn: bool = False) -> Message:
    """Return a message with the notes about its frame, which has the index `at`; the message is changed."""
    before = pieces.frames[at - 1] if at else None
    layout, extras = remember(frame, default_frame(message, before, LIST, last=frame.last, is_open_turn=is_open_turn))
    layout.update(piece_notes("gap_pieces", pieces.gaps[at], default_gap_pieces(frame.gap)))
    layout.update(piece_notes("pieces", pieces.bodies[at], [text_between(frame)]))
    message.layout, message.extras = NOTES.by_format(layout), NOTES.by_format(extras)
    return message


# --- writing ----------------------------------------------------------------------------------------------------------


class ListFrames(Frames):
    """Writes frames as tokens and strings. Strings are data, so no token in them has to be broken."""

    target = LIST.id
    mark = None
    form = LIST

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Do nothing, because no token has to be broken."""

    def remembered(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Notes:
        """Return the notes about a frame and about its pieces."""
        layout, extras = super().remembered(message, frame, default, before)
        notes = NOTES.together(message.layout)
        gap = gap_pieces(notes, "gap_pieces", frame.gap, before)
        layout.update(piece_notes("gap_pieces", gap, default_gap_pieces(frame.gap)))
        layout.update(piece_notes("pieces", inner_pieces(notes, frame), [text_between(frame)]))
        return layout, extras

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """Return the pieces of a frame."""
        notes = NOTES.together(image.layout)
        end = [{"token": END}] if frame.end else []
        gap = gap_pieces(notes, "gap_pieces", frame.gap, before)
        return [*gap, {"token": START}, *inner_pieces(notes, frame), *end]

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """Return all pieces, and the notes about the pieces of the tail."""
        tail_pieces = gap_pieces(NOTES.together(around.layout), "tail_pieces", tail, before)
        return [*chain.from_iterable(units), *tail_pieces], piece_notes(
            "tail_pieces", tail_pieces, default_gap_pieces(tail)
        )
