"""The system prompt beside the messages: all that instructs the model before anybody speaks."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import replace
from ocml_bridge.turns import parts_of
from ocml_bridge.units.heads import Head, Item, item_of, message_of

from .nearest import nearest
from .notes import notes_in
from .syntax import MESSAGES

_INSTRUCTING = frozenset({"system", "developer"})


def with_one_prompt(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """The items, all that instruct the model in the beginning as one message; and their origins.

    Args:
        items: of a document.
        origins: for each its index in the document; None where they are all of its messages, in order.
        log: takes which messages are none any more.
    """
    count = 0
    while count < len(items) and _is_prompt(items[count][0]):
        count += 1
    if count < 2:
        return items, origins
    places = list(range(len(items)) if origins is None else origins)
    made: list[Item] = []
    kept: list[int] = []
    for item, place in zip(items[:count], places, strict=False):
        message = nearest(message_of(item), place, log)
        if message is None:
            continue
        if not made or not message.content or made[0][1] == "":
            # A message of which nothing is left stands by itself: it would vanish in another one.
            made.append(item_of(message))
            kept.append(place)
            continue
        first = message_of(made[0])
        made[0] = item_of(replace(first, content=(*parts_of(first.content), *parts_of(message.content))))
        detail = f"it stands in the system prompt, behind message {kept[0]}"
        log.lose(LossCode.MESSAGE, f"/messages/{place}", detail, Severity.CHANGED)
    return [*made, *items[count:]], [*kept, *places[count:]]


def _is_prompt(head: Head) -> bool:
    return head.role in _INSTRUCTING and not stands_among_messages(head)


def stands_among_messages(head: Head) -> bool:
    """Whether a system message was read from among the messages, although nobody spoke before it."""
    return not head.bare and notes_in(head.message("", None).layout).get("place") == MESSAGES
