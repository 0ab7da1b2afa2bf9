"""The output and the quarantine of one input: parts are joined under temporary names, and moved to their places."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from . import ledger, lines, parquet, texts
from .durable import discard, partial_name, settle, whole_file
from .forms import FORMS
from .journal import Progress
from .parts import discard_part, join
from .records import Input, Job

Sizes = dict[str, int]
"""How long the partial files of an input are, in bytes, by their kind."""


class Addition(NamedTuple):
    """Parts that are to be added to the files of an input.

    Attributes:
        input: which input.
        parts: the parts, in order.
        sizes: how long the files are before them.
    """

    input: int
    parts: tuple[str, ...]
    sizes: Sizes


class Output:
    """Where the parts of one input go.

    Attributes:
        parts: those that are to be added to its files.
        folders: in which its names are new, and have to reach the disk.
    """

    def __init__(self, folder: str, item: Input, job: Job, progress: Progress) -> None:
        """Make the partial files, or cut them off behind what the journal vouches for.

        Raises:
            OSError: where they cannot be written.
            BridgeError: OCB-IO where they are shorter than the journal says.
        """
        self.parts: list[str] = []
        self.folders: set[str] = set()
        self._partials = [path for _, path in _partials(item, job, folder)]
        if progress.stage == "begun":
            for kind, path in _partials(item, job, folder):
                _cut(path, progress.sizes.get(kind, 0))
                self.folders.add(os.path.dirname(path))

    def taken(self) -> tuple[str, ...]:
        """The parts, which are added to its files now."""
        parts, self.parts = tuple(self.parts), list[str]()
        return parts

    def drop(self) -> None:
        """Remove the partial files, and the parts."""
        for part in self.parts:
            discard_part(part)
        for path in self._partials:
            discard(path)


def append(addition: Addition, item: Input, job: Job) -> Sizes:
    """Add parts to the files of an input, and remove them; what was added reaches the disk.

    Args:
        addition: what is added.
        item: the input.
        job: how it is converted.

    Returns:
        How long the files are then.

    Raises:
        OSError: where they cannot be written.
    """
    sizes = dict(addition.sizes)
    if not addition.parts:  # its files may be in their places already
        return sizes
    for kind, path in _partials(item, job, job.folder or ""):
        with open(path, "r+b") as file:
            file.seek(sizes.get(kind, 0))
            added = sum(join(part, kind, file) for part in addition.parts)
            if added:
                settle(file)
        sizes[kind] = sizes.get(kind, 0) + added
    for part in addition.parts:
        discard_part(part)
    return sizes


class Prepared(NamedTuple):
    """What the complete files of an input hold.

    Attributes:
        input: which input.
        written: how many records its output holds.
        quarantined: how many records its quarantine holds.
        listed: how many records its ledger has; None where there is none.
    """

    input: int
    written: int
    quarantined: int
    listed: int | None


def prepare(index: int, rows: int, item: Input, job: Job) -> Prepared:
    """Make the complete files of an input ready for their places, and count what they hold.

    Doing it again, or after some of them were moved, does no harm.

    Args:
        index: which input it is.
        rows: how many files, lines and rows of it were read.
        item: the input.
        job: how it is converted.
    """
    folder = job.folder or ""
    output, quarantine = (_there(os.path.join(folder, name)) for name in (item.output, item.quarantine))
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
    """How many rows the ledger has that a partial one is made into."""
    if form is None:
        return None
    final = os.path.join(folder, item.ledger(form))
    partial = partial_name(final)
    if not os.path.exists(partial):
        return sum(1 for _ in ledger.rows_in(final))
    with open(partial, "rb") as rows, whole_file(partial + _WHOLE) as file:
        return ledger.store(ledger.finished(rows), file, form)


def _made(item: Input, folder: str) -> str:
    """The file that a partial output is made into."""
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
    """What gives the lines of a file, as often as it is asked for them."""

    def lines() -> Iterator[bytes]:
        with open(path, "rb") as file:
            yield from file

    return lines


_MADE: Final = frozenset({"parquet", *FORMS})
"""How outputs are stored that are made when all of them is there."""
_WHOLE: Final = ".whole"
"""How the names of files end that partial ones are made into, before they are moved to their places."""


def put_in_place(item: Input, job: Job, progress: Progress, prepared: Prepared) -> tuple[set[str], list[str]]:
    """Move the prepared files of an input to their places.

    Returns:
        The folders that were changed, and the files that others were made from: they may go when those folders have
        reached the disk, and not before.

    Raises:
        BridgeError: OCB-INTERNAL where they do not hold as many records as were counted.
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
    """The files of an input, by `KINDS`, relative to the output folder."""
    names = {"output": item.output, "quarantine": item.quarantine}
    return names if job.ledger is None else {**names, "ledger": item.ledger(job.ledger)}


def _partials(item: Input, job: Job, folder: str) -> Iterator[tuple[str, str]]:
    """The partial files of an input, each with its kind; texts that are files of their own are written whole."""
    for kind, name in _names(item, job).items():
        if not (kind == "output" and item.into == "files"):
            yield kind, partial_name(os.path.join(folder, name))


def finals(item: Input, job: Job) -> Iterator[str]:
    """All files that the outputs of an input may have, relative to the output folder."""
    for kind, name in _names(item, job).items():
        if kind == "output" and item.into == "files":
            for text in texts.names_of(item):
                one = texts.output_name(text, job.target_kind, job.settings.target)
                for output in (one, texts.lines_name(text)):
                    yield os.path.normpath(os.path.join(item.output, output))
        else:
            yield name


def _there(path: str) -> str:
    """A partial file, or where it was moved to."""
    partial = partial_name(path)
    return partial if os.path.exists(partial) else path


def _cut(partial: str, size: int) -> None:
    """Make a file as long as the journal says; it is made where it is not there."""
    os.makedirs(os.path.dirname(partial), exist_ok=True)
    with open(partial, "r+b" if os.path.exists(partial) else "w+b") as file:
        if file.seek(0, os.SEEK_END) < size:
            message = f"{partial}: the file is shorter than the journal says; remove the journal to begin again"
            raise BridgeError(ErrorCode.IO, message)
        file.truncate(size)


def _move(partial: str, path: str) -> None:
    if os.path.exists(partial):
        os.replace(partial, path)
