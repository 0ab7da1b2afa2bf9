"""The system prompt beside the messages: all that instructs the model before anybody speaks."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Message, Part, replace
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
    first: Message | None = None
    parts: list[Part] = []
    start = places[0]
    for item, place in zip(items[:count], places, strict=False):
        message = nearest(message_of(item), place, log)
        if message is None:
            continue
        parts += parts_of(message.content)
        if first is None:
            first, start = message, place
            continue
        detail = f"it stands in the system prompt, behind message {start}"
        log.lose(LossCode.MESSAGE, f"/messages/{place}", detail, Severity.CHANGED)
    if first is None:
        return items[count:], places[count:]
    content = tuple(parts) if len(parts) > 1 else first.content
    return [item_of(replace(first, content=content)), *items[count:]], [start, *places[count:]]


def _is_prompt(head: Head) -> bool:
    return head.role in _INSTRUCTING and not stands_among_messages(head)


def stands_among_messages(head: Head) -> bool:
    """Whether a system message was read from among the messages, although nobody spoke before it."""
    return not head.bare and notes_in(head.message("", None).layout).get("place") == MESSAGES
