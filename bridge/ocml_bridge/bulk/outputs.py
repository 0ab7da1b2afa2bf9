"""The output and the quarantine of one input: appended to under temporary names, moved to their places when whole."""

from __future__ import annotations

import os
from typing import BinaryIO

from ..adapter import Kind
from ..errors import BridgeError, ErrorCode
from . import lines, parquet, texts
from .durable import discard, partial_name, settle, settle_folder, whole_file
from .journal import Progress
from .records import Done, Input


class Output:
    """Where the chunks of one input go."""

    def __init__(self, folder: str, item: Input, progress: Progress) -> None:
        """Open the partial files, cut off behind what the journal vouches for.

        Raises:
            OSError: where they cannot be written.
            BridgeError: OCB-IO where they are shorter than the journal says.
        """
        self._item = item
        self._progress = progress
        self._folder = folder
        self._final = os.path.join(folder, item.output)
        self._quarantine = os.path.join(folder, item.quarantine)
        self._files: list[BinaryIO] = []
        if progress.stage == "begun":
            self._files.append(_continued(self._quarantine, progress.quarantine))
            if item.into != "files":
                self._files.append(_continued(self._final, progress.output))

    def append(self, done: Done) -> None:
        """Add what came of a chunk."""
        for file, data in zip(self._files, (done.quarantine, done.output), strict=False):
            file.write(data)
        self._progress.output += len(done.output)
        self._progress.quarantine += len(done.quarantine)

    def settle(self) -> None:
        """Let all that was added reach the disk."""
        for file in self._files:
            settle(file)

    def close(self) -> None:
        """Close the partial files; they stay."""
        for file in self._files:
            file.close()

    def drop(self) -> None:
        """Remove the partial files."""
        self.close()
        for path in (self._final, self._quarantine):
            discard(partial_name(path))

    def seal(self, target: Kind) -> None:
        """Move the files to their places. Doing it again, or the rest of it, does no harm.

        Raises:
            BridgeError: OCB-INTERNAL where they do not hold as many records as were counted.
        """
        self.close()
        if self._item.into == "parquet":
            self._assemble()
        elif self._item.into == "jsonl":
            _move(self._final)
        if self._progress.tally.quarantined:
            _move(self._quarantine)
        else:
            discard(partial_name(self._quarantine))
            discard(self._quarantine)  # of an earlier run
        for path in (self._final, self._quarantine):
            settle_folder(os.path.dirname(path))
        self._count(target)

    def _assemble(self) -> None:
        partial = partial_name(self._final)
        if os.path.exists(partial):
            with whole_file(self._final, suffix=".parquet") as file:
                parquet.assemble(partial, file, self._item)
            discard(partial)

    def _count(self, target: Kind) -> None:
        """Count again what was written, in the files themselves."""
        tally, item = self._progress.tally, self._item
        if item.into == "parquet":
            written = parquet.count(self._final)
        elif item.into == "jsonl":
            written = lines.count(self._final)
        else:
            written = texts.count(self._folder, item, target, tally.rows)
        quarantined = lines.count(self._quarantine) if os.path.exists(self._quarantine) else 0
        if (written, quarantined) != (tally.written, tally.quarantined):
            counted = f"{tally.written} and {tally.quarantined} records were counted"
            message = f"{item.path}: its output and quarantine hold {written} and {quarantined} records, {counted}"
            raise BridgeError(ErrorCode.INTERNAL, message)


def _continued(path: str, size: int) -> BinaryIO:
    partial = partial_name(path)
    os.makedirs(os.path.dirname(partial), exist_ok=True)
    file = open(partial, "ab")  # noqa: SIM115  # held until `close`
    if file.tell() < size:
        file.close()
        raise BridgeError(
            ErrorCode.IO, f"{partial}: it is shorter than the journal says; remove the journal to begin again"
        )
    file.truncate(size)
    settle_folder(os.path.dirname(partial))
    return file


def _move(path: str) -> None:
    partial = partial_name(path)
    if os.path.exists(partial):
        os.replace(partial, path)
