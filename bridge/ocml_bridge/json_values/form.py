"""How a JSON object was spelled: the order of its keys, and the keys whose value says nothing.

The canonical form has no place for the difference between `"content": null`, `"content": ""` and no content at all, nor
for the order of keys. A *form* remembers it, and is made only where an object is not spelled as we would spell it: the
list of its keys in order, where a key whose value says nothing stands together with that value.

    {"content": null, "role": "assistant", "tool_calls": […]}   →   [["content", null], "role", "tool_calls"]

A form never hides anything: what it does not name is written behind what it does.
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
"""For `isinstance`, where the type checker need not learn anything of the value: a cast would take its time."""
Form = list[Any]
Read = TypeVar("Read")

_EMPTY_TEXT: Final = [{"type": "text", "text": ""}]


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: null, an empty string, list or object, or a list of one empty text."""
    if value:
        return isinstance(value, list) and cast("list[Json]", value) == _EMPTY_TEXT
    return not isinstance(value, (bool, int, float))


@lru_cache(maxsize=256)
def _in_order(keys: tuple[str, ...], order: tuple[str, ...]) -> bool:
    """Whether known keys stand in their order and before all others."""
    return list(keys) == sorted(keys, key=_place_in(order))


@cache
def _place_in(order: tuple[str, ...]) -> Callable[[str], int]:
    """What gives the place of a key in an order, behind all others where it is not in it."""
    places = {key: at for at, key in enumerate(order)}
    return lambda key: places.get(key, len(places))


def in_order(wire: Object, order: tuple[str, ...]) -> Object:
    """An object with its keys in an order; those that are not in it stand behind the others, as they were."""
    if _in_order(tuple(wire), order):
        return wire
    return {key: wire[key] for key in sorted(wire, key=_place_in(order))}


def form_of(wire: Object, order: tuple[str, ...], required: frozenset[str], known: Collection[str]) -> Form | None:
    """The form of an object; None where it is spelled as we would spell it.

    Args:
        wire: the object.
        order: the keys that we write, in our order; others follow as they come.
        required: the keys that we always write.
        known: the keys whose value is known from elsewhere even if it is empty.
    """
    silent = {key for key, value in wire.items() if not (value and type(value) is str) and is_empty(value)}
    silent.difference_update(known)
    if not silent and required <= wire.keys() and _in_order(tuple(wire), order):
        return None
    return [[key, value] if key in silent else key for key, value in wire.items()] if silent else list(wire)


def shape(default: Object, form: Json, *, fixed: Collection[str] = (), implied: Collection[str] = ()) -> Object:
    """An object as we would spell it, in the spelling that a form remembers.

    Args:
        default: the object.
        form: its form; anything else than a list is passed over, and so is every item that does not fit the object.
        fixed: keys that are written whatever the form says.
        implied: keys that a form may leave out or empty although they have a value.
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
    if not isinstance(item, list):
        return None
    pair = cast("list[Json]", item)
    return (pair[0], pair[1]) if len(pair) == 2 and isinstance(pair[0], str) and is_empty(pair[1]) else None


def names(form: Json, key: str) -> bool:
    """Whether a form names a key that has a value."""
    return isinstance(form, list) and key in cast("list[Json]", form)


def rest(wire: Object, known: Collection[str]) -> Object:
    """The members that are not known and say something."""
    unknown = [key for key in wire if key not in known]
    return {key: wire[key] for key in unknown if not is_empty(wire[key])} if unknown else {}


def add(wire: Object, more: Json, order: tuple[str, ...] = ()) -> Object:
    """An object with the members that it lacks; where a known key is among them, all stand in our order."""
    if not isinstance(more, dict) or not more:
        return wire
    members = cast("Object", more)
    wire = {**wire, **{key: value for key, value in members.items() if key not in wire}}
    return wire if members.keys().isdisjoint(order) else in_order(wire, order)


def set_apart(raws: Sequence[Json], read: Callable[[Json], Read | None], name: str) -> tuple[list[Read], list[Object]]:
    """What the items of a list are read as, and those that are not understood.

    Args:
        raws: the items.
        read: what one is read as; None where it is not understood.
        name: the key of one that is set apart, as `{"at": its place, name: the item}`.
    """
    found: list[Read] = []
    apart: list[Object] = []
    for at, raw in enumerate(raws):
        made = read(raw)
        if made is None:
            apart.append({"at": at, name: raw})
        else:
            found.append(made)
    return found, apart


def with_apart(items: Sequence[Json], apart: Json, name: str) -> list[Json]:
    """A list with the items that were set apart from it, each as `{"at": its place, name: the item}`."""
    written, out = iter(items), list[Json]()
    for one in cast("list[Json]", apart) if isinstance(apart, list) else []:
        entry: Object = cast("Object", one) if isinstance(one, dict) else {}
        if entry.keys() == {"at", name} and type(entry["at"]) is int:
            out += islice(written, min(max(0, entry["at"] - len(out)), len(items)))
            out.append(entry[name])
    return [*out, *written]
