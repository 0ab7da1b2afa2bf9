"""What a caller gives as JSON values becomes JSON, down to the last: exactly its classes, and numbers that it has.

A format writes what a text says, and `str` of a text's subclass may say something else; JSON writes an infinite number
as null. So subclasses become what they are of, and what is no JSON is refused.
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
from .jsontext import MAX_DEPTH, Lines

Value = TypeVar("Value")
_PLAIN: Final = frozenset({str, bool, int, type(None)})
_LISTS: Final = frozenset({list, Lines})


def as_json(value: Any) -> Json:
    """Values that a caller gives as parsed JSON: themselves where they are that, else a copy.

    Args:
        value: dicts, lists and tuples, texts, numbers, True, False and None; subclasses of these, such as members of an
            enumeration of texts, become what they are of, and tuples become lists.

    Raises:
        BridgeError: OCB-SHAPE with the JSON pointer of the first that is none of these, such as an infinite number, a
            key that is no text, or the object of a library; OCB-LIMIT where they nest too deep.
    """
    return value if _is_exact(value) else _exact(value, "", 0)


def _is_exact(value: Any) -> bool:
    """Whether values are exactly JSON."""
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
        made = [_exact(item, f"{path}/{index}", depth + 1) for index, item in enumerate(items)]
        return Lines(made) if isinstance(value, Lines) else made
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
    """A document of the model whose texts, numbers and JSON values are exactly that; itself where they are.

    Args:
        document: what a caller gives as one. What is not of the model is left as it is.

    Raises:
        BridgeError: as `as_json`, with the JSON pointer into the document.
    """
    return document if _is_document(document) else _as_document(document, "")


def _is_document(value: Any) -> bool:
    """Whether all texts, numbers and JSON values of an object of the model are exactly that."""
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
        made = [_as_document(item, f"{path}/{index}") for index, item in enumerate(items)]
        return items if all(map(is_, made, items)) else tuple(made)
    names: tuple[str, ...] = getattr(value, "__match_args__", ())
    fields = [getattr(value, name) for name in names]
    exact = [_as_document(field, f"{path}/{name}") for name, field in zip(names, fields, strict=True)]
    return value if all(map(is_, exact, fields)) else value.__class__(*exact)


@lru_cache(maxsize=64)
def _fields_of(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the fields of an object of the model; None for one of another class, or with less than two."""
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())
    return attrgetter(*names) if len(names) > 1 else None
