"""What InternLM2-Chat can hold of a message: text, calls, replies, and declared tools; and of a document.

A document is written frame by frame, with its tools among the messages, and with what only others tell of one. A reply
is written by what its tool is, and by which call is waiting for its reply: that is put into its layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.common.memo import Memo
from ocml_bridge.loss import Log
from ocml_bridge.model import Content, Message, Tool, Tools, Transcript, replace
from ocml_bridge.report.narrowing import drop_message, narrow
from ocml_bridge.text.declared import has_tools, take_tools
from ocml_bridge.text.plain import message
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS

from .body import joins
from .calls import Replies, constraint_of, named
from .frames import Place, framed, heading_of, layout_in, layout_of, majority
from .syntax import DIALECTS, ENVIRONMENT, HOME, NOTES, PYTHON, STARTS
from .tools import declared_in, declares, message_with_tools, normal, place_of, tools_of

TARGET: Final = "internlm2"


def nearest(source: Message, index: int, log: Log) -> Message | None:
    """The message with its content as a text or declared tools; None for private reasoning, which is reported.

    Args:
        source: any message.
        index: its index in the document.
        log: takes what is lost.
    """
    if is_private(source):
        drop_message(log, index, f"{TARGET} has no place for private reasoning")
        return None
    if isinstance(source.content, str):
        return source
    if declares(source):
        return declaring(source)
    return replace(source, content=narrow(source.content, (), f"/messages/{index}/content", log, target=TARGET))


def declaring(source: Message) -> Message:
    """A message of declared tools."""
    tools = tuple(map(normal, tools_of(source)))
    return Message("system", (Tools(tools),), layout=source.layout, extras=source.extras)


def turn(source: Message, content: str) -> Message:
    """A message of text as it stands in its frame: a call, a reply, or what somebody says."""
    role, name = "tool" if source.role == ENVIRONMENT else source.role, source.name
    if role == "tool" and name is not None:
        name = canonical(name)
    made = message(role, content, name, None if source.end is None else "end")
    made.continues = source.continues
    made.layout, made.extras = source.layout, source.extras
    return _called(made, source) if is_call(source) else made


def _called(made: Message, source: Message) -> Message:
    recipient = canonical(source.recipient or "")
    code = recipient == PYTHON and source.constraint is None
    return replace(
        made,
        channel="commentary",
        recipient=recipient,
        constraint=None if code else constraint_of(str(made.content)),
        end=None if source.end is None else "call",
    )


def canonical(recipient: str) -> str:
    """A recipient as it is read back."""
    return recipient_of(name_of(recipient))


def opened(source: Message) -> Message:
    """An open turn with what InternLM2-Chat says of it."""
    return replace(turn(source, ""), channel=None, recipient=None, end=None, continues=False)


# --- documents --------------------------------------------------------------------------------------------------------

WAITING: Final = "waiting"
"""The key in a reply's layout, while it is written: the recipient of the first call that is waiting for its reply."""
_REPLIES: Final = frozenset({"tool", ENVIRONMENT})


