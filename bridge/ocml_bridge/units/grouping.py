"""What neighbours tell of a message: whether it continues a turn, and whether it is a preamble."""

from __future__ import annotations

from typing import Final

from ..chat.turns import continues
from ..common.memo import Memo
from .heads import LIMIT, Head, Item


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


def with_preambles(items: list[Item], *, across: bool = False) -> None:
    """Put the texts of the assistant on their channels: before a call of their wire message, or final.

    Args:
        items: the messages; they are changed.
        across: whether a text and the call that follows it stand in wire messages of their own.
    """
    called = False
    for at in range(len(items) - 1, -1, -1):
        head, content, call_id = items[at]
        if head.role == "assistant" and not head.calls and head.channel in ("final", "commentary"):
            channel, intent = ("commentary", "preamble") if called else ("final", None)
            if head.channel != channel:
                items[at] = (head.replaced(channel=channel, intent=intent), content, call_id)
        called = head.calls if across else (called or head.calls) and head.continues
