"""Which call a tool's reply answers; ids for those that have none, and names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..chat.turns import is_call, is_reply
from ..common.memo import Memo
from ..loss import FindingCode, Log
from ..model import Message, replace
from .heads import LIMIT, Head, Item, message_of
from .relations import paired_by_id, paired_in_order


class Pairing:
    """Pairs replies with calls, fed message by message.

    By id where the reply has one: ids repeat in real data, so the latest turn's calls come first and each call is
    answered once. Else by the tool's name, else by order, among the calls of the latest turn that are still open.

    Attributes:
        turn: indices of the calls of the latest turn; each turn has a list of its own.
    """

    def __init__(self) -> None:
        self.turn: list[int] = []
        self._turn: deque[int] = deque()
        self._by_name: dict[str | None, deque[int]] = {}
        self._closed: set[int] = set()
        self._by_id: dict[str, deque[int]] = {}
        self._earlier: dict[str, deque[int]] = {}
        self._in_calls = False

    def feed(self, index: int, message: Message) -> int | None:
        """Take the next message; for a reply, the index of its call, or None where there is none."""
        if not is_reply(message):
            if is_call(message):
                self._open(index, message)
            else:
                # Text between two calls of one wire message does not begin a new turn.
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
            self._by_id, self._by_name, self._turn, self._in_calls = {}, {}, deque(), True
            self.turn = []
        self.turn.append(index)
        self._turn.append(index)
        self._by_name.setdefault(message.recipient, deque()).append(index)
        if message.call_id is not None:
            self._by_id.setdefault(message.call_id, deque()).append(index)

    def find(self, reply: Message) -> int | None:
        """The index of the call that a reply would answer if it came next; None where there is none."""
        if reply.call_id is not None:
            found = self._first(self._by_id.get(reply.call_id))
            return self._first(self._earlier.get(reply.call_id)) if found is None else found
        return self._first(self._turn if reply.name is None else self._by_name.get(reply.name))

    def _first(self, waiting: deque[int] | None) -> int | None:
        while waiting and waiting[0] in self._closed:
            waiting.popleft()
        return waiting[0] if waiting else None

    def close(self, index: int) -> None:
        """Nothing answers the call with this index any more."""
        self._closed.add(index)

    def is_closed(self, index: int) -> bool:
        """Whether nothing answers the call with this index any more."""
        return index in self._closed


def pair(messages: Sequence[Message]) -> dict[int, int]:
    """Index of each reply → index of the call it answers.

    A reply whose id no call has answers the one call of its turn that nothing else answers, where there is just one
    such call and one such reply.
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
    """Items as messages that say who calls and who replies, and no more: `pair` asks for nothing else."""
    return [
        Message(head.role, "", head.name, None, head.recipient, call_id)
        if head.calls or head.role == "tool"
        else (_GOES_ON if head.continues else _TEXT)
        for head, _, call_id in items
    ]


_TEXT: Final = Message("user", "")
_GOES_ON: Final = Message("user", "", continues=True)
"""What stands for all that is neither a call nor a reply."""


def _with_strays(
    messages: Sequence[Message], pairs: dict[int, int], strays: Sequence[tuple[int, list[int]]]
) -> dict[int, int]:
    """The pairs, with those of replies whose ids no call has; each is given with the calls of its turn."""
    known = {message.call_id for message in messages if is_call(message)}
    answered = set(pairs.values())
    by_turn: dict[int, tuple[list[int], list[int]]] = {}
    for index, turn in strays:
        if turn and messages[index].call_id not in known:
            by_turn.setdefault(turn[0], (turn, []))[1].append(index)
    for turn, replies in by_turn.values():
        calls = [call for call in turn if call not in answered]
        if len(calls) == len(replies) == 1 and messages[replies[0]].name in (None, messages[calls[0]].recipient):
            pairs[replies[0]] = calls[0]
    return pairs


def turns(messages: Sequence[Message]) -> list[list[int]]:
    """The indices of the calls, turn by turn."""
    pairing = Pairing()
    out: list[list[int]] = []
    for index, message in enumerate(messages):
        pairing.feed(index, message)
        if pairing.turn and (not out or out[-1] is not pairing.turn):
            out.append(pairing.turn)
    return out


