"""Convert ranges in several processes at once, and return the results in order.

A process that dies, or that exceeds the time limit of a record, is replaced: the record is quarantined, and its range
is converted again without it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Final, Protocol

from ...errors import BridgeError, ErrorCode
from ..containers.lines import newlines
from ..records import Input, Job, RangeResult
from ..work import work
from .limits import Alarm, Limits, is_overdue, rest, row_of, too_long
from .process import CONVERT, COUNT, OUTPUT, Task, no_interrupts, run_output_task, serve
from .steps import Step, StepResult

_MOST_DEATHS: Final = 100
"""The maximal number of processes that may die at one range."""
_PATIENCE: Final = 1.0
"""The interval in seconds at which time limits are checked."""


class Pool(Protocol):
    """Runs steps, and returns results in order; those of output tasks as soon as they are done, in their own order."""

    def add(self, step: Step) -> None:
        """Run a step as soon as possible."""
        ...

    def ready(self) -> bool:
        """Return whether the next result is there, or too many steps are pending to add another one."""
        ...

    def busy(self) -> bool:
        """Return whether any result is still to be returned."""
        ...

    def next(self) -> StepResult:
        """Wait for the next result, and return it."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


def pool(inputs: tuple[Input, ...], job: Job, jobs: int, limits: Limits, parts: str | None) -> Pool:
    """Return a pool of processes, or one that runs steps in this process.

    Args:
        inputs: all inputs.
        job: how to convert them.
        jobs: the number of processes; 0 for this process.
        limits: the limits of a record.
        parts: the folder that ranges are written to; None for a dry run.
    """
    return _Processes(inputs, job, jobs, limits, parts) if jobs else _InProcess(inputs, job, limits, parts)


class _InProcess:
    """Runs each step in this process, when its result is requested."""

    def __init__(self, inputs: tuple[Input, ...], job: Job, limits: Limits, parts: str | None) -> None:
        self._inputs = inputs
        self._job = job
        self._alarm = Alarm(limits)
        self._parts = parts
        self._steps: deque[Step] = deque()
        self._number = 0
        self._before = 0

    def add(self, step: Step) -> None:
        self._steps.append(step)

    def ready(self) -> bool:
        return bool(self._steps)

    def busy(self) -> bool:
        return bool(self._steps)

    def next(self) -> StepResult:
        step = self._steps.popleft()
        if step.is_output_task:
            return run_output_task(step, self._inputs, self._job)
        if step.piece is None:
            return StepResult(step)
        item, piece = self._inputs[step.input], step.piece
        if piece.before is None:
            piece = piece._replace(before=self._before)
        if piece.followed:
            self._before = (piece.before or 0) + newlines(item, piece)
        self._number += 1
        part = None if self._parts is None else os.path.join(self._parts, str(self._number))
        done = work(piece, item, self._job, part, self._alarm)
        return StepResult(step, done, part)

    def close(self) -> None:
        self._alarm.close()


@dataclass(slots=True)
class _PendingStep:
    """A step that is pending, or whose result is not returned yet.

    Attributes:
        step: the step.
        part: the path that its range is written to.
        result: its result; None while it is pending.
        running: whether a process is running it.
        newlines: the number of line ends in its range, if they have to be counted; -1 until then.
        deaths: the number of processes that died at it, by the row that they were converting.
    """

    step: Step
    part: str | None
    result: StepResult | None = None
    running: bool = False
    newlines: int = -1
    deaths: Counter[int] = field(default_factory=Counter[int])

    @property
    def is_uncounted(self) -> bool:
        """Return whether the next range waits for the line count of this one."""
        return self.step.piece is not None and self.step.piece.followed and self.newlines < 0

    @property
    def is_done(self) -> bool:
        """Return whether its result and its line count are there."""
        return self.result is not None and not self.is_uncounted


@dataclass(slots=True)
class _Worker:
    """A process, and the step that it is running."""

    slot: int
    process: Any
    connection: Connection
    pending: _PendingStep | None = None


