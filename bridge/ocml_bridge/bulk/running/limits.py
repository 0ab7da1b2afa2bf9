"""Limit the time and the memory for one record; a record that exceeds them is quarantined, and the run continues."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..work import OverdueError

SECONDS: Final = 60.0
"""The default time limit of a record in seconds; a second for each MB is added."""
_MB: Final = 1_000_000
_MIN_MEMORY: Final = 1 << 30
"""The minimal memory limit of a process: libraries that read columns need much of it before the first record."""
_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class Limits(NamedTuple):
    """The limits of a record.

    Attributes:
        seconds: the time limit; a second for each MB of the record is added.
        memory: the memory limit of the process that converts it, in bytes; None for no limit.
    """

    seconds: float = SECONDS
    memory: int | None = None


NO_LIMITS: Final = Limits()
"""The default limits."""


def share(jobs: int) -> int | None:
    """Return an equal share of the memory for each process and this one, at least 1 GiB; None if it is not known."""
    found: list[int] = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _CGROUPS:
        with suppress(OSError, ValueError):  # "max" is not a number
            found.append(int(Path(path).read_text("ascii")))
    return max(_MIN_MEMORY, min(found) // (jobs + 1)) if found else None


def limit_memory(memory: int | None) -> None:
    """Limit the memory of this process, if the system can; allocations above the limit fail."""
    if memory is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (memory, hard))


# --- in worker processes ----------------------------------------------------------------------------------------------


class Heartbeat:
    """Reports to the parent, in shared memory, which row a worker converts, and its deadline.

    Args:
        beats: the shared memory.
        slot: the index of the worker.
        seconds: the time limit of a row.
    """

    def __init__(self, beats: Any, slot: int, seconds: float) -> None:
        self._beats = beats
        self._at = 2 * slot
        self._seconds = seconds

    def begin(self, number: int, size: int) -> None:
        """Report that a row is being converted."""
        self._beats[self._at] = number
        self._beats[self._at + 1] = time.monotonic() + self._seconds + size / _MB

    def end(self) -> None:
        """Report that it is converted; writing its output has no deadline."""
        self._beats[self._at + 1] = inf


def rest(beats: Any, slot: int) -> None:
    """Mark a worker as idle."""
    beats[2 * slot], beats[2 * slot + 1] = -1.0, inf


def row_of(beats: Any, slot: int) -> int:
    """Return the row that a worker converts; -1 for none."""
    return int(beats[2 * slot])


def is_overdue(beats: Any, slot: int) -> bool:
    """Return whether the row of a worker exceeds its deadline."""
    return time.monotonic() > beats[2 * slot + 1]


def too_long(seconds: float) -> str:
    """Return the reason for quarantining a row that exceeds its deadline."""
    return f"the record takes longer than {seconds:g} seconds; --seconds allows more"


# --- in this process --------------------------------------------------------------------------------------------------


class Alarm:
    """The limits of a process that converts rows itself: a timer for each row, and a memory limit.

    A row that kills the process ends the run. On systems without a timer there is no time limit.

    Args:
        limits: the limits of a row.
    """

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.seconds
        self._until = inf
        self._before: Any = None
        self._memory: tuple[int, int] | None = None
        with suppress(AttributeError, ValueError):  # other systems, and other threads than the main one
            self._before = signal.signal(signal.SIGVTALRM, self._ring) or signal.SIG_DFL
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
        with suppress(ImportError):
            import resource

            self._memory = resource.getrlimit(resource.RLIMIT_DATA)
            limit_memory(None if limits.memory is None else limits.memory + _memory_in_use())

    def begin(self, number: int, size: int) -> None:  # noqa: ARG002
        """Start the time limit of a row."""
        self._until = time.monotonic() + self._seconds + size / _MB

    def end(self) -> None:
        """End the time limit of the row."""
        self._until = inf

    def close(self) -> None:
        """Remove the limits."""
        if self._before is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)
        if self._memory is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, self._memory)

    def _ring(self, _signal: int, _frame: object) -> None:
        now = time.monotonic()
        if now > self._until:
            self._until = now + self._seconds
            raise OverdueError(too_long(self._seconds))


_TICK: Final = 0.5
"""The interval of the timer, in seconds of CPU time."""


def _memory_in_use() -> int:
    """Return the memory that this process uses in bytes, or `_MIN_MEMORY` if it is not known."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    return _MIN_MEMORY
