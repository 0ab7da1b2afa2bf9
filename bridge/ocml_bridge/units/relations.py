"""What stands between the messages of a conversation: which reply answers which call, and ids for those without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..memo import Memo
from ..turns import continues
from .heads import LIMIT, Head, Item


def answered_in_order(items: Sequence[Item]) -> bool:
    """Whether the calls of each turn are answered behind them, all of them and in order.

    Then replies answer the same calls whether they are paired by id, by name or by order, and others answer none.
    """
    if "tool" not in [item[0].role for item in items]:  # a list is looked through faster than a generator
        return True
    calls: list[Item] = []
    answered = 0
    for item in items:
        head = item[0]
        if head.role == "tool":
            if answered == len(calls):
                continue
            call, _, call_id = calls[answered]
            if item[2] not in (None, call_id) or head.name not in (None, call.recipient):
                return False
            answered += 1
        elif head.calls:
            if answered:
                if answered != len(calls):
                    return False
                calls, answered = [], 0
            calls.append(item)
        elif answered != len(calls):
            return False
    return answered == len(calls)


def paired_by_id(items: Sequence[Item]) -> dict[int, int | None] | None:
    """Index of each reply → index of the call that it answers, or None where no call waits at all.

    Then replies answer the same calls wherever ids are kept, whatever becomes of turns and names.

    Returns:
        None where ids do not tell all: two calls that wait have the same, or a reply has another than those that wait.
    """
    waiting: dict[str | None, int] = {}
    pairs: dict[int, int | None] = {}
    for index, (head, _, call_id) in enumerate(items):
        if head.role == "tool":
            call = waiting.pop(call_id, None)
            if call is None and waiting:
                return None
            pairs[index] = call
        elif head.calls:
            if not call_id or call_id in waiting:
                return None
            waiting[call_id] = index
    return pairs


def with_ids(items: Sequence[Item], home: str) -> list[Item] | None:
    """The items with ids for calls and replies that have none, as `pairing.synthesise_ids` gives them.

    Args:
        items: in order.
        home: the format that is written.

    Returns:
        None where a reply has to be looked for its call, something has an id already, or was read from that format.
    """
    if any(call_id is not None for _, _, call_id in items) or not answered_in_order(items):
        return None
    out: list[Item] = []
    calls = replies = 0
    for head, content, _ in items:
        if (head.calls or head.role == "tool") and not head.local(home).bare:
            return None
        if head.calls:
            calls += 1
            out.append((head.with_id(), content, f"call_{calls}"))
        elif head.role == "tool" and replies < calls:
            replies += 1
            out.append((head.with_id(), content, f"call_{replies}"))
        else:
            out.append((head, content, None))
    return out


def in_turns(items: list[Item]) -> list[Item]:
    """The items as a flat format gives them back: `continues` by the rule of `turns.continues`. It changes the list."""
    before: Head | None = None
    for at, (head, content, call_id) in enumerate(items):
        if (before is not None and head.role == before.role == "assistant") or head.continues:
            made = _behind(before, head)
            if made is not head:
                items[at] = (made, content, call_id)
        before = head
    return items


def _behind(before: Head | None, head: Head) -> Head:
    made = _joined.get((before, head))
    if made is None:
        joined = before is not None and continues(before.message("", None), head.message("", None))
        made = head if head.continues is joined else head.replaced(continues=joined)
        if head.shared and (before is None or before.shared):
            _joined.keep((before, head), made)
    return made


_joined: Final = Memo[tuple["Head | None", Head], Head](LIMIT)