class _Processes:
    """Runs steps in processes; a few more steps are pending than there are processes."""

    def __init__(self, inputs: tuple[Input, ...], job: Job, jobs: int, limits: Limits, parts: str | None) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._worker_arguments = (inputs, job, limits)
        self._limits = limits
        self._parts = parts
        self._heartbeats: Any = self._context.RawArray("d", 2 * jobs)
        self._free = list(range(jobs))
        self._most = 4 * jobs
        self._workers: list[_Worker] = []
        self._pending: deque[_PendingStep] = deque()
        self._output_tasks: deque[_PendingStep] = deque()
        self._number = 0
        self._before: int | None = None
        """The number of lines before the first pending range; None if they are not counted."""

    def add(self, step: Step) -> None:
        self._number += 1
        # The name has the pid because processes of a run that was just killed may still write.
        name = f"{os.getpid()}-{self._number}"
        part = None if self._parts is None else os.path.join(self._parts, name)
        result = None if step.piece is not None or step.is_output_task else StepResult(step)
        (self._output_tasks if step.is_output_task else self._pending).append(_PendingStep(step, part, result))
        self._number_lines()
        self._exchange(0)

    def ready(self) -> bool:
        return self._first_done() is not None or len(self._pending) >= self._most

    def busy(self) -> bool:
        return bool(self._pending or self._output_tasks)

    def next(self) -> StepResult:
        while (done := self._first_done()) is None:
            self._exchange(_PATIENCE)
        pending = done.popleft()
        if pending.step.piece is not None:
            self._before = (pending.step.piece.before or 0) + pending.newlines
        assert pending.result is not None
        return pending.result

    def _first_done(self) -> deque[_PendingStep] | None:
        """Return the queue whose first step is done; None if there is none."""
        return next((each for each in (self._output_tasks, self._pending) if each and each[0].is_done), None)

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers.clear()

    def _exchange(self, timeout: float) -> None:
        """Send tasks to idle processes, and receive results."""
        self._assign()
        running = {worker.connection: worker for worker in self._workers if worker.pending is not None}
        for connection in wait(list(running), timeout):
            worker = running[connection]  # pyright: ignore[reportArgumentType]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                self._replace_dead(worker, overdue=False)
            else:
                self._receive(worker, answer)
        for worker in [*self._workers]:
            if worker.pending is not None and is_overdue(self._heartbeats, worker.slot):
                worker.process.kill()
                self._replace_dead(worker, overdue=True)
        self._assign()

    def _assign(self) -> None:
        idle = [worker for worker in self._workers if worker.pending is None]
        while (idle or self._free) and (found := self._next_task()) is not None:
            pending, task = found
            worker = idle.pop() if idle else self._start()
            worker.pending, pending.running = pending, True
            rest(self._heartbeats, worker.slot)
            with suppress(OSError):  # the death of a process is noticed in `_exchange`
                worker.connection.send(task)

    def _next_task(self) -> tuple[_PendingStep, Task] | None:
        """Return the next task: output tasks first, then line counts, which the following ranges wait for."""
        for pending in self._output_tasks:
            if not pending.running and pending.result is None:
                return pending, Task(OUTPUT, pending.step)
        for pending in self._pending:
            if not pending.running and pending.is_uncounted:
                return pending, Task(COUNT, pending.step)
        for pending in self._pending:
            if pending.running or pending.result is not None:
                continue
            if pending.step.piece is not None and pending.step.piece.before is not None:
                return pending, Task(CONVERT, pending.step, pending.part)
        return None

    def _receive(self, worker: _Worker, answer: Any) -> None:
        pending, worker.pending = worker.pending, None
        if isinstance(answer, BaseException):
            raise answer
        assert pending is not None
        pending.running = False
        if isinstance(answer, int):
            pending.newlines = answer
            self._number_lines()
        elif isinstance(answer, RangeResult):
            pending.result = StepResult(pending.step, answer, pending.part)
        else:
            pending.result = answer

    def _number_lines(self) -> None:
        """Set the number of lines before ranges, as far as it is known."""
        lines = self._before
        for pending in self._pending:
            piece = pending.step.piece
            if piece is None:
                continue
            if piece.before is None and lines is not None:
                piece = piece._replace(before=lines)
                pending.step = pending.step._replace(piece=piece)
            known = piece.before is not None and pending.newlines >= 0
            lines = (piece.before or 0) + pending.newlines if known else None

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        slot = self._free.pop(0)
        rest(self._heartbeats, slot)
        process = self._context.Process(
            target=serve, args=(theirs, self._heartbeats, slot, *self._worker_arguments), daemon=True
        )
        with no_interrupts():  # the process inherits the mask
            process.start()
        theirs.close()
        worker = _Worker(slot, process, ours)
        self._workers.append(worker)
        return worker

    def _replace_dead(self, worker: _Worker, *, overdue: bool) -> None:
        """Run the step of a dead process again, without the record that the process died at."""
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)
        self._free.append(worker.slot)
        pending = worker.pending
        if pending is None:
            return
        row, code = row_of(self._heartbeats, worker.slot), worker.process.exitcode
        pending.running = False
        pending.deaths[row] += 1
        again = pending.deaths[row] > 1
        how = f"signal {-code}" if code < 0 else f"status {code}"
        piece = pending.step.piece
        if piece is None or (row < 0 and again) or pending.deaths.total() > _MOST_DEATHS:
            item = "" if piece is None else self._worker_arguments[0][pending.step.input].path
            what = f"processes that read {item} die" if item else "a process that wrote outputs died"
            message = f"{what} ({how}); --resume continues after the records that are done"
            raise BridgeError(ErrorCode.INTERNAL, message)
        if overdue:
            why = too_long(self._limits.seconds)
        elif again:
            why = f"the process that converted this record died twice ({how}), perhaps for lack of memory"
        else:
            return
        pending.step = pending.step._replace(piece=piece._replace(refused=(*piece.refused, (row, why))))
