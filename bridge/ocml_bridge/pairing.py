"""Which call a tool's reply answers, and ids for those that have none."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from .model import Message, replace
from .turns import is_call, is_reply
from .units.heads import Item, item_of, messages_of
from .units.relations import with_ids


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
        if is_call(message):
            self._open(index, message)
            return None
        if not is_reply(message):
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


def _pair_by_id(messages: Sequence[Message]) -> dict[int, int] | None:
    """The pairs where each reply has the id of one call that waits, if any does; None for all others."""
    waiting: dict[str, int] = {}
    pairs: dict[int, int] = {}
    for index, message in enumerate(messages):
        if message.role == "tool":
            call = None if message.call_id is None else waiting.pop(message.call_id, None)
            if call is not None:
                pairs[index] = call
            elif waiting:
                return None
        elif message.recipient is not None and is_call(message):
            call_id = message.call_id
            if call_id is None or call_id in waiting:
                return None
            waiting[call_id] = index
    return pairs


def _pair_in_order(messages: Sequence[Message]) -> dict[int, int] | None:
    """The pairs where the calls of each turn are answered behind them, all of them and in order; None for all others.

    Such replies answer the same calls whether they are paired by id, by name or by order, and others answer none.
    """
    calls: list[int] = []
    answered = 0
    pairs: dict[int, int] = {}
    for index, message in enumerate(messages):
        if message.role == "tool":
            if answered == len(calls):
                continue
            call = messages[calls[answered]]
            if message.call_id not in (None, call.call_id) or message.name not in (None, call.recipient):
                return None
            pairs[index] = calls[answered]
            answered += 1
        elif message.recipient is not None and is_call(message):
            if answered:
                if answered != len(calls):
                    return None
                calls, answered = [], 0
            calls.append(index)
        elif answered != len(calls):
            return None
    return pairs if answered == len(calls) else None


def pair(messages: Sequence[Message]) -> dict[int, int]:
    """Index of each reply → index of the call it answers.

    A reply whose id no call has answers the one call of its turn that nothing else answers, where there is just one
    such call and one such reply.
    """
    found = _pair_by_id(messages)
    if found is None:
        found = _pair_in_order(messages)
    if found is not None:
        return found
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


def synthesise_ids(messages: Sequence[Message], home: str = "") -> tuple[Message, ...]:
    """Give each call without an id one (`call_1`, `call_2`, …) and each reply without one its call's.

    Args:
        messages: in order.
        home: the format that is written; a message whose layout there says that its id was absent stays without.
    """
    if not any(message.call_id is None and (is_reply(message) or is_call(message)) for message in messages):
        return tuple(messages)
    taken = {message.call_id for message in messages}
    out = list(messages)
    pairs = pair(messages)
    number = 0
    for index, message in enumerate(messages):
        if message.call_id is not None or (message.layout or {}).get(home, {}).get("call_id") == "absent":
            continue
        if is_call(message):
            number += 1
            while f"call_{number}" in taken:
                number += 1
            out[index] = replace(message, call_id=f"call_{number}")
        elif is_reply(message) and index in pairs:
            out[index] = replace(message, call_id=out[pairs[index]].call_id)
    return tuple(out)


def identified(items: Sequence[Item], home: str) -> Sequence[Item]:
    """Items with ids for calls and replies that have none, as `synthesise_ids` gives them."""
    if not any(call_id is None and (head.calls or head.role == "tool") for head, _, call_id in items):
        return items
    numbered = with_ids(items, home)
    return list(map(item_of, synthesise_ids(messages_of(items), home))) if numbered is None else numbered


def pairs_alike(message: Message, image: Message) -> bool:
    """Whether a message in its image is paired with others as before: by its id, or else by the tool's name."""
    return _pairing(message) == _pairing(image)


def _pairing(message: Message) -> tuple[str | None, ...] | None:
    if is_reply(message):
        return ("reply", message.call_id, message.name if message.call_id is None else None)
    if is_call(message):
        return ("call", message.call_id, message.recipient)
    return None
