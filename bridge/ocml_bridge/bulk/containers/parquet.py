"""Read and write Parquet: a transcript in one column of each row; the other columns are kept unchanged.

A closed Parquet file cannot be appended to. So outputs are kept as successive Arrow batches until an input is read, and
then made into a file.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from math import isfinite
from typing import Any, BinaryIO, Final, NamedTuple, cast

from ...common.unicode import is_unicode
from ...errors import BridgeError, ErrorCode
from ...formats.adapter import Source
from ...json_values import jsontext
from ...model import Json
from ..batch import Outcome
from ..records import (
    CHUNK_BYTES,
    CHUNK_RECORDS,
    DEFAULT_FIELD,
    RANGE_BYTES,
    Chunk,
    Input,
    Job,
    Position,
    Range,
    Record,
    Row,
)
from .compression import library, open_raw, reading_errors
from .nested import TOOLS, Nested, Undecoded, document, unfit
from .remote import is_address
from .schemas import repeated_name

_EXTRA: Final = "bulk"


def _arrow() -> Any:
    return library("pyarrow", _EXTRA)


def _parquet() -> Any:
    return library("pyarrow.parquet", _EXTRA)


class NotUtf8(bytes):
    """The bytes of a text that is not UTF-8."""


class Rows(NamedTuple):
    """The rows of a chunk: the number of the first one in the file, and a record batch."""

    first: int
    batch: Any

    def at(self, where: dict[str, Json]) -> int:
        """Return the index of a row in the batch."""
        return int(str(where["row"])) - self.first


def source_of(path: str) -> AbstractContextManager[Any]:
    """Return what Arrow opens: the path of a local file; or the file, for an address and a path that is not Unicode."""
    return nullcontext(path) if is_unicode(path) and not is_address(path) else open_raw(path)


def schema_of(item: Input) -> Any:
    """Return the schema of a file."""
    with source_of(item.path) as source:
        return _parquet().read_schema(source)


def ranges(item: Input, position: Position | None, most: int | None) -> Iterator[Range]:
    """Yield row groups, small ones together, from a position on (`row`: the number of rows before it)."""
    begin = position["row"] if position else 0
    with source_of(item.path) as source, _parquet().ParquetFile(source) as file:
        rows = file.metadata.num_rows
        last = rows if most is None else min(rows, begin + most)
        end = size = 0
        for group in range(file.num_row_groups):
            meta = file.metadata.row_group(group)
            end, size = end + meta.num_rows, size + meta.total_byte_size
            if end > begin and (size >= RANGE_BYTES or end >= last):
                stop = min(end, last)
                yield Range(begin, stop, item.size * stop // rows, rows=stop - begin)
                begin = stop
            if size >= RANGE_BYTES:
                size = 0
            if begin >= last:
                return


def chunks(piece: Range, item: Input, _job: Job) -> Iterator[Chunk]:
    """Yield the rows of a range in chunks: row groups are read in batches, whose size depends on the file."""
    with source_of(item.path) as source, _parquet().ParquetFile(source) as file:
        end = 0
        for group in range(file.num_row_groups):
            meta = file.metadata.row_group(group)
            row, end = end, end + meta.num_rows
            if end <= piece.begin or row >= piece.end:
                continue
            size = meta.total_byte_size // max(meta.num_rows, 1)
            for batch in file.iter_batches(batch_size=_rows(meta), row_groups=[group], use_threads=False):
                first, row = row, row + batch.num_rows
                begin, stop = max(first, piece.begin), min(row, piece.end)
                if begin < stop:
                    rows = [Row({"row": number + 1}, None, size) for number in range(begin, stop)]
                    found = Rows(begin + 1, _with_selectable_types(batch.slice(begin - first, stop - begin)))
                    yield Chunk(found, rows, {"row": stop})


def _with_selectable_types(batch: Any) -> Any:
    """Return a batch with text in types whose rows Arrow can select."""
    arrow = _arrow()
    plain_types = {arrow.string_view(): arrow.large_string(), arrow.binary_view(): arrow.large_binary()}
    if not any(field.type in plain_types for field in batch.schema):
        return batch
    fields = [field.with_type(plain_types.get(field.type, field.type)) for field in batch.schema]
    return batch.cast(arrow.schema(fields, metadata=batch.schema.metadata))


def _rows(group: Any) -> int:
    """Return the number of rows of a row group in a chunk."""
    each = group.total_byte_size // max(group.num_rows, 1)
    return max(1, min(CHUNK_RECORDS, CHUNK_BYTES // max(each, 1)))


def _pack(batch: Any) -> bytes:
    arrow = _arrow()
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, batch.schema, options=arrow.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def column_of(schema: Any, job: Job) -> str:
    """Return the column of the transcripts.

    Raises:
        BridgeError: OCB-OPTION if there is no such column.
    """
    name = job.field or DEFAULT_FIELD
    if name not in schema.names:
        known = ", ".join(schema.names)
        raise BridgeError(ErrorCode.OPTION, f"there is no column {name!r}; name one with --field: {known}")
    return name


def check(item: Input, job: Job) -> None:
    """Check the columns before anything is converted. A file that cannot be read is reported later.

    Raises:
        BridgeError: OCB-OPTION if there is no column of transcripts, or if two columns, or two members of a column,
            have the same name although they become JSON.
    """
    try:
        schema = schema_of(item)
    except reading_errors():  # those of the library are known once it is imported
        return
    alone = job.plan is None and (item.into == "parquet" or job.bare)
    transcripts = {column_of(schema, job), TOOLS} if job.plan is None else set[str]()
    twice = repeated_name(schema, transcripts if alone else None)
    if twice is not None:
        raise BridgeError(ErrorCode.OPTION, f"{item.path}: {twice}; give them names of their own")


def record_of(row: Row, rows: Rows, item: Input, job: Job) -> Record:
    """Return the record of a row; if the output is JSON lines, with its other columns."""
    batch, index = rows.batch, rows.at(row.where)
    if job.plan is not None:
        columns = columns_of(batch, index)
        return Record(columns, row.where, columns)
    name = column_of(batch.schema, job)
    raw, value = given(batch, name, index)
    if item.into == "parquet" or job.bare:
        return Record(value, row.where, raw, {name: None})  # members of the transcript are not kept beside it
    try:
        return Record(value, row.where, raw, _fields(batch, index, name))
    except BridgeError as error:
        return Record(error, row.where, raw)


def given(rows: Any, name: str, index: int) -> tuple[Source | bytes, Source | bytes | Nested | BridgeError]:
    """Return the value of a column in a row, and the source for a reader.

    They differ only for nested messages: a reader takes them with the tools of their column.

    Args:
        rows: a record batch or a table.
        name: the column of the transcripts.
        index: the index of the row.
    """
    value: Any = value_of(rows.column(rows.schema.get_field_index(name))[index])
    if isinstance(value, bytes):
        return value, value
    raw: Source = plain(value)
    if raw is None:
        return raw, BridgeError(ErrorCode.SHAPE, f"the column {name!r} is null in this row", path="")
    if not isinstance(raw, list):
        return raw, raw
    index_of_tools = rows.schema.get_field_index(TOOLS) if name != TOOLS else -1
    declared: Json = None if index_of_tools < 0 else plain(value_of(rows.column(index_of_tools)[index]))
    return cast("Source", raw), document(raw, declared)


def value_of(scalar: Any) -> Any:
    """Return an Arrow value as a Python value: `NotUtf8` if a text is not UTF-8, text if a date is out of range.

    A map is an object if its keys are texts and differ, otherwise pairs.
    """
    is_text = False
    if not _has_maps(scalar.type):
        try:
            return scalar.as_py()
        except UnicodeDecodeError:
            is_text = True
        except (ValueError, OverflowError):
            pass
    if not scalar.is_valid:
        return None
    if _arrow().types.is_map(scalar.type):
        pairs = [(value_of(each["key"]), value_of(each["value"])) for each in scalar.values]
        keys = {key for key, _ in pairs if isinstance(key, str)}
        return dict(pairs) if len(keys) == len(pairs) else pairs
    if hasattr(scalar, "items") and hasattr(scalar.type, "fields"):
        return {key: value_of(value) for key, value in scalar.items()}
    if hasattr(scalar, "values") and scalar.values is not None:
        return [value_of(value) for value in scalar.values]
    return NotUtf8(scalar.cast(_arrow().large_binary()).as_py()) if is_text else scalar.cast(_arrow().string()).as_py()


@lru_cache(maxsize=256)
def _has_maps(kind: Any) -> bool:
    """Return whether values of a type may have maps in them."""
    inner = (kind.field(at).type for at in range(kind.num_fields))
    return bool(_arrow().types.is_map(kind)) or any(map(_has_maps, inner))


def _fields(batch: Any, index: int, name: str) -> dict[str, str | None]:
    """Return the columns of a row as JSON text; None for the column of the transcript.

    Raises:
        BridgeError: as `unfit` returns it, if JSON cannot hold the value of another column.
    """
    row = columns_of(batch, index)
    for key, value in row.items():
        error = None if key == name else unfit(value)
        if error is not None:
            error.message = f"column {key!r}: {error.message}; --bare leaves the column out"
            raise error
    return {key: None if key == name else jsontext.as_text(value) for key, value in row.items()}


def columns_of(batch: Any, index: int, only: str | None = None) -> dict[str, Json]:
    """Return the columns of a row as JSON values, as `plain` makes them; or only one of them."""
    pairs = zip(batch.schema.names, batch.columns, strict=True)
    return {name: plain(value_of(column[index])) for name, column in pairs if only is None or name == only}


def plain(value: Any) -> Any:
    """Return a value of a column as JSON values: bytes become an object, others that JSON does not have a text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytes):
        kind = Undecoded if isinstance(value, NotUtf8) else dict[str, Any]
        return kind(base64=base64.b64encode(value).decode())
    return str(value)


