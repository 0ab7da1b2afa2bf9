"""Empty texts behind the calls of a turn, where a wire has each text as a message of its own."""

from __future__ import annotations

from collections.abc import Sequence

from ..loss import Log
from ..report.narrowing import drop_empty
from ..units.heads import Item, message_of


def without_blanks(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log, *, target: str
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """The items, and their origins, without empty texts that a wire message had behind a call.

    Streams of Gemini end in one. Between a call and its reply nobody may speak, and an empty text says nothing.

    Args:
        items: of a document.
        origins: for each its index in the document; None where they are all of its messages, in order.
        log: takes what is left out.
        target: the format id.
    """
    blanks = [at for at in range(1, len(items)) if _is_blank(items[at - 1], items[at])]
    if not blanks:
        return items, origins
    places = list(range(len(items)) if origins is None else origins)
    for at in blanks:
        reason = f"{target} has no place for an empty text after a call"
        drop_empty(message_of(items[at]), places[at], log, reason, target=target)
    left = [at for at in range(len(items)) if at not in blanks]
    return [items[at] for at in left], [places[at] for at in left]


def _is_blank(before: Item, item: Item) -> bool:
    head = item[0]
    return head.continues and item[1] == "" and before[0].calls and head.role == "assistant" and not head.calls
