"""Pairs replies of tools with the calls that they answer; adds missing ids to both, and missing names to replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..chat.turns import is_call, is_reply
from ..common.memo import Memo
from ..loss import FindingCode, Log
from ..model import Message, replace
from .call_ids import made_up_id
from .heads import LIMIT, Head, Item, message_of
from .relations import paired_by_id, paired_in_order


class Pairing:
    """Pairs replies with calls, message by message.

    A reply with an id answers the open call with that id. Ids repeat in real data, so calls of the latest turn come
    first, and each call is answered once. A reply without an id answers an open call of the latest turn: the first of
    the tool that it names, or the first of all if it has no name.

    Attributes:
        turn: the indices of the calls of the latest turn; each turn has its own list object.
    """

    def __init__(self) -> None:
        self.turn: list[int] = []
        self._open_calls: deque[int] = deque()
        self._by_name: dict[str | None, deque[int]] = {}
        self._closed: set[int] = set()
        self._by_id: dict[str, deque[int]] = {}
        self._earlier: dict[str, deque[int]] = {}
        self._in_calls = False

    def feed(self, index: int, message: Message) -> int | None:
        """Take the next message; return the index of the call that it answers, or None if it answers none."""
        if not is_reply(message):
            if is_call(message):
                self._open(index, message)
            else:
                # A text between two calls of one wire message does not begin a new turn.
                self._in_calls = self._in_calls and message.continues
            return None
        self._in_calls = False
        call = self.find(message)
        if call is not None:
            self.close(call)
        return call

    def _open(self, index: int, message: Message) -> None:
        if not self._in_calls:
            for key, waiting in self._by_id.items():
                self._earlier.setdefault(key, deque()).extend(waiting)
            self._by_id, self._by_name, self._open_calls, self._in_calls = {}, {}, deque(), True
            self.turn = []
        self.turn.append(index)
        self._open_calls.append(index)
        self._by_name.setdefault(message.recipient, deque()).append(index)
        if message.call_id is not None:
            self._by_id.setdefault(message.call_id, deque()).append(index)

    def find(self, reply: Message) -> int | None:
        """Return the index of the call that a reply would answer as the next message; None if it would answer none."""
        if reply.call_id is not None:
            call = self._first(self._by_id.get(reply.call_id))
            return self._first(self._earlier.get(reply.call_id)) if call is None else call
        return self._first(self._open_calls if reply.name is None else self._by_name.get(reply.name))

    def _first(self, waiting: deque[int] | None) -> int | None:
        while waiting and waiting[0] in self._closed:
            waiting.popleft()
        return waiting[0] if waiting else None

    def close(self, index: int) -> None:
        """Mark a call as answered, so that no other reply answers it."""
        self._closed.add(index)

    def is_closed(self, index: int) -> bool:
        """Return whether a call is answered."""
        return index in self._closed


def pair(messages: Sequence[Message]) -> dict[int, int]:
    """Return, for the index of each reply, the index of the call that it answers.

    Replies are paired as `Pairing` does it. Also, a reply whose id no call has answers the only unanswered call of its
    turn, if there is no other such reply in the turn.
    """
    pairing = Pairing()
    pairs: dict[int, int] = {}
    strays: list[tuple[int, list[int]]] = []
    for index, message in enumerate(messages):
        call = pairing.feed(index, message)
        if call is not None:
            pairs[index] = call
        elif message.call_id is not None and is_reply(message):
            strays.append((index, pairing.turn))
    return _with_strays(messages, pairs, strays) if strays else pairs


def links_of(items: Sequence[Item]) -> list[Message]:
    """Return items as messages with the fields that `pair` looks at, and no others; this is faster than messages."""
    return [
        Message(head.role, "", head.name, None, head.recipient, call_id)
        if head.calls or head.role == "tool"
        else (_CONTINUING_TEXT if head.continues else _TEXT)
        for head, _, call_id in items
    ]


_TEXT: Final = Message("user", "")
_CONTINUING_TEXT: Final = Message("user", "", continues=True)
"""Stand for messages that are neither calls nor replies."""


def _with_strays(
    messages: Sequence[Message], pairs: dict[int, int], strays: Sequence[tuple[int, list[int]]]
) -> dict[int, int]:
    """Add the pairs of replies whose ids no call has.

    Args:
        messages: all messages.
        pairs: the other pairs; they are changed.
        strays: the index of each reply with an id that has no pair, and the calls of its turn.
    """
    call_ids = {message.call_id for message in messages if is_call(message)}
    answered = set(pairs.values())
    by_turn: dict[int, tuple[list[int], list[int]]] = {}
    for index, turn in strays:
        if turn and messages[index].call_id not in call_ids:
            by_turn.setdefault(turn[0], (turn, []))[1].append(index)
    for turn, replies in by_turn.values():
        calls = [call for call in turn if call not in answered]
        if len(calls) == len(replies) == 1 and messages[replies[0]].name in (None, messages[calls[0]].recipient):
            pairs[replies[0]] = calls[0]
    return pairs


def turns(messages: Sequence[Message]) -> list[list[int]]:
    """Return the indices of the calls of each turn."""
    pairing = Pairing()
    out: list[list[int]] = []
    for index, message in enumerate(messages):
        pairing.feed(index, message)
        if pairing.turn and (not out or out[-1] is not pairing.turn):
            out.append(pairing.turn)
    return out


def identified(items: Sequence[Item], home: str) -> Sequence[Item]:
    """Give each call without an id a new one (`call_1`, `call_2`, …), and each reply without one that of its call.

    Args:
        items: the messages of a conversation.
        home: the id of the format that is written. A message that was read from that format without an id, as its
            layout says (`call_id: absent`), gets none.
    """
    if not any(call_id is None and (head.calls or head.role == "tool") for head, _, call_id in items):
        return items
    pairs = paired_in_order(items)
    if pairs is None:
        pairs = pair(links_of(items))
    ids = {call_id for head, _, call_id in items if head.calls or head.role == "tool"}
    out = list(items)
    number = 0
    for index, (head, content, call_id) in enumerate(items):
        new_id = None
        if call_id is not None or _is_absent(head, home):
            continue
        if head.calls:
            number += 1
            while (new_id := made_up_id(number)) in ids:
                number += 1
        elif index in pairs:
            new_id = out[pairs[index]][2]
        if new_id:  # a call with an empty id is not found by it
            out[index] = (head.with_id(), content, new_id)
    return out


def _is_absent(head: Head, home: str) -> bool:
    """Return whether a message was read without an id from the format that is written."""
    return (head.layout or {}).get(home, {}).get("call_id") == "absent"


# --- names ------------------------------------------------------------------------------------------------------------


def name_replies(items: list[Item], log: Log, start: int = 0, where: str = "/messages", first: int = 0) -> None:
    """Name each reply without a name after the tool whose call it answers.

    Args:
        items: the messages of a conversation; the list is changed.
        log: takes the findings: a reply answers no call, or a call with another id.
        start: the index of the first message for which findings are reported.
        where: the JSON pointer of the list in which that message is.
        first: the index of that message in this list. A stream, whose list has all messages, passes `start` again.
    """
    pairs = paired_by_id(items)
    if pairs is None:
        calls = pair(links_of(items))
        pairs = {index: calls.get(index) for index, item in enumerate(items) if item[0].role == "tool"}
    for index, call in pairs.items():
        head, content, call_id = items[index]
        is_reported, path = index >= start, f"{where}/{index - start + first}"
        if call is None:
            if is_reported:
                log.find(FindingCode.REPLY_UNPAIRED, path, "this reply answers no call that is still open")
            continue
        caller, _, its_id = items[call]
        if is_reported and call_id not in (None, its_id):
            detail = "no call has this id; the reply is read as the answer to the only open call"
            log.find(FindingCode.REPLY_UNPAIRED, f"{path}/call_id", detail)
        if head.name is None:
            items[index] = (with_name(head, caller.recipient), content, call_id)


def with_name(head: Head, tool: str | None) -> Head:
    """Return the head of a reply with the name of its tool; equal heads share one."""
    if head.name == tool:
        return head
    named = _named_cache.get((head, tool))
    if named is None:
        named = head.replaced(name=tool)
        if head.shared:
            _named_cache.keep((head, tool), named)
    return named


_named_cache: Final = Memo[tuple[Head, "str | None"], Head](LIMIT)


def unnamed_replies(
    items: Sequence[Item],
    nearest: Callable[[Message, int, Log], Message | None],
    image: Callable[[Message], Message],
) -> Iterator[int]:
    """Yield the indices of replies that would be read with another name, in a format that names them after their calls.

    Args:
        items: the messages of a document.
        nearest: returns the nearest message of the format to a message at an index; None if it has no place for it.
        image: returns what the format reads a reply as, by itself.
    """
    pairs = paired_by_id(items)
    return _misnamed_as_read(items, nearest, image) if pairs is None else _misnamed_by_id(items, pairs)


def _misnamed_by_id(items: Sequence[Item], pairs: dict[int, int | None]) -> Iterator[int]:
    """Yield the replies whose name is not that of the tool whose call they answer."""
    for reply, call in pairs.items():
        name = items[reply][0].name
        if name and (call is None or items[call][0].recipient != name):
            yield reply


def _misnamed_as_read(
    items: Sequence[Item],
    nearest: Callable[[Message, int, Log], Message | None],
    image: Callable[[Message], Message],
) -> Iterator[int]:
    """Yield the replies that `unnamed_replies` does, by pairing the messages as the format reads them."""
    indices: list[int] = []
    messages: list[Message] = []
    for index, item in enumerate(items):
        message = nearest(message_of(item), index, Log())
        if message is not None:
            indices.append(index)
            messages.append(message)
    pairs, pairing = pair(messages), Pairing()
    for at, (index, message) in enumerate(zip(indices, messages, strict=True)):
        read = replace(message, call_id=message.call_id or None, continues=False)
        if message.role == "tool":
            read = image(message)
            call = pairing.find(read)
            if call is None:  # only the whole conversation shows the call, if it is not read as answered already
                call = pairs.get(at)
                call = None if call is None or pairing.is_closed(call) else call
            if message.name and read.name is None and (call is None or messages[call].recipient != message.name):
                read.name = message.name
                yield index
        pairing.feed(at, read)


class NamedReplies:
    """Adds a layout to the replies that `unnamed_replies` yields, so that they are written with their names.

    Args:
        home: the key of the format's layout.
        nearest: as for `unnamed_replies`.
        image: as for `unnamed_replies`.
        named: returns what the format reads a reply as that is written with its name.
    """

    def __init__(
        self,
        home: str,
        nearest: Callable[[Message, int, Log], Message | None],
        image: Callable[[Message], Message],
        named: Callable[[Message], Message],
    ) -> None:
        self._home: Final = home
        self._nearest: Final = nearest
        self._image: Final = image
        self._named: Final = named
        self._heads: Final = Memo[Head, Head](LIMIT)

    def __call__(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items, with the layout added to those replies."""
        out: list[Item] = []
        for at in unnamed_replies(items, self._nearest, self._image):
            out = out or list(items)
            out[at] = self._with_name(items[at])
        return out or items

    def _with_name(self, item: Item) -> Item:
        head, content, call_id = item
        named_head = self._heads.get(head)
        if named_head is None or not isinstance(content, str):
            nearest = self._nearest(head.local(self._home).message(content, call_id), 0, Log())
            assert nearest is not None, "replies are not left out"
            image = self._named(nearest)
            named_head = head.replaced(layout=image.layout, extras=image.extras)
            if head.shared and isinstance(content, str):
                self._heads.keep(head, named_head)
        return named_head, content, call_id