class Draft:
    """A document that is prepared.

    Args:
        conversation: the document; nothing of it is changed.
        foreign: the tokens that are not to be written, whatever messages remember.
        log: takes what is lost, by its path in the document.

    Attributes:
        items: its messages, with the one that declares the transcript's tools.
        origins: for each its index in the document, or `TOOLS`; None where they are the document's.
        open_turn: the open turn.
    """

    def __init__(self, conversation: Conversation, foreign: re.Pattern[str] | None, log: Log) -> None:
        around = conversation.around
        self._foreign = foreign
        self._replies = Replies()
        self._spells_starts = False
        """Whether a message remembers how its start token was spelled."""
        self.items = list(conversation.items)
        self.origins: list[int] | None = None
        tools = declared_in(around)
        if any(map(has_tools, self.items)):
            tools = self._take_tools(tools, log)
        if tools is not None:
            self._place_tools(message_with_tools(tools, around), around)
        self._relate()
        self.open_turn = around.open_turn
        if self.open_turn is not None:
            self.open_turn = message_of(self._related(item_of(self.open_turn), None))

    # --- declared tools -----------------------------------------------------------------------------------------------

    def _take_tools(self, declared: Sequence[Tool] | None, log: Log) -> Sequence[Tool] | None:
        """The transcript's tools, with those that messages declare elsewhere than the format can."""
        places: set[int] = set()
        leading = declared is None
        for at, item in enumerate(self.items):
            if _is_private(item):
                continue
            if has_tools(item) and (leading or not declares(message_of(item))):
                places.add(at)
                leading = leading and not all(isinstance(part, Tools) for part in item[1])
            leading = leading and item[0].role == "system"
        if not places:
            return declared
        self.items, self.origins, tools = take_tools(self.items, places, declared, log, target=TARGET)
        return tools

    def _place_tools(self, message: Message, around: Transcript) -> None:
        """Put the message that declares the transcript's tools where it stands."""
        places: list[int] = []
        for at, item in enumerate(self.items):
            if not _is_private(item):
                places.append(at)
                if item[0].role != "system" or has_tools(item):
                    break
        else:
            places.append(len(self.items))
        at = places[place_of(around, len(places) - 1)]
        if self.origins is None:
            self.origins = [*range(len(self.items))]
        self.items.insert(at, item_of(message))
        self.origins.insert(at, TOOLS)

    # --- what others tell of a message --------------------------------------------------------------------------------

    def _relate(self) -> None:
        before: Item | None = None
        for at, item in enumerate(self.items):
            if not _is_private(item):
                before = self._related(item, before)
                if before is not item:
                    self.items[at] = before

    def _related(self, item: Item, before: Item | None) -> Item:
        """The next message: as a reply with its tool's name, and in a new frame where it cannot go on in the last."""
        head, content, call_id = item
        if not head.bare and _start_of(head) is not None:
            self._spells_starts = True
        if head.continues and before is not None and not (_says_something(before) and _says_something(item)):
            head = head.replaced(continues=False)
            item = head, content, call_id
        if head.role in _REPLIES:
            return self._answering(head), content, call_id
        if head.calls:
            self._replies.call(canonical(head.recipient or ""))
        elif self._replies.in_calls:
            self._replies.text(continues=before is not None and joins(before[0], head))
        return item

    def _answering(self, head: Head) -> Head:
        """The head of a reply, with its tool's name as it reads, and the call that is waiting where it is another's."""
        replies, local = self._replies, head.local(HOME)
        waiting = replies.waiting
        if local.bare and local.name in (None, waiting):
            replies.reply(waiting)
            return named(local, waiting)
        reply = turn(local.message("", None), "")
        if reply.name is None:
            reply.name = waiting
        frame, _ = framed((reply,), layout_of(reply, self._foreign), waiting, Place("im", closed=None, last=False))
        name = heading_of(frame.header).speaker(waiting)
        replies.reply(name)
        return local.replaced(name=name, layout={HOME: {**NOTES.together(reply.layout), WAITING: waiting}})

    def reads_as(self, dialect: str) -> bool:
        """Whether a reader finds this dialect if all start tokens are spelled as messages remember."""
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
    """Whether a message is private reasoning, which is left out."""
    head, content, _ = item
    known = _private.get(head)
    if known is not None and content.__class__ is str:
        return known
    private = is_private(message_of(item))
    return _private.keep(head, private) if head.shared and content.__class__ is str else private


def _start_of(head: Head) -> str | None:
    """The start token that a message remembers."""
    start = layout_in(head).get("start")
    return start if isinstance(start, str) and start in STARTS else None


def _says_something(item: Item) -> bool:
    """Whether a message of an assistant is a call, or text that is not blank: other text says nothing beside calls."""
    return item[0].role != "assistant" or item[0].calls or _text(item[1]).strip() != ""


def _text(content: Content) -> str:
    return str(narrow(content, (), "", Log(), target=TARGET))


_private: Final = Memo[Head, bool](LIMIT)
