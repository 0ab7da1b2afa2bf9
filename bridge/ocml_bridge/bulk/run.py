"""A whole migration: inputs to outputs through a pool of processes, with a journal to go on from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from typing import Any, Final

from .. import __version__, jsontext
from ..errors import BridgeError, ErrorCode
from ..model import Json
from . import parquet
from .inputs import steps
from .journal import Journal, Progress
from .outputs import Output
from .pool import Step, converted
from .records import CHUNK_BYTES, STANDARD, Done, Input, Job, Position
from .tally import Tally

CHECKPOINT_SECONDS: Final = 1.0
"""How much time of work a run may lose when it is killed, in seconds, and then does again."""
_FATAL: Final = (ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY)
"""What is wrong with the machine and not with a record: the run ends, and can be continued."""

Watch = Callable[[int, int], None]
"""What is told after each chunk: how many bytes were read in all, and how many records of this run are converted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do.

    Attributes:
        inputs: what to convert, in order.
        job: how.
        jobs: in how many processes.
        limit: how many files, lines and rows to convert in all; None for all there are.
        keep_going: whether to go on behind a record that is quarantined.
        resume: whether to continue the run that the output folder has.
    """

    inputs: tuple[Input, ...]
    job: Job
    jobs: int = 1
    limit: int | None = None
    keep_going: bool = True
    resume: bool = False

    def signature(self) -> dict[str, Any]:
        """What makes outputs what they are, as JSON values: a run is continued only with the same."""
        job = asdict(self.job)
        del job["folder"]
        inputs: list[Json] = [[item.kind, item.path, item.output] for item in self.inputs]
        signature = {"version": __version__, "limit": self.limit, **job, "inputs": inputs}
        return jsontext.loads(jsontext.dumps(signature))  # as the journal gives it back: tuples are lists there


@dataclass(slots=True)
class Finished:
    """How a run ended.

    Attributes:
        inputs: what became of each input that was reached, by its index.
        stopped: whether it ended early because of a quarantined record.
    """

    inputs: dict[int, Progress] = field(default_factory=dict[int, Progress])
    stopped: bool = False

    @property
    def tally(self) -> Tally:
        """The counts of all inputs together."""
        total = Tally()
        for progress in self.inputs.values():
            total.merge(progress.tally)
        return total


def run(plan: Plan, watch: Watch) -> Finished:
    """Convert inputs.

    Raises:
        BridgeError: OCB-OPTION for a folder that has another run; OCB-DEPENDENCY for a library that is missing;
            OCB-INTERNAL where counts do not add up, or a process dies.
        OSError: where outputs cannot be written.
    """
    for item in plan.inputs:
        if item.kind == "parquet":
            parquet.check(item, plan.job)
    ledger = _OnDisk(plan, plan.job.folder) if plan.job.folder is not None else _InMemory(plan)
    finished = Finished(ledger.inputs)
    before = list(accumulate((item.size for item in plan.inputs), initial=0))
    records = 0
    with closing(ledger):
        begin = ledger.begin()
        left = None if plan.limit is None else plan.limit - finished.tally.rows
        chunks = steps(plan.inputs, begin, left)
        with closing(converted(chunks, plan.inputs, plan.job, _processes(plan))) as results:
            for step, done in results:
                _take(ledger, step, done)
                if step.chunk is not None:
                    records += step.chunk.records
                    watch(before[step.input] + step.chunk.read, records)
                if done is not None and done.tally.quarantined and not plan.keep_going:
                    finished.stopped = True
                    return finished
        ledger.end()
    return finished


def _processes(plan: Plan) -> int:
    """No more processes than there is work for; sizes that are not known are taken for large."""
    sizes = [item.size for item in plan.inputs]
    return plan.jobs if 0 in sizes else min(plan.jobs, 1 + sum(sizes) // CHUNK_BYTES)


def _take(ledger: _InMemory, step: Step, done: Done | None) -> None:
    if step.chunk is not None and done is not None:
        done.tally.check(step.chunk.records, ledger.plan.inputs[step.input].path)
        for code in _FATAL:
            if code in done.tally.errors:
                raise BridgeError(code, str(done.tally.errors[code].examples[0]["message"]))
        ledger.append(step.input, done, step.chunk.end)
    elif step.error is not None:
        ledger.fail(step.input, step.error)
    elif step.last:
        ledger.finish(step.input)
    else:
        ledger.open(step.input)


class _InMemory:
    """What a dry run keeps: counts alone.

    Attributes:
        plan: what is done.
        inputs: how far each input is.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.inputs: dict[int, Progress] = {}

    def begin(self) -> dict[int, Position | None]:
        """The inputs that are to be read, and from where."""
        return dict.fromkeys(range(len(self.plan.inputs)))

    def open(self, index: int) -> None:
        """An input is about to be read."""
        self.inputs[index] = Progress([])

    def append(self, index: int, done: Done, position: Position) -> None:
        """A chunk of it is converted."""
        self.inputs[index].tally.merge(done.tally)
        self.inputs[index].position = position

    def finish(self, index: int) -> None:
        """All of it is converted."""
        self.inputs[index].stage = "done"

    def fail(self, index: int, error: str) -> None:
        """It cannot be read to its end; what was counted of it is not in any output."""
        self.inputs[index] = Progress([], "failed", error=error)

    def end(self) -> None:
        """The run is over."""

    def close(self) -> None:
        """Leave everything as it is."""


