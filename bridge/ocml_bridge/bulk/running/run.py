"""Convert inputs to outputs, with a journal from which a run can be continued.

Worker processes read and write ranges of inputs. This process finds the ranges, joins the parts in order, and writes
the journal.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from itertools import accumulate
from typing import BinaryIO, Final

from ...errors import BridgeError, ErrorCode
from ..containers import forms, parquet
from ..containers.compression import ending, is_plain_file, plain_content, reading_errors
from ..containers.encodings import is_wide
from ..containers.unpacking import Lines, unpacked
from ..plan import Finished, Plan
from ..records import CHUNK_BYTES, Input, Position, Range
from ..selection import Selection
from ..work import CONTAINERS
from .durable import discard
from .parts import discard_part
from .pool import Pool, pool
from .progress import DryRun, WritingRun
from .steps import Step, StepResult

_FATAL: Final = (ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY)
"""Errors of the environment and not of a record: the run ends, and can be continued."""

Watch = Callable[[int, int], None]
"""Called after each range with the number of bytes read in all, and the number of records of this run."""


def run(plan: Plan, watch: Watch) -> Finished:
    """Convert inputs.

    Raises:
        BridgeError: OCB-OPTION if the folder has another run; OCB-DEPENDENCY if a library is missing; OCB-INTERNAL if
            counts do not add up, or if processes die without a record.
        OSError: if outputs cannot be written.
    """
    for item in plan.inputs:
        forms.check(item.into)
        if item.kind == "parquet":
            parquet.check(item, plan.job)
    progress = DryRun(plan) if plan.job.folder is None else WritingRun(plan, plan.job.folder)
    with closing(progress):
        begin = progress.begin()
        processes = pool(plan.inputs, plan.job, _processes(plan), plan.limits, progress.parts)
        with closing(processes):
            return _Run(plan, progress, processes, watch).convert(begin)


class _Run:
    """A run in progress."""

    def __init__(self, plan: Plan, progress: DryRun, processes: Pool, watch: Watch) -> None:
        self._plan = plan
        self._progress = progress
        self._pool = processes
        self._watch = watch
        self._failed: set[int] = set()
        self._before = list(accumulate((item.size for item in plan.inputs), initial=0))
        self._rows = 0
        self._pending_outputs = 0
        self._selection = None if plan.choice is None else Selection(plan.choice)
        self._finished = Finished(progress.inputs, selection=self._selection)

    def convert(self, begin: dict[int, Position | None]) -> Finished:
        """Convert the remaining inputs, or all up to a quarantined record."""
        finished = self._finished
        left = None if self._plan.limit is None else self._plan.limit - finished.tally.rows
        with closing(self._steps(begin, left)) as steps:
            for step in steps:
                self._pool.add(step)
                while self._pool.ready():
                    if not self._take(self._pool.next()):
                        return self._stopped()
        while self._pool.busy():
            if not self._take(self._pool.next()):
                return self._stopped()
        self._progress.finish_rest()
        self._append_all()
        self._progress.end()
        return finished

    def _stopped(self) -> Finished:
        """Return the result of a run that a record ended: all that was converted before it is kept."""
        self._append_all()
        self._finished.stopped = True
        return self._finished

    def _steps(self, begin: dict[int, Position | None], limit: int | None) -> Generator[Step]:
        """Yield the steps of all inputs, in order, with their ranges."""
        for index, item in enumerate(self._plan.inputs):
            if index not in begin:
                self._remember(item)
                continue
            position = begin[index]
            if limit is not None and limit <= 0:
                return
            yield Step(index)
            try:
                for piece in self._ranges(item, position, limit):
                    limit = None if limit is None else limit - piece.rows
                    yield Step(index, piece)
                    if index in self._failed:
                        break
            except reading_errors() as error:
                yield Step(index, error=getattr(error, "strerror", None) or str(error))
            else:
                yield Step(index, last=True)

    def _ranges(self, item: Input, position: Position | None, limit: int | None) -> Generator[Range]:
        container, chosen = CONTAINERS[item.kind], self._selection
        whole = limit is None and chosen is None and is_plain_file(item.path) and not is_wide(item.path)
        if container.ranges is not None and (whole or container.lines is None):
            yield from container.ranges(item, position, limit)
        elif (lines := container.lines) is not None:
            found = lines if chosen is None else partial(_chosen, chosen, item, lines)
            yield from unpacked(item, found, self._progress.unpacked_folder, position, limit)

    def _remember(self, item: Input) -> None:
        """Read an input that is done already, so that its conversations are not repeated."""
        lines = CONTAINERS[item.kind].lines
        if self._selection is not None and lines is not None:
            with plain_content(item.path) as content:
                deque(self._selection.of(item, lines(content)), maxlen=0)

    def _take(self, result: StepResult) -> bool:
        """Process the result of a step, and return whether to continue."""
        step, done = result.step, result.done
        stop = False
        if step.is_output_task:
            self._take_output(result)
        elif step.input in self._failed:
            if result.part is not None:
                discard_part(result.part)
        elif done is not None and done.error is None:
            self._check(step, result)
            self._progress.append(step.input, done, result.part)
            self._finished.add_costs(step.input, done.costs)
            stop = bool(done.tally.quarantined) and not self._plan.job.keep_going
            self._rows += done.rows
            self._watch(self._before[step.input] + (step.piece.read if step.piece else 0), self._rows)
        elif (error := step.error or (done and done.error)) is not None:
            self._failed.add(step.input)
            self._progress.fail(step.input, error)
        elif step.last:
            self._progress.finish(step.input)
        else:
            self._progress.open(step.input)
        if step.piece is not None and step.piece.unpacked is not None:
            discard(step.piece.unpacked)
        if done is not None or step.last:
            self._append_due(now=False)
        return not stop

    def _check(self, step: Step, result: StepResult) -> None:
        assert result.done is not None
        tally = result.done.tally
        tally.check(result.done.rows, self._plan.inputs[step.input].path)
        for code in _FATAL:
            if code in tally.errors:
                raise BridgeError(code, str(tally.errors[code].examples[0]["message"]))

    def _take_output(self, result: StepResult) -> None:
        """Process the result of an output task."""
        self._pending_outputs -= 1
        if result.prepared:
            self._progress.put_in_place(result.prepared)
        elif prepare := self._progress.record_sizes(result.appended):
            self._send(Step(-1, prepare=prepare))

    def _append_due(self, *, now: bool) -> bool:
        """Append the parts that are due to outputs, and return whether there are any."""
        due = self._progress.due(now=now)
        if due:
            self._send(Step(-1, append=due))
        return bool(due)

    def _send(self, run_output_task: Step) -> None:
        self._pending_outputs += 1
        self._pool.add(run_output_task)

    def _append_all(self) -> None:
        """Append all parts whose results are there; pending ranges are dropped."""
        while self._append_due(now=True) or self._pending_outputs:
            result = self._pool.next()
            if result.step.is_output_task:
                self._take_output(result)


def _chosen(selection: Selection, item: Input, lines: Lines, content: BinaryIO) -> Iterator[bytes]:
    return selection.of(item, lines(content))


def _processes(plan: Plan) -> int:
    """Return the number of processes that there is work for; 0 for little work, all if a size is not known."""
    size = 0
    for item in plan.inputs:
        if item.kind != "files" and not os.path.isfile(item.path):
            return plan.jobs
        size += item.size * (_RATIO if ending(item.path) else 1)
    return min(plan.jobs, size // CHUNK_BYTES)


_RATIO: Final = 8
"""The assumed ratio of compression."""
