"""Log each request as a JSON object on a line: numbers and codes, no content."""

from __future__ import annotations

import logging
import time
import traceback
from typing import Any, Final

import orjson

from .metrics import Metrics

LOG: Final = logging.getLogger("ocml_bridge.gateway")


class Entry:
    """The log entry of one request.

    Args:
        path: the path of the request.
        metrics: counts the request.

    Attributes:
        written: whether the line is written.
    """

    def __init__(self, path: str, metrics: Metrics) -> None:
        self._metrics = metrics
        self._started = time.monotonic()
        self._known: dict[str, Any] = {"path": path}
        self.written = False

    def know(self, **members: Any) -> None:
        """Add fields to the entry."""
        self._known.update(members)

    def begin(self) -> None:
        """Record the time of the first event."""
        self._known.setdefault("first", self._milliseconds())

    def _milliseconds(self) -> float:
        return round((time.monotonic() - self._started) * 1000, 1)

    def write(self, status: int, **members: Any) -> None:
        """Write the line, with further fields; only the first call writes."""
        if self.written:
            return
        self.written = True
        took = self._milliseconds()
        self._known.update(members)
        self._metrics.over(status, took / 1000, self._known)
        line = {"time": round(time.time(), 3), "status": status, "milliseconds": took, **self._known}
        LOG.info("%s", orjson.dumps(line).decode())


def fault(error: Exception) -> None:
    """Log a bug: its type and place, without its message, which may hold content."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    LOG.error("%s", orjson.dumps({"time": round(time.time(), 3), "fault": type(error).__name__, "at": places}).decode())
