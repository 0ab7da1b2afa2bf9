"""A document as it is written in a dialect: its tools among its messages, and what only others tell of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.common.memo import Memo
from ocml_bridge.loss import Log
from ocml_bridge.model import Content, Json, Message, Tool, Tools, Transcript
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.declared import has_tools, take_tools
from ocml_bridge.text.im import read_header
from ocml_bridge.text.plain import name_from_header
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS

from .around import TOOLS as EDGES
from .around import TOOLS_AT, joins_text, place_of_tools
from .families import Family
from .frames import APART, CLOSING, normal_tools
from .markup.responses import Replies
from .plain import plain_message
from .syntax import HOME, NOTES, TEXT

_NAMED: Final = "header"


class Draft:
    """A document that is prepared.

    Args:
        conversation: the document; nothing of it is changed.
        family: whose spelling is written.
        log: takes what is lost, by its path in the document.
        own: whether the document was read in the same family.

    Attributes:
        items: its messages, with one that declares the transcript's tools.
        tools: all that it declares; None where there is no word of any.
        origins: for each its index in the document, or `TOOLS`; None where they are the document's.
    """

    def __init__(self, conversation: Conversation, family: Family, log: Log, *, own: bool) -> None:
        self.items = list(conversation.items)
        self.origins: list[int] | None = None
        self.tools = _as_listed(self._take_tools(conversation.around.tools, log), family)
        self._place_tools(conversation.around, self.tools, family)
        self._relate(family, own=own)

    # --- declared tools -----------------------------------------------------------------------------------------------

    def _take_tools(self, declared: Sequence[Tool] | None, log: Log) -> Sequence[Tool] | None:
        """The transcript's tools, with those that messages declare."""
        places = {at for at, item in enumerate(self.items) if has_tools(item)}
        if not places:
            return declared
        self.items, self.origins, tools = take_tools(self.items, places, declared, log, target=TEXT.id)
        return tools

    def _place_tools(self, around: Transcript, tools: Sequence[Tool] | None, family: Family) -> None:
        says_none = family.declaration.alone and TOOLS_AT in NOTES.together(around.layout)
        if tools is None or not (tools or says_none):
            return
        leading = next((at for at, item in enumerate(self.items) if item[0].role != "system"), len(self.items))
        at = place_of_tools(around, leading)
        beside = at < leading and joins_text(around, family) and text_of(self.items[at][1]) != ""
        layout, extras = (
            NOTES.by_format(cast("dict[str, Json]", edges)) if isinstance(edges := notes.get(EDGES), dict) else None
            for notes in (NOTES.together(around.layout), NOTES.together(around.extras))
        )
        message = Message("system", (Tools(normal_tools(tuple(tools))),), continues=beside)
        if not beside:
            message.layout, message.extras = layout, extras
        if self.origins is None:
            self.origins = [*range(len(self.items))]
        self.items.insert(at + beside, item_of(message))
        self.origins.insert(at + beside, TOOLS)

    # --- what others tell of a message --------------------------------------------------------------------------------

    def _closing(self, family: Family) -> int:
        """The index of the first reply of the last frame, where that is spelled otherwise than those before."""
        at = len(self.items)
        while family.responses.closing is not None and at:
            item = self.items[at - 1]
            if item[0].role != "tool" and not _is_left_out(item):
                break
            at -= 1
            if item[0].role == "tool" and APART in NOTES.together(self.items[at][0].message("", None).layout):
                break
        return at

    def _relate(self, family: Family, *, own: bool) -> None:
        """Give each reply its tool's name, and begin a frame with what cannot go on in the one before it."""
        items, replies = self.items, Replies()
        closing = self._closing(family)
        before: Item | None = None
        for at, item in enumerate(items):
            if _is_left_out(item):
                continue
            head, content, call_id = item
            if head.role == "assistant" and head.continues and (before is None or not (_says(before) and _says(item))):
                head = head.replaced(continues=False)
            if head.role == "tool":
                local = head.local(HOME)
                name = _name_in_header(local.message("", None)) if own else None
                waits = replies.take("tool", None, name, continues=False)
                if head.name != (name or waits):
                    head = head.replaced(name=name or waits)
                if at >= closing:
                    notes = NOTES.together(head.local(HOME).message("", None).layout)
                    head = head.replaced(layout={HOME: {**notes, CLOSING: True}})
            else:
                recipient = recipient_of(name_of(head.recipient or "")) if head.calls else None
                replies.take(head.role, recipient, None, continues=head.continues and head.role == "assistant")
            if head is not item[0]:
                items[at] = head, content, call_id
            before = items[at]


def _as_listed(tools: Sequence[Tool] | None, family: Family) -> Sequence[Tool] | None:
    """Tools as a family's list holds them."""
    return family.declaration.tools.nearest(normal_tools(tuple(tools))) if tools else tools


def text_of(content: Content) -> str:
    """The text that a content is written as."""
    return str(narrow(content, (), "", Log(), target=TEXT.id))


def _says(item: Item) -> bool:
    """Whether an assistant's message is a call, or text that is not blank: other text says nothing beside others."""
    head, content, _ = item
    return head.role != "assistant" or head.calls or text_of(content).strip() != ""


def _is_left_out(item: Item) -> bool:
    """Whether a message has no place in a frame: a thought without a word, and what others say in private."""
    head, content, _ = item
    if head.role == "assistant" and text_of(content).strip() != "":
        return False
    if content.__class__ is not str:
        return is_private(message_of(item))
    private = _private.get(head)
    if private is None:
        private = is_private(head.message("", None))
        if head.shared:
            _private.keep(head, private)
    return private


_private: Final = Memo[Head, bool](LIMIT)
"""Whether a message with a head and a text is private."""


def _name_in_header(message: Message) -> str | None:
    """The tool that a reply's header names, as it is remembered."""
    raw = NOTES.together(message.layout, message.extras).get(_NAMED)
    heading = read_header(raw) if isinstance(raw, str) else None
    return None if heading is None or heading.role == "user" else name_from_header("tool", heading.name)


# --- a message in its frame -------------------------------------------------------------------------------------------

_GAPS: Final = ("", "\n")
"""What families write between frames."""


def turn(source: Message, content: str, *, private: bool) -> Message:
    """A message as it stands in its frame: a thought, a call, a reply, or what somebody says."""
    made = plain_message(source, content)
    if private:
        made.channel = "analysis"
    elif is_call(source):
        made.channel, made.recipient = "commentary", recipient_of(name_of(source.recipient or ""))
        made.constraint, made.name = source.constraint, source.name
        made.end = None if source.end is None else "call"
    if source.role == "assistant":
        made.continues = source.continues
    return made


def remembered_of(first: Message, *, own: bool) -> dict[str, Json]:
    """What a message remembers of its frame; where another family spelled it, only what families do not differ in."""
    notes = NOTES.together(first.layout, first.extras)
    if own:
        return notes
    notes.pop("body", None)
    if notes.get("gap") in _GAPS:
        del notes["gap"]
    if first.role == "tool":
        notes.pop("header", None)
    return notes
