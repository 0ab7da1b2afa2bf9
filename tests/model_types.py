"""Whether the fields of a document are of the types that the model declares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from ocml_bridge.model import Document

_FIT: dict[type, tuple[type, ...]] = {float: (float, int)}
"""A whole number is a number, too."""


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in cast("Any", kind).__match_args__}


def mistyped(value: object, hint: Any = Document, path: str = "") -> Iterator[str]:
    """What in a value is not of its type: each with its path, and what it is."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return
    if origin in (Union, UnionType):
        if all(any(True for _ in mistyped(value, each, path)) for each in args):
            kind = next((each for each in args if each is type(value)), None)
            yield from (f"{path}: {value!r}",) if kind is None else mistyped(value, kind, path)
    elif origin is Literal:
        if not any(value == each and type(value) is type(each) for each in args):
            yield f"{path}: {value!r}"
    elif type(value) not in _FIT.get(origin or hint, (origin or hint,)):
        yield f"{path}: {value!r}"
    elif origin is tuple:
        for at, item in enumerate(cast("tuple[object, ...]", value)):
            yield from mistyped(item, args[0], f"{path}/{at}")
    elif origin is dict:
        for key, item in cast("dict[object, object]", value).items():
            yield from mistyped(key, args[0], f"{path}/{key}")
            yield from mistyped(item, args[1], f"{path}/{key}")
    elif hint not in (str, int, float, bool, NoneType):
        for name, inner in _hints(hint).items():
            yield from mistyped(getattr(value, name), inner, f"{path}/{name}")
