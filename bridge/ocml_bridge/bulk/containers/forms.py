"""Make complete outputs from JSON lines: a JSON array, a table of texts, Parquet.

Until an output is complete, it is JSON lines, which can be appended to; how a column is stored depends on all its
values.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final, NamedTuple, cast

from ...common.unicode import is_unicode
from ...json_values import jsontext
from ...model import Json
from .compression import library
from .tables import comma_separated

Lines = Callable[[], Iterator[bytes]]
"""Returns the lines of a complete output; it is called twice if the columns have to be known first."""
_GROUP: Final = 16 << 20
"""The size of a row group, in bytes of lines."""


class Form(NamedTuple):
    """How complete outputs are stored.

    Attributes:
        store: writes lines to a file.
        lines: yields the lines of a file, for `store`.
        length: returns the number of rows in a file.
    """

    store: Callable[[Lines, BinaryIO], None]
    lines: Callable[[BinaryIO], Iterator[bytes]]
    length: Callable[[BinaryIO], int]


def check(into: str) -> None:
    """Check that outputs can be stored in a form, before anything is converted.

    Raises:
        BridgeError: OCB-DEPENDENCY if a library is missing.
    """
    if into == "rows":
        library("pyarrow.parquet", "bulk")


# --- a JSON array -----------------------------------------------------------------------------------------------------


def _store_array(lines: Lines, file: BinaryIO) -> None:
    """Write a JSON array with each item on a line."""
    file.write(b"[")
    for number, line in enumerate(lines()):
        file.write((b",\n" if number else b"\n") + line.rstrip(b"\n"))
    file.write(b"\n]\n")


def _items(file: BinaryIO) -> Iterator[bytes]:
    for line in file:
        if line.startswith(b"{"):
            yield line.rstrip(b",\n") + b"\n"


# --- a table of texts -------------------------------------------------------------------------------------------------


def _store_csv(lines: Lines, file: BinaryIO) -> None:
    """Write a table whose first row names the columns; values that are not texts are JSON, and null is empty."""
    columns = list(dict.fromkeys(name for row in map(_row, lines()) for name in row))
    text = io.TextIOWrapper(file, "utf-8", "surrogatepass", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in map(_row, lines()):
        writer.writerow([_cell(row.get(name)) for name in columns])
    text.detach()


def _cell(value: Json) -> str:
    return "" if value is None else value if isinstance(value, str) else jsontext.as_text(value)


# --- Parquet ----------------------------------------------------------------------------------------------------------

_AS_JSON: Final = b"ocml-convert.json"
"""The metadata key of a column whose texts are JSON."""
_NAME: Final = b"ocml-convert.name"
"""The metadata key of a column's name as JSON, if Parquet cannot hold the name."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DEEPEST: Final = 64
"""The maximal depth of a column's type; deeper values are JSON text. Parquet's libraries refuse to read 100."""


