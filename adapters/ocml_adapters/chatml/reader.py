"""Read ChatML's text, with or without the markup of a family, as a conversation.

Without markup a unit is a `Frame`. With markup it is a `PlacedFrame`, because the frame before it and the family decide
what of its spelling is remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace as with_fields
from typing import Final, NamedTuple, cast

from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.im import Frame
from ocml_bridge.text.replies import Replies
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.pairing import with_name
from ocml_bridge.units.reader import UnitReader

from .around import DeclaredTools, around_of, with_tools
from .detect import DeclaringFrame, declaring_frame, family_of, has_tags, is_open_turn, may_have_markup
from .families import Family
from .findings import check_frame, check_tail, report_open_turn
from .frames import Contents, Place, gap_after, kind_of, read_frame, report_markup, schemas_of
from .headers import read_speaker
from .markup.parts import NO_SCHEMAS
from .markup.responses import answered
from .plain import read_open_turn
from .spelling import notes_about, with_notes
from .syntax import GRAMMAR, TEXT, ends_turn, may_be_markup, with_marks
from .unread import have_unread_tags

_LONGEST: Final = 256
"""The maximum length of a header or a gap for which plans are made, in characters."""


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """Return the conversations of a text, each with its offset."""
    assert isinstance(source, str)
    return GRAMMAR.split(source)


class PlacedFrame(NamedTuple):
    """A frame and its place.

    Attributes:
        frame: the frame.
        place: what its default spelling depends on.
        declares: whether it declares the tools of the document.
    """

    frame: Frame
    place: Place
    declares: bool = False


class Around(NamedTuple):
    """What is around the messages.

    Attributes:
        family: the family that wrote the text; None for ChatML without markup.
        tail: the text after the last frame.
        last: the last frame.
        open_turn: the frame of the open turn.
        tools: the contents of the frame that declares the tools.
        tools_at: the index of that frame; -1 if there is none.
    """

    family: Family | None
    tail: str
    last: Frame | None
    open_turn: PlacedFrame | None = None
    tools: Contents | None = None
    tools_at: int = -1


class TextReader(UnitReader):
    """Reads the frames of a text."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Return the frames of a text.

        Raises:
            BridgeError: OCB-SEVERAL with the offset at which another conversation begins.
        """
        text = cast("str", source)
        frames, tail = GRAMMAR.frames(text)
        return part_frames(frames, tail, has_markup=may_have_markup(text, frames))

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty, and none may have markup of any family."""
        marked = with_marks(texts)
        if not all(texts) or any(map(may_be_markup, marked)):
            return False
        joined = "".join(marked)
        return not (marked and (has_tags(joined) or ends_turn(joined))) and not have_unread_tags(texts)

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens; the headers of frames belong to them."""
        return GRAMMAR.contents(text)

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """Return a cache key and the body of a frame; None for the last one if it is cut off, and for markup."""
        if unit.__class__ is Frame:
            frame, closed, family = cast("Frame", unit), None if before is None else before.end, None
        else:
            frame, place, declares = cast("PlacedFrame", unit)
            if declares or place.family is None:
                return None
            closed = None if place.before is None else place.before.end
            family = place.family.name, kind_of(place.before)
        body, speaker = frame.body, read_speaker(frame.header)
        if (
            frame.last
            or speaker.part in ("calls", "tools")
            or len(frame.gap) > _LONGEST
            or len(frame.header) > _LONGEST
        ):
            return None
        if may_be_markup(body, speaker.role) or (speaker.role == "assistant" and have_unread_tags((body,))):
            return None
        key = (frame.gap, frame.start, frame.header, frame.newline, frame.end, not body, closed, family)
        return key, [body] if body else []

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a frame with another body."""
        body = "".join(values)
        if unit.__class__ is Frame:
            return with_fields(unit, body=body)
        placed = cast("PlacedFrame", unit)
        return placed._replace(frame=with_fields(placed.frame, body=body))

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        placed = placed_frame(unit, at, split)
        contents = read_contents(placed, index, log)
        return with_notes(placed.frame, contents, placed.place) if contents.messages else ()

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation; replies get the names of their tools."""
        if any(item[0].role == "tool" or item[0].calls for item in items):
            _name_replies(items, log)
        return Conversation(items, surroundings(split, log))


def _name_replies(items: list[Item], log: Log) -> None:
    """Give each reply without a name the name of the call that it answers."""
    replies = Replies()
    for at, item in enumerate(items):
        head, content, call_id = item
        if head.calls:
            replies.call(head.recipient or "")
        elif head.role != "tool":
            replies.text(continues=head.continues)
        elif (name := answered(replies, head.name, at, log)) is not None and head.name is None:
            items[at] = with_name(head, name), content, call_id


def part_frames(frames: Sequence[Frame], tail: str, *, has_markup: bool) -> SplitDocument:
    """Return the frames of a text as units, without the frame of the open turn.

    Args:
        frames: all frames.
        tail: the text after them.
        has_markup: whether the text may have the markup of a family.
    """
    tools_at, tools = declared = declaring_frame(frames) if has_markup else DeclaringFrame()
    family = family_of(frames, declared, tail) if has_markup else None
    last = frames[-1] if frames else None
    schemas = NO_SCHEMAS if tools is None else schemas_of(tools.tools)
    open_turn: PlacedFrame | None = None
    units: Sequence[Frame | PlacedFrame] = frames
    if family is not None:
        final = len(frames) - 1 - (last is not None and is_open_turn(last))
        units = [
            PlacedFrame(
                frame, Place(family, before, frame is last, schemas=schemas, closing=at == final), at == tools_at
            )
            for at, (frame, before) in enumerate(zip(frames, [None, *frames], strict=False))
        ]
    if last is not None and is_open_turn(last):
        units, before = units[:-1], frames[-2] if len(frames) > 1 else None
        open_turn = PlacedFrame(last, Place(family, before, is_open_turn=True))
    envelope = None if tools is not None else (family and family.name, tail, open_turn and _values_of(open_turn.frame))
    return SplitDocument(
        units, Transcript(), document=Around(family, tail, last, open_turn, tools, tools_at), envelope=envelope
    )


def _values_of(frame: Frame) -> tuple[Hashable, ...]:
    """Return all values of a frame that do not depend on its offset."""
    return frame.gap, frame.start, frame.header, frame.newline, frame.body, frame.end, frame.last


def placed_frame(unit: Unit, at: int, split: SplitDocument) -> PlacedFrame:
    """Return a unit with its place.

    Args:
        unit: the unit.
        at: its index.
        split: the units of the text.
    """
    if unit.__class__ is not Frame:
        return cast("PlacedFrame", unit)
    before = cast("Frame", split.units[at - 1]) if at else None
    last = at == len(split.units) - 1 and cast("Around", split.document).open_turn is None
    return PlacedFrame(cast("Frame", unit), Place(None, before, last))


def read_contents(placed: PlacedFrame, index: int, log: Log) -> Contents:
    """Return the contents of a frame, and report what is unusual about it.

    Args:
        placed: a frame that is not the open turn.
        index: the index of its first message.
        log: takes the findings.

    Raises:
        BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
    """
    frame = placed.frame

    def note(code: FindingCode, at: int, detail: str) -> None:
        log.find(code, f"/messages/{index + at}/content", detail)

    contents = read_frame(frame, placed.place.before, declares=placed.declares, note=note, schemas=placed.place.schemas)
    path = f"/messages/{index}" if contents.messages else "/tools"
    last = f"/messages/{index + len(contents.messages) - 1}" if contents.messages else None
    replies = contents.messages != [] and contents.messages[0].role == "tool"
    check_frame(frame, path, log, TEXT, last=last, replies=replies)
    report_markup(frame, contents, index, log)
    return contents


def surroundings(split: SplitDocument, log: Log) -> Transcript:
    """Return a document without messages: the open turn, the tools, and the notes about the text around.

    Args:
        split: the units of the text.
        log: takes the findings.

    Raises:
        BridgeError: OCB-NO-FRAMES if no message begins.
    """
    around = cast("Around", split.document)
    turn: Message | None = None
    if around.open_turn is not None:
        turn = _open_turn(around.open_turn)
        report_open_turn(around.open_turn.frame, log, TEXT)
    check_tail(around.tail, around.last, log, TEXT)
    document = around_of(around.family, around.tail, gap_after(around.last, around.family), turn)
    if around.tools is None or around.tools.tools is None:
        return document
    unit = cast("PlacedFrame", split.units[around.tools_at])
    alone = not around.tools.messages
    layout, extras = notes_about(unit.frame, around.tools, unit.place) if alone else ({}, {})
    following = split.units[around.tools_at + 1 :][:1]
    declared = DeclaredTools(around.tools.tools, around.tools_at, alone, layout, extras)
    return with_tools(document, declared, before_text=alone and any(map(_is_system_text, following)))


def _is_system_text(unit: Unit) -> bool:
    frame = cast("PlacedFrame", unit).frame
    return read_speaker(frame.header).role == "system" and frame.body != ""


def _open_turn(placed: PlacedFrame) -> Message:
    """Return the message of the open turn, with the notes about its frame."""
    frame, place, _ = placed
    return with_notes(frame, Contents([read_open_turn(frame)], frame.body), place)[0]
