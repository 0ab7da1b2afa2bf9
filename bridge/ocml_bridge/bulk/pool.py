"""Ranges converted by several processes at once, handed back in order.

A process that dies, or that is at one record for too long, is replaced by another one: the record is quarantined, and
its range converted again without it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Final, Protocol

from ..errors import BridgeError, ErrorCode
from .fences import Alarm, Limits, is_overdue, rest, row_of, too_long
from .lines import newlines
from .process import CONVERT, COUNT, ERRAND, Task, errand, no_interrupts, serve
from .records import Done, Input, Job
from .steps import Landed, Step
from .work import work

_MOST_DEATHS: Final = 100
"""How many processes may die of one range."""
_PATIENCE: Final = 1.0
"""How often it is looked whether a record takes too long, in seconds."""


class Pool(Protocol):
    """Where steps are done: they come back in order, and errands as soon as they are done, in their own."""

    def add(self, step: Step) -> None:
        """Do a step, as soon as that can be."""
        ...

    def ready(self) -> bool:
        """Whether the next step is done, or too many are under way to add another one."""
        ...

    def busy(self) -> bool:
        """Whether any step is left to come back."""
        ...

    def next(self) -> Landed:
        """The next step, when it is done."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


def pool(inputs: tuple[Input, ...], job: Job, jobs: int, limits: Limits, parts: str | None) -> Pool:
    """Processes to convert ranges with, or this one.

    Args:
        inputs: all inputs.
        job: how to convert them.
        jobs: how many processes; 0 for this one.
        limits: what a record may cost.
        parts: the folder that ranges are written to; None for a dry run.
    """
    return _Processes(inputs, job, jobs, limits, parts) if jobs else _Here(inputs, job, limits, parts)


class _Here:
    """This process does everything itself, when it is asked for it."""

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

    def next(self) -> Landed:
        step = self._steps.popleft()
        if step.is_errand:
            return errand(step, self._inputs, self._job)
        if step.piece is None:
            return Landed(step)
        item, piece = self._inputs[step.input], step.piece
        if piece.before is None:
            piece = piece._replace(before=self._before)
        if piece.followed:
            self._before = (piece.before or 0) + newlines(item, piece)
        self._number += 1
        part = None if self._parts is None else os.path.join(self._parts, str(self._number))
        done = work(piece, item, self._job, part, self._alarm)
        return Landed(step, done, part)

    def close(self) -> None:
        self._alarm.close()


@dataclass(slots=True)
class _Flight:
    """A step under way.

    Attributes:
        step: the step.
        part: where its range is written.
        landed: what came of it; None until then.
        flying: whether a process is at it.
        newlines: how many lines end in its range, where they have to be counted; -1 until then.
        deaths: how many processes died of it, by the row that they were at.
    """

    step: Step
    part: str | None
    landed: Landed | None = None
    flying: bool = False
    newlines: int = -1
    deaths: Counter[int] = field(default_factory=Counter[int])

    @property
    def is_uncounted(self) -> bool:
        """Whether the range behind this one waits for its count."""
        return self.step.piece is not None and self.step.piece.followed and self.newlines < 0

    @property
    def is_done(self) -> bool:
        """Whether all of it is done."""
        return self.landed is not None and not self.is_uncounted


@dataclass(slots=True)
class _Worker:
    """A process, and what it is at."""

    slot: int
    process: Any
    connection: Connection
    flight: _Flight | None = None


