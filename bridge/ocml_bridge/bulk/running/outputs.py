"""Write the output, quarantine and ledger of an input: parts are joined under temporary names, and moved into place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ...errors import BridgeError, ErrorCode
from .. import ledger
from ..containers import lines, parquet, texts
from ..containers.forms import FORMS
from ..records import Input, Job
from .durable import discard, partial_name, sync, whole_file
from .journal import Progress
from .parts import discard_part, join

Sizes = dict[str, int]
"""The sizes of the partial files of an input in bytes, by their kind."""


class Addition(NamedTuple):
    """Parts to append to the files of an input.

    Attributes:
        input: the index of the input.
        parts: the parts, in order.
        sizes: the sizes of the files before them.
    """

    input: int
    parts: tuple[str, ...]
    sizes: Sizes


class Output:
    """The parts of one input that are not yet in its files.

    Attributes:
        parts: the parts to append to its files.
        folders: the folders with new names, which have to be flushed to the disk.
    """

    def __init__(self, folder: str, item: Input, job: Job, progress: Progress) -> None:
        """Create the partial files, or truncate them to the sizes in the journal.

        Raises:
            OSError: if they cannot be written.
            BridgeError: OCB-IO if they are shorter than the journal says.
        """
        self.parts: list[str] = []
        self.folders: set[str] = set()
        self._partials = [path for _, path in _partials(item, job, folder)]
        if progress.stage == "begun":
            for kind, path in _partials(item, job, folder):
                _truncate(path, progress.sizes.get(kind, 0))
                self.folders.add(os.path.dirname(path))

    def take_parts(self) -> tuple[str, ...]:
        """Return the parts, and forget them: the caller appends them."""
        parts, self.parts = tuple(self.parts), list[str]()
        return parts

    def drop(self) -> None:
        """Remove the partial files, and the parts."""
        for part in self.parts:
            discard_part(part)
        for path in self._partials:
            discard(path)


def append(addition: Addition, item: Input, job: Job) -> Sizes:
    """Append parts to the files of an input, remove the parts, and flush the files to the disk.

    Args:
        addition: the parts.
        item: the input.
        job: how it is converted.

    Returns:
        The sizes of the files after it.

    Raises:
        OSError: if they cannot be written.
    """
    sizes = dict(addition.sizes)
    if not addition.parts:  # its files may be in their places already
        return sizes
    for kind, path in _partials(item, job, job.folder or ""):
        with open(path, "r+b") as file:
            file.seek(sizes.get(kind, 0))
            added = sum(join(part, kind, file) for part in addition.parts)
            if added:
                sync(file)
        sizes[kind] = sizes.get(kind, 0) + added
    for part in addition.parts:
        discard_part(part)
    return sizes


class Prepared(NamedTuple):
    """Counts of the complete files of an input.

    Attributes:
        input: the index of the input.
        written: the number of records in its output.
        quarantined: the number of records in its quarantine.
        listed: the number of records in its ledger; None without a ledger.
    """

    input: int
    written: int
    quarantined: int
    listed: int | None


def prepare(index: int, rows: int, item: Input, job: Job) -> Prepared:
    """Make the complete files of an input, and count their records.

    It may be repeated, even after some of the files were moved.

    Args:
        index: the index of the input.
        rows: the number of files, lines and rows that were read.
        item: the input.
        job: how it is converted.
    """
    folder = job.folder or ""
    output, quarantine = (_existing(os.path.join(folder, name)) for name in (item.output, item.quarantine))
    if item.into == "parquet":
        written = parquet.count(_made(item, folder))
    elif item.into in FORMS:
        with open(_made(item, folder), "rb") as file:
            written = FORMS[item.into].length(file)
    elif item.into == "jsonl":
        written = lines.count(output, item.output)
    else:
        written = texts.count(folder, item, job, rows)
    quarantined = lines.count(quarantine) if os.path.exists(quarantine) else 0
    return Prepared(index, written, quarantined, _listed(item, folder, job.ledger))


def _listed(item: Input, folder: str, form: str | None) -> int | None:
    """Make the ledger of a partial one, and return the number of its rows."""
    if form is None:
        return None
    final = os.path.join(folder, item.ledger(form))
    partial = partial_name(final)
    if not os.path.exists(partial):
        return sum(1 for _ in ledger.rows_in(final))
    with open(partial, "rb") as rows, whole_file(partial + _WHOLE) as file:
        return ledger.store(ledger.finished(rows), file, form)


def _made(item: Input, folder: str) -> str:
    """Make the file of a partial output, and return its path."""
    final = os.path.join(folder, item.output)
    partial = partial_name(final)
    if not os.path.exists(partial):
        return final
    with whole_file(partial + _WHOLE) as file:
        if item.into == "parquet":
            parquet.assemble(partial, file, item)
        else:
            FORMS[item.into].store(_lines_of(partial), file)
    return partial + _WHOLE


def _lines_of(path: str) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the lines of a file."""

    def lines() -> Iterator[bytes]:
        with open(path, "rb") as file:
            yield from file

    return lines


