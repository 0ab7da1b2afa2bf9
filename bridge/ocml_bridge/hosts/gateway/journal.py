"""What a gateway writes down of a request: one JSON object a line, numbers and codes, never what was said."""

from __future__ import annotations

import logging
import time
from typing import Any, Final

import orjson

LOG: Final = logging.getLogger("ocml_bridge.gateway")


class Entry:
    """What is known of one request.

    Args:
        path: what was asked for.

    Attributes:
        written: whether the line is written.
    """

    def __init__(self, path: str) -> None:
        self._begun = time.monotonic()
        self._known: dict[str, Any] = {"path": path}
        self.written = False

    def know(self, **members: Any) -> None:
        """Add what has become known."""
        self._known.update(members)

    def write(self, status: int, **members: Any) -> None:
        """Write the line, with what has become known last; a second time there is nothing to write."""
        if self.written:
            return
        self.written = True
        took = round((time.monotonic() - self._begun) * 1000, 1)
        line = {"time": round(time.time(), 3), "status": status, "milliseconds": took, **self._known, **members}
        LOG.info("%s", orjson.dumps(line).decode())
