"""JSON arrays of records: a transcript an item, or in a field of the item's object.

An array is read whole before its first record is converted; JSON lines are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from .. import jsontext
from ..errors import BridgeError
from ..model import Json
from . import lines
from .compression import open_plain
from .records import CHUNK_BYTES, CHUNK_RECORDS, Chunk, Input, Job, Position, Record


def chunks(item: Input, position: Position | None, most: int | None) -> Iterator[Chunk]:
    """The items of an array in chunks, from a position on.

    Args:
        item: the file.
        position: how many items were before it; None for the beginning.
        most: how many records to read.

    Raises:
        OSError: where it is not a JSON array.
    """
    content, raw = open_plain(item.path)
    with raw, content:
        try:
            found = jsontext.loads(content.read())
        except BridgeError as error:
            raise OSError(str(error)) from error
    if not isinstance(found, list):
        raise OSError("it is not a JSON array")
    values = cast("list[Json]", found)
    start = position["item"] if position else 0
    end = len(values) if most is None else min(len(values), start + most)
    chunk: list[bytes] = []
    size = 0
    for at in range(start, end):
        chunk.append(jsontext.dumps(values[at]))
        size += len(chunk[-1])
        if len(chunk) == CHUNK_RECORDS or size >= CHUNK_BYTES or at + 1 == end:
            read = item.size * (at + 1) // len(values)
            yield Chunk((at + 2 - len(chunk), tuple(chunk)), len(chunk), {"item": at + 1}, read)
            chunk, size = [], 0


def records(payload: tuple[int, tuple[bytes, ...]], _item: Input, job: Job) -> Iterator[Record]:
    """The records of a chunk; items count from 1."""
    first, items = payload
    for number, raw in enumerate(items, first):
        yield lines.record(raw, {"item": number}, job)