class _Processes:
    """Processes that convert ranges, a few more of which are under way than there are processes."""

    def __init__(self, inputs: tuple[Input, ...], job: Job, jobs: int, limits: Limits, parts: str | None) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._worker_arguments = (inputs, job, limits)
        self._limits = limits
        self._parts = parts
        self._beats: Any = self._context.RawArray("d", 2 * jobs)
        self._free = list(range(jobs))
        self._most = 4 * jobs
        self._workers: list[_Worker] = []
        self._flights: deque[_Flight] = deque()
        self._errands: deque[_Flight] = deque()
        self._number = 0
        self._before: int | None = None
        """How many lines are before the first range under way, where the one before it was counted for it."""

    def add(self, step: Step) -> None:
        self._number += 1
        # Processes of a run that was killed a moment ago write to names of their own.
        name = f"{os.getpid()}-{self._number}"
        part = None if self._parts is None else os.path.join(self._parts, name)
        landed = None if step.piece is not None or step.is_errand else Landed(step)
        (self._errands if step.is_errand else self._flights).append(_Flight(step, part, landed))
        self._number_lines()
        self._turn(0)

    def ready(self) -> bool:
        return self._first_done() is not None or len(self._flights) >= self._most

    def busy(self) -> bool:
        return bool(self._flights or self._errands)

    def next(self) -> Landed:
        while (done := self._first_done()) is None:
            self._turn(_PATIENCE)
        flight = done.popleft()
        if flight.step.piece is not None:
            self._before = (flight.step.piece.before or 0) + flight.newlines
        assert flight.landed is not None
        return flight.landed

    def _first_done(self) -> deque[_Flight] | None:
        """What has a step in front that is done; None where nothing has."""
        return next((each for each in (self._errands, self._flights) if each and each[0].is_done), None)

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers.clear()

    def _turn(self, timeout: float) -> None:
        """Give processes what there is to do, and take what they have done."""
        self._assign()
        flying = {worker.connection: worker for worker in self._workers if worker.flight is not None}
        for connection in wait(list(flying), timeout):
            worker = flying[connection]  # pyright: ignore[reportArgumentType]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                self._died(worker, overdue=False)
            else:
                self._land(worker, answer)
        for worker in [*self._workers]:
            if worker.flight is not None and is_overdue(self._beats, worker.slot):
                worker.process.kill()
                self._died(worker, overdue=True)
        self._assign()

    def _assign(self) -> None:
        idle = [worker for worker in self._workers if worker.flight is None]
        while (idle or self._free) and (found := self._next_task()) is not None:
            flight, task = found
            worker = idle.pop() if idle else self._start()
            worker.flight, flight.flying = flight, True
            rest(self._beats, worker.slot)
            with suppress(OSError):  # a process that is gone is found where it is waited for
                worker.connection.send(task)

    def _next_task(self) -> tuple[_Flight, Task] | None:
        """What is to be done first: errands, then lines that have to be counted, so that others know their numbers."""
        for flight in self._errands:
            if not flight.flying and flight.landed is None:
                return flight, Task(ERRAND, flight.step)
        for flight in self._flights:
            if not flight.flying and flight.is_uncounted:
                return flight, Task(COUNT, flight.step)
        for flight in self._flights:
            if flight.flying or flight.landed is not None:
                continue
            if flight.step.piece is not None and flight.step.piece.before is not None:
                return flight, Task(CONVERT, flight.step, flight.part)
        return None

    def _land(self, worker: _Worker, answer: Any) -> None:
        flight, worker.flight = worker.flight, None
        if isinstance(answer, BaseException):
            raise answer
        assert flight is not None
        flight.flying = False
        if isinstance(answer, int):
            flight.newlines = answer
            self._number_lines()
        elif isinstance(answer, Done):
            flight.landed = Landed(flight.step, answer, flight.part)
        else:
            flight.landed = answer

    def _number_lines(self) -> None:
        """Tell ranges how many lines are before them, as far as that is known."""
        lines = self._before
        for flight in self._flights:
            piece = flight.step.piece
            if piece is None:
                continue
            if piece.before is None and lines is not None:
                piece = piece._replace(before=lines)
                flight.step = flight.step._replace(piece=piece)
            known = piece.before is not None and flight.newlines >= 0
            lines = (piece.before or 0) + flight.newlines if known else None

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        slot = self._free.pop(0)
        rest(self._beats, slot)
        process = self._context.Process(
            target=serve, args=(theirs, self._beats, slot, *self._worker_arguments), daemon=True
        )
        with no_interrupts():  # which a process inherits for its life
            process.start()
        theirs.close()
        worker = _Worker(slot, process, ours)
        self._workers.append(worker)
        return worker

    def _died(self, worker: _Worker, *, overdue: bool) -> None:
        """Let another process do what this one was at, without the record that it died of."""
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)
        self._free.append(worker.slot)
        flight = worker.flight
        if flight is None:
            return
        row, code = row_of(self._beats, worker.slot), worker.process.exitcode
        flight.flying = False
        flight.deaths[row] += 1
        again = flight.deaths[row] > 1
        how = f"signal {-code}" if code < 0 else f"status {code}"
        piece = flight.step.piece
        if piece is None or (row < 0 and again) or flight.deaths.total() > _MOST_DEATHS:
            item = "" if piece is None else self._worker_arguments[0][flight.step.input].path
            what = f"processes that read {item} die" if item else "a process that wrote outputs died"
            message = f"{what} ({how}); --resume continues after the records that are done"
            raise BridgeError(ErrorCode.INTERNAL, message)
        if overdue:
            why = too_long(self._limits.seconds)
        elif again:
            why = f"the process that converted this record died twice ({how}), perhaps for lack of memory"
        else:
            return
        flight.step = flight.step._replace(piece=piece._replace(refused=(*piece.refused, (row, why))))
