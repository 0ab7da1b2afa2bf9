"""Remove empty texts beside other messages, for wires in which each text is a message of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..loss import Log
from ..report.narrowing import drop_empty
from ..units.heads import Item, message_of
from ..units.relations import indices_of


def without_blanks(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log, *, target: str, alone: bool = False
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """Return the items and their origins without the empty texts after a call in the same wire message.

    Streams of Gemini end with one. It would be written as a message between the call and its reply, which APIs refuse.

    Args:
        items: the items of a document.
        origins: the index of each in the document; None if they are all of its messages, in order.
        log: receives the losses.
        target: the format id.
        alone: whether the target has no empty text beside anything else in a wire message, also before calls and beside
            thoughts. Converse has such texts around thoughts and calls.
    """
    if not any(item[1] == "" for item in items):
        return items, origins
    blanks = dict.fromkeys(_beside(items), "beside other content") if alone else {}
    blanks |= {at: "after a call" for at in range(1, len(items)) if _is_after_call(items[at - 1], items[at])}
    if not blanks:
        return items, origins
    indices = list(indices_of(items, origins))
    for at, place in sorted(blanks.items()):
        reason = f"{target} has no place for an empty text {place}"
        drop_empty(message_of(items[at]), indices[at], log, reason, target=target)
    remaining = [at for at in range(len(items)) if at not in blanks]
    return [items[at] for at in remaining], [indices[at] for at in remaining]


def _is_after_call(before: Item, item: Item) -> bool:
    return item[0].continues and before[0].calls and _is_blank(item)


def _beside(items: Sequence[Item]) -> Iterator[int]:
    """Yield the indices of empty texts of the assistant beside its thoughts, texts and calls in one wire message."""
    first = 0
    for at, (head, _, _) in enumerate(items):
        if at and not (head.continues and head.role == items[at - 1][0].role == "assistant"):
            yield from _blanks_among(items, range(first, at))
            first = at
    yield from _blanks_among(items, range(first, len(items)))


def _blanks_among(items: Sequence[Item], places: range) -> list[int]:
    blanks = [at for at in places if _is_blank(items[at])]
    return blanks if len(blanks) < len(places) else []


def _is_blank(item: Item) -> bool:
    """Return whether an item is an empty text of the assistant; a thought without text may have a signature."""
    head = item[0]
    return item[1] == "" and head.role == "assistant" and not head.calls and head.channel != "analysis"