def identified(items: Sequence[Item], home: str) -> Sequence[Item]:
    """Items with an id for each call that has none (`call_1`, `call_2`, …), and its call's for each reply.

    Args:
        items: in order.
        home: the format that is written; a message whose layout there says that its id was absent stays without.
    """
    if not any(call_id is None and (head.calls or head.role == "tool") for head, _, call_id in items):
        return items
    pairs = paired_in_order(items)
    if pairs is None:
        pairs = pair(links_of(items))
    known = {call_id for head, _, call_id in items if head.calls or head.role == "tool"}
    out = list(items)
    number = 0
    for index, (head, content, call_id) in enumerate(items):
        made = None
        if call_id is not None or _is_absent(head, home):
            continue
        if head.calls:
            number += 1
            while f"call_{number}" in known:
                number += 1
            made = f"call_{number}"
        elif index in pairs:
            made = out[pairs[index]][2]
        if made:  # no reply is found by an empty id
            out[index] = (head.with_id(), content, made)
    return out


def _is_absent(head: Head, home: str) -> bool:
    """Whether a message was read without an id from the format that is written."""
    layout = None if head.bare else head.message("", None).layout
    return layout is not None and layout.get(home, {}).get("call_id") == "absent"


# --- names ------------------------------------------------------------------------------------------------------------


def name_replies(items: list[Item], log: Log, start: int = 0, where: str = "/messages") -> None:
    """Name each reply without a name after the call that it answers. It changes the list.

    Args:
        items: the messages of a conversation.
        log: takes what is noticed.
        start: the first message of which something is noticed.
        where: JSON pointer to the messages from there on.
    """
    pairs = paired_by_id(items)
    if pairs is None:
        found = pair(links_of(items))
        pairs = {index: found.get(index) for index, item in enumerate(items) if item[0].role == "tool"}
    for index, call in pairs.items():
        head, content, call_id = items[index]
        noticed, path = index >= start, f"{where}/{index - start}"
        if call is None:
            if noticed:
                log.find(FindingCode.REPLY_UNPAIRED, path, "this reply answers no call that is still open")
            continue
        caller, _, its_id = items[call]
        if noticed and call_id not in (None, its_id):
            detail = "no call has this id; the reply is read as the answer to the only open call"
            log.find(FindingCode.REPLY_UNPAIRED, f"{path}/call_id", detail)
        if head.name is None:
            items[index] = (_with_name(head, caller.recipient), content, call_id)


def _with_name(head: Head, tool: str | None) -> Head:
    found = _named.get((head, tool))
    if found is None:
        found = head.replaced(name=tool)
        if head.shared:
            _named.keep((head, tool), found)
    return found


_named: Final = Memo[tuple[Head, "str | None"], Head](LIMIT)


def unnamed_replies(
    items: Sequence[Item],
    nearest: Callable[[Message, int, Log], Message | None],
    image: Callable[[Message], Message],
) -> Iterator[int]:
    """The replies of a document that would be read with another name, in a format that names them after their calls.

    Args:
        items: its messages.
        nearest: what the format can hold of a message at an index; None where it has no place for it.
        image: what it reads a reply as that stands alone.
    """
    pairs = paired_by_id(items)
    return _unfound(items, nearest, image) if pairs is None else _differing(items, pairs)


def _differing(items: Sequence[Item], pairs: dict[int, int | None]) -> Iterator[int]:
    """The replies with another name than that of the tool whose call they answer."""
    for reply, call in pairs.items():
        name = items[reply][0].name
        if name and (call is None or items[call][0].recipient != name):
            yield reply


def _unfound(
    items: Sequence[Item],
    nearest: Callable[[Message, int, Log], Message | None],
    image: Callable[[Message], Message],
) -> Iterator[int]:
    """The same, each reply looked at as it is read behind those before it."""
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
            if call is None:  # what only the whole tells, unless that call is read as answered already
                call = pairs.get(at)
                call = None if call is None or pairing.is_closed(call) else call
            if message.name and read.name is None and (call is None or messages[call].recipient != message.name):
                read.name = message.name
                yield index
        pairing.feed(at, read)


class NamedReplies:
    """Gives the replies that `unnamed_replies` names the layout of one that says its name.

    Args:
        home: the key under which the format keeps layout.
        nearest: as for `unnamed_replies`.
        image: the same.
        named: what it reads a reply as that says its name.
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
        """The items, those replies with the layout."""
        made: list[Item] = []
        for at in unnamed_replies(items, self._nearest, self._image):
            made = made or list(items)
            made[at] = self._with_name(items[at])
        return made or items

    def _with_name(self, item: Item) -> Item:
        head, content, call_id = item
        known = self._heads.get(head)
        if known is None or not isinstance(content, str):
            near = self._nearest(head.local(self._home).message(content, call_id), 0, Log())
            assert near is not None, "replies are not left out"
            image = self._named(near)
            known = head.replaced(layout=image.layout, extras=image.extras)
            if head.shared and isinstance(content, str):
                self._heads.keep(head, known)
        return known, content, call_id
