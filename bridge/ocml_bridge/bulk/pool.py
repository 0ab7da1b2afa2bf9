"""Chunks converted by several processes at once, handed back in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import NamedTuple

from ..errors import BridgeError, ErrorCode
from .records import Chunk, Done, Input, Job
from .work import work


class Step(NamedTuple):
    """Something that happens while inputs are read.

    Attributes:
        input: which input it is about.
        chunk: the records that were read; None where the input begins or ends.
        error: why it cannot be read on; None where it can.
        last: whether this is the end of the input.
    """

    input: int
    chunk: Chunk | None = None
    error: str | None = None
    last: bool = False


def converted(
    steps: Iterable[Step], inputs: tuple[Input, ...], job: Job, jobs: int
) -> Generator[tuple[Step, Done | None]]:
    """Each step with what came of its chunk, in order; a few chunks are in flight at a time.

    Raises:
        BridgeError: what `work` raises, and OCB-INTERNAL where a process dies.
    """
    if jobs == 1:
        for step in steps:
            yield step, None if step.chunk is None else work(step.chunk, inputs[step.input], job)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
    try:
        yield from _in_order(pool, steps, inputs, job, 2 * jobs)
    except BrokenProcessPool as error:
        message = (
            "a process that converts records died, perhaps for want of memory; --resume goes on behind what is done"
        )
        raise BridgeError(ErrorCode.INTERNAL, message) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, steps: Iterable[Step], inputs: tuple[Input, ...], job: Job, most: int
) -> Iterator[tuple[Step, Done | None]]:
    flying: deque[tuple[Step, Future[Done] | None]] = deque()
    for step in steps:
        future = None
        if step.chunk is not None:
            with _no_interrupts():  # submitting starts processes, which inherit this for their lives
                future = pool.submit(work, step.chunk, inputs[step.input], job)
        # Its payload is the worker's now.
        flying.append((step if step.chunk is None else _without_payload(step, step.chunk), future))
        while len(flying) > most:
            yield _landed(*flying.popleft())
    while flying:
        yield _landed(*flying.popleft())


def _without_payload(step: Step, chunk: Chunk) -> Step:
    return step._replace(chunk=chunk._replace(payload=None))


def _landed(step: Step, future: Future[Done] | None) -> tuple[Step, Done | None]:
    return step, None if future is None else future.result()


@contextmanager
def _no_interrupts() -> Generator[None]:
    """Leave Ctrl-C for later: the parent alone takes care of it. Windows has no such mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """A worker does not outlive its parent, however that ends, and leaves interrupts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
