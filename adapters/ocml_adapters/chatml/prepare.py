"""Prepare a document for a dialect, and return what a message and its notes are in a frame.

`Draft` puts the tools among the messages, names the tool of each reply, and decides which messages begin a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import canonical, has_part, is_call
from ocml_bridge.common.memo import Memo
from ocml_bridge.loss import Log
from ocml_bridge.model import ByFormat, Content, Json, Message, Tool, Tools, Transcript
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.declared import take_tools
from ocml_bridge.text.plain import has_no_place, name_from_header
from ocml_bridge.text.replies import Replies
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS

from .arguments import remembers
from .around import TOOLS as NOTES_OF_TOOLS
from .around import TOOLS_AT, joins_text, place_of_tools
from .families import Family
from .frames import normal_tools
from .headers import OWN_ROLES, read_speaker, with_known_role
from .plain import plain_message
from .spelling import APART, CLOSING, JOINED, OPENING
from .syntax import HOME, NOTES, TEXT, ends_turn

_HEADER: Final = "header"


class Draft:
    """Prepares a document for writing.

    Args:
        conversation: the document; it is not changed.
        family: the family that writes it.
        log: takes the losses, by paths in the document.
        same_family: whether the document was read from a text of the same family.

    Attributes:
        items: the messages, and the message that declares the document's tools.
        tools: the declared tools; None if nothing declares any.
        origins: for each item its index in the document, or `TOOLS`; None if the items are the document's messages.
    """

    def __init__(self, conversation: Conversation, family: Family, log: Log, *, same_family: bool) -> None:
        self.items = list(conversation.items)
        self.origins: list[int] | None = None
        self.tools = _as_listed(self._take_tools(conversation.around.tools, log), family)
        self._place_tools(conversation.around, self.tools, family)
        self._relate(family, same_family=same_family)

    # --- declared tools -----------------------------------------------------------------------------------------------

    def _take_tools(self, declared: Sequence[Tool] | None, log: Log) -> Sequence[Tool] | None:
        """Take the tools out of the messages that declare them; return them with those of the document."""
        places = {at for at, item in enumerate(self.items) if has_part(item[1], Tools)}
        if not places:
            return declared
        self.items, self.origins, tools = take_tools(self.items, places, declared, log, target=TEXT.id)
        return tools

    def _place_tools(self, around: Transcript, tools: Sequence[Tool] | None, family: Family) -> None:
        """Insert the message that declares the tools, where the document remembers it."""
        declares_none = family.declaration.empty and TOOLS_AT in NOTES.together(around.layout)
        if tools is None or not (tools or declares_none):
            return
        leading = next((at for at, item in enumerate(self.items) if item[0].role != "system"), len(self.items))
        at = place_of_tools(around, leading)
        joins = at < leading and joins_text(around, family) and text_of(self.items[at][1]) != ""
        message = Message("system", (Tools(normal_tools(tuple(tools))),), continues=joins)
        if not joins:
            message.layout, message.extras = _notes_of_tools(around.layout), _notes_of_tools(around.extras)
        if self.origins is None:
            self.origins = [*range(len(self.items))]
        self.items.insert(at + joins, item_of(message))
        self.origins.insert(at + joins, TOOLS)

    # --- messages that depend on others -------------------------------------------------------------------------------

    def _closing(self, family: Family) -> int:
        """Return the index from which replies are in the last frame, after which no message follows."""
        at = len(self.items)
        while family.responses.closing is not None and at:
            item = self.items[at - 1]
            if item[0].role != "tool" and not _is_left_out(item, family):
                break
            at -= 1
            if item[0].role == "tool" and APART in NOTES.of(self.items[at][0].layout):
                break
        return at

    def _relate(self, family: Family, *, same_family: bool) -> None:
        """Name the tool of each reply, and begin a frame with a message that cannot continue the one before it."""
        items, replies = self.items, Replies()
        closing = self._closing(family)
        before: Item | None = None
        for at, item in enumerate(items):
            item = _with_known_role(item)
            if _is_left_out(item, family):
                continue
            head, content, call_id = item
            if head.role == "tool":
                head = _reply_head(head, replies, same_family=same_family, closing=at >= closing)
            else:
                if head.role == "assistant" and head.continues != (goes_on := _continues(before, item, family)):
                    head = head.replaced(continues=goes_on)
                if head.calls:
                    replies.call(canonical(head.recipient or ""))
                else:
                    replies.text(continues=head.continues and head.role == "assistant")
            if head is not items[at][0]:
                items[at] = head, content, call_id
            before = items[at]


def _reply_head(head: Head, replies: Replies, *, same_family: bool, closing: bool) -> Head:
    """Return the head of a reply with the name of its tool, and the note that no message follows its frame.

    Args:
        head: the head.
        replies: the calls that have no reply yet.
        same_family: whether the family that writes the reply also wrote the text that it is from.
        closing: whether no message follows its frame.
    """
    named = _name_in_header(head) if same_family else None
    called = replies.reply(named)
    if head.name != (named or called):
        head = head.replaced(name=named or called)
    if closing:
        head = head.replaced(layout=NOTES.adding(head.local(HOME).layout, {CLOSING: True}))
    return head


def _notes_of_tools(by_format: ByFormat | None) -> ByFormat | None:
    """Return the notes about the frame that declares the tools, as layout or extras of its message."""
    notes = NOTES.together(by_format).get(NOTES_OF_TOOLS)
    return NOTES.by_format(cast("dict[str, Json]", notes)) if isinstance(notes, dict) else None


def _as_listed(tools: Sequence[Tool] | None, family: Family) -> Sequence[Tool] | None:
    """Return the nearest tools that a family's list can hold."""
    return family.declaration.tools.nearest(normal_tools(tuple(tools))) if tools else tools


