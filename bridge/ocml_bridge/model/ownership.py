"""Copy values at the boundary of the API: callers may change what they pass in and what they get back (law 14).

Only dicts and lists are copied. Strings, and model objects that contain no dict or list, are shared.
"""

from __future__ import annotations

import marshal
from operator import is_
from typing import Any, Final, TypeVar, cast

from ..errors import BridgeError, ErrorCode
from . import Message

Value = TypeVar("Value")


def pack(value: Any) -> bytes:
    """Serialise JSON values, which may be in tuples, for `unpack`; for this process only.

    Raises:
        ValueError: if a value is of any other type.
    """
    return marshal.dumps(value)


def key_of(value: Any) -> bytes:
    """Return a cache key for JSON values: equal bytes for equal values, with the order of keys and types of numbers.

    Raises:
        ValueError: if a value is of any other type.
    """
    return marshal.dumps(value, _WITHOUT_REFERENCES)


_WITHOUT_REFERENCES: Final = 2
"""The version of marshal's format that does not encode which values are the same object."""


def unpack(packed: bytes) -> Any:
    """Return new values from the bytes of `pack`."""
    return marshal.loads(packed)


def own_json(value: Value) -> Value:
    """Return a copy of JSON values that shares no dict and no list with them; other objects in them are not copied.

    Raises:
        BridgeError: OCB-LIMIT for values that nest too deep, such as a list that contains itself.
    """
    if isinstance(value, str):
        return value
    try:
        return unpack(pack(value))
    except ValueError:  # subclasses, and objects that are not JSON
        pass
    try:
        return _copied(value)
    except RecursionError as error:
        raise BridgeError(ErrorCode.LIMIT, "JSON nested too deep") from error


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        kind: Any = cast("Any", value).__class__
        return kind(map(_copied, cast("list[Any]", value)))
    return value


def own(value: Value) -> Value:
    """Return a model object that shares no dict and no list with `value`: itself if it contains none, else a copy."""
    return _own(value)


def _own(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return own_json(cast("Any", value))
    if type(value) is tuple:
        members = cast("tuple[Any, ...]", value)
        # Fast path without a call: most messages contain no dict or list.
        items = [
            item
            if type(item) is Message and item.extras is item.layout is None and type(item.content) is str
            else _own(item)
            for item in members
        ]
        return members if all(map(is_, items, members)) else tuple(items)
    names = () if type(value) in _VALUES else getattr(value, "__match_args__", ())
    fields = [getattr(value, name) for name in names]
    items = [field if type(field) in _VALUES else _own(field) for field in fields]
    return value if all(map(is_, items, fields)) else value.__class__(*items)


def fresh(value: Value) -> Value:
    """Return a copy of a model object that shares only strings and numbers with it, and no model object."""
    return _fresh(value)


def _fresh(value: Any) -> Any:
    if type(value) in _VALUES:
        return value
    if isinstance(value, (dict, list)):
        return own_json(cast("Any", value))
    if type(value) is tuple:
        return tuple(map(_fresh, cast("tuple[Any, ...]", value)))
    names = getattr(value, "__match_args__", ())
    return value.__class__(*[_fresh(getattr(value, name)) for name in names]) if names else value


_VALUES: Final = frozenset({str, bool, int, float, type(None)})
