"""Read and write the list: `{"token": …}` objects and strings ↔ frames. Strings are data, whatever they contain.

How a text is cut into strings (pieces) has no meaning. The layout keeps the pieces if they are not the default: header
and content in one string, the gap between two frames in another, as in the examples of the specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import EDGES, is_list_of_lists, several, several_documents
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import Notes, gap_behind, remember, remember_tail
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.reader import UnitReader

from .findings import check_frame, check_tail, report_open_turn
from .plain import Frames, default_frame, read_open_turn
from .syntax import END, LIST, MARKUP, NOTES, START

_LONGEST: Final = 256
"""The maximum length of a header and a gap together for which plans are made, in characters."""
_TAGS: Final = frozenset(chain.from_iterable(MARKUP.values()))

# --- pieces -----------------------------------------------------------------------------------------------------------


class ListFrame(NamedTuple):
    """A frame, and the pieces that it is cut into.

    Attributes:
        frame: the frame; `offset` is the index of the start token.
        gap: the pieces before it.
        body: the pieces between its tokens.
        before: the frame before it; None if there is none.
    """

    frame: Frame
    gap: list[Json]
    body: list[Json]
    before: Frame | None

    @property
    def has_default_pieces(self) -> bool:
        """Whether it is cut into the pieces that are written by default."""
        return self.gap == default_gap_pieces(self.frame.gap) and self.body == [text_between(self.frame)]


class FrameList(NamedTuple):
    """The frames of a list, and what is behind them.

    Attributes:
        frames: the frames.
        tail: the text after the last frame.
        tail_pieces: the pieces that it is cut into.
    """

    frames: list[ListFrame]
    tail: str
    tail_pieces: list[Json]

    @property
    def last(self) -> Frame | None:
        """The last frame; None if there is none."""
        return self.frames[-1].frame if self.frames else None


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


class _Splitter:
    """Splits a list into frames.

    Args:
        log: takes the findings.

    Attributes:
        frames: the frames so far.
        pieces: the pieces since the last token that began or ended a frame.
        texts: the text of each of them.
    """

    def __init__(self, log: Log) -> None:
        self.frames: list[ListFrame] = []
        self.pieces: list[Json] = []
        self.texts: list[str] = []
        self._log = log
        self._gap: tuple[list[Json], list[str]] | None = None
        """The pieces before the frame that has begun, and their texts; None if none has."""
        self._start = 0

    def split(self, items: list[Json]) -> FrameList:
        """Return the frames of a list.

        Raises:
            BridgeError: OCB-SHAPE with the path of the first item that is neither a token nor a string.
        """
        for index, item in enumerate(items):
            if isinstance(item, str):
                self.pieces.append(item)
                self.texts.append(item)
                continue
            token = token_of(item)
            if token is None:
                raise BridgeError(ErrorCode.SHAPE, 'an item must be a string or {"token": "…"}', path=f"/{index}")
            if token == START:
                self._end("")
                self._gap, self._start = (self.pieces, self.texts), index
                self.pieces, self.texts = [], []
            elif token == END and self._gap is not None:
                self._end(END)
            else:
                self.pieces.append(item)
                self.texts.append(token)
                if self._gap is not None:
                    path = f"/messages/{len(self.frames)}/content"
                    detail = f"the token {token} inside a message is read as text"
                    self._log.find(FindingCode.STRAY_TOKEN, path, detail)
        if self._gap is not None:
            self._end("")
            self.frames[-1].frame.last = True
        return FrameList(self.frames, "".join(self.texts), self.pieces)

    def _end(self, end: str) -> None:
        """End the frame that has begun, if one has."""
        if self._gap is None:
            return
        (gap, gap_texts), start = self._gap, self._start
        header, newline, text = "".join(self.texts).partition("\n")
        before = self.frames[-1].frame if self.frames else None
        boundary = EDGES.cut(gap_texts) if before is not None and gap_texts != ["\n"] else -1
        begins = -1 if boundary < 0 else start - len(gap) + boundary
        frame = Frame("".join(gap_texts), START, header, newline != "", text, end, start, False, begins)
        self.frames.append(ListFrame(frame, gap, self.pieces, before))
        self.pieces, self.texts, self._gap = [], [], None


def from_list(source: Json, log: Log) -> FrameList:
    """Split a list into frames.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first item that is neither a token nor a string.
    """
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, 'ChatML as JSON must be a list of {"token": …} objects and strings', path="")
    return _Splitter(log).split(cast("list[Json]", source))


# --- reading ----------------------------------------------------------------------------------------------------------


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """Return the conversations of a list, each with its index: its lists, or the parts between boundaries.

    Raises:
        BridgeError: OCB-SHAPE if the source is not such a list.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    items = cast("list[Json]", source)
    places = [0, *(each.frame.begins for each in from_list(items, Log()).frames if each.frame.begins >= 0)]
    return [(at, items[at:end]) for at, end in zip(places, (*places[1:], len(items)), strict=True)]


