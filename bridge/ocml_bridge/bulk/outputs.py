"""The output and the quarantine of one input: parts are joined under temporary names, and moved to their places."""

from __future__ import annotations

import os
from typing import BinaryIO, NamedTuple

from ..errors import BridgeError, ErrorCode
from . import lines, parquet, texts
from .durable import discard, partial_name, settle, settle_folder, whole_file
from .journal import Progress
from .parts import KINDS, discard_part, join
from .records import Input, Job


class Output:
    """Where the parts of one input go."""

    def __init__(self, folder: str, item: Input, progress: Progress) -> None:
        """Open the partial files, cut off behind what the journal vouches for.

        Raises:
            OSError: where they cannot be written.
            BridgeError: OCB-IO where they are shorter than the journal says.
        """
        self._item = item
        self._progress = progress
        self._folder = folder
        self._finals = {kind: os.path.join(folder, getattr(item, kind)) for kind in KINDS}
        self._files: dict[str, BinaryIO] = {}
        self._joined: list[str] = []
        if progress.stage == "begun":
            for kind in _kinds(item):
                self._files[kind] = _continued(self._finals[kind], progress.sizes.get(kind, 0))

    def append(self, part: str) -> None:
        """Add a part; it is removed when what was added is on the disk."""
        for kind, file in self._files.items():
            self._progress.sizes[kind] = self._progress.sizes.get(kind, 0) + join(part, kind, file)
        self._joined.append(part)

    def settle(self) -> None:
        """Let all that was added reach the disk."""
        for file in self._files.values():
            settle(file)

    def forget(self) -> None:
        """Remove the parts that the journal knows to be here."""
        for part in self._joined:
            discard_part(part)
        self._joined.clear()

    def close(self) -> None:
        """Close the partial files; they stay."""
        for file in self._files.values():
            file.close()

    def drop(self) -> None:
        """Remove the partial files."""
        self.close()
        self.forget()
        for path in self._finals.values():
            discard(partial_name(path))


class Prepared(NamedTuple):
    """What the complete files of an input hold.

    Attributes:
        input: which input.
        written: how many records its output holds.
        quarantined: how many records its quarantine holds.
    """

    input: int
    written: int
    quarantined: int


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
        output = _assembled(item, folder)
        written = parquet.count(output)
    elif item.into == "jsonl":
        written = lines.count(output, item.output)
    else:
        written = texts.count(folder, item, job.target_kind, rows)
    return Prepared(index, written, lines.count(quarantine) if os.path.exists(quarantine) else 0)


def _assembled(item: Input, folder: str) -> str:
    """The file that a partial Parquet output is made into."""
    final = os.path.join(folder, item.output)
    partial = partial_name(final)
    if not os.path.exists(partial):
        return final
    with whole_file(partial + ".parquet") as file:
        parquet.assemble(partial, file, item)
    return partial + ".parquet"


def put_in_place(folder: str, item: Input, progress: Progress, prepared: Prepared) -> set[str]:
    """Move the prepared files of an input to their places; gives the folders that were changed.

    Raises:
        BridgeError: OCB-INTERNAL where they do not hold as many records as were counted.
    """
    tally = progress.tally
    if (prepared.written, prepared.quarantined) != (tally.written, tally.quarantined):
        counted = f"{tally.written} and {tally.quarantined} records were counted"
        held = f"{prepared.written} and {prepared.quarantined} records"
        message = f"{item.path}: its output and quarantine hold {held}, {counted}"
        raise BridgeError(ErrorCode.INTERNAL, message)
    output, quarantine = (os.path.join(folder, name) for name in (item.output, item.quarantine))
    if item.into == "parquet":
        _move(partial_name(output) + ".parquet", output)
        discard(partial_name(output))
    elif item.into == "jsonl":
        _move(partial_name(output), output)
    if tally.quarantined:
        _move(partial_name(quarantine), quarantine)
    else:
        discard(partial_name(quarantine))
        discard(quarantine)  # of an earlier run
    return {os.path.dirname(path) for path in (output, quarantine)}


def sync_folders(folders: set[str]) -> None:
    """Let the names in folders reach the disk."""
    for folder in sorted(folders):
        settle_folder(folder)


def _kinds(item: Input) -> tuple[str, ...]:
    """The files that parts of an input are joined to; text files are written by themselves."""
    return tuple(kind for kind in KINDS if not (kind == "output" and item.into == "files"))


def _there(path: str) -> str:
    """A partial file, or where it was moved to."""
    partial = partial_name(path)
    return partial if os.path.exists(partial) else path


def _continued(path: str, size: int) -> BinaryIO:
    partial = partial_name(path)
    os.makedirs(os.path.dirname(partial), exist_ok=True)
    file = open(partial, "r+b" if os.path.exists(partial) else "w+b")  # noqa: SIM115  # held until `close`
    if file.seek(0, os.SEEK_END) < size:
        file.close()
        raise BridgeError(
            ErrorCode.IO, f"{partial}: it is shorter than the journal says; remove the journal to begin again"
        )
    file.seek(size)
    file.truncate()
    return file


def _move(partial: str, path: str) -> None:
    if os.path.exists(partial):
        os.replace(partial, path)
