"""Send Server-Sent Events with comments during silence, and a time limit for the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, Self

from ...asgi import STREAM_HEADERS
from .client import Client, Watch

COMMENT: Final = b": keep-alive\n\n"
"""The comment during silence: clients ignore it, and proxies do not close the connection."""


class EventStream:
    """The events for one client: `async with EventStream(…) as stream: await stream.write(…)`.

    Args:
        client: the client.
        watch: the watch of the client.
        headers: headers of the response, in addition to those of every stream.
        on_first: called when the first event is written.
        silence: the seconds without a byte after which a comment is sent; before the first event, it begins the
            response.
        patience: the seconds in which the client reads nothing after which it counts as gone.
    """

    def __init__(
        self,
        client: Client,
        watch: Watch,
        headers: Mapping[str, str],
        on_first: Callable[[], None],
        *,
        silence: float,
        patience: float,
    ) -> None:
        self._client = client
        self._watch = watch
        self._headers = {name.decode(): value.decode() for name, value in STREAM_HEADERS} | dict(headers)
        self._first: Callable[[], None] | None = on_first
        self._silence = silence
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._now = self._loop.time
        self._last = self._now()
        self._writing = False
        self._comment: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the timer."""
        self._timer = self._loop.call_later(self._silence, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the timer."""
        self._timer.cancel()
        if self._comment is not None:
            self._comment.cancel()

    def _look(self) -> None:
        idle = self._now() - self._last
        if self._writing and idle >= self._patience:
            self._watch.leave()
            return
        if not self._writing and idle >= self._silence:
            self._comment = self._loop.create_task(self.write(COMMENT))
            idle = 0.0
        rest = self._patience if self._writing else self._silence
        self._timer = self._loop.call_later(max(rest - idle, 0.01), self._look)

    async def write(self, data: bytes) -> None:
        """Send the next events; b"" only begins the response."""
        self._writing = True
        if not self._client.has_started:
            await self._client.begin(200, self._headers)
        if data:
            if self._first is not None and data is not COMMENT:
                self._first()
                self._first = None
            await self._client.piece(data)
        self._writing = False
        self._last = self._now()

    async def end(self) -> None:
        """End the response."""
        self._timer.cancel()
        self._watch.release()
        await self._client.piece(b"", more=False)
