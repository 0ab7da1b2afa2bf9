"""Define the unit writer of OpenChatML 2.2, which writes each message as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, cast

from ocml_bridge.chat.turns import is_thought
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Enclosed, State, Unit, WrittenUnit
from ocml_bridge.units.heads import LONGEST, Head, Item, item_of, message_of
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.relations import indices_of
from ocml_bridge.units.writer import Prepared, UnitWriter

from .around import has_default_header, tail_of, text_after, with_tail, with_tools, write_front
from .body import encode
from .header import is_value, render_header
from .nearest import nearest, settled, unknown_attributes, without_gap
from .syntax import HOME, MESSAGE, NOTES, START, TERMINATORS, VERSION

_FIRST: Final = "first"
_CUT_OFF: Final = "cut off"


class Frames(UnitWriter):
    """The unit writer. Its state is whether the next frame is the first one, or the previous one was cut off."""

    target = HOME
    home = HOME
    keeps_signatures = False
    mark = "<"
    keeps_ids = True

    def inert(self, text: str) -> bool:
        """Return whether a text needs no escape: it has no token, and no `<` at its end."""
        return "<|" not in text and not text.endswith("<")

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: give ids to calls without one, and put the tools into the developer message."""
        around = conversation.around
        if around.header is not None and around.header.layout is None and has_default_header(around):
            log.lose(
                LossCode.HEADER,
                "/header",
                f"{HOME} leaves out the version {VERSION}, which is the default",
                Severity.LAYOUT,
            )
        items, nearest_message = identified(conversation.items, HOME), partial(self._nearest_in_place, log=log)
        items, around, origins, _ = developer.insert_tools(
            items,
            around,
            nearest_message,
            log,
            target=HOME,
            lenient=True,
            spelling=developer.spelling_of(NOTES.of(around.layout), HOME),
        )
        if not all(map(_is_short, [item[2] for item in items if item[2] is not None])):
            indices = indices_of(items, origins)
            items = [
                item if item[2] is None or _is_short(item[2]) else item_of(self.nearest(message_of(item), index, log))
                for index, item in zip(indices, items, strict=True)
            ]
        if items and items[-1][0].end is None and around.open_turn is None and text_after(around) is not None:
            head, content, call_id = items[-1]
            items = [*items[:-1], (head.replaced(end="end"), content, call_id)]
        return Prepared(items, around, origins, _FIRST)

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether a message certainly has no section of tools."""
        return developer.is_plain(head, content)

    def nearest(self, message: Message, index: int, log: Log) -> Message:
        """Return the nearest message that a frame can hold."""
        return nearest(message, f"/messages/{index}", log)

    def _nearest_in_place(self, message: Message, index: int, log: Log) -> Message:
        """Return the nearest message; the first one has no text before its frame."""
        image = self.nearest(message, index, log)
        return image if index else without_gap(image)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether a frame does not depend on its content and id: it does if its body or header is stored."""
        notes = NOTES.of(head.layout)
        return "body" not in notes and not ("header" in notes and head.has_id)

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the text of a frame, with the gap before it."""
        first = state == _FIRST
        image = settled(group[0], first=first, last=last)
        text = frame_of(image) if first else gap_of(image) + frame_of(image)
        return WrittenUnit(text, [image], _CUT_OFF if image.end is None else None)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the whole text: the front, the frames, and the open turn or the text at the end."""
        first, turn = state == _FIRST, around.open_turn
        front, image = write_front(around, alone=first and turn is None)
        rest = ""
        if turn is not None:
            turn = settled(opened(turn), first=first, last=True)
            rest = f"{'' if first else gap_of(turn)}{START}{header_of(turn)}"
            image = replace(image, open_turn=turn)
        elif not first and state != _CUT_OFF:
            rest = tail_of(around)
            image = with_tail(image, rest)
        if around.tools:
            image = replace(image, tools=around.tools)
        return Enclosed("".join((front, *units, rest)), image)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation of frames, with the tools taken out of the developer message."""
        return with_tools(items, around)


def _is_short(call_id: str) -> bool:
    """Return whether a header can contain an id, whatever else it contains."""
    return len(call_id) <= LONGEST and is_value(call_id)


def opened(turn: Message) -> Message:
    """Return an open turn as it is read from its header."""
    return nearest(replace(turn, content="", end=None, continues=False), "/open_turn", Log())


def header_of(message: Message) -> str:
    """Return the header of a settled message."""
    return cast("str | None", NOTES.of(message.layout).get("header")) or render_header(
        message, unknown_attributes(message)
    )


def frame_of(message: Message) -> str:
    """Return the frame of a settled message."""
    layout = NOTES.of(message.layout)
    body = layout.get("body")
    if body is None:
        body = encode(message.content, marked=is_thought(message))
    end = layout.get("end") or (TERMINATORS[message.end] if message.end is not None else "")
    return f"{START}{header_of(message)}{MESSAGE}{body}{end}"


def gap_of(message: Message) -> str:
    """Return the text between the previous frame and that of a message."""
    return cast("str", NOTES.of(message.extras).get("before", NOTES.of(message.layout).get("gap", "\n")))
