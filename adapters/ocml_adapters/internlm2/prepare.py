"""A document as it is written frame by frame: with its tools among the messages, and with what only others tell of one.

A reply is written by what its tool is, and by which call waits for its reply first: that is put into its layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.memo import Memo
from ocml_bridge.model import Content, Tool, Tools, Transcript, replace
from ocml_bridge.text.edges import kept_by
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS
from ocml_bridge.visibility import is_private

from .actions import joins
from .around import declared_in, message_with_tools, place_of
from .frames import Place, default_frame, majority, meaning, recalled, remembered
from .nearest import TARGET, canonical, turn
from .replies import Replies
from .syntax import ENVIRONMENT, HOME, SPELLINGS, STARTS
from .tools import declares

WAITS: Final = "waits"
"""The key in a reply's layout, while it is written: the recipient of the first call that waits for its reply."""
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
        self.items = list(conversation.items)
        self.origins: list[int] | None = None
        self._place_tools(around, self._take_tools(declared_in(around), log))
        self._relate()
        self.open_turn = around.open_turn
        if self.open_turn is not None and self.open_turn.role in _REPLIES:
            self.open_turn = message_of(self._answering(item_of(self.open_turn)))

    # --- declared tools -----------------------------------------------------------------------------------------------

    def _take_tools(self, declared: Sequence[Tool] | None, log: Log) -> Sequence[Tool] | None:
        """The transcript's tools, with those that messages declare elsewhere than the format can."""
        if not any(map(_has_tools, self.items)):
            return declared
        items = self.items
        kept: list[Item] = []
        origins: list[int] = []
        moved: list[Tool] = []
        leading = declared is None
        for index, item in enumerate(items):
            if _has_tools(item) and not _is_private(item) and (leading or not declares(message_of(item))):
                rest = _without_tools(item, index, moved, log)
                if rest is None:
                    leading = False
                    continue
                item = rest
            leading = leading and (_is_private(item) or item[0].role == "system")
            kept.append(item)
            origins.append(index)
        self.items, self.origins = kept, origins
        if not moved:
            return declared
        log.lose(LossCode.TOOLS_MOVED, "/tools", "tools of messages are declared apart", Severity.LAYOUT)
        return (*(declared or ()), *moved)

    def _place_tools(self, around: Transcript, tools: Sequence[Tool] | None) -> None:
        if tools is None:
            return
        places: list[int] = []
        for at, item in enumerate(self.items):
            if not _is_private(item):
                places.append(at)
                if item[0].role != "system" or _declares(item):
                    break
        else:
            places.append(len(self.items))
        at = places[place_of(around, len(places) - 1)]
        if self.origins is None:
            self.origins = [*range(len(self.items))]
        self.items.insert(at, item_of(message_with_tools(tools, around)))
        self.origins.insert(at, TOOLS)

    # --- what others tell of a message --------------------------------------------------------------------------------

    def _relate(self) -> None:
        """Give each reply its tool's name, and begin a frame with what cannot go on in the one before it."""
        items, replies = self.items, self._replies
        before: Item | None = None
        for at, item in enumerate(items):
            head = item[0]
            if _is_private(item):
                continue
            if head.continues and before is not None and not (_says_something(before) and _says_something(item)):
                head = head.replaced(continues=False)
                item = items[at] = (head, *item[1:])
            if head.role in _REPLIES:
                item = items[at] = self._answering(item)
            elif head.calls:
                replies.call(canonical(head.recipient or ""))
            elif replies.in_calls:
                replies.text(continues=before is not None and joined(before[0], head))
            before = item

    def _answering(self, item: Item) -> Item:
        """A reply with its tool's name as it reads, and with the call that waits where that is another's."""
        head, content, call_id = item
        replies, local = self._replies, head.local(HOME)
        waits = replies.waits
        if local.bare and local.name in (None, waits):
            replies.reply(waits)
            return _named(local, waits), content, call_id
        reply = turn(local.message("", None), "")
        if reply.name is None:
            reply.name = waits
        place = Place("im", None, last=False)
        kept = remembered(reply, self._foreign)
        frame = recalled((reply,), kept, default_frame((reply,), waits, place), waits, place)
        name = meaning(frame.header).tool(waits)
        replies.reply(name)
        layout = {HOME: {**kept_by(HOME, reply.layout), WAITS: waits}}
        return local.replaced(name=name, layout=layout), content, call_id

    def reads_as(self, dialect: str) -> bool:
        """Whether a reader finds this dialect if all start tokens are spelled as messages remember."""
        spelled: list[str | None] = []
        before: Head | None = None
        for item in self.items:
            if not _is_private(item):
                if before is None or not joined(before, item[0]):
                    spelled.append(_start_of(item[0]))
                before = item[0]
        if self.open_turn is not None:
            spelled.append(_start_of(item_of(self.open_turn)[0]))
        starts = [SPELLINGS[dialect].start if start is None else start for start in spelled]
        return not starts or majority(starts) == dialect


def joined(before: Head, head: Head) -> bool:
    """Whether a text or a call stands in one frame with the one before it, given that neither is blank."""
    return joins(before.message("" if before.empty else "x", None), head.message("" if head.empty else "x", None))


def _is_private(item: Item) -> bool:
    """Whether a message is private reasoning, which is left out."""
    head, content, _ = item
    if content.__class__ is not str or not head.shared:
        return is_private(message_of(item))
    known = _private.get(head)
    return _private.keep(head, is_private(message_of(item))) if known is None else known


def _named(head: Head, name: str | None) -> Head:
    if head.name == name:
        return head
    named = _names.get((head, name))
    return _names.keep((head, name), head.replaced(name=name)) if named is None else named


def _start_of(head: Head) -> str | None:
    """The start token that a message remembers."""
    if head.local(HOME).bare:
        return None
    message = head.message("", None)
    start = kept_by(HOME, message.layout, message.extras).get("start")
    return start if isinstance(start, str) and start in STARTS else None


def _says_something(item: Item) -> bool:
    """Whether a message of an assistant is a call, or text that is not blank: other text says nothing beside calls."""
    return item[0].role != "assistant" or item[0].calls or _text(item[1]).strip() != ""


def _text(content: Content) -> str:
    return str(narrow(content, (), "", Log(), target=TARGET))


def _has_tools(item: Item) -> bool:
    content = item[1]
    return content.__class__ is not str and any(isinstance(part, Tools) for part in content)


def _declares(item: Item) -> bool:
    return item[1].__class__ is not str and declares(message_of(item))


def _without_tools(item: Item, index: int, moved: list[Tool], log: Log) -> Item | None:
    """A message without the tools in it, which are moved; None where it has nothing else."""
    message, path = message_of(item), f"/messages/{index}"
    declared = [part for part in message.content if isinstance(part, Tools)]
    moved += (tool for part in declared for tool in part.tools)
    alone = len(declared) == len(message.content)
    place = path if alone else f"{path}/content"
    log.lose(LossCode.TOOLS_MOVED, place, "its tools are declared apart from it", Severity.CHANGED)
    if alone:
        return None
    content = narrow(message.content, (), f"{path}/content", log, target=TARGET, hoisted=True)
    return item_of(replace(message, content=content))


_private: Final = Memo[Head, bool](LIMIT)
_names: Final = Memo[tuple[Head, str | None], Head](LIMIT)
