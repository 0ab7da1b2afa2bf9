"""Read a client's request within limits, write the response, and notice at once when the client leaves."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, Self

from starlette.datastructures import Headers

from ...asgi import Receive, Scope, Send
from ..problems import ApiError


class ClientLeftError(Exception):
    """The client left before it got its answer."""


class Client:
    """The client of a request.

    Args:
        scope: the ASGI scope of the request.
        receive: receives messages of the client.
        send: sends messages to the client.

    Attributes:
        headers: the headers of the request.
        has_started: whether the response has begun.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers: Final = Headers(scope=scope)
        self.has_started = False
        self._receive = receive
        self._send = send

    async def body(self, limit: int, seconds: float, hold: Callable[[int], None]) -> bytes:
        """Return the request's body, decompressed.

        Args:
            limit: the maximal size in bytes.
            seconds: the time limit for its arrival.
            hold: called with the number of bytes that are kept, as they arrive; it may raise to refuse them.

        Raises:
            ApiError: if it is too large, too slow, or cannot be decompressed.
            ClientLeftError: if the client leaves before it is complete.
        """
        unpack = _unpacking(self.headers.get("content-encoding", "identity"))
        if unpack is None and int(self.headers.get("content-length") or 0) > limit:
            raise _too_large(limit)
        data, more = bytearray(), True
        try:
            async with asyncio.timeout(seconds):
                while more:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        raise ClientLeftError
                    more = message.get("more_body", False)
                    chunk: bytes = message.get("body", b"")
                    chunk = chunk if unpack is None else unpack(chunk, limit + 1 - len(data))
                    data += chunk
                    if len(data) > limit:
                        raise _too_large(limit)
                    hold(len(chunk))
        except TimeoutError as error:
            raise ApiError(408, "request_timeout", f"the body did not arrive within {seconds:g} seconds") from error
        return bytes(data)

    def watched(self) -> Watch:
        """Return a context that raises `ClientLeftError` when the client leaves; the body must have been read."""
        return Watch(self._receive)

    async def answer(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        """Send a whole response."""
        await self.begin(status, {**headers, "content-length": str(len(data))})
        await self.piece(data, more=False)

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Begin a streamed response."""
        self.has_started = True
        packed = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": packed})

    async def piece(self, data: bytes, *, more: bool = True) -> None:
        """Send the next bytes of it."""
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


class Watch:
    """Watches a client while it is served: `async with client.watched(): …`.

    When it leaves, the work inside is cancelled at once, and the block raises `ClientLeftError`.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False
        self._over = False

    async def __aenter__(self) -> Self:
        """Begin to watch."""
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._watching = asyncio.create_task(self._watch())
        return self

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.leave()

    def leave(self) -> None:
        """Cancel the work as if the client had left."""
        if not self._over:
            self._left = self._over = True
            self._task.cancel()

    def release(self) -> None:
        """Ignore the client's leaving from now on, as it has got the whole answer."""
        self._over = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End watching."""
        self._over = True
        self._watching.cancel()
        if self._left and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise ClientLeftError from error


def _too_large(limit: int) -> ApiError:
    return ApiError(413, "request_too_large", f"the request is larger than {limit} bytes")


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes] | None:
    """Return a function that decompresses a body up to a maximal size; None if the body is not compressed."""
    if encoding in {"", "identity"}:
        return None
    if encoding not in {"gzip", "deflate"}:
        raise ApiError(
            415,
            "unsupported_encoding",
            f"the content encoding {encoding[:40]!r} is not supported; send the body as it is, or with gzip",
        )
    packed = zlib.decompressobj(wbits=47 if encoding == "gzip" else 15)

    def unpack(data: bytes, most: int) -> bytes:
        try:
            return packed.decompress(data, most)
        except zlib.error as error:
            raise ApiError(400, "invalid_encoding", f"the body is not valid {encoding}") from error

    return unpack
