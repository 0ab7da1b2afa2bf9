"""What a process of a run does: one task after the other, until its parent has no more."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from .batch import unexpected
from .fences import Beats, Limits, limit_memory, rest
from .lines import newlines
from .outputs import append, prepare
from .records import Done, Input, Job
from .steps import Landed, Step
from .work import Watch, work


class Task(NamedTuple):
    """What a process is to do."""

    name: str
    step: Step
    part: str | None = None


CONVERT: Final = "convert"
COUNT: Final = "count"
ERRAND: Final = "errand"


def serve(connection: Connection, beats: Any, slot: int, inputs: tuple[Input, ...], job: Job, limits: Limits) -> None:
    """What a process does: one task after the other. It leaves interrupts to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(limits.memory)
    watch = Beats(beats, slot, limits.seconds)
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


def _done(task: Task, inputs: tuple[Input, ...], job: Job, watch: Watch) -> int | Done | Landed:
    """What comes of a task."""
    if task.name == ERRAND:
        return errand(task.step, inputs, job)
    assert task.step.piece is not None
    if task.name == COUNT:
        return newlines(inputs[task.step.input], task.step.piece)
    return work(task.step.piece, inputs[task.step.input], job, task.part, watch)


def errand(step: Step, inputs: tuple[Input, ...], job: Job) -> Landed:
    """Do what a step says of files that are written."""
    return Landed(
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
    """Leave Ctrl-C for later: the parent alone takes care of it. Windows has no such mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which ends the mask where it has to be started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
