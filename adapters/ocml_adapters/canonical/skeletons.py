"""Split messages into a skeleton and their contents, ids and signatures.

Messages with the same skeleton are validated once. This module runs for every message: it is on the fast path.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.grammar import Skeleton, Unit
from ocml_bridge.units.media import Medium, add_medium, next_medium, of_address, of_data

_LONGEST: Final = 400
"""The maximum length of a text in a skeleton, in characters, and of a packed member or part, in bytes."""
_MEMBERS_OF_TEXT: Final = frozenset({"type", "text", "cache", "extras"})
"""The members of a text whose meaning does not depend on the text."""
_ADDRESSES: Final = {"url": of_address, "data": of_data}
"""The members of a medium that are values, and how their kind is recognised."""


def skeleton(unit: Any) -> Skeleton | None:
    """Return a message without its texts, call id and signature; None if another member is long or has an odd value."""
    if unit.__class__ is not dict:
        return None
    key: list[Hashable] = [tuple(unit)]
    values: list[str] = []
    for name, value in unit.items():
        if value.__class__ is str:
            if name in ("content", "call_id") and value:
                key.append(str)
                values.append(value)
            elif len(value) <= _LONGEST:
                key.append(value)
            else:
                return None
        elif name == "content" and value.__class__ is list:
            key.append(len(value))
            if not all(_add_part(part, key, values) for part in value):
                return None
        else:
            if name == "signature" and _signature(value):
                values.append(value["value"])
                value = {**value, "value": None}
            packed = key_of(value)
            key.append(packed)
            if len(packed) > _LONGEST:
                return None
    return tuple(key), values


def with_values(unit: Unit, values: Sequence[str]) -> Unit:
    """Return a message that has a skeleton, with other texts, call id and signature."""
    following = iter(values)
    return {name: _filled(name, value, following) for name, value in unit.items()}


def _filled(name: str, value: Any, values: Iterator[str]) -> Any:
    if name == "content" and value.__class__ is list:
        return [_filled_part(part, values) for part in value]
    if name in ("content", "call_id") and value.__class__ is str and value:
        return next(values)
    return {**value, "value": next(values)} if name == "signature" and _signature(value) else value


def _signature(value: Any) -> str | None:
    """Return the text of a signature; None if it has none."""
    text = value.get("value") if value.__class__ is dict else None
    return text if text.__class__ is str else None


def _add_part(part: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add a part: a text without its text, a medium without its address or data, any other whole if it is short."""
    if part.__class__ is not dict:
        return False
    if _is_text(part):
        values.append(part["text"])
        part = {**part, "text": None}
        if not part.keys() <= _MEMBERS_OF_TEXT:
            return False
    for name, medium in _media(part):
        add_medium(medium, key, values)
        part = {**part, name: None}
    packed = key_of(part)
    key.append(packed)
    return len(packed) <= _LONGEST


def _filled_part(part: Object, values: Iterator[str]) -> Object:
    if _is_text(part):
        return {**part, "text": next(values)}
    return {**part, **{name: next_medium(medium, values) for name, medium in _media(part)}}


def _is_text(part: Object) -> bool:
    text = part.get("text")
    return part.get("type") == "text" and text.__class__ is str and text != ""


def _media(part: Object) -> list[tuple[str, Medium]]:
    """Return the address and the data of a medium, as far as they are values."""
    if part.get("type") != "media":
        return []
    found = [(name, of(part[name])) for name, of in _ADDRESSES.items() if name in part]
    return [(name, medium) for name, medium in found if medium is not None]
