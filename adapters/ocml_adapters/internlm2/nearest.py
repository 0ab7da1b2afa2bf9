"""Fit messages and documents to InternLM2-Chat: text, calls, replies, declared tools.

`nearest` looks at one message. `Draft` prepares a document: it puts the tools among the messages, and finds for each
reply its tool and the first call that has no reply yet, which decide how the reply is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import canonical, has_part, is_call
from ocml_bridge.common.memo import Memo
from ocml_bridge.loss import Log
from ocml_bridge.model import Content, Message, Tool, Tools, Transcript, replace
from ocml_bridge.report.narrowing import drop_message, narrow
from ocml_bridge.text.calls import constraint_of
from ocml_bridge.text.declared import take_tools
from ocml_bridge.text.plain import has_no_place, message
from ocml_bridge.text.replies import Replies
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of
from ocml_bridge.units.pairing import with_name
from ocml_bridge.units.writer import TOOLS

from .body import joins
from .frames import Place, framed, heading_of, layout_in, layout_of, majority
from .syntax import DIALECTS, ENVIRONMENT, HOME, NOTES, PYTHON, STARTS
from .tools import declared_in, declares, message_with_tools, normal, place_of, tools_of

TARGET: Final = "internlm2"


def nearest(source: Message, index: int, log: Log) -> Message | None:
    """Return the message with one text, or with declared tools; None for private reasoning, which is reported.

    Args:
        source: any message.
        index: its index in the document.
        log: takes the losses.
    """
    if has_no_place(source):
        return drop_message(log, index, f"{TARGET} has no place for private reasoning")
    if isinstance(source.content, str):
        return source
    if declares(source):
        return declaring(source)
    return replace(source, content=narrow(source.content, (), f"/messages/{index}/content", log, target=TARGET))


def declaring(source: Message) -> Message:
    """Return a tool declaration as it is read back."""
    tools = tuple(map(normal, tools_of(source)))
    return Message("system", (Tools(tools),), layout=source.layout, extras=source.extras)


def turn(source: Message, content: str) -> Message:
    """Return a message of text with the fields that a frame holds: a call, a reply, or a turn."""
    role, name = "tool" if source.role == ENVIRONMENT else source.role, source.name
    if role == "tool" and name is not None:
        name = canonical(name)
    image = message(role, content, name, None if source.end is None else "end")
    image.continues = source.continues
    image.layout, image.extras = source.layout, source.extras
    return _as_call(image, source) if is_call(source) else image


def _as_call(image: Message, source: Message) -> Message:
    recipient = canonical(source.recipient or "")
    code = recipient == PYTHON and source.constraint is None
    return replace(
        image,
        channel="commentary",
        recipient=recipient,
        constraint=None if code else constraint_of(str(image.content)),
        end=None if source.end is None else "call",
    )


def opened(source: Message) -> Message:
    """Return an open turn with the fields that a frame holds."""
    return replace(turn(source, ""), channel=None, recipient=None, end=None, continues=False)


# --- documents --------------------------------------------------------------------------------------------------------

WAITING: Final = "waiting"
"""Key in a reply's layout, while it is written: the recipient of the first call that has no reply yet."""
_REPLIES: Final = frozenset({"tool", ENVIRONMENT})


