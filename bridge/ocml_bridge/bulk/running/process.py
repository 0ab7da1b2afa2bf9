"""Run the loop of a worker process: it runs tasks of its parent until there are no more."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from ..batch import unexpected
from ..containers.lines import newlines
from ..records import Input, Job, RangeResult
from ..work import Watch, work
from .limits import Heartbeat, Limits, limit_memory, rest
from .outputs import append, prepare
from .steps import Step, StepResult


class Task(NamedTuple):
    """A task for a worker process."""

    name: str
    step: Step
    part: str | None = None


CONVERT: Final = "convert"
COUNT: Final = "count"
OUTPUT: Final = "errand"


def serve(connection: Connection, beats: Any, slot: int, inputs: tuple[Input, ...], job: Job, limits: Limits) -> None:
    """Run tasks until the parent closes the connection or ends. Interrupts are left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(limits.memory)
    watch = Heartbeat(beats, slot, limits.seconds)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = _done(task, inputs, job, watch)
        except OSError as error:
            answer = error
        except Exception as error:
            answer = unexpected(error)
        rest(beats, slot)
        try:
            connection.send(answer)
        except OSError:  # its parent was killed
            return


def _done(task: Task, inputs: tuple[Input, ...], job: Job, watch: Watch) -> int | RangeResult | StepResult:
    """Run a task, and return its result."""
    if task.name == OUTPUT:
        return run_output_task(task.step, inputs, job)
    assert task.step.piece is not None
    if task.name == COUNT:
        return newlines(inputs[task.step.input], task.step.piece)
    return work(task.step.piece, inputs[task.step.input], job, task.part, watch)


def run_output_task(step: Step, inputs: tuple[Input, ...], job: Job) -> StepResult:
    """Append parts to files, or prepare complete files, as a step requires."""
    return StepResult(
        step,
        appended=tuple(append(each, inputs[each.input], job) for each in step.append),
        prepared=tuple(prepare(index, rows, inputs[index], job) for index, rows in step.prepare),
    )


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def no_interrupts() -> Generator[None]:
    """Block Ctrl-C, which only the parent handles; Windows has no such mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # starting it would end the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