def cell(rows: Rows, record: Record, name: str) -> dict[str, Json]:
    """Return one column of the row of a record; {} if there is no such column."""
    return columns_of(rows.batch, rows.at(record.where), name)


def line_of(rows: Rows, record: Record, job: Job) -> bytes:
    """Return the row of a record as a line of JSON: with the record's conversation, if the row has several."""
    columns = columns_of(rows.batch, rows.at(record.where))
    if "conversation" in record.where and job.plan is None:
        columns[column_of(rows.batch.schema, job)] = plain(record.raw)
    return jsontext.dumps(finite(columns))


def finite(value: Any) -> Any:
    """Return JSON values in which numbers that JSON cannot hold are text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: finite(item) for key, item in cast("dict[str, Any]", value).items()}
    return [finite(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def spell(rows: Rows, records: Sequence[Record], outcomes: Sequence[Outcome], job: Job, _item: Input) -> bytes:
    """Return the output of a chunk: rows that are not quarantined, with the outputs as text in the transcripts' column.

    A row of several conversations is written once for each of them.
    """
    arrow = _arrow()
    name = column_of(rows.batch.schema, job)
    written = [(record, outcome) for record, outcome in zip(records, outcomes, strict=True) if outcome.error is None]
    texts = arrow.array([outcome.text for _, outcome in written], arrow.large_string())
    batch = rows.batch.take(arrow.array([rows.at(record.where) for record, _ in written], arrow.int64()))
    at = batch.schema.get_field_index(name)
    field = arrow.field(name, arrow.large_string(), metadata=batch.schema.field(at).metadata)
    if job.bare:
        return _pack(arrow.record_batch([texts], schema=arrow.schema([field])))
    columns = [texts if index == at else batch.column(index) for index in range(batch.num_columns)]
    return _pack(arrow.record_batch(columns, schema=batch.schema.set(at, field)))


def assemble(partial: str, final: BinaryIO, item: Input) -> None:
    """Make the file from the batches of a partial output; without batches, it has the schema of its input."""
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
        writer = writer or parquet.ParquetWriter(final, schema_of(item))
    finally:
        if writer is not None:
            writer.close()


_GROUP_BYTES: Final = 16 << 20


def _batches(partial: str) -> Iterator[Any]:
    with _arrow().OSFile(os.fsencode(partial), "rb") as file:
        yield from batches_in(file)


def batches_in(file: Any) -> Iterator[Any]:
    """Yield the batches of successive chunks, as `spell` returned them."""
    size = file.size()
    while file.tell() < size:
        with _arrow().ipc.open_stream(file) as stream:
            yield from stream


def count(path: str) -> int:
    """Return the number of rows in a file."""
    with source_of(path) as source:
        return int(_parquet().read_metadata(source).num_rows)
