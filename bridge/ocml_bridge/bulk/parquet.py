"""Parquet: a transcript a row, in one column; the other columns are carried along as they are.

A Parquet file cannot be continued once it is closed. So what is converted is kept as Arrow batches, one behind the
other, until the input is read, and made into a file then.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final

from .. import jsontext
from ..adapter import Source
from ..errors import BridgeError, ErrorCode
from .batch import Outcome
from .compression import library, reading_errors
from .nested import TOOLS, Nested, document
from .records import CHUNK_BYTES, CHUNK_RECORDS, DEFAULT_FIELD, Chunk, Input, Job, Position, Record

_EXTRA: Final = "bulk"


def _arrow() -> Any:
    return library("pyarrow", _EXTRA)


def _parquet() -> Any:
    return library("pyarrow.parquet", _EXTRA)


def chunks(item: Input, position: Position | None, most: int | None) -> Iterator[Chunk]:
    """The rows of a file in chunks, from a position (`row`: how many were before it) on.

    A row group is read a batch at a time; the size of batches depends on the file alone.
    """
    done = position["row"] if position else 0
    with _parquet().ParquetFile(item.path) as file:
        begin, last = 0, file.metadata.num_rows if most is None else done + most
        for group in range(file.num_row_groups):
            meta = file.metadata.row_group(group)
            begin, rows = begin + meta.num_rows, _rows(meta)
            if begin <= done:
                continue
            row = begin - meta.num_rows
            for batch in file.iter_batches(batch_size=rows, row_groups=[group], use_threads=False):
                row += batch.num_rows
                if row <= done:
                    continue
                if done >= last:
                    return
                piece = batch.slice(0, min(batch.num_rows, last - done))
                first, done = done + 1, done + piece.num_rows
                read = item.size * done // max(file.metadata.num_rows, 1)
                yield Chunk((first, _pack(piece)), piece.num_rows, {"row": done}, read)


def _rows(group: Any) -> int:
    """How many rows of a row group make a chunk."""
    each = group.total_byte_size // max(group.num_rows, 1)
    return max(1, min(CHUNK_RECORDS, CHUNK_BYTES // max(each, 1)))


def _pack(batch: Any) -> bytes:
    arrow = _arrow()
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def _unpack(data: bytes) -> Any:
    return _arrow().ipc.open_stream(data).read_next_batch()


def column_of(schema: Any, job: Job) -> str:
    """The column that the transcripts stand in.

    Raises:
        BridgeError: OCB-OPTION where there is no such column.
    """
    name = job.field or DEFAULT_FIELD
    if name not in schema.names:
        known = ", ".join(schema.names)
        raise BridgeError(ErrorCode.OPTION, f"there is no column {name!r}; --field names one of {known}")
    return name


def check(item: Input, job: Job) -> None:
    """See that the column is there, before anything is converted. A file that cannot be read is told of later.

    Raises:
        BridgeError: OCB-OPTION where it is not.
    """
    parquet = _parquet()
    with suppress(*reading_errors()):
        column_of(parquet.read_schema(item.path), job)


def records(payload: tuple[int, bytes], item: Input, job: Job) -> Iterator[Record]:
    """The records of a chunk. Rows that go to JSON lines have their other columns with them."""
    first, data = payload
    batch = _unpack(data)
    name = column_of(batch.schema, job)
    for index, (raw, value) in enumerate(given(batch, name)):
        fields = None if item.into == "parquet" or job.bare else _fields(batch, index, name)
        yield Record(value, {"row": first + index}, raw, fields)


def given(rows: Any, name: str) -> Iterator[tuple[Source | bytes, Source | bytes | Nested | BridgeError]]:
    """Each row's value of a column as it stands, and what a reader takes of it.

    They differ for nested messages alone: a reader takes them with the tools of the column beside them.

    Args:
        rows: a record batch or a table.
        name: the column that the transcripts stand in.
    """
    beside = rows.schema.get_field_index(TOOLS) if name != TOOLS else -1
    tools = [None] * rows.num_rows if beside < 0 else rows.column(beside).to_pylist()
    values = rows.column(rows.schema.get_field_index(name)).to_pylist()
    for value, declared in zip(values, tools, strict=True):
        raw = value if isinstance(value, bytes) else plain(value)
        yield raw, document(raw, plain(declared)) if isinstance(raw, list) else raw


def _fields(batch: Any, index: int, name: str) -> dict[str, str | None]:
    row: dict[str, Any] = batch.slice(index, 1).to_pylist()[0]
    return {
        key: None if key == name else jsontext.dumps(plain(value)).decode("utf-8", "surrogatepass")
        for key, value in row.items()
    }


def plain(value: Any) -> Any:
    """A value of a column as JSON values: what JSON has no word for, as a date or a decimal, becomes text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else str(value)


def others(payload: tuple[int, bytes], record: Record, job: Job) -> dict[str, Any]:
    """The other columns of a record, for its quarantine."""
    first, data = payload
    batch = _unpack(data)
    row: dict[str, Any] = batch.slice(_index(record, first), 1).to_pylist()[0]
    row.pop(column_of(batch.schema, job))
    return {key: plain(value) for key, value in row.items()}


def _index(record: Record, first: int) -> int:
    """Where in its chunk the row of a record stands."""
    return int(str(record.where["row"])) - first


def spell(payload: tuple[int, bytes], taken: Sequence[Record], outcomes: Sequence[Outcome], job: Job) -> bytes:
    """The output of a chunk: its rows without those in quarantine, the column replaced by the outputs as text.

    A row of several conversations is there once for each of them.
    """
    arrow = _arrow()
    first, data = payload
    batch = _unpack(data)
    name = column_of(batch.schema, job)
    written = [(record, outcome) for record, outcome in zip(taken, outcomes, strict=True) if outcome.error is None]
    texts = arrow.array([outcome.text for _, outcome in written], arrow.large_string())
    rows = batch.take(arrow.array([_index(record, first) for record, _ in written], arrow.int64()))
    at = rows.schema.get_field_index(name)
    field = arrow.field(name, arrow.large_string(), metadata=rows.schema.field(at).metadata)
    if job.bare:
        return _pack(arrow.record_batch([texts], schema=arrow.schema([field])))
    columns = [texts if index == at else rows.column(index) for index in range(rows.num_columns)]
    return _pack(arrow.record_batch(columns, schema=rows.schema.set(at, field)))


def assemble(partial: str, final: BinaryIO, item: Input) -> None:
    """Make the file from the batches of a partial output; one without any has the schema of its input's."""
    arrow, parquet = _arrow(), _parquet()
    writer: Any = None
    group: list[Any] = []
    try:
        for batch in _batches(partial):
            writer = writer or parquet.ParquetWriter(final, batch.schema, compression="zstd")
            group.append(batch)
            if sum(each.nbytes for each in group) >= _GROUP_BYTES:
                writer.write_table(arrow.Table.from_batches(group))
                group.clear()
        if group:
            writer.write_table(arrow.Table.from_batches(group))
        writer = writer or parquet.ParquetWriter(final, parquet.read_schema(item.path))
    finally:
        if writer is not None:
            writer.close()


_GROUP_BYTES: Final = 16 << 20


def _batches(partial: str) -> Iterator[Any]:
    arrow = _arrow()
    with arrow.OSFile(partial, "rb") as file:
        size = file.size()
        while file.tell() < size:
            with arrow.ipc.open_stream(file) as stream:
                yield from stream


def count(path: str) -> int:
    """How many rows a file has."""
    return int(_parquet().read_metadata(path).num_rows)
