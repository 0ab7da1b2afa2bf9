"""What all items share, both ways: ids that are made up, how an item ended, how it was spelled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ocml_bridge.form import Object, add, form_of, rest, shape
from ocml_bridge.model import Json, Message

from .syntax import MESSAGE, NOTES

MADE_UP: Final = "\0"
"""Stands for an id that the place of an item gives, until the place is known; and, as a key, for what no item has."""
_PREFIXES: Final = {"reasoning": "rs", "message": "msg"}
_IMPLIED: Final = ("type", "id", "status")
"""Keys that a form may leave out although we write them."""
COMPLETED: Final = "completed"
_SPELLED: Final = (COMPLETED, "in_progress")
"""What the status of an item says of no message: servers leave calls that are whole `in_progress`."""
INCOMPLETE: Final = "incomplete"
ABSENT: Final = "absent"
"""Remembered as the status of an item that was cut off, and does not say so: its document does."""
MERGED: Final[Object] = {"merged": True}
"""The layout of a message that stands in one item with the one before it."""


def made_up_id(kind: str, at: int) -> str:
    """The id of an item that needs one and has none: by its place, and like no id of a server.

    Args:
        kind: the type of the item.
        at: its index among the items of the document.
    """
    return f"{_PREFIXES.get(kind, 'item')}_{at:032d}"


def is_made_up(item: Object, at: int | None) -> bool:
    """Whether the id of an item is the one that its place gives."""
    own: Json = item.get("id")
    return own == (MADE_UP if at is None else made_up_id(str(item.get("type")), at))


class Opened:
    """An item as it is read: its extras, its layout, how it ended.

    Args:
        item: the item.
        order: its keys, in our order.
        required: the keys that we always write.
        known: the keys whose value is known otherwise.
        at: its index among the items of the document; None where that is not known.
    """

    __slots__ = ("end", "extras", "layout")

    def __init__(
        self, item: Object, order: tuple[str, ...], required: frozenset[str], known: Collection[str], at: int | None
    ) -> None:
        taken = ["type", *known] if item.get("type") else [*known]
        made_up = is_made_up(item, at)
        if made_up:
            taken.append("id")
        self.layout: Object = {}
        self.end = True
        status: Json = item.get("status")
        if status == INCOMPLETE:
            self.end = False
            taken.append("status")
        elif made_up and status == COMPLETED and item["type"] == MESSAGE:
            taken.append("status")
        elif status in _SPELLED:
            self.layout["status"] = status
            taken.append("status")
        form = form_of(item, order, required, taken)
        if form is not None:
            self.layout["form"] = form
        self.extras = rest(item, taken)

    def give(self, message: Message) -> None:
        """Put extras and layout into a message, beside the layout that it has."""
        message.extras = NOTES.by_format(self.extras)
        message.layout = NOTES.by_format({**self.layout, **NOTES.of(message.layout)})


def closed(out: Object, group: Sequence[Message], order: tuple[str, ...], *, needs_id: bool = False) -> Object:
    """An item with all that is written of any: id, status, extras, in the spelling that is remembered.

    Args:
        out: what is written of it alone, its type first.
        group: its messages.
        order: its keys, in our order.
        needs_id: whether it is no item without an id.
    """
    extras, layout = NOTES.of(group[0].extras), NOTES.of(group[0].layout)
    made: Object = {"type": out["type"]}
    if needs_id and "id" not in extras:
        made["id"] = MADE_UP
        if out["type"] == MESSAGE:
            made["status"] = COMPLETED
    status = layout.get("status")
    if any(message.end is None and NOTES.of(message.layout).get("status") != ABSENT for message in group):
        made["status"] = INCOMPLETE
    elif status in _SPELLED:
        made["status"] = status
    out = {**made, **out}
    if extras:
        out = add(out, extras, order)
    form = layout.get("form")
    return out if form is None else shape(out, form, implied=_IMPLIED)
