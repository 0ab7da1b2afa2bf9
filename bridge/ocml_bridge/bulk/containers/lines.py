"""Read and write JSON lines: a transcript on a line, or in a field of the line's object.

A plain file is read in ranges of bytes, in several processes. Inputs that have to be read from the beginning, such as
compressed files or standard input, are unpacked first, a range at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import BinaryIO, Final, cast

from ...detection import format_of, json_error
from ...errors import BridgeError, ErrorCode
from ...formats.adapter import Kind, Source
from ...json_values import jsontext
from ...json_values.parameters import members_of
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
from .compression import compress, plain_content
from .encodings import SEPARATOR, decoded

_BLANK: Final = b" \t\r\n" + SEPARATOR


def ranges(item: Input, position: Position | None, _most: int | None) -> Iterator[Range]:
    """Yield a plain file's byte ranges, from a position on (`offset` in bytes, `line`: the number of lines before).

    A line belongs to the range that it begins in.
    """
    begin, line = (position["offset"], position["line"]) if position else (0, 0)
    size = os.stat(item.path).st_size
    before: int | None = line
    while begin < size:
        end = min(size, (begin // RANGE_BYTES + 1) * RANGE_BYTES)
        yield Range(begin, end, end, before=before, followed=end < size)
        begin, before = end, None


def newlines(item: Input, piece: Range) -> int:
    """Return the number of line ends in a range of bytes."""
    with open(item.path, "rb") as file:
        file.seek(piece.begin)
        return sum(part.count(b"\n") for part in _pieces(file, piece.end - piece.begin))


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (part := file.read(min(size, CHUNK_BYTES))):
        size -= len(part)
        yield part


def chunks(piece: Range, item: Input, _job: Job) -> Iterator[Chunk]:
    """Yield the lines of a range in chunks, without separators; blank lines are not records."""
    with open(piece.unpacked or item.path, "rb", CHUNK_BYTES) as file:  # the default takes ten times as long
        offset, number = piece.begin, piece.before or 0
        if piece.unpacked is None:
            skipped = _to_line(file, piece)
            if skipped is None:
                return
            offset, number = offset + skipped, number + bool(skipped)
        word = WORDS.get(item.kind, "line")
        while offset < piece.end:
            rows: list[Row] = []
            full = min(piece.end, offset + CHUNK_BYTES)
            for line in file:
                size = len(line)
                offset += size
                number += 1
                if line.lstrip(_BLANK):
                    rows.append(Row({word: number}, line.removeprefix(SEPARATOR).removesuffix(b"\n"), size))
                if offset >= full or len(rows) == CHUNK_RECORDS:
                    break
            else:
                raise OSError("the file is shorter than when the run began")
            yield Chunk(None, rows, {"offset": offset, "line": number})


WORDS: Final = {
    **dict.fromkeys(("json", "object", "values", "keyed"), "item"),
    **dict.fromkeys(("csv", "tsv", "arrow", "rows"), "row"),
}
"""The name of a record's place, by the kind of its input; `line` for other kinds."""


def _to_line(file: BinaryIO, piece: Range) -> int | None:
    """Go to the first line that begins in a range, and return its offset in the range; None if there is none."""
    if piece.begin == 0:
        return 0
    file.seek(piece.begin - 1)
    at = -1
    for part in _pieces(file, piece.end - piece.begin):
        if (found := part.find(b"\n")) >= 0:
            at += found + 1
            file.seek(piece.begin + at)
            return at
        at += len(part)
    return None


def record_of(row: Row, _payload: None, item: Input, job: Job) -> Record:
    """Return the record of a line, or of a row; a row of Arrow's has null members that are not its own."""
    raw = row.raw or b""
    if item.kind in ("csv", "tsv") and raw.startswith(b"["):
        return Record(BridgeError(ErrorCode.SHAPE, _MISFIT, path=""), row.where, raw)
    if item.kind in ("arrow", "rows") and job.plan is not None:
        return Record(jsontext.loads(decoded(raw)), row.where, raw)
    return record(raw, row.where, job)


_MISFIT: Final = (
    "the row has more or fewer values than the table has columns, repeats their names, or goes on after a line break "
    "without quotes; correct it, or leave it out"
)
"""The error of a row of a table that is a list."""


