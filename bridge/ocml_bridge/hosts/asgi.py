"""ASGI middleware that rewrites the stream of the application behind it: `StreamMiddleware(app, choose)`.

Pure ASGI: no framework, no extra. Chunks may be cut anywhere. A stream that breaks off ends with an error that a client
notices, never as if it were whole.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from ..errors import BridgeError, ErrorCode
from ..pipe import Pipe

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Choose = Callable[[Scope], Pipe | None]
"""Says by a request's scope how its response is rewritten; None: not at all."""

STREAM_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
)
"""The headers that every stream of events needs; the last one keeps proxies from collecting it."""
_REPLACED: Final = frozenset({b"content-length", *(name for name, _ in STREAM_HEADERS)})


class StreamMiddleware:
    """Rewrites successful responses of the requests that `choose` names a pipe for.

    Args:
        app: the application that answers.
        choose: gives each request a pipe of its own, or None.
    """

    def __init__(self, app: App, choose: Choose) -> None:
        self._app = app
        self._choose = choose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        pipe = self._choose(scope) if scope["type"] == "http" else None
        if pipe is None:
            await self._app(scope, receive, send)
            return
        await _Exchange(pipe, receive, send).run(self._app, _uncompressed(scope))


def _uncompressed(scope: Scope) -> Scope:
    """The request without leave to compress the answer: nobody could read it here."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
    return {**scope, "headers": headers}


class _Exchange:
    """One request and its response."""

    def __init__(self, pipe: Pipe, receive: Receive, send: Send) -> None:
        self._pipe = pipe
        self._receive = receive
        self._send = send
        self._rewrites = False
        self._over = False

    async def run(self, app: App, scope: Scope) -> None:
        try:
            await app(scope, self._hear, self._say)
        except BaseException:
            # The client gets the end of an incomplete answer, then the server gets the exception.
            await self._close()
            raise
        await self._close()

    async def _hear(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._cancel()
        return message

    def _cancel(self) -> None:
        if self._rewrites and not self._over:
            self._over = True
            self._pipe.cancel()

    async def _say(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            self._rewrites = True
            headers = [(name, value) for name, value in message["headers"] if name.lower() not in _REPLACED]
            await self._send({**message, "headers": [*headers, *STREAM_HEADERS]})
        elif message["type"] == "http.response.body" and self._rewrites:
            await self._body(message.get("body", b""), more=message.get("more_body", False))
        else:
            await self._send(message)

    async def _body(self, data: bytes, *, more: bool) -> None:
        if self._over:
            return
        try:
            out = self._pipe.feed(data)
            if not more:
                out += self._pipe.finish()
        except BridgeError as error:
            out, more = self._pipe.fail(error), False
        self._over = not more
        if out or not more:
            await self._pass_on(out, more=more)

    async def _close(self) -> None:
        """The application is gone: what it left open broke off."""
        if self._rewrites and not self._over:
            self._over = True
            await self._pass_on(self._pipe.finish() or self._pipe.fail(_BROKEN), more=False)

    async def _pass_on(self, data: bytes, *, more: bool) -> None:
        try:
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
        except OSError:
            self._cancel()
            raise


_BROKEN: Final = BridgeError(ErrorCode.STREAM_TRUNCATED, "the stream is cut off")
