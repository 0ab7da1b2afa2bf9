"""What a caller gives as JSON values is JSON, down to the last: an infinite number would be written as null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Final, cast

from .diff import escape
from .errors import BridgeError, ErrorCode
from .jsontext import MAX_DEPTH
from .model import Message

_PLAIN: Final = frozenset({str, bool, int, type(None)})
_NESTED: Final = (dict, list, tuple)


def check_parsed(value: object) -> None:
    """Refuse values that are no JSON.

    Args:
        value: dicts, lists and tuples, texts, numbers, True, False and None; subclasses of these too.

    Raises:
        BridgeError: OCB-SHAPE with the JSON pointer of the first that is none: an infinite number, a key that is no
            text, the object of a library; OCB-LIMIT where they nest too deep.
    """
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for item in level:
            kind = item.__class__
            if kind is dict:
                deeper += item.values()
                if not all(key.__class__ is str for key in item):
                    _refuse(value)
            elif kind is list:
                deeper += item
            elif kind not in _PLAIN:
                if not _is_json(item):
                    _refuse(value)
                if isinstance(item, _NESTED):
                    deeper += item.values() if isinstance(item, dict) else item  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        if not deeper:
            return
        level = deeper
    raise BridgeError(ErrorCode.LIMIT, f"JSON nested deeper than {MAX_DEPTH} levels")


def check_values(document: object) -> None:
    """Refuse a document of the model in which there are values that are no JSON.

    Args:
        document: an object of the model, of whose classes it is.

    Raises:
        BridgeError: as `check_parsed`, with the JSON pointer into the document.
    """
    _check_values(document, "")


def _check_values(value: Any, path: str) -> None:
    if isinstance(value, (dict, list, float)):
        try:
            check_parsed(cast("Any", value))
        except BridgeError as error:
            raise BridgeError(error.code, error.message, path=f"{path}{error.path or ''}") from None
    elif type(value) is tuple:
        for index, item in enumerate(cast("tuple[Any, ...]", value)):
            if type(item) is not Message or not _is_text(item):
                _check_values(item, f"{path}/{index}")
    else:
        for name in getattr(value, "__match_args__", ()):
            _check_values(getattr(value, name), f"{path}/{name}")


def _is_text(message: Message) -> bool:
    """Whether there is nothing but texts in a message, as in most."""
    return message.extras is message.layout is message.weight is message.cache is None and type(message.content) is str


def _is_json(value: object) -> bool:
    """Whether a value is one of JSON, whatever is in it."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in cast("dict[Any, Any]", value))
    return value is None or isinstance(value, (str, int, list, tuple))


def _refuse(value: object) -> None:
    for path, item in _strangers(value, ""):
        raise BridgeError(ErrorCode.SHAPE, _what(item), path=path)


def _strangers(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Each value that is no JSON, with the JSON pointer to it."""
    if not _is_json(value):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            yield from _strangers(item, f"{path}/{escape(key)}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(cast("Sequence[Any]", value)):
            yield from _strangers(item, f"{path}/{index}")


def _what(value: object) -> str:
    if isinstance(value, float):
        return f"JSON has no number {value}"
    if isinstance(value, dict):
        return "a key of JSON must be a text"
    kind = type(value).__name__
    dump = ".model_dump()" if hasattr(value, "model_dump") else ""
    return f"a {kind} is not a JSON value; give {f'what {dump} gives' if dump else 'a text, number, list or dict'}"