class _OnDisk(_InMemory):
    """A run that writes: outputs and the journal, which never says more than the outputs hold."""

    def __init__(self, plan: Plan, folder: str) -> None:
        super().__init__(plan)
        self._folder = folder
        os.makedirs(folder, exist_ok=True)
        self._journal = Journal(folder, plan.signature(), resume=plan.resume)
        self.inputs = self._journal.inputs
        self._output: Output | None = None
        self._settled = time.monotonic()

    def begin(self) -> dict[int, Position | None]:
        """Put in place what was complete, and tell what is left to read."""
        begin: dict[int, Position | None] = {}
        for index, item in enumerate(self.plan.inputs):
            progress = self.inputs.get(index)
            if progress is None or progress.stage == "failed":
                begin[index] = None
                continue
            if progress.stamp != _stamp(item):
                message = f"{item.path} was changed since the run began; remove the journal to begin again"
                raise BridgeError(ErrorCode.OPTION, message)
            if progress.stage == "complete":
                self._seal(index, Output(self._folder, item, progress))
            elif progress.stage == "begun":
                begin[index] = progress.position
        return begin

    def open(self, index: int) -> None:
        """Open its output, a new one or the one that the journal knows."""
        progress = self.inputs.get(index)
        if progress is None or progress.stage == "failed":
            progress = self._journal.begin(index, _stamp(self.plan.inputs[index]))
        self._output = Output(self._folder, self.plan.inputs[index], progress)

    def append(self, index: int, done: Done, position: Position) -> None:
        """Add a chunk to its output; now and then the journal takes note."""
        super().append(index, done, position)
        self._opened.append(done)
        if time.monotonic() - self._settled >= CHECKPOINT_SECONDS or not self.plan.keep_going:
            self._checkpoint(index)

    def finish(self, index: int) -> None:
        """Put its output in its place."""
        self._checkpoint(index, complete=True)
        self._seal(index, self._opened)

    def fail(self, index: int, error: str) -> None:
        """What there is of its output is dropped, and counts for nothing: the next run begins it again."""
        self._opened.drop()
        self._journal.fail(index, error)
        self.inputs[index].tally = Tally()

    def end(self) -> None:
        """Inputs that the limit left unfinished are finished with it."""
        for index, progress in self.inputs.items():
            if progress.stage == "begun":
                self.open(index)
                self.finish(index)
        self._journal.end()

    def close(self) -> None:
        """Close the files; what is partial stays, for the next run."""
        if self._output is not None:
            self._output.close()
        self._journal.close()

    @property
    def _opened(self) -> Output:
        assert self._output is not None
        return self._output

    def _checkpoint(self, index: int, *, complete: bool = False) -> None:
        self._opened.settle()
        self._journal.checkpoint(index, complete=complete)
        self._settled = time.monotonic()

    def _seal(self, index: int, output: Output) -> None:
        output.seal(self.plan.job.target_kind)
        self._journal.done(index)


def _stamp(item: Input) -> list[int]:
    if item.path == STANDARD or item.kind == "files":
        return []
    found = os.stat(item.path)
    return [found.st_size, found.st_mtime_ns]
