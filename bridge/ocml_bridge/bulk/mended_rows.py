"""Read the input rows of mended Parquet records, and insert rows into Parquet outputs."""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, BinaryIO, Final, cast

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..model import Json
from .containers.compression import library
from .containers.parquet import Rows, batches_in, columns_of, finite, source_of
from .records import Input

_MOST: Final = 2_000
"""The number of rows that are written together."""


class MendedRows:
    """The rows of a Parquet input, with values from mended lines.

    Args:
        item: the input, a Parquet file.
    """

    def __init__(self, item: Input) -> None:
        self._item = item
        self._group: tuple[int, Any] = (-1, None)
        self._starts: list[int] = []

    def of(self, position: int, line: bytes) -> Rows:
        """Return a row with the values of its mended line; columns that were not changed are those of the input.

        Args:
            position: the number of the row, from 1.
            line: the mended row as JSON.

        Raises:
            BridgeError: OCB-SHAPE if the line is not a row of the file; or as `jsontext.loads` raises it.
            OSError: if the input cannot be read.
        """
        batch = self._row(position)
        found = jsontext.loads(line)
        if not isinstance(found, dict) or not batch.num_rows:
            raise BridgeError(ErrorCode.SHAPE, "a row is an object with a member for each column", path="")
        members = cast("dict[str, Json]", found)
        before = finite(columns_of(batch, 0))
        columns = [
            _value(members[field.name], field)
            if field.name in members and members[field.name] != before[field.name]
            else batch.column(at)
            for at, field in enumerate(batch.schema)
        ]
        return Rows(position, library("pyarrow", "bulk").record_batch(columns, schema=batch.schema))

    def _row(self, position: int) -> Any:
        """Return a batch with one row; an empty one if the row does not exist."""
        group, before = self._place_of(position)
        if self._group[0] != group:
            with source_of(self._item.path) as source, library("pyarrow.parquet", "bulk").ParquetFile(source) as file:
                self._group = group, file.read_row_group(group, use_threads=False)
        row = self._group[1].slice(position - before - 1, 1).combine_chunks()
        empty = library("pyarrow", "bulk").RecordBatch.from_pylist([], row.schema)
        return next(iter(row.to_batches(max_chunksize=1)), empty)

    def _place_of(self, position: int) -> tuple[int, int]:
        """Return the row group of a row, or the last one, and the number of rows before that group."""
        if not self._starts:
            with source_of(self._item.path) as source, library("pyarrow.parquet", "bulk").ParquetFile(source) as file:
                sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            self._starts = list(accumulate(sizes, initial=0))[:-1] or [0]
        group = bisect_left(self._starts, position) - 1
        return group, self._starts[group]


def _value(value: Json, field: Any) -> Any:
    """Return a JSON value as a column of one row."""
    arrow, types = library("pyarrow", "bulk"), library("pyarrow.types", "bulk")
    given: Any = value
    if types.is_binary(field.type) or types.is_large_binary(field.type):
        given = _bytes(value)
    try:
        return arrow.array([given], field.type)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        message = f"the column {field.name!r} is {field.type}, and the new value is not: {error}"
        raise BridgeError(ErrorCode.SHAPE, message, path=f"/{field.name}") from error


def _bytes(value: Json) -> Any:
    """Return the bytes of a text, or of an object with `base64`."""
    if isinstance(value, dict):
        value = cast("dict[str, Json]", value).get("base64")
        return base64.b64decode(value) if isinstance(value, str) else value
    return value.encode() if isinstance(value, str) else value


def store_rows(path: str, inserted: Mapping[int, Sequence[bytes]], file: BinaryIO) -> None:
    """Write a Parquet output with further rows.

    Args:
        path: the existing output.
        inserted: rows as `parquet.spell` returns them, by the number of existing rows before them.
        file: the file to write to.
    """
    arrow, parquet = library("pyarrow", "bulk"), library("pyarrow.parquet", "bulk")
    with source_of(path) as source, parquet.ParquetFile(source) as old:
        schema = old.schema_arrow
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            group: list[Any] = []
            for batch in _merged(old, inserted):
                group.append(batch.cast(schema))
                if sum(each.num_rows for each in group) >= _MOST:
                    writer.write_table(arrow.Table.from_batches(group))
                    group.clear()
            if group:
                writer.write_table(arrow.Table.from_batches(group))


def _merged(old: Any, inserted: Mapping[int, Sequence[bytes]]) -> Iterator[Any]:
    """Yield the rows of an output and the inserted rows, in batches."""
    places, row = sorted(inserted), 0
    for batch in old.iter_batches(batch_size=_MOST, use_threads=False):
        begin = 0
        while places and places[0] < row + batch.num_rows:
            at = places.pop(0)
            yield batch.slice(begin, at - row - begin)
            yield from _unpacked(inserted[at])
            begin = at - row
        yield batch.slice(begin)
        row += batch.num_rows
    for at in places:
        yield from _unpacked(inserted[at])


def _unpacked(rows: Sequence[bytes]) -> Iterator[Any]:
    for packed in rows:
        yield from batches_in(library("pyarrow", "bulk").BufferReader(packed))
