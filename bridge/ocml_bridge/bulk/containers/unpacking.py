"""Unpack inputs that can only be read from the beginning: compressed files, JSON arrays, standard input, pipes.

They are unpacked a range at a time to files of lines, which worker processes convert, and which are then removed. So a
record can be read again even if the process that converts it dies.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from hashlib import blake2b
from io import BytesIO
from itertools import count, islice
from typing import BinaryIO, Final, cast

from ...errors import BridgeError
from ...json_values import jsontext
from ...model import Json
from ..records import RANGE_BYTES, STANDARD, Input, Position, Range
from . import arrays
from .compression import open_plain
from .encodings import SEPARATOR, in_utf8

Lines = Callable[[BinaryIO], Iterator[bytes]]
"""Yields the records of a file's content, each as a line."""
_BLANK: Final = b" \t\r\n"


def unpacked(item: Input, lines: Lines, folder: str, position: Position | None, most: int | None) -> Iterator[Range]:
    """Unpack an input, and yield ranges, from a position on: `offset` in bytes, `line` as the number of lines before.

    Args:
        item: the input.
        lines: yields the lines of its content.
        folder: the folder to unpack it to.
        position: the position to continue from; None for the beginning.
        most: the number of records to read; None for all.

    Raises:
        OSError: if it cannot be read to its end, or is shorter than the position; `reading_errors` lists others.
    """
    offset, before = (position["offset"], position["line"]) if position else (0, 0)
    content, raw = open_plain(item.path)
    try:
        left = lines(content)
        if sum(map(len, islice(left, before))) != offset:
            raise OSError("the file has changed since the run began")
        if most is not None:
            left = _first(left, most)
        # The name is a hash because inputs in several folders may have the same name.
        name = blake2b(item.quarantine.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        for number in count():
            path = os.path.join(folder, f"{name}.{number}.lines")
            size = found = rows = 0
            with open(path, "wb") as file:
                for line in left:
                    file.write(line)
                    size, found, rows = size + len(line), found + 1, rows + bool(line.strip(_BLANK))
                    if offset + size >= (offset // RANGE_BYTES + 1) * RANGE_BYTES:
                        break
            if not found:
                os.unlink(path)
                return
            read = raw.tell() if item.path != STANDARD and raw.seekable() else 0
            yield Range(offset, offset + size, read, rows, before, unpacked=path)
            offset, before = offset + size, before + found
    finally:
        if item.path != STANDARD:
            content.close()
            raw.close()


def _first(lines: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Yield the lines of the first records."""
    for line in lines:
        if most <= 0:
            return
        yield line
        most -= bool(line.strip(_BLANK))


def lines(content: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, without the separators of a JSON text sequence.

    Raises:
        OSError: if it begins as UTF-16 and is not.
    """
    return (line.removeprefix(SEPARATOR) for line in in_utf8(content))


def whole(content: BinaryIO) -> Iterator[bytes]:
    """Yield the JSON value of a file as one record.

    Raises:
        OSError: if it is not JSON.
    """
    yield jsontext.dumps(_parsed(content)) + b"\n"


def session(content: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a session as one record: a list of their values, or the list that the file holds.

    A line that is not JSON, such as the last one of a program that was killed, is a text in the list.
    """
    texts = content.read().removeprefix(BOM_UTF8)
    if texts.lstrip().startswith(b"["):
        yield jsontext.dumps(_parsed(BytesIO(texts))) + b"\n"
        return
    lines = [line for line in texts.split(b"\n") if line.strip()]
    yield b"[" + b",".join(map(_as_json, lines)) + b"]\n"


def _as_json(line: bytes) -> bytes:
    try:
        return jsontext.dumps(jsontext.loads(line))
    except BridgeError:
        return jsontext.dumps(line.decode("utf-8", "backslashreplace"))


def items(content: BinaryIO) -> Iterator[bytes]:
    """Yield the items of a JSON array; an object is a single item.

    Raises:
        OSError: if the file is not a JSON array, after the items before the fault.
    """
    data = in_utf8(content).read().removeprefix(BOM_UTF8)
    if data.lstrip(_BLANK)[:1] == b"[":
        yield from arrays.items(data)
    elif isinstance(found := _value_of(data), dict):
        yield jsontext.dumps(cast("Json", found)) + b"\n"
    else:
        raise OSError("the file is not a JSON array")


def keyed(content: BinaryIO) -> Iterator[bytes]:
    """Yield the rows of an object that holds them under their keys; it is parsed as a whole first.

    Raises:
        OSError: if the file is not a JSON object.
    """
    from ...layouts import rows_by_key

    found = _parsed(content)
    if not isinstance(found, dict):
        raise OSError("the file is not a JSON object")
    for row in rows_by_key(cast("dict[str, Json]", found)):
        yield jsontext.dumps(row) + b"\n"


def _parsed(content: BinaryIO) -> Json:
    """Return the JSON value of a file.

    Raises:
        OSError: if it is not JSON.
    """
    return _value_of(in_utf8(content).read().removeprefix(BOM_UTF8))


def _value_of(data: bytes) -> Json:
    try:
        return jsontext.loads(data)
    except BridgeError as error:
        raise OSError(str(error)) from error
