"""Check a caller's JSON values and documents, and convert subclasses to the exact JSON types.

A subclass of `str` may override `__str__`, and JSON writers write infinite numbers as null. So values of subclasses are
converted to their base types, and values that are not JSON are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from operator import attrgetter, is_
from typing import Any, Final, TypeVar, cast

from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..model.diff import escape
from .json_lines import Lines
from .jsontext import MAX_DEPTH

Value = TypeVar("Value")
_PLAIN: Final = frozenset({str, bool, int, type(None)})
_LISTS: Final = frozenset({list, Lines})


def as_json(value: Any) -> Json:
    """Return values as exact JSON: the same object if they are, else a converted copy.

    Args:
        value: dicts, lists and tuples, texts, numbers, True, False and None. Tuples become lists, and values of
            subclasses, such as members of a `StrEnum`, become values of the base type.

    Raises:
        BridgeError: OCB-SHAPE with the JSON pointer of the first other value, such as an infinite number, a key that is
            not a text, or the object of a library; OCB-LIMIT if the values nest too deep.
    """
    return value if _is_exact(value) else _exact(value, "", 0)


def _is_exact(value: Any) -> bool:
    """Return whether values consist only of exact JSON types, and do not nest too deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for item in level:
            kind = item.__class__
            if kind is dict:
                deeper += item.values()
                if not all(key.__class__ is str for key in item):
                    return False
            elif kind in _LISTS:
                deeper += item
            elif kind not in _PLAIN and not (kind is float and isfinite(item)):
                return False
        if not deeper:
            return True
        level = deeper
    return False


def _exact(value: Any, path: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BridgeError(ErrorCode.LIMIT, f"JSON nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        members = cast("dict[Any, Any]", value).items()
        return {_key(key, path): _exact(item, f"{path}/{escape(str(key))}", depth + 1) for key, item in members}
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        exact = [_exact(item, f"{path}/{index}", depth + 1) for index, item in enumerate(items)]
        return Lines(exact) if isinstance(value, Lines) else exact
    return _scalar(value, path)


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise BridgeError(ErrorCode.SHAPE, f"a key of JSON must be a text, not {key!r:.40}", path=path)
    return str.__str__(key)


def _scalar(value: Any, path: str) -> Any:
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if not isinstance(value, float):
        kind = type(value).__name__
        instead = "what .model_dump() gives" if hasattr(value, "model_dump") else "a text, number, list or dict"
        raise BridgeError(ErrorCode.SHAPE, f"a {kind} is not a JSON value; give {instead}", path=path)
    if not isfinite(value):
        raise BridgeError(ErrorCode.SHAPE, f"JSON has no number {value}", path=path)
    return float.__float__(value)


def as_document(document: Value) -> Value:
    """Return a document whose texts, numbers and JSON values have exact types: itself if they have, else a copy.

    Args:
        document: a caller's document. Objects that are not of the model are left as they are.

    Raises:
        BridgeError: as for `as_json`, with a JSON pointer into the document.
    """
    return document if _is_document(document) else _as_document(document, "")


def _is_document(value: Any) -> bool:
    """Return whether all texts, numbers and JSON values of a model object have exact types."""
    kind = value.__class__
    if kind is tuple:
        return all(map(_is_document, value))
    fields = _fields_of(kind)
    if fields is None:
        return _is_exact(value)
    members = fields(value)
    return _PLAIN.issuperset(map(type, members)) or all(map(_is_document, members))


def _as_document(value: Any, path: str) -> Any:
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, (dict, list)):
        try:
            return as_json(cast("Any", value))
        except BridgeError as error:
            raise BridgeError(error.code, error.message, path=f"{path}{error.path or ''}") from None
    if isinstance(value, (str, int, float)):
        return _scalar(value, path)
    if type(value) is tuple:
        items = cast("tuple[Any, ...]", value)
        exact_items = [_as_document(item, f"{path}/{index}") for index, item in enumerate(items)]
        return items if all(map(is_, exact_items, items)) else tuple(exact_items)
    names: tuple[str, ...] = getattr(value, "__match_args__", ())
    fields = [getattr(value, name) for name in names]
    exact = [_as_document(field, f"{path}/{name}") for name, field in zip(names, fields, strict=True)]
    return value if all(map(is_, exact, fields)) else value.__class__(*exact)


@lru_cache(maxsize=64)
def _fields_of(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return a function that returns all fields of an object of a class; None if it has less than two fields."""
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())
    return attrgetter(*names) if len(names) > 1 else None
