"""Sets fields of messages that follow from their neighbours: `continues` (same turn), and the channel of preambles."""

from __future__ import annotations

from typing import Final

from ..chat.turns import continues
from ..common.memo import Memo
from .heads import LIMIT, Head, Item


def with_grouping(items: list[Item]) -> list[Item]:
    """Set `continues` of each item by the item before it, as `chat.turns.continues` defines it; return the list."""
    before: Head | None = None
    for at, (head, content, call_id) in enumerate(items):
        if before is None or before.role != "assistant" or head.role != "assistant":
            if head.continues:
                items[at] = (head.replaced(continues=False), content, call_id)
        else:
            grouped = _grouped_cache.get((before, head))
            if grouped is None:
                grouped = _grouped(before, head)
            if grouped is not head:
                items[at] = (grouped, content, call_id)
        before = head
    return items


def _grouped(before: Head, head: Head) -> Head:
    """Return a head with `continues` as it is after the head `before`."""
    joined = continues(before.example(), head.example())
    grouped = head if head.continues is joined else head.replaced(continues=joined)
    return _grouped_cache.keep((before, head), grouped) if before.shared and head.shared else grouped


_grouped_cache: Final = Memo[tuple[Head, Head], Head](LIMIT)


def with_preambles(items: list[Item], *, across: bool = False) -> None:
    """Set the channel of the assistant's texts: a text before a call is a preamble (`commentary`), others are `final`.

    Args:
        items: the messages; the list is changed.
        across: whether the call may be in the next wire message, as in formats with a wire message for each text and
            call; otherwise it has to be in that of the text.
    """
    called = False
    for at in range(len(items) - 1, -1, -1):
        head, content, call_id = items[at]
        if head.role == "assistant" and not head.calls and head.channel in ("final", "commentary"):
            channel, intent = ("commentary", "preamble") if called else ("final", None)
            if head.channel != channel:
                items[at] = (head.replaced(channel=channel, intent=intent), content, call_id)
        called = head.calls if across else (called or head.calls) and head.continues
