"""A whole migration: inputs to outputs, with a journal to go on from.

Processes read and write ranges of inputs by themselves. This one finds the ranges, joins in order what was written of
them, and keeps the journal.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from itertools import accumulate
from typing import BinaryIO, Final

from ..errors import BridgeError, ErrorCode
from . import forms, parquet
from .compression import ending, is_plain_file, open_plain, reading_errors
from .durable import discard
from .encodings import is_wide
from .parts import discard_part
from .plan import Finished, Plan
from .pool import Pool, pool
from .progress import Counted, Written
from .records import CHUNK_BYTES, Input, Position, Range
from .selection import Selection
from .steps import Landed, Step
from .unpacking import Lines, unpacked
from .work import CONTAINERS

_FATAL: Final = (ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY)
"""What is wrong with the machine and not with a record: the run ends, and can be continued."""

Watch = Callable[[int, int], None]
"""What is told after each range: how many bytes were read in all, and how many records of this run are converted."""


def run(plan: Plan, watch: Watch) -> Finished:
    """Convert inputs.

    Raises:
        BridgeError: OCB-OPTION for a folder that has another run; OCB-DEPENDENCY for a library that is missing;
            OCB-INTERNAL where counts do not add up, or processes die of no record.
        OSError: where outputs cannot be written.
    """
    for item in plan.inputs:
        forms.check(item.into)
        if item.kind == "parquet":
            parquet.check(item, plan.job)
    progress = Counted(plan) if plan.job.folder is None else Written(plan, plan.job.folder)
    with closing(progress):
        begin = progress.begin()
        processes = pool(plan.inputs, plan.job, _processes(plan), plan.limits, progress.parts)
        with closing(processes):
            return _Run(plan, progress, processes, watch).to_its_end(begin)


class _Run:
    """A run under way."""

    def __init__(self, plan: Plan, progress: Counted, processes: Pool, watch: Watch) -> None:
        self._plan = plan
        self._progress = progress
        self._pool = processes
        self._watch = watch
        self._failed: set[int] = set()
        self._before = list(accumulate((item.size for item in plan.inputs), initial=0))
        self._rows = 0
        self._errands = 0
        self._selection = None if plan.choice is None else Selection(plan.choice)
        self._finished = Finished(progress.inputs, selection=self._selection)

    def to_its_end(self, begin: dict[int, Position | None]) -> Finished:
        """Convert what is left, or all up to a record that is quarantined."""
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
        self._settle_all()
        self._progress.end()
        return finished

    def _stopped(self) -> Finished:
        """What is left where a record ends the run: all that was converted before it is kept."""
        self._settle_all()
        self._finished.stopped = True
        return self._finished

    def _steps(self, begin: dict[int, Position | None], limit: int | None) -> Generator[Step]:
        """Inputs, in order, each in its ranges."""
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
            yield from unpacked(item, found, self._progress.room, position, limit)

    def _remember(self, item: Input) -> None:
        """Look at an input that is done already, where a conversation in it is not to come again."""
        lines = CONTAINERS[item.kind].lines
        if self._selection is not None and lines is not None:
            content, raw = open_plain(item.path)
            with raw, content:
                deque(self._selection.of(item, lines(content)), maxlen=0)

    def _take(self, landed: Landed) -> bool:
        """Keep what came of a step; whether to go on."""
        step, done = landed.step, landed.done
        stop = False
        if step.is_errand:
            self._put(landed)
        elif step.input in self._failed:
            if landed.part is not None:
                discard_part(landed.part)
        elif done is not None and done.error is None:
            self._check(step, landed)
            self._progress.append(step.input, done, landed.part)
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
            self._settle(now=False)
        return not stop

    def _check(self, step: Step, landed: Landed) -> None:
        assert landed.done is not None
        tally = landed.done.tally
        tally.check(landed.done.rows, self._plan.inputs[step.input].path)
        for code in _FATAL:
            if code in tally.errors:
                raise BridgeError(code, str(tally.errors[code].examples[0]["message"]))

    def _put(self, landed: Landed) -> None:
        """Keep what came of an errand."""
        self._errands -= 1
        if landed.prepared:
            self._progress.put_in_place(landed.prepared)
        elif prepare := self._progress.settled(landed.appended):
            self._send(Step(-1, prepare=prepare))

    def _settle(self, *, now: bool) -> bool:
        """Add to outputs what is due; whether anything is."""
        due = self._progress.due(now=now)
        if due:
            self._send(Step(-1, append=due))
        return bool(due)

    def _send(self, errand: Step) -> None:
        self._errands += 1
        self._pool.add(errand)

    def _settle_all(self) -> None:
        """Add to outputs all that came back; of ranges that are still under way, nothing is kept."""
        while self._settle(now=True) or self._errands:
            landed = self._pool.next()
            if landed.step.is_errand:
                self._put(landed)


def _chosen(selection: Selection, item: Input, lines: Lines, content: BinaryIO) -> Iterator[bytes]:
    return selection.of(item, lines(content))


def _processes(plan: Plan) -> int:
    """No more processes than there is work for; none for little. Sizes that are not known are taken for large."""
    size = 0
    for item in plan.inputs:
        if item.kind != "files" and not os.path.isfile(item.path):
            return plan.jobs
        size += item.size * (_PACKED if ending(item.path) else 1)
    return min(plan.jobs, size // CHUNK_BYTES)


_PACKED: Final = 8
"""How many times its size a compressed file may have to give."""
