"""What a run has done, line by line in a file of the output folder, so that another one can go on exactly behind it.

The first line says what is converted and how. Then each input begins, comes to checkpoints, is complete, and has its
output in its place; or fails. A line is written when what it says is on the disk; one that was cut off says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, Literal, cast

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from .durable import settle, settle_folder
from .locks import lock
from .records import Position
from .tally import Tally

NAME: Final = ".ocml-convert.journal"
"""The journal's name in the output folder."""

Stage = Literal["begun", "complete", "done", "failed"]


@dataclass(slots=True)
class Progress:
    """How far one input is.

    Attributes:
        stamp: what tells whether the input is still the same: its size in bytes and when it was changed.
        stage: begun; complete, when all of it is converted; done, when its output is in its place; or failed.
        position: where to read on; None for the beginning.
        sizes: how long its partial files are, in bytes, by their kind.
        tally: the counts up to there.
        error: why it failed.
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
        inputs: how far each input is, by its index.
        is_continued: whether an earlier run is continued.
        before: the run that the folder had, as JSON values; nothing where it had none.
    """

    def __init__(
        self,
        folder: str,
        run: Mapping[str, Any],
        *,
        resume: bool,
        refuse: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        """Open or begin it.

        Args:
            folder: the output folder.
            run: what is converted and how, as JSON values; a run is continued only as what it was.
            resume: whether to continue the run that is there.
            refuse: asked before a new run begins whether it may, with the run that was there before.

        Raises:
            BridgeError: OCB-OPTION where the folder has an unfinished run and `resume` is not asked for, where it was
                a run of something else, or where another run is at work.
        """
        path = os.path.join(folder, NAME)
        self.inputs: dict[int, Progress] = {}
        self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115  # held until `close`
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
                self._write([{"run": run}], settled=True)
                settle_folder(folder)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file, which lets other runs have it."""
        self._file.close()

    def begin(self, index: int, stamp: list[int] | list[str]) -> Progress:
        """An input is read from its beginning."""
        self.inputs[index] = Progress(stamp)
        self._write([{"begun": index, "stamp": stamp}])
        return self.inputs[index]

    def account(self, index: int) -> dict[str, Any]:
        """What `checkpoint` writes of an input, once all that its `Progress` counts now is on the disk."""
        now = self.inputs[index]
        return {now.stage: index, "position": now.position, "tally": now.tally.to_json()}

    def checkpoint(self, accounts: Iterable[tuple[dict[str, Any], dict[str, int]]]) -> None:
        """What accounts of inputs say is on the disk, in files that are so long."""
        self._write([{**account, "sizes": sizes} for account, sizes in accounts], settled=True)

    def done(self, indexes: Iterable[int]) -> None:
        """The outputs of inputs are in their places."""
        lines: list[dict[str, Any]] = []
        for index in indexes:
            self.inputs[index].stage = "done"
            lines.append({"done": index})
        self._write(lines, settled=True)

    def recounted(self, index: int) -> dict[str, Any]:
        """What `note` takes when the outputs of an input that is done are those that its `tally` counts."""
        return {"recounted": index, "tally": self.inputs[index].tally.to_json()}

    def note(self, line: dict[str, Any]) -> None:
        """What `recounted` gave is so; of inputs that this run does not know, nothing is noted."""
        if line["recounted"] in self.inputs:
            self._replay(line)
            self._write([line], settled=True)

    def fail(self, index: int, error: str) -> None:
        """An input cannot be read to its end."""
        self.inputs[index].stage, self.inputs[index].error = "failed", error
        self._write([{"failed": index, "error": error}])

    def end(self) -> None:
        """The run is over."""
        self._write([{"end": True}], settled=True)

    def _lines(self) -> list[dict[str, Any]]:
        """The lines that are whole; what is behind them is cut off."""
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

    def _write(self, lines: Iterable[Mapping[str, Any]], *, settled: bool = False) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(b"".join(jsontext.dumps(dict(line)) + b"\n" for line in lines))
        self._file.flush()
        if settled:
            settle(self._file)


def read_run(folder: str) -> dict[str, Any]:
    """The run that an output folder has, as JSON values.

    Raises:
        BridgeError: OCB-OPTION where it has none.
    """
    try:
        with open(os.path.join(folder, NAME), "rb") as file:
            first = cast("dict[str, Any]", jsontext.loads(file.readline()))
        return first["run"]
    except (OSError, BridgeError, KeyError) as error:
        raise BridgeError(ErrorCode.OPTION, f"{folder} is not an output folder of batch: it has no journal") from error


def _lock_run(file: BinaryIO, folder: str) -> None:
    """Let no other run write to the folder, as long as this process lives."""
    try:
        lock(file)
    except OSError as error:
        raise BridgeError(ErrorCode.OPTION, f"another run is writing to {folder}") from error
