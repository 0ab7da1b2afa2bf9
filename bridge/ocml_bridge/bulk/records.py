"""The nouns of a migration: inputs, chunks of records, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ..adapter import Kind, Source
from ..errors import BridgeError
from ..model import Json
from .batch import Settings
from .nested import Nested
from .tally import Tally

CHUNK_RECORDS: Final = 512
"""The most records of a chunk."""
CHUNK_BYTES: Final = 1 << 18
"""A chunk ends with the record that brings it here. Chunks depend on the input alone, so outputs are reproducible."""
DEFAULT_FIELD: Final = "text"
"""The field or column that text stands in, where none is named."""
STANDARD: Final = "-"
"""The name that means standard input."""

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


@dataclass(frozen=True, slots=True)
class Job:
    """What is the same for every record of a run.

    Attributes:
        settings: how to convert.
        source_kind: whether the source format is text or JSON; None where it is told from each record.
        target_kind: the same for the target.
        field: the field or column that the transcripts stand in, where one was named.
        bare: whether outputs hold the transcripts alone, without the other fields.
        folder: the output folder; None for a dry run.
    """

    settings: Settings
    source_kind: Kind | None
    target_kind: Kind
    field: str | None = None
    bare: bool = False
    folder: str | None = None


class Chunk(NamedTuple):
    """Records that are converted together.

    Attributes:
        payload: the records, as their kind of input hands them to a worker.
        records: how many they are.
        end: where in the input the next one begins.
        read: how many bytes of the input were read up to here, for the progress shown.
    """

    payload: Any
    records: int
    end: Position
    read: int


class Record(NamedTuple):
    """One record as a worker has it.

    Attributes:
        value: the transcript, or why it could not be taken out.
        where: its place in the input: `line`, `row` or `file`.
        raw: what is kept of it in quarantine.
        fields: the fields of its row in order, as JSON text; None for the transcript's own. None where a row is the
            transcript and nothing else.
    """

    value: Source | bytes | Nested | BridgeError
    where: dict[str, Json]
    raw: Source | bytes
    fields: dict[str, str | None] | None = None


class Done(NamedTuple):
    """What came of a chunk.

    Attributes:
        output: what to append to the output.
        quarantine: what to append to the quarantine.
        tally: the counts.
    """

    output: bytes
    quarantine: bytes
    tally: Tally
