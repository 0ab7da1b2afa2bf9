"""Convert ranges, and list how inputs store records and how outputs do."""

from __future__ import annotations

import base64
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, cast

from ..errors import BridgeError, ErrorCode, with_options
from ..json_values import jsontext
from ..model import Json
from .batch import Outcome, Status, unexpected
from .containers import lines, parquet, tables, texts, unpacking, values
from .containers.compression import ending, reading_errors
from .containers.forms import FORMS
from .containers.member_texts import lacks
from .conversations import outcomes_of
from .ledger import name_in, row_of
from .records import Chunk, Cost, Input, Job, Position, Range, RangeResult, Record, Row, largest, slowest
from .running.parts import Part
from .tally import Tally, position


class Container(NamedTuple):
    """How an input stores records.

    Attributes:
        chunks: yields the rows of a range, in chunks.
        record_of: returns the record of a row; an error that it raises is that of this record only.
        ranges: yields the ranges of an input from a position on without reading it, up to a number of records (None for
            all). None if the input has to be read from the beginning.
        lines: yields the records of the content of a file that is read from the beginning, each as a line.
    """

    chunks: Callable[[Range, Input, Job], Iterator[Chunk]]
    record_of: Callable[[Row, Any, Input, Job], Record]
    ranges: Callable[[Input, Position | None, int | None], Iterator[Range]] | None = None
    lines: Callable[[BinaryIO], Iterator[bytes]] | None = None


CONTAINERS: Final = {
    "jsonl": Container(lines.chunks, lines.record_of, lines.ranges, unpacking.lines),
    "json": Container(lines.chunks, lines.record_of, lines=unpacking.items),
    "object": Container(lines.chunks, lines.record_of, lines=unpacking.items),
    "values": Container(lines.chunks, lines.record_of, lines=values.values),
    "keyed": Container(lines.chunks, lines.record_of, lines=unpacking.keyed),
    "events": Container(lines.chunks, lines.record_of, lines=unpacking.whole),
    "session": Container(lines.chunks, lines.record_of, lines=unpacking.session),
    "csv": Container(lines.chunks, lines.record_of, lines=tables.comma_separated),
    "tsv": Container(lines.chunks, lines.record_of, lines=tables.tab_separated),
    "arrow": Container(lines.chunks, lines.record_of, lines=tables.arrow),
    "rows": Container(lines.chunks, lines.record_of, lines=tables.parquet),
    "parquet": Container(parquet.chunks, parquet.record_of, parquet.ranges),
    "files": Container(texts.chunks, texts.record_of, texts.ranges),
}

Spelling = Callable[[Any, Sequence[Record], Sequence[Outcome], Job, Input], bytes]


def _lines(_payload: Any, records: Sequence[Record], outcomes: Sequence[Outcome], job: Job, item: Input) -> bytes:
    return lines.spell(records, outcomes, job, ending(item.output))


SPELLINGS: Final[dict[str, Spelling]] = {
    "jsonl": _lines,
    **dict.fromkeys(FORMS, _lines),
    "parquet": parquet.spell,
    "files": texts.write,
}


class Watch(Protocol):
    """Notified of each row, to limit its time."""

    def begin(self, number: int, size: int) -> None:
        """Begin a row, with its index in the range and its approximate size in bytes."""
        ...

    def end(self) -> None:
        """End the row."""
        ...


class OverdueError(BaseException):
    """A row exceeds its time limit. It is a BaseException, as readers that try several ways catch exceptions.

    Args:
        why: the message for the quarantine.
    """


def work(piece: Range, item: Input, job: Job, path: str | None, watch: Watch) -> RangeResult:
    """Convert a range.

    Args:
        piece: the range.
        item: its input.
        job: how to convert it.
        path: the path that its part is written to; None for a dry run.
        watch: notified of each row; it may raise `OverdueError` while one is converted.

    Raises:
        BridgeError: OCB-DEPENDENCY if a library is missing.
        OSError: if an output cannot be written.
    """
    container = CONTAINERS[item.kind]
    refused = dict(piece.refused)
    done = RangeResult(Tally())
    chunks = container.chunks(piece, item, job)
    with Part(path) as part:
        while True:
            try:
                chunk = next(chunks, None)
            except reading_errors() as error:
                return done._replace(error=getattr(error, "strerror", None) or str(error))
            if chunk is None:
                return done
            pairs: list[tuple[Record, Outcome]] = []
            costs: list[Cost] = []
            for number, row in enumerate(chunk.rows, done.rows):
                began = perf_counter()
                watch.begin(number, row.size)
                try:
                    found = outcomes_in(_record(container, row, chunk, item, job, refused.get(number)), job)
                    watch.end()
                except OverdueError as error:
                    watch.end()
                    found = outcomes_in(_record(container, row, chunk, item, job, str(error)), job)
                pairs += found
                costs.append(Cost(perf_counter() - began, row.size, row.where))
            part.write(_written(chunk, pairs, item, job, done.tally))
            done.tally.rows += len(chunk.rows)
            worst = (*slowest((*costs, *done.costs)), *largest((*costs, *done.costs)))
            done = done._replace(costs=worst, rows=done.rows + len(chunk.rows), end=chunk.end)
            if done.tally.quarantined and not job.keep_going:
                return done


