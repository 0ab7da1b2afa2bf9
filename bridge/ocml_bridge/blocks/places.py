"""Settings by the places that they have in a request or a response, both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from ..form import Object
from ..model import Json, Settings
from ..parameters import with_value


class Place(NamedTuple):
    """Where a setting stands.

    Attributes:
        field: of the settings.
        keys: that lead to it.
        read: the setting of a value; None where it is none.
        write: the value of a setting; None where it has no place here.
        members: the members of an object that are the setting, where others may stand beside them; () for a value that
            is the setting.
    """

    field: str
    keys: tuple[str, ...]
    read: Callable[[Json], Any]
    write: Callable[[Any], Json]
    members: tuple[str, ...] = ()


Rename = Callable[[Object], Object]
"""An object with its keys as we write them."""


def read_places(document: Object, places: Sequence[Place], rename: Rename = dict) -> tuple[Settings | None, Object]:
    """The settings of a document, and what it says beside them.

    Args:
        document: a request or response, whose keys are as we write them.
        places: where settings stand; of two for one field the first is believed.
        rename: gives the keys of the objects in it as we write them.
    """
    found: dict[str, Any] = {}
    for place in places:
        if place.field in found:
            continue
        value = _at(document, place.keys, rename)
        if place.members:
            value = _some(value, place.members, rename)
        setting = None if value is None else place.read(value)
        if setting is not None and place.write(setting) is not None:
            found[place.field] = setting
            document = _without(document, place, rename)
    if not found:
        return None, document
    return Settings(**found), document


def write_places(settings: Settings | None, rest: Object, places: Sequence[Place]) -> Object:
    """A document with its settings at their places, as far as they have one; what is not read back is left out."""
    written: set[str] = set()
    for place in places:
        setting = None if settings is None else getattr(settings, place.field)
        if setting is None or place.field in written:
            continue
        value = place.write(setting)
        if value is None or place.read(value) is None:
            continue
        written.add(place.field)
        if place.members:
            for key, member in cast("Object", value).items():
                rest = with_value(rest, (*place.keys, key), member)
        else:
            rest = with_value(rest, place.keys, value)
    return rest


def _at(value: Json, keys: tuple[str, ...], rename: Rename) -> Json:
    for key in keys:
        value = rename(cast("Object", value)).get(key) if isinstance(value, dict) else None
    return value


def _some(value: Json, members: tuple[str, ...], rename: Rename) -> Object | None:
    if not isinstance(value, dict):
        return None
    known = rename(cast("Object", value))
    return {key: known[key] for key in members if known.get(key) is not None} or None


def _without(value: Object, place: Place, rename: Rename) -> Object:
    """An object without a setting; objects that this leaves empty are left out."""
    key, *deeper = place.keys or ("",)
    value = rename(value)
    if not place.keys:
        return {name: member for name, member in value.items() if name not in place.members}
    if deeper or place.members:
        inner = _without(cast("Object", value[key]), place._replace(keys=tuple(deeper)), rename)
        if inner:
            return {**value, key: inner}
    return {name: member for name, member in value.items() if name != key}
