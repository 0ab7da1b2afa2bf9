"""Read tables as JSON lines: CSV, TSV, and Arrow's streams and files (Feather). A row is an object of its columns."""

from __future__ import annotations

import base64
import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Final, Self, cast

from ...json_values import jsontext
from ..records import CHUNK_RECORDS
from .compression import library
from .encodings import with_encoding
from .nested import Undecoded, unfit
from .parquet import plain, value_of
from .schemas import repeated_name

_FILE: Final = b"ARROW1"


def _csv(content: BinaryIO, delimiters: str) -> Iterator[bytes]:
    """Yield the rows of a file whose first line with a text names the columns; values are texts.

    The delimiter is the given one that makes the most columns of that line. A row that does not fit is the list of its
    values, which is not a record (`_fitted`).

    Raises:
        OSError: if quotes are not closed, or if two columns have the same name.
    """
    csv.field_size_limit(sys.maxsize)
    text = _text(content)
    skipped, first = _first_line(text)
    if first.startswith("sep="):  # Excel's line for the delimiter
        delimiters = first[len("sep=") :].rstrip() or delimiters
        more, first = _first_line(text)
        skipped += 1 + more
    delimiter = max(delimiters, key=lambda each: len(next(csv.reader([first], delimiter=each), list[str]())))
    lines = _Lines(chain((first,), text))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        columns = _named(next(rows, list[str]()))
        twice = [name for name, times in Counter(columns).items() if times > 1]
        if twice:
            raise OSError(f"two columns are named {twice[0]!r}; give them names of their own")
        yield from map(_bytes, _fitted(rows, columns, lines))
    except csv.Error as error:
        reason = "a quote is not closed" if "unexpected end" in str(error) else error
        raise OSError(f"in the row that begins at line {skipped + lines.read + 1}: {reason}") from error
    except UnicodeDecodeError as error:
        raise OSError(f"after line {skipped + rows.line_num}: not {error.encoding}: {error.reason}") from error


class _Lines:
    """The lines of a table.

    Attributes:
        end: the line end of the last one.
        read: how many lines the rows have that were read whole.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines: Final = lines
        self.end = ""
        self.read = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.end = line[len(line.rstrip("\r\n")) :]
        return line


def _fitted(rows: Any, columns: list[str], lines: _Lines) -> Iterator[dict[str, str] | list[str]]:
    """Yield rows as objects, and as lists if they do not fit.

    These have more or fewer values than the table has columns, or repeat their names, as in files that were joined. So
    does a row next to one with fewer values, if the line end between the two is not that of the first line: it may be a
    line break without quotes in a value.

    Args:
        rows: the reader of the rows, behind the names of the columns.
        columns: these names.
        lines: the lines that it reads.
    """
    first_end, before = lines.end, list[str]()
    has_other_end = goes_on = False
    lines.read = rows.line_num
    try:
        for row in rows:
            lines.read = rows.line_num
            if not row:
                continue
            if before:
                is_cut = has_other_end and min(len(before), len(row)) < len(columns)
                yield _row(before, columns, is_cut=goes_on or is_cut)
                goes_on = is_cut
            before, has_other_end = row, lines.end != first_end
    except (csv.Error, UnicodeDecodeError):
        if before:
            yield _row(before, columns, is_cut=goes_on)
        raise
    if before:
        yield _row(before, columns, is_cut=goes_on)


def _row(values: list[str], columns: list[str], *, is_cut: bool) -> dict[str, str] | list[str]:
    fits = len(values) == len(columns) and values != columns and not is_cut
    return dict(zip(columns, values, strict=True)) if fits else values


def _first_line(text: io.TextIOWrapper) -> tuple[int, str]:
    """Return the number of blank lines at the beginning of a text, and the line behind them."""
    skipped = 0
    while (line := text.readline()) and not line.strip():
        skipped += 1
    return skipped, line


def _named(columns: list[str]) -> list[str]:
    """Return the names of columns; if several have none, each of these with its number, as pandas names it."""
    if columns.count("") < 2:
        return columns
    return [name or f"Unnamed: {at}" for at, name in enumerate(columns)]


def _text(content: BinaryIO) -> io.TextIOWrapper:
    """Return the text of a table: UTF-8, or UTF-16 with a byte order mark, as Excel's Unicode text."""
    whole, wide = with_encoding(content)
    encoding, errors = ("utf-16", "surrogatepass") if wide else ("utf-8-sig", "surrogateescape")
    return io.TextIOWrapper(whole, encoding, errors, newline="")


def _bytes(value: dict[str, str] | list[str]) -> bytes:
    """Return a row as a line; bytes that are not UTF-8 are kept, so that reading the line reports them."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value).encode() + b"\n"


comma_separated = partial(_csv, delimiters=",;\t|")
"""Reads CSV; Excel writes semicolons where the decimal separator is a comma."""
tab_separated = partial(_csv, delimiters="\t")


def arrow(content: BinaryIO) -> Iterator[bytes]:
    """Yield the rows of an Arrow stream or an Arrow file.

    Raises:
        OSError: if two columns, or two members of a column, have the same name.
        BridgeError: OCB-DEPENDENCY if the library is missing.
    """
    ipc: Any = library("pyarrow.ipc", "bulk")
    begins = content.read(len(_FILE))
    if not content.seekable():
        content = io.BytesIO(begins + content.read())
    content.seek(0)
    if begins == _FILE:
        with ipc.open_file(content) as file:
            _check(file.schema)
            for index in range(file.num_record_batches):
                yield from _rows(file.get_batch(index))
    else:
        with ipc.open_stream(content) as stream:
            _check(stream.schema)
            for batch in stream:
                yield from _rows(batch)


def parquet(content: BinaryIO) -> Iterator[bytes]:
    """Yield the rows of a Parquet file, in order.

    Raises:
        OSError: if two columns, or two members of a column, have the same name.
        BridgeError: OCB-DEPENDENCY if the library is missing.
    """
    with library("pyarrow.parquet", "bulk").ParquetFile(content) as file:
        _check(file.schema_arrow)
        for batch in file.iter_batches(batch_size=CHUNK_RECORDS, use_threads=False):
            yield from _rows(batch)


def _check(schema: Any) -> None:
    """Raise OSError if a schema repeats a name, which an object of JSON cannot."""
    twice = repeated_name(schema)
    if twice is not None:
        raise OSError(f"{twice}; give them names of their own")


def _rows(batch: Any) -> Iterator[bytes]:
    names: list[str] = batch.schema.names
    for index in range(batch.num_rows):
        row = {name: plain(value_of(batch.column(at)[index])) for at, name in enumerate(names)}
        if unfit(row) is None:
            yield jsontext.dumps(row) + b"\n"
        else:  # reading the line reports the error
            yield json.dumps(_with_bytes(row), ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def _with_bytes(value: Any) -> Any:
    """Return JSON values with the bytes of texts that are not UTF-8 in their places."""
    if isinstance(value, Undecoded):
        return base64.b64decode(str(value["base64"])).decode("utf-8", "surrogateescape")
    if isinstance(value, dict):
        return {key: _with_bytes(item) for key, item in cast("dict[str, Any]", value).items()}
    return [_with_bytes(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