class Draft:
    """Prepares a document for writing.

    Args:
        conversation: the document; it is not changed.
        foreign: tokens of other dialects, which are not written even if a layout has them.
        log: takes the losses, by paths in the document.

    Attributes:
        items: the messages, and the declaration of the transcript's tools.
        origins: for each item its index in the document, or `TOOLS`; None if the items are the document's messages.
        open_turn: the open turn, if there is one.
    """

    def __init__(self, conversation: Conversation, foreign: re.Pattern[str] | None, log: Log) -> None:
        around = conversation.around
        self._foreign = foreign
        self._replies = Replies()
        self._spells_starts = False
        """Whether the layout of some message has a start token."""
        self.items = list(conversation.items)
        self.origins: list[int] | None = None
        tools = declared_in(around)
        if any(has_part(item[1], Tools) for item in self.items):
            tools = self._take_tools(tools, log)
        if tools is not None:
            self._place_tools(message_with_tools(tools, around), around)
        self._relate()
        self.open_turn = around.open_turn
        if self.open_turn is not None:
            self.open_turn = message_of(self._related(item_of(self.open_turn), None))

    # --- declared tools -----------------------------------------------------------------------------------------------

    def _take_tools(self, declared: Sequence[Tool] | None, log: Log) -> Sequence[Tool] | None:
        """Add the tools that messages declare in places where the format cannot; return the transcript's tools."""
        places: set[int] = set()
        leading = declared is None
        for at, item in enumerate(self.items):
            if _is_private(item):
                continue
            if has_part(item[1], Tools) and (leading or not declares(message_of(item))):
                places.add(at)
                leading = leading and not all(isinstance(part, Tools) for part in item[1])
            leading = leading and item[0].role == "system"
        if not places:
            return declared
        self.items, self.origins, tools = take_tools(self.items, places, declared, log, target=TARGET)
        return tools

    def _place_tools(self, message: Message, around: Transcript) -> None:
        """Insert the declaration of the transcript's tools at its place."""
        places: list[int] = []
        for at, item in enumerate(self.items):
            if not _is_private(item):
                places.append(at)
                if item[0].role != "system" or has_part(item[1], Tools):
                    break
        else:
            places.append(len(self.items))
        at = places[place_of(around, len(places) - 1)]
        if self.origins is None:
            self.origins = [*range(len(self.items))]
        self.items.insert(at, item_of(message))
        self.origins.insert(at, TOOLS)

    # --- relations between messages -----------------------------------------------------------------------------------

    def _relate(self) -> None:
        before: Item | None = None
        for at, item in enumerate(self.items):
            if not _is_private(item):
                before = self._related(item, before)
                if before is not item:
                    self.items[at] = before

    def _related(self, item: Item, before: Item | None) -> Item:
        """Return the next message: a reply gets its tool; one that cannot continue the last frame begins a frame."""
        head, content, call_id = item
        if not head.bare and _start_of(head) is not None:
            self._spells_starts = True
        if head.continues and before is not None and not (_has_place(before) and _has_place(item)):
            head = head.replaced(continues=False)
            item = head, content, call_id
        if head.role in _REPLIES:
            return self._named_reply(head), content, call_id
        if head.calls:
            self._replies.call(canonical(head.recipient or ""))
        elif self._replies:
            self._replies.text(continues=before is not None and joins(before[0], head))
        return item

    def _named_reply(self, head: Head) -> Head:
        """Return the head of a reply with the name that it reads as, and with `WAITING` if its frame depends on it."""
        replies, local = self._replies, head.local(HOME)
        waiting = replies.waiting
        if local.bare and local.name in (None, waiting):
            replies.reply(waiting)
            return with_name(local, waiting)
        reply = turn(local.message("", None), "")
        if reply.name is None:
            reply.name = waiting
        frame, _ = framed((reply,), layout_of(reply, self._foreign), waiting, Place("im", closed=None, last=False))
        name = heading_of(frame.header).speaker(waiting)
        replies.reply(name)
        return local.replaced(name=name, layout={HOME: {**NOTES.together(reply.layout), WAITING: waiting}})

    def reads_as(self, dialect: str) -> bool:
        """Return whether a reader detects this dialect if start tokens are spelled by the layouts of their messages."""
        if not self._spells_starts:
            return True
        spelled: list[str | None] = []
        before: Head | None = None
        for item in self.items:
            if not _is_private(item):
                if before is None or not joins(before, item[0]):
                    spelled.append(_start_of(item[0]))
                before = item[0]
        if self.open_turn is not None:
            spelled.append(_start_of(item_of(self.open_turn)[0]))
        return (
            majority([DIALECTS[dialect].tokens.start if start is None else start for start in spelled])
            == DIALECTS[dialect].reads_as
        )


def _is_private(item: Item) -> bool:
    """Return whether a message is private reasoning, which is left out. Answers for plain texts are cached by head."""
    head, content, _ = item
    cached = _private.get(head)
    if cached is not None and content.__class__ is str:
        return cached
    result = has_no_place(message_of(item))
    return _private.keep(head, result) if head.shared and content.__class__ is str else result


def _start_of(head: Head) -> str | None:
    """Return the start token in the layout of a message."""
    start = layout_in(head).get("start")
    return start if isinstance(start, str) and start in STARTS else None


def _has_place(item: Item) -> bool:
    """Return whether a message has a place next to calls: blank text of the assistant has none."""
    return item[0].role != "assistant" or item[0].calls or _text(item[1]).strip() != ""


def _text(content: Content) -> str:
    return str(narrow(content, (), "", Log(), target=TARGET))


_private: Final = Memo[Head, bool](LIMIT)
