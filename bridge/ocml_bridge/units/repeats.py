"""Joins results that answer one call: most APIs accept one result for a call, and refuse a request with another.

Gemini answers with several results of one piece of code, such as what it printed and how it failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ..chat.turns import parts_of
from ..loss import Log, LossCode, Severity
from ..model import replace
from ..model.notes import Notes
from .heads import Item, item_of, message_of
from .pairing import links_of, pair
from .relations import indices_of

_AGAIN: Final = "again"
"""The layout of a result that was read from the format as another one for its call."""


def repeats_in(items: Sequence[Item]) -> list[int]:
    """Return the indices of the replies that answer the call of the reply directly before them again."""
    heads = [item[0] for item in items]
    found = [
        at
        for at, (before, head) in enumerate(pairwise(heads), 1)
        if before.role == head.role == "tool" and items[at - 1][2] == items[at][2] and head.name in (None, before.name)
    ]
    if not found:
        return found
    pairs = pair(links_of(items))
    out: list[int] = []
    for at in found:
        if at not in pairs and (at - 1 in pairs or (out and out[-1] == at - 1)):
            out.append(at)
    return out


def mark_repeats(items: list[Item], notes: Notes) -> None:
    """Mark the replies that answer a call again, so that they are written as they were read; the list is changed."""
    for at in repeats_in(items):
        head, content, call_id = items[at]
        items[at] = (head.replaced(layout=notes.adding(head.layout, {_AGAIN: True})), content, call_id)


def with_repeats_joined(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log, notes: Notes
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """Return the items with the replies to one call joined to the first of them, and their origins.

    Args:
        items: the items of a document.
        origins: for each item, its index in the document; None if they are all of its messages, in order.
        log: receives the losses: messages that become part of another one.
        notes: the notes of the format that is written; a reply that was read from it stays.
    """
    again = {at for at in repeats_in(items) if _AGAIN not in notes.of(items[at][0].layout)}
    if not again:
        return items, origins
    out: list[Item] = []
    sources: list[int] = []
    for at, (item, index) in enumerate(zip(items, indices_of(items, origins), strict=True)):
        if at not in again:
            out.append(item)
            sources.append(index)
            continue
        first, message = message_of(out[-1]), message_of(item)
        if isinstance(first.content, str):  # of parts, each is compared
            detail = f"message {index} follows in this message"
            log.lose(LossCode.CONTENT, f"/messages/{sources[-1]}/content", detail, Severity.CHANGED)
        detail = f"{notes.home} has one result for a call; this message moves into message {sources[-1]}"
        log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
        content = (*parts_of(first.content), *parts_of(message.content))
        failed = True if message.failed else first.failed
        out[-1] = item_of(replace(first, content=content, failed=failed, layout=None))
    return out, sources
