"""Read and write what all items have in common: id, status, extras and spelling.

Some items of the assistant need an id. If they have none, they get one that is generated from their position; when it
is read at the same position, it is left out again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, cast

from ocml_bridge.json_values.form import Object, add, form_of, rest, shape, without
from ocml_bridge.model import Json, Message

from .syntax import MESSAGE, NOTES, REASONING

GENERATED_ID: Final[Any] = object()
"""Replaces an id that is generated from the position of its item, in units that are read or written."""
PLACEHOLDER: Final[Any] = ...
"""A value that plans can store and that no document has.

It replaces `GENERATED_ID` in units, and is the type of the unit of a request's `instructions`.
"""
_PREFIXES: Final = {"reasoning": "rs", "message": "msg"}
_IMPLIED: Final = ("type", "id", "status")
"""Keys that a form may omit although they are written."""
COMPLETED: Final = "completed"
_FINISHED: Final = (COMPLETED, "in_progress")
"""The statuses that mean nothing for a message; servers leave finished calls `in_progress`."""
INCOMPLETE: Final = "incomplete"
ABSENT: Final = "absent"
"""The layout of the status of an item that was cut off without saying so: only its document does."""


def generated_id(kind: str, at: int) -> str:
    """Return the id of an item that needs one and has none; it differs from all ids of servers.

    Args:
        kind: the type of the item.
        at: its index among the items of the document.
    """
    return f"{_PREFIXES[kind]}_{at:032d}"


def with_generated_ids(items: Sequence[Any]) -> Sequence[Any]:
    """Return the items with `GENERATED_ID` in place of generated ids; the same list if there are none."""
    indices = [
        at for at, item in enumerate(items) if item.__class__ is dict and "id" in item and _is_generated(item, at)
    ]
    if not indices:
        return items
    out = [*items]
    for at in indices:
        out[at] = {**out[at], "id": GENERATED_ID}
    return out


def _is_generated(item: Object, at: int) -> bool:
    """Return whether an item has the generated id of its position; not for items that may be stored as they are."""
    kind, role = cast("Any", item.get("type")), cast("Any", item.get("role"))
    is_message = kind == MESSAGE and isinstance(role, str) and role != "tool"
    return (is_message or kind == REASONING) and item["id"] == generated_id(kind, at)


class ItemNotes:
    """The extras and the layout of an item that is read, and whether it ended.

    Args:
        item: the item.
        order: its keys in the order in which they are written.
        required: the keys that are always written.
        known: the keys whose values the message has.

    Attributes:
        end: False if the item was cut off.
        extras: the members that only this format knows.
        layout: how the item was spelled.
    """

    __slots__ = ("end", "extras", "layout")

    def __init__(self, item: Object, order: tuple[str, ...], required: frozenset[str], known: Collection[str]) -> None:
        read_keys = ["type", *known] if item.get("type") else [*known]
        is_generated = item.get("id") is GENERATED_ID
        if is_generated:
            read_keys.append("id")
        self.layout: Object = {}
        self.end = True
        status: Json = item.get("status")
        if status == INCOMPLETE:
            self.end = False
            read_keys.append("status")
        elif is_generated and status == COMPLETED and item["type"] == MESSAGE:
            read_keys.append("status")
        elif status in _FINISHED:
            self.layout["status"] = status
            read_keys.append("status")
        form = form_of(item, order, required, read_keys)
        if form is not None:
            self.layout["form"] = form
        self.extras = rest(item, read_keys)

    def add_to(self, message: Message) -> None:
        """Add extras and layout to a message; layout that it has already takes precedence."""
        message.extras = NOTES.by_format(self.extras)
        message.layout = NOTES.by_format({**self.layout, **NOTES.of(message.layout)})


def finish_item(out: Object, group: Sequence[Message], order: tuple[str, ...], *, needs_id: bool = False) -> Object:
    """Return an item with the members that any item may have (id, status, extras), in the spelling of its layout.

    Args:
        out: the members that only its type has, with `type` first.
        group: its messages.
        order: its keys in the order in which they are written.
        needs_id: whether the item is not valid without an id.
    """
    extras, layout = NOTES.of(group[0].extras), NOTES.of(group[0].layout)
    if extras.get("id") is PLACEHOLDER:
        extras = without(extras, "id")
    first: Object = {"type": out["type"]}
    if needs_id and "id" not in extras:
        first["id"] = GENERATED_ID
        if out["type"] == MESSAGE:
            first["status"] = COMPLETED
    status = layout.get("status")
    if any(message.end is None and NOTES.of(message.layout).get("status") != ABSENT for message in group):
        first["status"] = INCOMPLETE
    elif status in _FINISHED:
        first["status"] = status
    out = {**first, **out}
    if extras:
        out = add(out, extras, order)
    form = layout.get("form")
    return out if form is None else shape(out, form, implied=_IMPLIED)
