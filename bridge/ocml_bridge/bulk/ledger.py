"""Write and read the ledger, which has a row for each record: its outcome, its losses, and the place of its output.

Workers write rows without the position in the output, which depends on all rows before; it is filled in when an input
is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, BinaryIO, Final, Literal, cast, get_args

from ..common.unicode import in_unicode
from ..errors import BridgeError
from ..formats.adapter import Source
from ..json_values import jsontext
from ..loss import Finding, Loss, Severity
from ..model import Json
from .batch import Outcome
from .containers.compression import library
from .containers.parquet import source_of
from .containers.texts import output_of
from .records import Input, Job, Record
from .tally import position

Form = Literal["jsonl", "parquet"]
FORMS: Final[tuple[str, ...]] = get_args(Form)
"""How a ledger may be stored."""
Row = dict[str, Any]
_NO_POSITION: Final = b'"output_position":null}\n'
"""The end of a row whose position in the output is not known yet."""
PLACES: Final = ("line", "item", "row")
"""The members of a record's place of which one has its position in a file."""
Key = tuple[str, int, int | None]
"""What a ledger identifies a record by: its input, its position, and the number of the conversation in it."""


def row_of(record: Record, outcome: Outcome, item: Input, job: Job, name: str | None) -> bytes:
    """Return the row of a record, as a line without its position in the output.

    Args:
        record: the record.
        outcome: its outcome.
        item: its input.
        job: how it was converted.
        name: its name, for `id`; None if it has none.
    """
    source, number, conversation = key_of(item.path, record.where)
    row: dict[str, Json] = {
        "input": source,
        "position": number,
        "conversation": conversation,
        "id": name,
        **outcome_members(record.raw, outcome),
        "output": None if outcome.error is not None else _output(record, item, job),
    }
    return jsontext.dumps(row)[:-1] + b"," + _NO_POSITION


def key_of(path: str, where: Mapping[str, Any]) -> Key:
    """Return what a ledger identifies a record by.

    Args:
        path: the path of its input.
        where: its place in the input.
    """
    file = where.get("file")
    number = next((where[place] for place in PLACES if place in where), 1)
    return path if file is None else f"{path}/{file}", number, where.get("conversation")


def outcome_members(raw: Source | bytes, outcome: Outcome) -> dict[str, Json]:
    """Return the members of a row that do not depend on places: the record's hash, outcome, losses, findings, error.

    Args:
        raw: the record as it was in the input.
        outcome: its outcome.
    """
    losses = [loss for loss in outcome.losses if loss.severity is not Severity.LAYOUT]
    error = None if outcome.error is None else position(outcome.error)
    codes = [str(loss.code) for loss in losses] + ([] if error is None else [str(error["code"])])
    loss_class = outcome.loss_class
    return {
        "sha256": digest(raw),
        "outcome": str(outcome.status),
        "class": None if loss_class is None else str(loss_class),
        "codes": list[Json](dict.fromkeys(codes)),
        "losses": _notes(losses),
        "findings": _notes(outcome.findings),
        "error": error,
    }


def digest(raw: Source | bytes) -> str:
    """Return the SHA-256 of a record: of its bytes, or of its JSON if it is a value of a column."""
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else None
    return sha256(jsontext.dumps(raw) if data is None else data).hexdigest()


def name_in(members: Mapping[str, Any] | None, field: str) -> str | None:
    """Return the name of a record: the text in a field, or the JSON of another value; None if there is none.

    Numbers of tables may have a fraction (`5.0`), and ids of databases may be objects (`{"$oid": …}`).
    """
    value = None if members is None else members.get(field)
    if isinstance(value, str):
        return value
    text = jsontext.as_text(value)
    return None if text == "null" else text  # so is a number that JSON cannot hold


def _notes(notes: Sequence[Loss | Finding]) -> list[Json]:
    return [{"code": str(note.code), "severity": str(note.severity), "path": note.path} for note in notes]


def _output(record: Record, item: Input, job: Job) -> str:
    return item.output if item.into != "files" else output_of(record, job, item)


def finished(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the rows of a complete ledger with their positions in the output."""
    before: dict[str, int] = {}
    last = None
    for line in lines:
        output = None if line.endswith(b'"output":null,' + _NO_POSITION) else _output_in(line)
        if output is None:
            yield line
            continue
        if output != last:
            before, last = {output: before.get(output, 0)}, output
        before[output] += 1
        yield line[: -len(b"null}\n")] + str(before[output]).encode() + b"}\n"


def _output_in(line: bytes) -> str:
    """Return the output in a row."""
    return str(jsontext.loads(b"{" + line[line.rindex(b'"output":') :])["output"])  # type: ignore[index, call-overload]


def store(rows: Iterator[bytes], file: BinaryIO, form: str) -> int:
    """Write a complete ledger, and return the number of its rows."""
    count = 0
    if form == "jsonl":
        for row in rows:
            file.write(row)
            count += 1
        return count
    arrow, parquet = library("pyarrow", "bulk"), library("pyarrow.parquet", "bulk")
    schema = _schema(arrow)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        group: list[Any] = []
        for row in rows:
            group.append(jsontext.loads(row))
            count += 1
            if len(group) == _GROUP:
                writer.write_table(_table(group, schema))
                group.clear()
        writer.write_table(_table(group, schema))
    return count


def _table(rows: list[Json], schema: Any) -> Any:
    """Return rows as a table; halves of surrogate pairs, which Parquet cannot hold, are spelled as JSON escapes."""
    table = library("pyarrow", "bulk").Table
    try:
        return table.from_pylist(rows, schema)
    except UnicodeEncodeError:
        return table.from_pylist(storable(rows), schema)


def storable(value: Any) -> Any:
    """Return JSON values in which halves of surrogate pairs are spelled as JSON escapes."""
    if isinstance(value, str):
        return in_unicode(value)
    if isinstance(value, dict):
        return {key: storable(item) for key, item in cast("dict[str, Any]", value).items()}
    return [storable(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


_GROUP: Final = 2_000
"""The number of rows in a row group of a ledger in Parquet."""


def _schema(arrow: Any) -> Any:
    text, number = arrow.string(), arrow.int64()
    note = arrow.struct([("code", text), ("severity", text), ("path", text)])
    place = arrow.struct([("offset", number), ("line", number), ("column", number), ("path", text)])
    return arrow.schema(
        [
            ("input", text),
            ("position", number),
            ("conversation", number),
            ("id", text),
            ("sha256", text),
            ("outcome", text),
            ("class", text),
            ("codes", arrow.list_(text)),
            ("losses", arrow.list_(note)),
            ("findings", arrow.list_(note)),
            ("error", arrow.struct([("code", text), ("message", text), ("position", place)])),
            ("output", text),
            ("output_position", number),
        ]
    )


def rows_in(path: str) -> Iterator[Row]:
    """Yield the rows of a ledger.

    Raises:
        OSError: if it cannot be read.
    """
    if path.endswith(".parquet"):
        with source_of(path) as source, library("pyarrow.parquet", "bulk").ParquetFile(source) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
        return
    with open(path, "rb") as file:
        for line in file:
            try:
                yield cast("Row", jsontext.loads(line))
            except BridgeError as error:
                raise OSError(f"{path} is not a ledger: {error}") from error
