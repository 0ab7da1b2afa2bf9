"""Split a JSON array into its items, without holding the values of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, cast

import orjson

from ...errors import BridgeError
from ...json_values import jsontext
from ...model import Json
from .values import TOKEN, as_line

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_MAY_END: Final = re.compile(rb"\}(?=[ \t\r\n]*[,\]])")
"""The last bracket of an object in an array, or one inside it that looks like it."""
_MOST_TRIED: Final = 64
"""How many of them are looked at for one object: a bracket in a text would make the search go on to the array's end."""


def items(data: bytes) -> Iterator[bytes]:
    """Yield the items of a JSON array, each as a line. An object that is not JSON is yielded, too.

    Args:
        data: the array, in UTF-8.

    Raises:
        OSError: if the data is not an array, after the items before the fault.
    """
    at = _after_space(data, _after_space(data, 0) + 1)
    is_empty = data[at : at + 1] == b"]"
    while not is_empty:
        if data[at : at + 1] != b"{":
            yield from _parsed(data, at)
            return
        end = _end_of_object(data, at)
        yield as_line(data[at:end])
        at = _after_space(data, end)
        if data[at : at + 1] != b",":
            break
        at = _after_space(data, at + 1)
    if data[at : at + 1] != b"]" or _after_space(data, at + 1) != len(data):
        raise _broken(at)


def _after_space(data: bytes, at: int) -> int:
    space = _SPACE.match(data, at)
    return at if space is None else space.end()


def _end_of_object(data: bytes, at: int) -> int:
    """Return the offset after an object.

    Raises:
        OSError: if it has no end.
    """
    depth, seen = 0, at
    for found in islice(_MAY_END.finditer(data, at), _MOST_TRIED):
        depth += data.count(b"{", seen, found.end()) - data.count(b"}", seen, found.end())
        seen = found.end()
        if depth > 0:
            continue
        try:
            orjson.loads(memoryview(data)[at:seen])
        except orjson.JSONDecodeError:
            break  # brackets in strings, or a value that is not JSON
        return seen
    depth = 0
    for found in TOKEN.finditer(data, at):
        depth += (found[0] in (b"{", b"[")) - (found[0] in (b"}", b"]"))
        if depth == 0:
            return found.end()
    raise _broken(at)


def _parsed(data: bytes, at: int) -> Iterator[bytes]:
    """Yield the items of an array from an offset on, of which one is no object.

    Raises:
        OSError: if they are not JSON.
    """
    try:
        _, *values = cast("list[Json]", jsontext.loads(b"[0," + data[at:]))
    except BridgeError as error:
        raise _broken(at) from error
    for value in values:
        yield jsontext.dumps(value) + b"\n"


def _broken(at: int) -> OSError:
    return OSError(f"not JSON: the array is broken after byte {at}")
