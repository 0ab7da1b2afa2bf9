"""Send requests to an upstream over HTTP, and read the answers as they arrive."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Final, Self

import aiohttp
from multidict import CIMultiDictProxy
from yarl import URL

from ..problems import ApiError
from ..settings import Settings

KEPT_ALIVE: Final = 4.0
"""The time in seconds for which an idle connection is kept: less than that of servers, which is 5 or more."""


class HttpAnswer:
    """An answer whose header has arrived.

    Args:
        response: the response of the library.

    Attributes:
        status: its status.
        headers: its headers.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status: Final = response.status
        self.headers: Final[CIMultiDictProxy[str]] = response.headers

    async def some(self) -> bytes:
        """Return the bytes of the body that have arrived, at least one; b"" after its end.

        Raises:
            ApiError: if it breaks off, or if nothing arrives in time.
        """
        try:
            return await self._response.content.readany()
        except TimeoutError as error:
            raise ApiError(504, "upstream_timeout", "the upstream's answer stopped, and nothing more came") from error
        except (aiohttp.ClientError, OSError) as error:
            raise ApiError(
                502, "upstream_cut_off", "the connection to the upstream ended before its answer did"
            ) from error

    async def first_bytes(self, limit: int) -> bytes:
        """Return the body, cut off at a limit."""
        data = bytearray()
        while len(data) < limit and (more := await self.some()):
            data += more
        return bytes(data[:limit])

    def close(self) -> None:
        """Close the connection, unless the whole answer has arrived."""
        self._response.close()


class HttpClient:
    """Sends requests without a limit of their number, and without cookies.

    Args:
        settings: the settings with the timeouts.
    """

    def __init__(self, settings: Settings) -> None:
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=settings.connect_timeout, sock_read=settings.read_timeout
        )

    async def __aenter__(self) -> Self:
        """Open the client."""
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
        """Send a request, and return the answer when its header has arrived.

        Raises:
            ApiError: if none arrives.
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
    # The text of the error may contain the upstream's address, which clients do not learn.
    number = getattr(error, "errno", None)
    reason = os.strerror(number) if isinstance(number, int) and number > 0 else type(error).__name__
    return ApiError(502, "upstream_unreachable", f"the upstream cannot be reached: {reason}")