class ListReader(UnitReader):
    """Reads frames from a list of tokens and strings; the layout keeps how each frame is cut into strings."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Return the frames of a list.

        Raises:
            BridgeError: OCB-SHAPE if the source is not such a list, with the path of the item; OCB-SEVERAL.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        found = from_list(source, log)
        begins = next((each.frame.begins for each in found.frames if each.frame.begins >= 0), None)
        if begins is not None:
            raise several(path=f"/{begins}")
        last, open_turn = found.last, None
        if last is not None and last.last and last.body == "":
            open_turn = last.gap, last.header, last.newline
        units = found.frames if open_turn is None else found.frames[:-1]
        is_default = found.tail_pieces == default_gap_pieces(found.tail) and (
            open_turn is None or found.frames[-1].has_default_pieces
        )
        envelope = (found.tail, open_turn) if is_default else None
        return SplitDocument(units, Transcript(), document=found, envelope=envelope)

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """Return a cache key and the body of a frame; None for a cut-off one, unusual pieces and markup."""
        each = cast("ListFrame", unit)
        frame, body = each.frame, each.frame.body
        if frame.last or not each.has_default_pieces or len(frame.gap) + len(frame.header) > _LONGEST:
            return None
        if "<" in body and any(tag in body for tag in _TAGS):
            return None
        closed = None if each.before is None else each.before.end
        return (frame.gap, frame.header, frame.newline, frame.end, not body, closed), [body] if body else []

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a frame with another body."""
        each = cast("ListFrame", unit)
        frame = replace(each.frame, body="".join(values))
        return each._replace(frame=frame, body=[text_between(frame)])

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the message of a frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        each, path = cast("ListFrame", unit), f"/messages/{index}"
        frame = each.frame
        heading = read_header(frame.header)
        name = name_from_header(heading.role, heading.name)
        result = message(heading.role, frame.body, name, "end" if frame.end else None)
        check_frame(frame, path, log, LIST)
        tag = next((tag for tag in MARKUP.get(result.role, ()) if tag in frame.body), None)
        if tag is not None:
            detail = f"`{tag}` is read as text here: this format does not read the markup of Hermes and Qwen"
            log.find(FindingCode.MARKUP, f"{path}/content", detail)
        return (_remembering(result, each),)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation with its open turn and its tail.

        Raises:
            BridgeError: OCB-NO-FRAMES if no message begins.
        """
        found, turn = cast("FrameList", split.document), None
        last = found.last
        if last is not None and len(found.frames) > len(split.units):
            report_open_turn(last, log, LIST)
            turn = _remembering(read_open_turn(last, LIST), found.frames[-1], is_open_turn=True)
        check_tail(found.tail, last, log, LIST)
        layout, extras = remember_tail(found.tail, gap_behind(last))
        layout.update(piece_notes("tail_pieces", found.tail_pieces, default_gap_pieces(found.tail)))
        around = Transcript(open_turn=turn, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))
        return Conversation(items, around)


def _remembering(message: Message, each: ListFrame, *, is_open_turn: bool = False) -> Message:
    """Return a message with the notes about its frame; the message is changed."""
    frame = each.frame
    default = default_frame(message, each.before, LIST, last=frame.last, is_open_turn=is_open_turn)
    layout, extras = remember(frame, default)
    layout.update(piece_notes("gap_pieces", each.gap, default_gap_pieces(frame.gap)))
    layout.update(piece_notes("pieces", each.body, [text_between(frame)]))
    message.layout, message.extras = NOTES.by_format(layout), NOTES.by_format(extras)
    return message


# --- writing ----------------------------------------------------------------------------------------------------------


class ListFrames(Frames):
    """Writes frames as tokens and strings. Strings are data, so no token in them has to be broken."""

    target = LIST.id
    mark = None
    form = LIST
    embeds = True

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
