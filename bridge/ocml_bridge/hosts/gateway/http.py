"""Requests to an upstream over HTTP, whose answers are read as they come."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

import aiohttp
from multidict import CIMultiDictProxy
from yarl import URL

from .problems import ApiError
from .settings import Settings

KEPT_ALIVE: Final = 4.0
"""For how long an idle connection is kept, in seconds: less than servers keep theirs, which is 5 and more."""


class HttpAnswer:
    """An answer whose header has come.

    Args:
        response: the library's.

    Attributes:
        status: of it.
        headers: of it.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status: Final = response.status
        self.headers: Final[CIMultiDictProxy[str]] = response.headers

    async def some(self) -> bytes:
        """All that has come of the body since the last time, at least a byte; b"" behind its end.

        Raises:
            ApiError: where it breaks off, or nothing comes in time.
        """
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _unreachable(error) from error

    async def first_bytes(self, limit: int) -> bytes:
        """The body, cut off at a limit."""
        data = bytearray()
        while len(data) < limit and (more := await self.some()):
            data += more
        return bytes(data[:limit])

    def close(self) -> None:
        """Hang up, unless all of it has come."""
        self._response.close()


class HttpClient:
    """Sends requests, as many at once as there are; keeps nothing of one answer for another.

    Args:
        settings: how long to wait.
    """

    def __init__(self, settings: Settings) -> None:
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=settings.connect_timeout, sock_read=settings.read_timeout
        )

    async def __aenter__(self) -> Self:
        """Open it."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_ALIVE),
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=True,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self._session.close()

    async def send(self, method: str, url: str, headers: dict[str, str], body: bytes | None = None) -> HttpAnswer:
        """Send a request, and wait for the header of its answer.

        Raises:
            ApiError: where none comes.
        """
        try:
            response = await self._session.request(
                method,
                URL(url, encoded=True),
                data=body,
                headers={**headers, "accept-encoding": "identity"},
                allow_redirects=False,
            )
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise _unreachable(error) from error
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise ApiError(
                502, "upstream_encoding", "the upstream compresses its answers, although the gateway asked it not to"
            )
        return HttpAnswer(response)


def _unreachable(error: Exception) -> ApiError:
    if isinstance(error, TimeoutError):
        return ApiError(504, "upstream_timeout", "the upstream did not answer in time")
    return ApiError(502, "upstream_unreachable", f"the upstream cannot be reached: {type(error).__name__}")
