"""What a worker does with a chunk, and the tables of how inputs store records and how outputs do."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

from .. import jsontext
from ..model import Json
from . import arrays, lines, parquet, texts
from .batch import Outcome
from .compression import ending
from .records import Chunk, Done, Input, Job, Position, Record
from .several import outcomes_of
from .tally import Tally, position


class Chunks(Protocol):
    """How an input is read: in chunks, from a position on, `most` records of it."""

    def __call__(self, item: Input, position: Position | None, most: int | None) -> Iterator[Chunk]:
        """The chunks, in order."""
        ...


class Container(NamedTuple):
    """How an input stores records: reading it in chunks, and taking the records out of a chunk's payload."""

    chunks: Chunks
    records: Callable[[Any, Input, Job], Iterator[Record]]


CONTAINERS: Final = {
    "jsonl": Container(lines.chunks, lines.records),
    "json": Container(arrays.chunks, arrays.records),
    "parquet": Container(parquet.chunks, parquet.records),
    "files": Container(texts.chunks, texts.records),
}

Spelling = Callable[[Any, Sequence[Record], Sequence[Outcome], Job, Input], bytes]


def _lines(_payload: Any, taken: Sequence[Record], outcomes: Sequence[Outcome], job: Job, item: Input) -> bytes:
    return lines.spell(taken, outcomes, job, ending(item.output))


def _parquet(payload: Any, taken: Sequence[Record], outcomes: Sequence[Outcome], job: Job, _item: Input) -> bytes:
    return parquet.spell(payload, taken, outcomes, job)


def _files(_payload: Any, taken: Sequence[Record], outcomes: Sequence[Outcome], job: Job, item: Input) -> bytes:
    return texts.write(taken, outcomes, job, item)


SPELLINGS: Final[dict[str, Spelling]] = {"jsonl": _lines, "parquet": _parquet, "files": _files}


def work(chunk: Chunk, item: Input, job: Job) -> Done:
    """Convert a chunk.

    Raises:
        BridgeError: OCB-DEPENDENCY where a library is missing.
        OSError: where an output cannot be written.
    """
    rows = list(CONTAINERS[item.kind].records(chunk.payload, item, job))
    tally = Tally(rows=len(rows))
    taken: list[Record] = []
    outcomes: list[Outcome] = []
    kept: list[bytes] = []
    for record, outcome in outcomes_of(rows, job.settings):
        taken.append(record)
        outcomes.append(outcome)
        tally.add(outcome, record.where)
        if outcome.error is not None:
            kept.append(_quarantined(record, outcome, chunk, item, job))
    if job.folder is None:
        return Done(b"", b"", tally)
    output = SPELLINGS[item.into](chunk.payload, taken, outcomes, job, item)
    return Done(output, b"".join(kept), tally)


def _quarantined(record: Record, outcome: Outcome, chunk: Chunk, item: Input, job: Job) -> bytes:
    """A line of the quarantine: where it was, what is wrong with it, and all that there was."""
    told: dict[str, Json] = {"input": item.path, **record.where}
    if outcome.error is not None:
        told.update(position(outcome.error))
    if item.kind == "parquet":
        told["fields"] = parquet.others(chunk.payload, record, job)
    return jsontext.dumps({**told, **kept_raw(record.raw)}) + b"\n"


def kept_raw(raw: Json | bytes) -> dict[str, Json]:
    """All that there was of a record, as a field `raw`; or as `raw_base64` where it is not UTF-8."""
    if not isinstance(raw, bytes):
        return {"raw": raw}
    try:
        return {"raw": raw.decode()}
    except UnicodeDecodeError:
        return {"raw_base64": base64.b64encode(raw).decode()}
