"""Split unknown members of units into what repeats and long texts, which differ from message to message."""

from __future__ import annotations

from collections.abc import Iterator
from sys import maxsize
from typing import Any, Final, cast

from ..json_values.form import Object
from ..model import Json

_LONG: Final = 64
"""The maximum length of a text that is part of a skeleton, in characters; a longer one is a value."""
_A_VALUE: Final[Any] = b""
"""The placeholder for a long text; no JSON value is equal to it."""


def is_long(value: Any) -> bool:
    """Return whether a value in an unknown member is a text so long that other messages are unlikely to have it."""
    return value.__class__ is str and len(value) > _LONG


def lengths_like(text: str) -> range:
    """Return the lengths of the texts that are long, or not long, as a text is."""
    return range(_LONG + 1, maxsize) if len(text) > _LONG else range(1, _LONG + 1)


def without_long(value: Any, values: list[str]) -> Any:
    """Return an unknown member without its long texts, which are appended to the values."""
    if is_long(value):
        values.append(value)
        return _A_VALUE
    if value.__class__ is dict:
        return {key: without_long(inner, values) for key, inner in value.items()}
    return [without_long(inner, values) for inner in value] if value.__class__ is list else value


def with_long(value: Any, values: Iterator[str]) -> Any:
    """Return an unknown member with other long texts."""
    if is_long(value):
        return next(values).ljust(_LONG + 1)
    if isinstance(value, dict):
        return {key: with_long(inner, values) for key, inner in cast("Object", value).items()}
    return [with_long(inner, values) for inner in cast("list[Json]", value)] if isinstance(value, list) else value
