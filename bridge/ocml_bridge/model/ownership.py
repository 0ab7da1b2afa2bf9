"""Whose a value is: what the API takes and gives belongs to the caller, who may change it (law 14).

Dicts and lists are copied where they pass from one owner to another. Strings are shared, and so are model objects that
hold nothing else: they are values.
"""

from __future__ import annotations

import marshal
from operator import is_
from typing import Any, Final, TypeVar, cast

from ..errors import BridgeError, ErrorCode
from . import Message

Value = TypeVar("Value")


def pack(value: Any) -> bytes:
    """JSON values, in tuples where wanted, as bytes that `unpack` makes the same values of; for this process only.

    Raises:
        ValueError: where there is anything else among them.
    """
    return marshal.dumps(value)


def key_of(value: Any) -> bytes:
    """JSON values as bytes that are the same where these are: the order of keys counts, and the kinds of numbers.

    Raises:
        ValueError: where there is anything else among them.
    """
    return marshal.dumps(value, _WITHOUT_REFERENCES)


_WITHOUT_REFERENCES: Final = 2
"""The version of the format in which it does not matter which values are one object."""


def unpack(packed: bytes) -> Any:
    """The values that were packed: new ones, which nobody else has."""
    return marshal.loads(packed)


def own_json(value: Value) -> Value:
    """A copy of JSON values that shares no dict and no list with them; what is not JSON stays as it is.

    Raises:
        BridgeError: OCB-LIMIT for values that nest too deep, such as a list that holds itself.
    """
    if isinstance(value, str):
        return value
    try:
        return unpack(pack(value))
    except ValueError:  # subclasses, and what is not JSON
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
    """A model object whose dicts and lists are its owner's: itself where it holds none, else a copy."""
    return _own(value)


def _own(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return own_json(cast("Any", value))
    if type(value) is tuple:
        members = cast("tuple[Any, ...]", value)
        # Most messages hold nothing: they are passed over without a call.
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
    """A copy of a model object that shares nothing that anyone could change: whatever holds it, nobody else sees it."""
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
