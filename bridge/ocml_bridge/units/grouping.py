"""Turns, for formats in which the message before tells whether one continues it."""

from __future__ import annotations

from typing import Final

from ..memo import Memo
from ..turns import continues
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
