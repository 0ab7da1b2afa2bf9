"""The nouns of a migration: inputs, the ranges that workers read, chunks of records, and what comes of them."""

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
from .nested import Nested
from .tally import Tally

if TYPE_CHECKING:
    from ..layouts import Plan

RANGE_BYTES: Final = 1 << 22
"""How much of an input one process reads at a time. Ranges depend on the input alone, so outputs are reproducible."""
CHUNK_RECORDS: Final = 512
"""The most records of a chunk."""
CHUNK_BYTES: Final = 1 << 18
"""A chunk ends with the record that brings it here. Chunks, too, depend on the input alone."""
DEFAULT_FIELD: Final = "text"
"""The field or column that text stands in, where none is named."""
STANDARD: Final = "-"
"""The name that means standard input."""

QUARANTINE: Final = ".quarantine.jsonl"
"""How the names of quarantines end."""

Position = dict[str, Any]
"""Where in an input a chunk ends, as JSON values; each kind of input has its own."""


@dataclass(frozen=True, slots=True)
class Input:
    """One thing to convert: a file of records, or the text files of a folder.

    Attributes:
        kind: how records are stored in it, a key of `work.CONTAINERS`.
        path: the file, or the folder.
        output: where its output goes, relative to the output folder: a file, or for text files a folder.
        quarantine: where its quarantined records go, relative to the output folder.
        into: how the output stores records, a key of `work.SPELLINGS`.
        size: how many bytes there are to read, for the progress shown; 0 where it is not known.
        names: the text files, relative to the folder, where they were named one by one; None for all that are in it.
    """

    kind: str
    path: str
    output: str
    quarantine: str
    into: str
    size: int = 0
    names: tuple[str, ...] | None = None

    def ledger(self, form: str) -> str:
        """Where its ledger goes, relative to the output folder."""
        return f"{self.quarantine.removesuffix(QUARANTINE)}.ledger.{form}"


@dataclass(frozen=True, slots=True)
class Job:
    """What is the same for every record of a run.

    Attributes:
        settings: how to convert.
        source_kind: whether the source format is text or JSON; None where it is detected for each record.
        target_kind: the same for the target.
        field: the field or column that the transcripts stand in, where one was named.
        bare: whether outputs hold the transcripts alone, without the other fields.
        ledger: how to store the ledger, one of `ledger.FORMS`; None for none.
        id_field: the field or column that says what a record is called, for the ledger.
        keep_going: whether to go on behind a record that is quarantined.
        folder: the output folder; None for a dry run.
        plan: what rows are; None where a record is a transcript, or has it in a field.
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
    """A piece of an input that one process reads by itself.

    Attributes:
        begin: where it begins: a byte of the content, a row, or a text file by its number.
        end: where the next one begins.
        read: how many bytes of the input are read at its end, for the progress shown.
        rows: how many rows it has, where that is known; 0 where it is not.
        before: how many lines are before it; None where nobody has counted them yet.
        followed: whether the lines of the range behind it are numbered when those of this one are counted.
        unpacked: the file that its lines were unpacked to; None where they are read from the input itself.
        names: the text files.
        refused: why rows are not to be converted, by their number in the range.
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
    """One file, line or row, before anything is taken out of it.

    Attributes:
        where: its place in the input: `line`, `item`, `row` or `file`.
        raw: all of it, where that is at hand.
        size: about how many bytes it has.
    """

    where: dict[str, Json]
    raw: bytes | None
    size: int


class Chunk(NamedTuple):
    """Rows that are converted and written together.

    Attributes:
        payload: what their kind of input needs to take records out of them.
        rows: the rows.
        end: where in the input the next chunk begins.
    """

    payload: Any
    rows: list[Row]
    end: Position


class Record(NamedTuple):
    """One record as a worker has it.

    Attributes:
        value: the transcript, or why it could not be taken out.
        where: its place in the input: `line`, `row` or `file`.
        raw: what is kept of it in quarantine.
        fields: the fields of its row in order, as JSON text; None for the transcript's own. None where a row is the
            transcript and nothing else.
    """

    value: Source | bytes | Nested | Reading | BridgeError
    where: dict[str, Json]
    raw: Source | bytes
    fields: dict[str, str | None] | None = None


class Cost(NamedTuple):
    """What a file, line or row took.

    Attributes:
        seconds: how long it was converted.
        size: about how many bytes it has.
        where: its place in the input.
    """

    seconds: float
    size: int
    where: dict[str, Json]


MOST_COSTS: Final = 5
"""How many of the slowest, and of the largest, are told."""


def slowest(costs: Iterable[Cost]) -> list[Cost]:
    """The slowest ones, the worst first."""
    return nlargest(MOST_COSTS, costs, key=lambda cost: cost.seconds)


def largest(costs: Iterable[Cost]) -> list[Cost]:
    """The largest ones, the largest first."""
    return nlargest(MOST_COSTS, costs, key=lambda cost: cost.size)


class Done(NamedTuple):
    """What came of a range.

    Attributes:
        tally: the counts.
        costs: its slowest and its largest rows.
        rows: how many files, lines and rows were read.
        end: where in the input the next range begins; None where nothing was read.
        error: why the input cannot be read on; None where it can.
    """

    tally: Tally
    costs: tuple[Cost, ...] = ()
    rows: int = 0
    end: Position | None = None
    error: str | None = None