def text_of(content: Content) -> str:
    """Return the text that is written for a content."""
    return str(narrow(content, (), "", Log(), target=TEXT.id))


def _with_known_role(item: Item) -> Item:
    """Return a message with the role that it has in a text."""
    if item[0].role not in OWN_ROLES:
        return item
    return item_of(with_known_role(message_of(item)))


def _continues(before: Item | None, item: Item, family: Family) -> bool:
    """Return whether a message of the assistant continues the message before it."""
    if before is None:
        return False
    first, head = before[0], item[0]
    if is_apart(head, family) and first.role == "assistant" and _thinks(first):
        return not remembers(first, JOINED)
    return share_a_frame(first, head, family) and _has_words(before) and _has_words(item)


def share_a_frame(before: Head, head: Head, family: Family) -> bool:
    """Return whether a message of the assistant goes on in the frame of the one before it; two texts do not."""
    if not head.continues or before.name != head.name or remembers(head, OPENING):
        return False
    if before.calls and head.calls:
        return True
    return not is_apart(head, family) and (before.calls or head.calls or _thinks(before) or _thinks(head))


def is_apart(head: Head, family: Family) -> bool:
    """Return whether a message is written apart from the thought or call before it, unless it was read otherwise."""
    return family.apart is not None and not remembers(head, JOINED)


def _thinks(head: Head) -> bool:
    return head.channel == "analysis" and not head.calls


def _has_words(item: Item) -> bool:
    """Return whether a message is not blank text of the assistant's, which has no meaning beside other messages."""
    head, content, _ = item
    return head.role != "assistant" or head.calls or text_of(content).strip() != ""


def _is_left_out(item: Item, family: Family) -> bool:
    """Return whether a message has no frame: a blank thought, or private text of somebody other than the assistant."""
    head, content, _ = item
    if head.role == "assistant" and (family.apart is not None or text_of(content).strip() != ""):
        return False
    if content.__class__ is not str:
        return has_no_place(message_of(item))
    private = _private.get(head)
    if private is None:
        private = has_no_place(head.example())
        if head.shared:
            _private.keep(head, private)
    return private


_private: Final = Memo[Head, bool](LIMIT)
"""Head → whether a text with this head is private."""


def _name_in_header(head: Head) -> str | None:
    """Return the tool that the remembered header of a reply names, or None."""
    raw = NOTES.together(head.layout, head.extras).get(_HEADER)
    speaker = read_speaker(raw) if isinstance(raw, str) else None
    return None if speaker is None or speaker.role == "user" else name_from_header("tool", speaker.name)


# --- a message in its frame -------------------------------------------------------------------------------------------

_GAPS_OF_FAMILIES: Final = ("", "\n")
"""The gaps that families write by default, but for those that end a turn."""


def turn(source: Message, content: str, *, private: bool) -> Message:
    """Return a message with the fields that a frame holds: as a thought, a call, a reply, or a text."""
    plain = plain_message(source, content)
    if private:
        plain.channel = "analysis"
    elif is_call(source):
        plain.channel, plain.recipient = "commentary", canonical(source.recipient or "")
        plain.constraint, plain.name = source.constraint, source.name
        plain.end = None if source.end is None else "call"
    if source.role == "assistant":
        plain.continues = source.continues
    return plain


def remembered_of(first: Message, *, same_family: bool) -> dict[str, Json]:
    """Return the notes about a frame that are valid; of another family only those that families agree about."""
    notes = NOTES.together(first.layout, first.extras)
    if same_family:
        return notes
    notes.pop("body", None)
    gap = notes.get("gap")
    if gap in _GAPS_OF_FAMILIES or (isinstance(gap, str) and ends_turn(gap)):
        del notes["gap"]
    header = notes.get(_HEADER)
    if first.role == "tool" or (isinstance(header, str) and read_speaker(header).dialect is not None):
        notes.pop(_HEADER, None)
    return notes
