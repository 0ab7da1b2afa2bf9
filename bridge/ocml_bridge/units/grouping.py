"""Which turn a message leaves open, for formats in which the message before tells whether one continues it."""

from __future__ import annotations

from typing import Final

from ..memo import Memo
from ..model import Message, replace
from ..turns import continues, is_call
from .grammar import State
from .heads import LIMIT, Head, Item

CALL: Final = "call"
_BEFORE: Final[dict[State, Message]] = {
    "analysis": Message("assistant", "", channel="analysis"),
    "commentary": Message("assistant", "", channel="commentary"),
    CALL: Message("assistant", "", channel="commentary", recipient="functions.f", end="call"),
}
"""For each kind of turn a message that leaves it open; nothing continues others."""


def turn_behind(message: Message) -> str | None:
    """The kind of turn that a message leaves open; None where nothing continues it."""
    if message.role != "assistant" or message.end == "return":
        return None
    if is_call(message):
        return CALL
    return message.channel if message.channel in _BEFORE else None


def grouped(message: Message, state: State) -> Message:
    """A message as reading gives it back: with whether it continues the turn that a state is."""
    before = _BEFORE.get(state)
    joined = before is not None and continues(before, message)
    return message if message.continues is joined else replace(message, continues=joined)


def with_grouping(items: list[Item]) -> list[Item]:
    """The items, each with whether it continues the turn of the one before it, as `turns.infer_grouping` says."""
    before: Head | None = None
    for at, (head, content, call_id) in enumerate(items):
        if before is None or before.role != "assistant" or head.role != "assistant":
            if head.continues:
                items[at] = (head.replaced(continues=False), content, call_id)
        else:
            made = _joined.get((before, head))
            if made is None:
                made = _behind(before, head)
            if made is not head:
                items[at] = (made, content, call_id)
        before = head
    return items


def _behind(before: Head, head: Head) -> Head:
    """A head behind another, with whether it continues its turn."""
    joined = continues(before.message("", None), head.message("", None))
    made = head if head.continues is joined else head.replaced(continues=joined)
    return _joined.keep((before, head), made) if before.shared and head.shared else made


_joined: Final = Memo[tuple[Head, Head], Head](LIMIT)
