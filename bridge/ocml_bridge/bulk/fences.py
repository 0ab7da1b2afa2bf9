"""How long one record may take, and how much memory; what exceeds them is quarantined, and the run goes on."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from .work import OverdueError

SECONDS: Final = 60.0
"""How long a record may take where nothing else is said; one for each MB of it is added."""
_MB: Final = 1_000_000
_LEAST: Final = 1 << 30
"""What each process may have in any case: libraries that read columns take much of it before the first record."""
_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class Limits(NamedTuple):
    """What a record may cost.

    Attributes:
        seconds: how long it may take; a second for each MB of it is added.
        memory: how much memory the process that converts it may have, in bytes; None for all there is.
    """

    seconds: float = SECONDS
    memory: int | None = None


NO_LIMITS: Final = Limits()
"""What a record may cost where nobody said how much."""


def share(jobs: int) -> int | None:
    """An equal share of the memory for each process and this one, 1 GiB at least; None where it cannot be told."""
    found: list[int] = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _CGROUPS:
        with suppress(OSError, ValueError):  # "max" is no number
            found.append(int(Path(path).read_text("ascii")))
    return max(_LEAST, min(found) // (jobs + 1)) if found else None


def limit_memory(memory: int | None) -> None:
    """Let this process have no more memory; what would take it gets an error. Not every system can."""
    if memory is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (memory, hard))


# --- in processes of their own ----------------------------------------------------------------------------------------


class Beats:
    """What a process says to its parent by memory that they share: which row it is at, and when that takes too long.

    Args:
        beats: the memory.
        slot: which part of it is the process's.
        seconds: how long a row may take.
    """

    def __init__(self, beats: Any, slot: int, seconds: float) -> None:
        self._beats = beats
        self._at = 2 * slot
        self._seconds = seconds

    def begin(self, number: int, size: int) -> None:
        """A row is converted now."""
        self._beats[self._at] = number
        self._beats[self._at + 1] = time.monotonic() + self._seconds + size / _MB

    def end(self) -> None:
        """It is converted; what is written of it may take as long as that takes."""
        self._beats[self._at + 1] = inf


def rest(beats: Any, slot: int) -> None:
    """Nothing is converted now."""
    beats[2 * slot], beats[2 * slot + 1] = -1.0, inf


def row_of(beats: Any, slot: int) -> int:
    """The row that a process is at; -1 for none."""
    return int(beats[2 * slot])


def is_overdue(beats: Any, slot: int) -> bool:
    """Whether its row takes too long."""
    return time.monotonic() > beats[2 * slot + 1]


def too_long(seconds: float) -> str:
    """Why a row is quarantined that takes too long."""
    return f"the record takes longer than {seconds:g} seconds; --seconds allows more"


# --- in the command's own process -------------------------------------------------------------------------------------


class Alarm:
    """The fences of a process that converts by itself: a timer for each row, and a limit for all it takes.

    A row that kills the process ends the run: nobody is left to give it up. Where there is no timer, there is no limit.

    Args:
        limits: what a row may cost.
    """

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.seconds
        self._until = inf
        self._before: Any = None
        self._memory: tuple[int, int] | None = None
        with suppress(AttributeError, ValueError):  # systems without it, and threads beside the first
            self._before = signal.signal(signal.SIGVTALRM, self._ring) or signal.SIG_DFL
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
        with suppress(ImportError):
            import resource

            self._memory = resource.getrlimit(resource.RLIMIT_DATA)
            limit_memory(None if limits.memory is None else limits.memory + _memory_in_use())

    def begin(self, number: int, size: int) -> None:  # noqa: ARG002
        """A row is converted now."""
        self._until = time.monotonic() + self._seconds + size / _MB

    def end(self) -> None:
        """It is converted, or given up."""
        self._until = inf

    def close(self) -> None:
        """Take the fences away."""
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
"""How often it is looked whether a row takes too long, in seconds of work."""


def _memory_in_use() -> int:
    """How much memory this process has already, where that can be told."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    return _LEAST