_MADE: Final = frozenset({"parquet", *FORMS})
"""The kinds of outputs that are made when all their lines are there."""
_WHOLE: Final = ".whole"
"""The ending of files that are made of partial ones, before they are moved into place."""


def put_in_place(item: Input, job: Job, progress: Progress, prepared: Prepared) -> tuple[set[str], list[str]]:
    """Move the prepared files of an input into place.

    Returns:
        The changed folders, and the partial files, which may be removed once these folders are flushed to the disk.

    Raises:
        BridgeError: OCB-INTERNAL if they do not hold as many records as were counted.
    """
    tally, folder = progress.tally, job.folder or ""
    if (prepared.written, prepared.quarantined) != (tally.written, tally.quarantined):
        counted = f"{tally.written} and {tally.quarantined} records were counted"
        counts = f"{prepared.written} and {prepared.quarantined} records"
        message = f"{item.path}: its output and quarantine hold {counts}, but {counted}"
        raise BridgeError(ErrorCode.INTERNAL, message)
    if prepared.listed not in (None, tally.records):
        message = f"{item.path}: its ledger has {prepared.listed} records, {tally.records} were counted"
        raise BridgeError(ErrorCode.INTERNAL, message)
    changed: set[str] = set()
    sources: list[str] = []
    for kind, name in _names(item, job).items():
        path = os.path.join(folder, name)
        changed.add(os.path.dirname(path))
        if kind == "ledger" or (kind == "output" and item.into in _MADE):
            _move(partial_name(path) + _WHOLE, path)
            sources.append(partial_name(path))
        elif kind == "quarantine" and not tally.quarantined:
            discard(partial_name(path))
            discard(path)  # of an earlier run
        elif not (kind == "output" and item.into == "files"):
            _move(partial_name(path), path)
    return changed, sources


def _names(item: Input, job: Job) -> dict[str, str]:
    """Return the files of an input relative to the output folder, by their kind (`KINDS`)."""
    names = {"output": item.output, "quarantine": item.quarantine}
    return names if job.ledger is None else {**names, "ledger": item.ledger(job.ledger)}


def _partials(item: Input, job: Job, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the partial files of an input with their kinds; outputs that are a file for each text have none."""
    for kind, name in _names(item, job).items():
        if not (kind == "output" and item.into == "files"):
            yield kind, partial_name(os.path.join(folder, name))


def finals(item: Input, job: Job) -> Iterator[str]:
    """Yield all files that the outputs of an input may have, relative to the output folder."""
    for kind, name in _names(item, job).items():
        if kind == "output" and item.into == "files":
            for text in texts.names_of(item):
                one = texts.output_name(text, job.target_kind, job.settings.target)
                for output in (one, texts.lines_name(text)):
                    yield os.path.normpath(os.path.join(item.output, output))
        else:
            yield name


def _existing(path: str) -> str:
    """Return the path of a partial file, or of the final file if it was moved."""
    partial = partial_name(path)
    return partial if os.path.exists(partial) else path


def _truncate(partial: str, size: int) -> None:
    """Truncate a file to the size in the journal; create it if it does not exist."""
    os.makedirs(os.path.dirname(partial), exist_ok=True)
    with open(partial, "r+b" if os.path.exists(partial) else "w+b") as file:
        if file.seek(0, os.SEEK_END) < size:
            message = f"{partial}: the file is shorter than the journal says; remove the journal to begin again"
            raise BridgeError(ErrorCode.IO, message)
        file.truncate(size)


def _move(partial: str, path: str) -> None:
    if os.path.exists(partial):
        os.replace(partial, path)