def record(raw: bytes, where: dict[str, Json], job: Job) -> Record:
    """Return a record from its JSON text: the transcript itself, or the value of a field.

    If neither a format nor a field is named, the text in the field `text` is the record, unless the JSON is of a known
    format.
    """
    if job.plan is not None:
        return Record(raw, where, raw)
    whole = job.field is None and job.source_kind is not Kind.TEXT
    if whole and (job.source_kind is Kind.JSON or not _is_text_row(raw)):
        error = json_error(raw) if job.source_kind is None else None
        return Record(error or raw, where, raw)
    try:
        fields = _members(decoded(raw), job.field or DEFAULT_FIELD)
    except BridgeError as error:
        return Record(error, where, raw)
    if isinstance(fields, str):
        return Record(fields, where, raw)
    value, others = fields
    if value is None:
        name = job.field or DEFAULT_FIELD
        return Record(BridgeError(ErrorCode.SHAPE, f"the field {name!r} is null", path=""), where, raw)
    return Record(value, where, raw, others)


def _is_text_row(raw: bytes) -> bool:
    if b'"text"' not in raw:
        return False
    try:
        value = jsontext.loads(raw)
    except BridgeError:
        return False
    try:
        format_of(value)
    except BridgeError as error:
        return error.code is ErrorCode.FORMAT_UNKNOWN and isinstance(members_of(value).get(DEFAULT_FIELD), str)
    return False


def _members(line: str, field: str) -> tuple[Source, dict[str, str | None]] | str:
    """Return the value of a field, and the raw text of all the others; or the text if the line is a JSON string.

    Raises:
        BridgeError: OCB-JSON, OCB-LIMIT, or OCB-SHAPE if there is no such field.
    """
    found = jsontext.members(line)
    if found is None or line[found[1] :].strip():
        value = jsontext.loads(line)
        if isinstance(value, str):
            return value
        message = f"the line is not an object with a field {field!r}; name another field with --field"
        raise BridgeError(ErrorCode.SHAPE, message, path="")
    members = found[0]
    if field not in members:
        raise BridgeError(ErrorCode.SHAPE, f"the line has no field {field!r}; name another one with --field", path="")
    return members[field].value, {key: None if key == field else span.raw for key, span in members.items()}


def spell(records: Sequence[Record], outcomes: Sequence[Outcome], job: Job, end: str) -> bytes:
    """Return the output of a chunk: a line for each converted record, compressed by the ending `end`."""
    pairs = zip(records, outcomes, strict=True)
    return compress(b"".join(_line(record, out, job) for record, out in pairs if out.error is None), end)


def _line(record: Record, outcome: Outcome, job: Job) -> bytes:
    if job.plan is not None:
        from ..plan_rows import columns_of

        columns = columns_of(record, outcome.output, job.field, bare=job.bare)
        return b"{%b}\n" % b",".join([_key(name) + value for name, value in columns.items()])
    output = jsontext.dumps(outcome.output)
    if job.settings.mask is not None and not job.bare:
        row = cast("dict[str, Json]", outcome.output)
        columns = {name: raw for name, raw in (record.fields or {}).items() if raw is not None and name not in row}
        pairs = [_key(name) + raw.encode("utf-8", "surrogatepass") for name, raw in columns.items()]
        return b"{%b}\n" % b",".join((*pairs, output[1:-1]))
    if job.bare or (record.fields is None and job.target_kind is Kind.JSON):
        return output + b"\n"
    fields = record.fields or {job.field or DEFAULT_FIELD: None}
    members = [
        _key(name) + (output if raw is None else raw.encode("utf-8", "surrogatepass")) for name, raw in fields.items()
    ]
    if None not in fields.values():  # the members of the output follow the others
        members += [output[1:-1]] if len(output) > len(b"{}") else []
    return b"{%b}\n" % b",".join(members)


def _key(name: str) -> bytes:
    """Return the name of a member with its colon; names are cached, as nearly all records have the same."""
    return _known_key(name) if len(name) <= _LONGEST_CACHED else _made_key(name)


def _made_key(name: str) -> bytes:
    return jsontext.dumps(name) + b":"


_known_key: Final = lru_cache(maxsize=256)(_made_key)
_LONGEST_CACHED: Final = 100
"""The longest name that is cached."""


def count(path: str, name: str | None = None) -> int:
    """Return the number of lines in a file; `name` has its ending if the path has another one."""
    with plain_content(path, name) as content:
        return sum(piece.count(b"\n") for piece in iter(lambda: content.read(CHUNK_BYTES), b""))
