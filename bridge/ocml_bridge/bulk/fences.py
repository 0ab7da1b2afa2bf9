"""How long one record may take, and how much memory; what exceeds them is quarantined, and the run goes on."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from .work import Watch

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


def watch(beats: Any, slot: int, seconds: float) -> Watch:
    """What a process says to its parent by memory that they share: which row it is at, and when that takes too long."""
    at = 2 * slot

    def begin(number: int, size: int) -> None:
        beats[at] = number
        beats[at + 1] = time.monotonic() + seconds + size / _MB

    return begin


def rest(beats: Any, slot: int) -> None:
    """Nothing is converted now."""
    beats[2 * slot], beats[2 * slot + 1] = -1.0, inf


def row_of(beats: Any, slot: int) -> int:
    """The row that a process is at; -1 for none."""
    return int(beats[2 * slot])


def is_overdue(beats: Any, slot: int) -> bool:
    """Whether its row takes too long."""
    return time.monotonic() > beats[2 * slot + 1]
