"""Members that are one object, where the API has a list of them: `"tools": {…}` is read as `"tools": [{…}]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of
from ocml_bridge.model import Json

from .syntax import listed

ALONE: Final = "alone"
"""The key of the layout with the keys of the members that are one object in place of a list of it."""


def lists_of(document: Object, keys: Iterable[str]) -> tuple[Object, list[str]]:
    """Return the members with some keys as lists, and the keys of those that are one object."""
    lists = {key: listed(document[key]) for key in keys if key in document}
    return lists, [key for key, value in lists.items() if value is not document[key]]


def with_lone_objects(document: Object, keys: Json) -> Object:
    """Return a document in which the members with some keys, if they are lists of one object, are that object."""
    names = items_of(keys)
    return {key: _only(value) if key in names else value for key, value in document.items()} if names else document


def _only(value: Any) -> Json:
    return value[0] if value.__class__ is list and len(value) == 1 and value[0].__class__ is dict else value
