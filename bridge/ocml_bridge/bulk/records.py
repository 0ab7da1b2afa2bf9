"""Define the data of a migration: inputs, ranges that workers read, chunks of records, and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import BridgeError
from ..formats.adapter import Kind, Source
from ..model import Json
from ..report.result import Reading
from .batch import Settings
from .containers.nested import Nested
from .tally import Tally

if TYPE_CHECKING:
    from ..layouts import Plan

RANGE_BYTES: Final = 1 << 22
"""The size of a range in bytes. Ranges depend only on the input, so that outputs are reproducible."""
CHUNK_RECORDS: Final = 512
"""The maximal number of records in a chunk."""
CHUNK_BYTES: Final = 1 << 18
"""A chunk ends with the record at which it reaches this size. Chunks, too, depend only on the input."""
DEFAULT_FIELD: Final = "text"
"""The field or column of text, if no other is named."""
STANDARD: Final = "-"
"""The name that means standard input."""

QUARANTINE: Final = ".quarantine.jsonl"
"""The ending of the names of quarantines."""

Position = dict[str, Any]
"""The position in an input at the end of a chunk, as JSON values; each kind of input has its own."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input: a file of records, or the text files of a folder.

    Attributes:
        kind: how records are stored in it, a key of `work.CONTAINERS`.
        path: the file, or the folder.
        output: the path of its output, relative to the output folder: a file, or for text files a folder.
        quarantine: the path of its quarantine, relative to the output folder.
        into: how the output stores records, a key of `work.SPELLINGS`.
        size: its size in bytes, for the progress bar; 0 if it is not known.
        names: the text files, relative to the folder, if they were named one by one; None for all in it.
    """

    kind: str
    path: str
    output: str
    quarantine: str
    into: str
    size: int = 0
    names: tuple[str, ...] | None = None

    def ledger(self, form: str) -> str:
        """Return the path of its ledger, relative to the output folder."""
        return f"{self.quarantine.removesuffix(QUARANTINE)}.ledger.{form}"


@dataclass(frozen=True, slots=True)
class Job:
    """The options that all records of a run share.

    Attributes:
        settings: how to convert.
        source_kind: whether the source format is text or JSON; None if it is detected for each record.
        target_kind: whether the target format is text or JSON.
        field: the field or column of the transcripts; None for the default.
        bare: whether outputs hold the transcripts alone, without the other fields.
        ledger: how to store the ledger, one of `ledger.FORMS`; None for none.
        id_field: the field or column of a record's name, for the ledger.
        keep_going: whether to continue after a quarantined record.
        folder: the output folder; None for a dry run.
        plan: the layouts of rows; None if a record is a transcript, or has it in a field.
        each_turn: whether each turn of the assistant is a record of its own.
    """

    settings: Settings
    source_kind: Kind | None
    target_kind: Kind
    field: str | None = None
    bare: bool = False
    ledger: str | None = None
    id_field: str = "id"
    keep_going: bool = True
    folder: str | None = None
    plan: Plan | None = None
    each_turn: bool = False


class Range(NamedTuple):
    """A part of an input that one process reads.

    Attributes:
        begin: its beginning: the offset of a byte, or the index of a row or a text file.
        end: the beginning of the next range.
        read: the number of bytes of the input read up to its end, for the progress bar.
        rows: the number of its rows; 0 if it is not known.
        before: the number of lines before it; None if they are not counted yet.
        followed: whether the next range needs the line count of this one.
        unpacked: the file that its lines were unpacked to; None if they are read from the input.
        names: the text files.
        refused: the rows that are not converted, by their index in the range, with the reasons.
    """

    begin: int
    end: int
    read: int
    rows: int = 0
    before: int | None = 0
    followed: bool = False
    unpacked: str | None = None
    names: tuple[str, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()


class Row(NamedTuple):
    """A file, line or row, before a record is made of it.

    Attributes:
        where: its place in the input: `line`, `item`, `row` or `file`.
        raw: its bytes; None if they were not read.
        size: its approximate size in bytes.
    """

    where: dict[str, Json]
    raw: bytes | None
    size: int


class Chunk(NamedTuple):
    """Rows that are converted and written together.

    Attributes:
        payload: data that their kind of input needs to make records.
        rows: the rows.
        end: the position of the next chunk in the input.
    """

    payload: Any
    rows: list[Row]
    end: Position


class Record(NamedTuple):
    """A record in a worker.

    Attributes:
        value: the transcript, or the error with which it could not be read.
        where: its place in the input: `line`, `row` or `file`.
        raw: the data that quarantine keeps.
        fields: the fields of its row in order, as JSON text; None for the transcript's field. None if the row is only
            the transcript.
    """

    value: Source | bytes | Nested | Reading | BridgeError
    where: dict[str, Json]
    raw: Source | bytes
    fields: dict[str, str | None] | None = None


class Cost(NamedTuple):
    """The cost of a file, line or row.

    Attributes:
        seconds: the time of its conversion.
        size: its approximate size in bytes.
        where: its place in the input.
    """

    seconds: float
    size: int
    where: dict[str, Json]


MOST_COSTS: Final = 5
"""The number of the slowest, and of the largest, rows that are reported."""


def slowest(costs: Iterable[Cost]) -> list[Cost]:
    """Return the slowest rows, the slowest first."""
    return nlargest(MOST_COSTS, costs, key=lambda cost: cost.seconds)


def largest(costs: Iterable[Cost]) -> list[Cost]:
    """Return the largest rows, the largest first."""
    return nlargest(MOST_COSTS, costs, key=lambda cost: cost.size)


class RangeResult(NamedTuple):
    """The result of a range.

    Attributes:
        tally: the counts.
        costs: its slowest and its largest rows.
        rows: the number of files, lines and rows that were read.
        end: the position of the next range in the input; None if nothing was read.
        error: the reason why the input cannot be read any further; None if it can.
    """

    tally: Tally
    costs: tuple[Cost, ...] = ()
    rows: int = 0
    end: Position | None = None
    error: str | None = None
