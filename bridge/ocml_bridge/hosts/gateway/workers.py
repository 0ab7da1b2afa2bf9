"""Work beside the event loop that holds it up as little as it can."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Final, TypeVar

LARGE: Final = 65_536
"""From this many bytes on, what is converted waits its turn beside the event loop, which goes on meanwhile."""

Given = TypeVar("Given")
Made = TypeVar("Made")


class _Collector:
    """The cyclic collector, put off while anyone asks: it stops all threads while it looks at everything there is.

    Conversions make millions of objects and no cycles.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = 0

    def __enter__(self) -> None:
        with self._lock:
            self._asked += 1
            gc.disable()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._asked -= 1
            if not self._asked:
                gc.enable()


_COLLECTOR = _Collector()


def uncollected(work: Callable[[Given], Made], given: Given) -> Made:
    """What a function makes, while the cyclic collector waits."""
    with _COLLECTOR:
        return work(given)
