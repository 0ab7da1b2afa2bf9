"""Record the progress of a run in a file of the output folder, so that another run can continue it.

The first line has the inputs and options of the run. After it come lines for each input: begun, checkpoints, complete,
and done when its output is in its place; or failed. A line is written after the data that it counts is on the disk; an
incomplete last line is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, Literal, cast

from ...errors import BridgeError, ErrorCode
from ...json_values import jsontext
from ..records import Position
from ..tally import Tally
from .durable import sync, sync_folder
from .locks import lock

NAME: Final = ".ocml-convert.journal"
"""The name of the journal in the output folder."""

Stage = Literal["begun", "complete", "done", "failed"]


@dataclass(slots=True)
class Progress:
    """The progress of one input.

    Attributes:
        stamp: the size and modification time of the input, or its version, to notice that it was changed.
        stage: begun; complete, when all of it is converted; done, when its output is in its place; or failed.
        position: the position to continue from; None for the beginning.
        sizes: the sizes of its partial files in bytes, by their kind.
        tally: the counts up to the position.
        error: the reason if it failed.
    """

    stamp: list[int] | list[str]
    stage: Stage = "begun"
    position: Position | None = None
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    tally: Tally = field(default_factory=Tally)
    error: str | None = None


class Journal:
    """The journal of one output folder, open for one run at a time.

    Attributes:
        inputs: the progress of each input, by its index.
        is_continued: whether an earlier run is continued.
        before: the previous run in the folder, as JSON values; {} if there was none.
    """

    def __init__(
        self,
        folder: str,
        run: Mapping[str, Any],
        *,
        resume: bool,
        refuse: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        """Open the journal, or begin it.

        Args:
            folder: the output folder.
            run: the inputs and options of the run, as JSON values; only a run with the same ones is continued.
            resume: whether to continue the previous run.
            refuse: called with the previous run before a new one begins; it raises to refuse the new one.

        Raises:
            BridgeError: OCB-OPTION if the folder has an unfinished run and `resume` is False, if the previous run had
                other inputs or options, or if another process is writing to the folder.
        """
        path = os.path.join(folder, NAME)
        self.inputs: dict[int, Progress] = {}
        self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115  # open until `close`
        try:
            _lock_run(self._file, folder)
            lines = self._lines()
            self.before: dict[str, Any] = lines[0].get("run", {}) if lines else {}
            self.is_continued = resume and bool(lines)
            if lines:
                self._refuse_another(lines[0], run, folder, resume=resume)
            if self.is_continued:
                for line in lines[1:]:
                    self._replay(line)
            else:
                if refuse is not None:
                    refuse(self.before)
                self._file.truncate(0)
                self._write([{"run": run}], sync_to_disk=True)
                sync_folder(folder)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file, which releases the lock."""
        self._file.close()

    def begin(self, index: int, stamp: list[int] | list[str]) -> Progress:
        """Record that an input is read from its beginning, and return its progress."""
        self.inputs[index] = Progress(stamp)
        self._write([{"begun": index, "stamp": stamp}])
        return self.inputs[index]

    def progress_line(self, index: int) -> dict[str, Any]:
        """Return the line that `checkpoint` writes for an input once the data it counts is on the disk."""
        now = self.inputs[index]
        return {now.stage: index, "position": now.position, "tally": now.tally.to_json()}

    def checkpoint(self, accounts: Iterable[tuple[dict[str, Any], dict[str, int]]]) -> None:
        """Record that the data of `progress_line` lines is on the disk, in files of these sizes."""
        self._write([{**progress_line, "sizes": sizes} for progress_line, sizes in accounts], sync_to_disk=True)

    def done(self, indexes: Iterable[int]) -> None:
        """Record that the outputs of inputs are in their places."""
        lines: list[dict[str, Any]] = []
        for index in indexes:
            self.inputs[index].stage = "done"
            lines.append({"done": index})
        self._write(lines, sync_to_disk=True)

    def recounted(self, index: int) -> dict[str, Any]:
        """Return the line that `note` writes once the outputs of a done input are those that its `tally` counts."""
        return {"recounted": index, "tally": self.inputs[index].tally.to_json()}

    def note(self, line: dict[str, Any]) -> None:
        """Record a line of `recounted`; lines of inputs that this run does not know are ignored."""
        if line["recounted"] in self.inputs:
            self._replay(line)
            self._write([line], sync_to_disk=True)

    def fail(self, index: int, error: str) -> None:
        """Record that an input cannot be read to its end."""
        self.inputs[index].stage, self.inputs[index].error = "failed", error
        self._write([{"failed": index, "error": error}])

    def end(self) -> None:
        """Record the end of the run."""
        self._write([{"end": True}], sync_to_disk=True)

    def _lines(self) -> list[dict[str, Any]]:
        """Return the complete lines, and truncate the file after them."""
        self._file.seek(0)
        lines: list[dict[str, Any]] = []
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            try:
                lines.append(cast("dict[str, Any]", jsontext.loads(line)))
            except BridgeError:
                break
            whole += len(line)
        self._file.truncate(whole)
        return lines

    def _refuse_another(self, first: dict[str, Any], run: Mapping[str, Any], folder: str, *, resume: bool) -> None:
        self._file.seek(0)
        ended = any(line == b'{"end":true}\n' for line in self._file)
        if not resume and not ended:
            hint = f"add --resume to continue it, or remove {os.path.join(folder, NAME)} to begin again"
            raise BridgeError(ErrorCode.OPTION, f"{folder} has an unfinished run: {hint}")
        before: dict[str, Any] = first.get("run", {})
        other = [key for key in {**before, **run} if before.get(key) != run.get(key)]
        if resume and other:
            named = ", ".join(sorted(other))
            message = f"the run in {folder} had other options ({named}); continue it with the same options"
            raise BridgeError(ErrorCode.OPTION, message)

    def _replay(self, line: dict[str, Any]) -> None:
        if "begun" in line and "stamp" in line:
            self.inputs[line["begun"]] = Progress(line["stamp"])
            return
        for stage in ("begun", "complete"):
            if stage in line:
                known = self.inputs[line[stage]]
                known.stage, known.position = stage, line["position"]
                known.sizes = line["sizes"]
                known.tally = Tally.from_json(line["tally"])
        if "recounted" in line:
            self.inputs[line["recounted"]].tally = Tally.from_json(line["tally"])
        if "done" in line:
            self.inputs[line["done"]].stage = "done"
        if "failed" in line:
            self.inputs[line["failed"]].stage, self.inputs[line["failed"]].error = "failed", line["error"]

    def _write(self, lines: Iterable[Mapping[str, Any]], *, sync_to_disk: bool = False) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(b"".join(jsontext.dumps(dict(line)) + b"\n" for line in lines))
        self._file.flush()
        if sync_to_disk:
            sync(self._file)


def read_run(folder: str) -> dict[str, Any]:
    """Return the run of an output folder, as JSON values.

    Raises:
        BridgeError: OCB-OPTION if it has none.
    """
    try:
        with open(os.path.join(folder, NAME), "rb") as file:
            first = cast("dict[str, Any]", jsontext.loads(file.readline()))
        return first["run"]
    except (OSError, BridgeError, KeyError) as error:
        raise BridgeError(ErrorCode.OPTION, f"{folder} is not an output folder of batch: it has no journal") from error


def _lock_run(file: BinaryIO, folder: str) -> None:
    """Lock the folder against other runs, as long as this process lives."""
    try:
        lock(file)
    except OSError as error:
        raise BridgeError(ErrorCode.OPTION, f"another run is writing to {folder}") from error
