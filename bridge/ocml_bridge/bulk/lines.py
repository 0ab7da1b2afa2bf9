"""JSON lines: a transcript a line, or in a field of the line's object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, cast

from .. import jsontext
from ..adapter import Kind, Source
from ..detection import format_of
from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..text.unicode import BOM
from .batch import Outcome
from .compression import compress, open_plain
from .records import CHUNK_BYTES, CHUNK_RECORDS, DEFAULT_FIELD, STANDARD, Chunk, Input, Job, Position, Record

_BLANK: Final = b" \t\r\n"


def chunks(item: Input, position: Position | None, most: int | None) -> Iterator[Chunk]:
    """The lines of a file in chunks, from a position on; blank ones are no records.

    Args:
        item: the file.
        position: `offset` in bytes of the content and how many `line`s were before it; None for the beginning.
        most: how many records to read.
    """
    content, raw = open_plain(item.path)
    offset, number = (position["offset"], position["line"]) if position else (0, 0)
    try:
        if content is raw and item.path != STANDARD:
            content.seek(offset)
        else:
            _skip(content, offset)
        left = most
        while left is None or left > 0:
            lines, records, size = _take(iter(content.readline, b""), CHUNK_RECORDS if left is None else left)
            if not lines:
                return
            first, offset, number = number + 1, offset + size, number + len(lines)
            left = None if left is None else left - records
            read = raw.tell() if item.path != STANDARD else 0
            yield Chunk((first, b"".join(lines)), records, {"offset": offset, "line": number}, read)
    finally:
        if item.path != STANDARD:
            content.close()
            raw.close()


def _skip(content: BinaryIO, offset: int) -> None:
    """Read up to an offset, a piece at a time: what is compressed cannot be entered in its middle."""
    while offset > 0:
        piece = content.read(min(offset, CHUNK_BYTES))
        if not piece:
            raise OSError("it is shorter than when the run began")
        offset -= len(piece)


def _take(lines: Iterator[bytes], most: int) -> tuple[list[bytes], int, int]:
    """The lines of the next chunk, how many records they hold, and how many bytes."""
    taken: list[bytes] = []
    records = size = 0
    for line in lines:
        taken.append(line)
        size += len(line)
        records += bool(line.strip(_BLANK))
        if records >= min(most, CHUNK_RECORDS) or size >= CHUNK_BYTES:
            break
    return taken, records, size


def records(payload: tuple[int, bytes], _item: Input, job: Job) -> Iterator[Record]:
    """The records of a chunk."""
    first, blob = payload
    for number, line in enumerate(blob.split(b"\n"), first):
        if line.strip(_BLANK):
            yield record(line, {"line": number}, job)


def record(raw: bytes, where: dict[str, Json], job: Job) -> Record:
    """One record from its JSON text: the transcript itself, or what stands in a field of it.

    Where neither a format nor a field is named, a record of no JSON format that has the field `text` is that text.
    """
    whole = job.field is None and job.source_kind is not Kind.TEXT
    if whole and (job.source_kind is Kind.JSON or not _is_text_row(raw)):
        return Record(raw, where, raw)
    try:
        fields = _members(raw.decode().removeprefix(BOM), job.field or DEFAULT_FIELD)
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start}"
        return Record(BridgeError(ErrorCode.ENCODING, message, offset=error.start), where, raw)
    except BridgeError as error:
        return Record(error, where, raw)
    if isinstance(fields, str):
        return Record(fields, where, raw)
    value, others = fields
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
        row = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
        return error.code is ErrorCode.FORMAT_UNKNOWN and isinstance(row.get(DEFAULT_FIELD), str)
    return False


def _members(line: str, field: str) -> tuple[Source, dict[str, str | None]] | str:
    """What stands in a field, and the raw text of all the others; or the text that the whole line is.

    Raises:
        BridgeError: OCB-JSON, OCB-LIMIT or OCB-SHAPE where there is no such field.
    """
    found = jsontext.members(line)
    if found is None or line[found[1] :].strip():
        value = jsontext.loads(line)
        if isinstance(value, str):
            return value
        message = f"the line is no object with a field {field!r}; --field names another one"
        raise BridgeError(ErrorCode.SHAPE, message, path="")
    members = found[0]
    if field not in members:
        raise BridgeError(ErrorCode.SHAPE, f"the line has no field {field!r}; --field names another one", path="")
    return members[field].value, {key: None if key == field else span.raw for key, span in members.items()}


def spell(taken: Sequence[Record], outcomes: Sequence[Outcome], job: Job, end: str) -> bytes:
    """The output of a chunk, a line for each record that has one, compressed as the ending `end` says."""
    pairs = zip(taken, outcomes, strict=True)
    return compress(b"".join(_line(record, out, job) for record, out in pairs if out.error is None), end)


def _line(record: Record, outcome: Outcome, job: Job) -> bytes:
    output = jsontext.dumps(outcome.output)
    if job.bare or (record.fields is None and job.target_kind is Kind.JSON):
        return output + b"\n"
    fields = record.fields or {job.field or DEFAULT_FIELD: None}
    members = (
        jsontext.dumps(key) + b":" + (output if raw is None else raw.encode("utf-8", "surrogatepass"))
        for key, raw in fields.items()
    )
    return b"{" + b",".join(members) + b"}\n"


def count(path: str) -> int:
    """How many lines a file has."""
    content, raw = open_plain(path)
    with raw, content:
        return sum(piece.count(b"\n") for piece in iter(lambda: content.read(CHUNK_BYTES), b""))