def outcomes_in(record: Record, job: Job) -> Sequence[tuple[Record, Outcome]]:
    """Return the records of a row with their outcomes; a bug must not end the run."""
    try:
        if job.plan is None:
            return outcomes_of(record, job)
        from .plan_rows import outcomes_of_row

        return list(outcomes_of_row(record, job.plan, job))
    except Exception as error:
        return [(record, Outcome(Status.QUARANTINED, None, error=unexpected(error)))]


def _record(container: Container, row: Row, chunk: Chunk, item: Input, job: Job, refused: str | None) -> Record:
    """Return the record of a row; its value is the error if it cannot be read, or is refused."""
    if refused is not None:
        return Record(BridgeError(ErrorCode.LIMIT, refused), row.where, row.raw)
    try:
        return container.record_of(row, chunk.payload, item, job)
    except Exception as error:  # a bug must not end the run
        return Record(unexpected(error), row.where, row.raw)


def _written(
    chunk: Chunk, pairs: list[tuple[Record, Outcome]], item: Input, job: Job, tally: Tally
) -> tuple[bytes, bytes, bytes]:
    """Count the records of a chunk, and return what it adds to the output, the quarantine and the ledger."""
    output, pairs = (b"", pairs) if job.folder is None else _spelled(chunk, pairs, item, job)
    quarantine: list[bytes] = []
    ledger: list[bytes] = []
    for record, outcome in pairs:
        tally.add(outcome, record.where)
        if outcome.error is not None and job.folder is not None:
            quarantine.append(quarantined(record, outcome, chunk.payload, item, job))
        if job.ledger is not None:
            ledger.append(row_of(record, outcome, item, job, name_of(record, chunk.payload, item, job)))
    return output, b"".join(quarantine), b"".join(ledger)


def name_of(record: Record, payload: Any, item: Input, job: Job) -> str | None:
    """Return the name of a record for its ledger row: from a column, a kept field, or a member of its own."""
    if item.kind == "parquet":
        return name_in(parquet.cell(payload, record, job.id_field), job.id_field)
    raw: Json | bytes = record.raw
    if record.fields is not None and (text := record.fields.get(job.id_field)) is not None:
        raw = {job.id_field: jsontext.loads(text)}
    elif isinstance(raw, bytes):
        if lacks(raw, job.id_field):
            return None
        try:
            raw = jsontext.loads(raw.removeprefix(BOM_UTF8))
        except BridgeError:
            return None
    return name_in(cast("dict[str, Json]", raw), job.id_field) if isinstance(raw, dict) else None


def _spelled(
    chunk: Chunk, pairs: list[tuple[Record, Outcome]], item: Input, job: Job
) -> tuple[bytes, list[tuple[Record, Outcome]]]:
    """Return the output of a chunk, and its outcomes; a record whose output cannot be stored is quarantined."""
    try:
        return _spell(chunk, pairs, item, job), pairs
    except OSError:
        raise
    except Exception as error:
        if isinstance(error, BridgeError) and error.code is ErrorCode.DEPENDENCY:
            raise
        storable = [_storable(chunk, pair, item, job) for pair in pairs]
        return _spell(chunk, storable, item, job), storable


def _spell(chunk: Chunk, pairs: list[tuple[Record, Outcome]], item: Input, job: Job) -> bytes:
    records = [record for record, _ in pairs]
    return SPELLINGS[item.into](chunk.payload, records, [outcome for _, outcome in pairs], job, item)


def _storable(chunk: Chunk, pair: tuple[Record, Outcome], item: Input, job: Job) -> tuple[Record, Outcome]:
    try:
        _spell(chunk, [pair], item, job)
    except Exception as error:
        return pair[0], Outcome(Status.QUARANTINED, None, error=unexpected(error))
    return pair


def quarantined(record: Record, outcome: Outcome, payload: Any, item: Input, job: Job) -> bytes:
    """Return a line of the quarantine: the place of a record, its error, and its data."""
    members: dict[str, Json] = {"input": item.path, **record.where}
    if outcome.error is not None:
        members |= position(outcome.error)
        members["message"] = with_options(str(members["message"]))
    return jsontext.dumps({**members, **raw_members(_whole(record, payload, item, job))}) + b"\n"


def _whole(record: Record, payload: Any, item: Input, job: Job) -> str | bytes:
    """Return all data of a record: its line, its text, or its row as a line."""
    raw = record.raw
    if item.kind == "parquet" and payload is not None:
        return parquet.line_of(payload, record, job)
    if "conversation" in record.where and record.fields is not None and item.kind != "files" and job.plan is None:
        raw = {key: raw if text is None else jsontext.loads(text) for key, text in record.fields.items()}
    return raw if isinstance(raw, (str, bytes)) else jsontext.dumps(raw)


def raw_members(raw: Json | bytes) -> dict[str, Json]:
    """Return the data of a record as a field `raw`; as `raw_base64` if it is not UTF-8."""
    if not isinstance(raw, bytes):
        return {"raw": raw}
    try:
        return {"raw": raw.decode()}
    except UnicodeDecodeError:
        return {"raw_base64": base64.b64encode(raw).decode()}
