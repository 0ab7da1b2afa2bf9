"""Remove empty texts after calls, for wires in which each text is a message of its own."""

from __future__ import annotations

from collections.abc import Sequence

from ..loss import Log
from ..report.narrowing import drop_empty
from ..units.heads import Item, message_of
from ..units.relations import indices_of


def without_blanks(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log, *, target: str
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """Return the items and their origins without the empty texts after a call in the same wire message.

    Streams of Gemini end with one. It would be written as a message between the call and its reply, which APIs refuse.

    Args:
        items: the items of a document.
        origins: the index of each in the document; None if they are all of its messages, in order.
        log: receives the losses.
        target: the format id.
    """
    blanks = [at for at in range(1, len(items)) if _is_blank(items[at - 1], items[at])]
    if not blanks:
        return items, origins
    indices = list(indices_of(items, origins))
    for at in blanks:
        reason = f"{target} has no place for an empty text after a call"
        drop_empty(message_of(items[at]), indices[at], log, reason, target=target)
    remaining = [at for at in range(len(items)) if at not in blanks]
    return [items[at] for at in remaining], [indices[at] for at in remaining]


def _is_blank(before: Item, item: Item) -> bool:
    head = item[0]
    return head.continues and item[1] == "" and before[0].calls and head.role == "assistant" and not head.calls