def _store_parquet(lines: Lines, file: BinaryIO) -> None:
    """Write Parquet; a column has the common type of all its values, or JSON text if there is none."""
    arrow, parquet = library("pyarrow", "bulk"), library("pyarrow.parquet", "bulk")
    types: dict[str, Any] = {}
    for rows in _groups(lines()):
        for name in dict.fromkeys(name for row in rows for name in row):
            found = _type_of([row.get(name) for row in rows])
            types[name] = _common_type(types[name], found) if name in types else found
    schema = arrow.schema([_field(name, each) for name, each in types.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _groups(lines()):
            columns = [_column([row.get(name) for row in rows], each) for name, each in types.items()]
            writer.write_table(arrow.table(columns, schema=schema))


def _groups(lines: Iterator[bytes]) -> Iterator[list[dict[str, Json]]]:
    rows: list[dict[str, Json]] = []
    size = 0
    for line in lines:
        rows.append(_row(line))
        size += len(line)
        if size >= _GROUP:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _type_of(values: list[Json]) -> Any:
    """Return the Arrow type of some values; None if Parquet cannot store them with one type."""
    arrow = library("pyarrow", "bulk")
    try:
        found = arrow.infer_type(values)
        arrow.array(values, found)
    except (arrow.ArrowException, OverflowError, ValueError, TypeError):
        return None
    return found if _is_stored(found) else None


def _is_stored(kind: Any, depth: int = 0) -> bool:
    """Return whether Parquet can store a type: it has no structs without fields, and is not too deep."""
    types = library("pyarrow.types", "bulk")
    if depth > _DEEPEST:
        return False
    if types.is_struct(kind):
        return kind.num_fields > 0 and all(_is_stored(field.type, depth + 1) for field in kind)
    return _is_stored(kind.value_type, depth + 2) if types.is_list(kind) else True


def _common_type(one: Any, other: Any) -> Any:
    """Return the common type of values of two types; None if there is none."""
    arrow, types = library("pyarrow", "bulk"), library("pyarrow.types", "bulk")
    if one is None or other is None or one == other:
        return one if one == other else None
    if types.is_null(one) or types.is_null(other):
        return other if types.is_null(one) else one
    if types.is_list(one) and types.is_list(other):
        inner = _common_type(one.value_type, other.value_type)
        return None if inner is None else arrow.list_(inner)
    if not (types.is_struct(one) and types.is_struct(other)):
        return None
    fields = {field.name: field.type for field in one}
    for field in other:
        found = _common_type(fields[field.name], field.type) if field.name in fields else field.type
        if found is None:
            return None
        fields[field.name] = found
    return arrow.struct(list(fields.items()))


def _field(name: str, kind: Any) -> Any:
    arrow = library("pyarrow", "bulk")
    metadata = {_AS_JSON: b"1"} if kind is None else {}
    if not is_unicode(name):
        metadata[_NAME] = jsontext.dumps(name)
        name = _SURROGATE.sub("\ufffd", name)
    return arrow.field(name, arrow.string() if kind is None else kind, metadata=metadata or None)


def _column(values: list[Json], kind: Any) -> Any:
    arrow = library("pyarrow", "bulk")
    if kind is None:
        return arrow.array([None if value is None else jsontext.as_text(value) for value in values], arrow.string())
    return arrow.array(values, kind)


def _rows(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rows of a file as lines; columns of JSON text become values again."""
    with library("pyarrow.parquet", "bulk").ParquetFile(file) as stored:
        notes: list[dict[bytes, bytes]] = [field.metadata or {} for field in stored.schema_arrow]
        names = [
            str(jsontext.loads(note[_NAME])) if _NAME in note else name
            for name, note in zip(stored.schema_arrow.names, notes, strict=True)
        ]
        packed = {name for name, note in zip(names, notes, strict=True) if _AS_JSON in note}
        for batch in stored.iter_batches(use_threads=False):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                row = zip(names, values, strict=True)
                yield jsontext.dumps({name: _value(value, name in packed) for name, value in row}) + b"\n"


def _value(value: Any, packed: bool) -> Json:
    return jsontext.loads(value) if packed and value is not None else value


def _count_rows(file: BinaryIO) -> int:
    return int(library("pyarrow.parquet", "bulk").read_metadata(file).num_rows)


# --- all of them ------------------------------------------------------------------------------------------------------


def _row(line: bytes) -> dict[str, Json]:
    return cast("dict[str, Json]", jsontext.loads(line))


def _counted(lines: Callable[[BinaryIO], Iterator[bytes]]) -> Callable[[BinaryIO], int]:
    return lambda file: sum(1 for _ in lines(file))


FORMS: Final = {
    "json": Form(_store_array, _items, _counted(_items)),
    "csv": Form(_store_csv, comma_separated, _counted(comma_separated)),
    "rows": Form(_store_parquet, _rows, _count_rows),
}
"""Forms by the kind of an input that stores rows likewise; `parquet` is for unchanged rows of a Parquet file."""
