"""Read and write what all items have in common: id, status, extras and spelling; and split items into skeletons.

Some items of the assistant need an id. If they have none, they get one that is generated from their position; when it
is read at the same position, it is left out again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.json_values.form import Object, add, form_of, rest, shape
from ocml_bridge.model import Json, Message
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.grammar import Skeleton
from ocml_bridge.units.media import add_medium, next_medium, of_address

from .syntax import FUNCTION_CALL, FUNCTION_OUTPUT, MESSAGE, NOTES, REASONING

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
MERGED: Final[Object] = {"merged": True}
"""The layout of a message that was read from the same item as the previous one."""


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
        extras = {key: value for key, value in extras.items() if key != "id"}
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


# --- skeletons --------------------------------------------------------------------------------------------------------

_LONGEST: Final = 200
"""The maximum length of a name in a skeleton, in characters."""
_TEXTS: Final = frozenset({"content", "arguments", "input", "output", "call_id"})
"""The members that are contents and ids."""
_EXTRA_TEXTS: Final = frozenset({"id", "encrypted_content"})
"""The members whose texts are extras or signatures."""
_VALUES: Final = _TEXTS | _EXTRA_TEXTS
_TEXT = "text"
_ADDRESSES = ("image_url", "file_url")
"""The members of parts that are contents."""
_OF_PARTS: Final = frozenset({"type", "detail"})
"""The members of parts whose values are part of the key."""
_WORDS: Final = frozenset({"type", "role", "name", "namespace", "status", "phase"})


def _add(item: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Append the members of an item to the key and the values of its skeleton; return False if it has none."""
    for name, value in item.items():
        key.append(name)
        if value.__class__ is str:
            if name in _TEXTS:
                if value:
                    values.append(value)
                else:
                    key.append("")
            elif name in _WORDS and len(value) <= _LONGEST:
                key.append(value)
            elif value and name in _EXTRA_TEXTS:
                values.append(value)
            elif not _add_other(value, key):
                return False
        elif value.__class__ is list:
            if not _add_parts(value, key, values):
                return False
        elif value is None or value is GENERATED_ID:
            key.append(value is GENERATED_ID)
        elif not _add_other(value, key):
            return False
    return True


def _add_other(value: Any, key: list[Hashable]) -> bool:
    """Append a member whose value is part of the key; return False if it is too long to repeat."""
    packed = key_of(value)
    key.append(packed)
    return len(packed) <= _LONGEST


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """Append a list of parts; return False if it has anything else."""
    key.append((len(parts),))
    return all(part.__class__ is dict and _add_part(part, key, values) for part in parts)


def _add_part(part: Object, key: list[Hashable], values: list[str]) -> bool:
    """Append a part; return False if a member has a long value that is neither a text nor an address."""
    for name, value in part.items():
        key.append(name)
        if name == _TEXT and value.__class__ is str and value:
            values.append(value)
        elif name in _OF_PARTS and value.__class__ is str and len(value) <= _LONGEST:
            key.append(value)
        elif name in _ADDRESSES and value is not None:
            if not add_medium(of_address(value), key, values):
                return False
        elif name != _TEXT and (value is None or value == []):
            key.append(value is None)
        elif name == _TEXT or not _add_other(value, key):
            return False
    key.append(0)
    return True


def _message(unit: Any) -> Skeleton | None:
    """Return the skeleton of a message whose content is one text, as that of most is."""
    role, text = unit["role"], unit["content"]
    if not (role.__class__ is text.__class__ is str) or not text or len(role) > _LONGEST:
        return None
    kind = unit.get("type")
    return ((kind, role), [text]) if kind == MESSAGE or "type" not in unit else None


def _call(unit: Any) -> Skeleton | None:
    """Return the skeleton of a function's call."""
    name, call_id, body = unit["name"], unit["call_id"], unit["arguments"]
    if not (name.__class__ is call_id.__class__ is body.__class__ is str) or len(name) > _LONGEST:
        return None
    return ((FUNCTION_CALL, name), [call_id, body]) if call_id and body and unit["type"] == FUNCTION_CALL else None


def _output(unit: Any) -> Skeleton | None:
    """Return the skeleton of a function's output."""
    call_id, text = unit["call_id"], unit["output"]
    if not (call_id.__class__ is text.__class__ is str) or not (call_id and text):
        return None
    return (FUNCTION_OUTPUT, [call_id, text]) if unit["type"] == FUNCTION_OUTPUT else None


_FREQUENT: Final[dict[tuple[str, ...], Callable[[Any], Skeleton | None]]] = {
    ("type", "role", "content"): _message,
    ("role", "content"): _message,
    ("type", "call_id", "name", "arguments"): _call,
    ("type", "call_id", "output"): _output,
}
"""The functions that return the skeletons of the most frequent items, by their keys."""


def _filled(value: Any, name: str, values: Iterator[str]) -> Any:
    """Return a member of an item, with the next contents and ids."""
    if value.__class__ is list:
        return [{key: _filled_member(inner, key, values) for key, inner in part.items()} for part in value]
    return next(values) if name in _VALUES and value.__class__ is str and value else value


def _filled_member(value: Any, name: str, values: Iterator[str]) -> Any:
    """Return a member of a part, with the next content if it is a text or an image."""
    if name == _TEXT:
        return next(values)
    medium = of_address(value) if name in _ADDRESSES else None
    return value if medium is None else next_medium(medium, values)


def skeleton(item: Any) -> Skeleton | None:
    """Return an item without contents and ids; None if another member has a value that is not part of a key."""
    of_frequent = _FREQUENT.get(tuple(item))
    if of_frequent is not None and (result := of_frequent(item)) is not None:
        return result
    key: list[Hashable] = []
    values: list[str] = []
    return (tuple(key), values) if _add(item, key, values) else None


def with_values(item: Object, values: Sequence[str]) -> Object:
    """Return an item that has a skeleton, with other contents and ids."""
    following = iter(values)
    return {name: _filled(value, name, following) for name, value in item.items()}
