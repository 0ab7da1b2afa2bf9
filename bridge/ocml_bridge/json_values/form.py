"""Store and restore how a JSON object was spelled: the order of its keys, and its empty members.

The canonical form does not distinguish `"content": null`, `"content": ""` and no content at all, and has no order of
keys. A *form* stores both. It is made only if an object is not spelled as the writer would spell it: the list of its
keys in their order, in which an empty member is a pair of key and value.

    {"content": null, "role": "assistant", "tool_calls": […]}   →   [["content", null], "role", "tool_calls"]

A form never hides a member: members that it does not name are written after the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final, TypeVar, cast

from ..model import Json

Object = dict[str, Any]
"""A JSON object."""
OBJECT: Final[Any] = dict
ARRAY: Final[Any] = list
"""`dict` and `list` typed as Any, for `isinstance` without narrowing: a cast after it would cost a call."""
Form = list[Any]
Read = TypeVar("Read")

_APART: Final = "tool"
"""The key of an item that was set apart."""
_EMPTY_TEXT: Final = [{"type": "text", "text": ""}]


def is_empty(value: Json) -> bool:
    """Return whether a value is empty: null, an empty string, list or object, or a list of one empty text block."""
    if value:
        return isinstance(value, list) and cast("list[Json]", value) == _EMPTY_TEXT
    return not isinstance(value, (bool, int, float))


@lru_cache(maxsize=256)
def is_in_order(keys: tuple[str, ...], order: tuple[str, ...]) -> bool:
    """Return whether the keys in `order` are in this order, and before all others."""
    places, last = _places_in(order), 0
    for key in keys:
        place = places.get(key, len(order))
        if place < last:
            return False
        last = place
    return True


@cache
def _places_in(order: tuple[str, ...]) -> dict[str, int]:
    """Return the place of each key."""
    return {key: at for at, key in enumerate(order)}


def in_order(wire: Object, order: tuple[str, ...]) -> Object:
    """Return an object with its keys in an order; keys that are not in it come last, in their own order."""
    if is_in_order(tuple(wire), order):
        return wire
    places = _places_in(order)
    return {key: wire[key] for key in sorted(wire, key=lambda key: places.get(key, len(order)))}


def form_of(wire: Object, order: tuple[str, ...], required: frozenset[str], known: Collection[str]) -> Form | None:
    """Return the form of an object, or None if it is spelled as the writer would spell it.

    Args:
        wire: the object.
        order: the keys in the order in which the writer writes them; other keys follow.
        required: the keys that the writer always writes.
        known: the keys whose value the canonical form keeps even if it is empty.
    """
    empty = {key for key, value in wire.items() if not (value and type(value) is str) and is_empty(value)}
    empty.difference_update(known)
    if not empty and required <= wire.keys() and is_in_order(tuple(wire), order):
        return None
    return [[key, value] if key in empty else key for key, value in wire.items()] if empty else list(wire)


def shape(default: Object, form: Json, *, fixed: Collection[str] = (), implied: Collection[str] = ()) -> Object:
    """Return an object in the spelling that a form stores.

    Args:
        default: the object as the writer would spell it.
        form: its form. A value that is no list is ignored, and so is every item that does not match the object.
        fixed: keys that are written even if the form does not name them.
        implied: keys that a form may omit or empty although they have a value.
    """
    if not isinstance(form, list):
        return default
    out: Object = {}
    for item in cast("list[Json]", form):
        if isinstance(item, str):
            if item in default:
                out[item] = default[item]
        elif (literal := _literal(item)) is not None:
            key, value = literal
            if key not in default or (key not in fixed and (key in implied or is_empty(default[key]))):
                out[key] = value
    for key, value in default.items():
        if key not in out and (key in fixed or not (key in implied or is_empty(value))):
            out[key] = value
    return out


def _literal(item: Json) -> tuple[str, Json] | None:
    """Return an item of a form as a key and its empty value; None if it is no such pair."""
    if not isinstance(item, list):
        return None
    pair = cast("list[Json]", item)
    return (pair[0], pair[1]) if len(pair) == 2 and isinstance(pair[0], str) and is_empty(pair[1]) else None


def names(form: Json, key: str) -> bool:
    """Return whether a form has a key as a member that is not empty."""
    return isinstance(form, list) and key in cast("list[Json]", form)


def rest(wire: Object, known: Collection[str]) -> Object:
    """Return the members of an object with unknown keys that are not empty."""
    unknown = [key for key in wire if key not in known]
    return {key: wire[key] for key in unknown if not is_empty(wire[key])} if unknown else {}


def without(wire: Object, *keys: str) -> Object:
    """Return an object without the members that have some keys."""
    return {key: value for key, value in wire.items() if key not in keys}


def add(wire: Object, more: Json, order: tuple[str, ...] = ()) -> Object:
    """Return an object with more members, as far as it lacks them.

    Args:
        wire: the object.
        more: an object with the members; any other value is ignored.
        order: the order of keys; used if one of its keys is among the added members.
    """
    if not isinstance(more, dict) or not more:
        return wire
    members = cast("Object", more)
    wire = {**wire, **{key: value for key, value in members.items() if key not in wire}}
    return wire if members.keys().isdisjoint(order) else in_order(wire, order)


def set_apart(raws: Sequence[Json], read: Callable[[Json], Read | None]) -> tuple[list[Read], list[Object]]:
    """Read the items of a list of tools, and set those apart that the reader does not understand.

    Args:
        raws: the items.
        read: reads an item; returns None if it does not understand it.

    Returns:
        What the items were read as, and those that were set apart: `{"at": its index, "tool": the item}`.
    """
    results: list[Read] = []
    apart: list[Object] = []
    for at, raw in enumerate(raws):
        result = read(raw)
        if result is None:
            apart.append({"at": at, _APART: raw})
        else:
            results.append(result)
    return results, apart


def with_apart(items: Sequence[Json], apart: Json) -> list[Json]:
    """Insert the items that `set_apart` set apart into a list, at their indices; ignore malformed ones."""
    written, out = iter(items), list[Json]()
    for each in cast("list[Json]", apart) if isinstance(apart, list) else []:
        entry: Object = cast("Object", each) if isinstance(each, dict) else {}
        if entry.keys() == {"at", _APART} and type(entry["at"]) is int:
            out += islice(written, min(max(0, entry["at"] - len(out)), len(items)))
            out.append(entry[_APART])
    return [*out, *written]
