"""Ask the server that completes prompts: `/v1/completions`, as vLLM, llama.cpp's server and others offer it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import orjson

from ....errors import BridgeError
from ....formats.adapter import Kind
from ....model import Json
from ....stream.completions import Chunk, CompletionsReader
from ..problems import ApiError, of_answer, of_upstream
from ..settings import Settings
from .drivers import Call, Completion, Driver, Terms, connect
from .http import HttpAnswer, HttpClient

ERROR_BODY: Final = 65_536
"""The maximal number of bytes that are read of an upstream's refusal."""

_NOTHING: Final[Mapping[str, Json]] = MappingProxyType({})


class Upstream:
    """A client of the completions server.

    Args:
        settings: its settings.
        client: sends the requests.
    """

    def __init__(self, settings: Settings, client: HttpClient) -> None:
        base = settings.upstream.rstrip("/")
        self._base: Final = base
        self._root: Final = base.removesuffix("/v1")
        self._settings: Final = settings
        self._key = settings.api_key
        self._limit = settings.max_answer
        self._client = client
        self._driver: Driver | None = None
        self._connecting = asyncio.Lock()

    async def driver(self, key: str | None) -> Driver:
        """Return the driver for this upstream; it is chosen when the upstream is first reached.

        Args:
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: if it cannot be reached.
            BridgeError: OCB-OPTION if it cannot do what the gateway's settings require.
        """
        if self._driver is None:
            async with self._connecting:
                if self._driver is None:
                    self._driver = await connect(self._settings.driver, terms(self._settings), partial(self._ask, key))
        return self._driver

    async def guides(self, key: str | None) -> bool:
        """Return whether the upstream enforces guides.

        Raises:
            ApiError: if it cannot be asked, or cannot work.
        """
        return (await self._fit_driver(key)).guides

    async def _fit_driver(self, key: str | None) -> Driver:
        """Return the driver; the error is one for the client if the upstream cannot do what the settings require."""
        try:
            return await self.driver(key)
        except BridgeError as error:
            raise ApiError(502, "upstream_unfit", error.message) from error

    @asynccontextmanager
    async def answer(self, wanted: Completion, key: str | None) -> AsyncGenerator[AsyncGenerator[list[Chunk]]]:
        """Request completions, and return a context with the upstream's chunks; leaving it closes the connection.

        Args:
            wanted: the completion; if it is streamed, answers arrive in pieces.
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: if there is no answer.
        """
        driver = await self._fit_driver(key)
        limit = wanted.limit
        if limit is None:
            limit = await driver.room(wanted, partial(self._ask, key))
        call = driver.call(wanted, limit)
        response = await self._send(call, key, self._settings.body)
        reader = CompletionsReader(driver.reader(wanted), limit=self._limit)
        try:
            read_on = _streamed if call.is_streamed else _whole
            yield read_on(response, reader, self._limit)
        finally:
            response.close()

    async def count(self, wanted: Completion, key: str | None) -> int:
        """Return the number of tokens of a prompt.

        Args:
            wanted: the completion with the prompt.
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: if the upstream cannot be asked.
        """
        driver = await self._fit_driver(key)
        return await driver.count(wanted, partial(self._ask, key))

    async def passed_on(self, path: str, data: bytes, key: str | None) -> AsyncGenerator[bytes]:
        """Yield the upstream's unchanged answer to a request in pieces; closing the generator closes the connection.

        Args:
            path: the path after `/v1`.
            data: the request's body.
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: if there is no answer, or if it is too large.
        """
        response = await self._answered("POST", self._base + path, self._headers(key), data)
        size = 0
        try:
            while data := await response.some():
                size += len(data)
                if size > self._limit:
                    raise _too_large(self._limit)
                yield data
        finally:
            response.close()

    async def models(self, key: str | None) -> Any:
        """Return the upstream's list of models."""
        return await self._ask(key, Call("/v1/models"))

    async def _ask(self, key: str | None, call: Call) -> Any:
        """Return the answer to a short request."""
        response = await self._send(call, key)
        try:
            return _parsed(await read(response, self._limit))
        finally:
            response.close()

    async def _send(self, call: Call, key: str | None, more: Mapping[str, Json] = _NOTHING) -> HttpAnswer:
        path = call.path.removeprefix("/v1")
        url = f"{self._base if path != call.path else self._root}{path}"
        if call.body is None:
            return await self._answered("GET", url, self._headers(key))
        body = {name: value for name, value in {**call.body, **more}.items() if value is not None}
        return await self._answered("POST", url, self._headers(key), orjson.dumps(body))

    def _headers(self, key: str | None) -> dict[str, str]:
        key = f"Bearer {self._key}" if self._key is not None else key
        return {"content-type": "application/json"} | ({"authorization": key} if key else {})

    async def _answered(self, method: str, url: str, headers: dict[str, str], body: bytes | None = None) -> HttpAnswer:
        """Return an answer that is not a refusal."""
        response = await self._client.send(method, url, headers, body)
        if response.status == 200:
            return response
        try:
            first = await response.first_bytes(ERROR_BODY)
        finally:
            response.close()
        raise of_upstream(
            response.status,
            _lenient(first),
            retry_after=response.headers.get("retry-after"),
            own_key=self._key is not None,
        )


def terms(settings: Settings) -> Terms:
    """Return what a gateway needs of its upstream."""
    adapter = settings.model.adapter
    tokens = () if adapter.frame_tokens is None else tuple(adapter.frame_tokens())
    return Terms(ids=adapter.kind is Kind.JSON, tokens=(*tokens, *settings.special_tokens), length=settings.context)


async def read(response: HttpAnswer, limit: int) -> bytes:
    """Return the body of a response.

    Raises:
        ApiError: if it is larger than the limit.
    """
    data = bytearray()
    while more := await response.some():
        data += more
        if len(data) > limit:
            raise _too_large(limit)
    return bytes(data)


def _too_large(limit: int) -> ApiError:
    return of_answer("upstream_too_large", f"the upstream's answer is larger than {limit} bytes")


async def _whole(response: HttpAnswer, reader: CompletionsReader, limit: int) -> AsyncGenerator[list[Chunk]]:
    try:
        yield [_checked(reader.whole(await read(response, limit)))]
    except BridgeError as error:
        raise of_answer(error.code, error.message) from error


async def _streamed(response: HttpAnswer, reader: CompletionsReader, limit: int) -> AsyncGenerator[list[Chunk]]:
    size = 0
    while not reader.done and (data := await response.some()):
        size += len(data)
        if size > limit:
            raise _too_large(limit)
        chunks: list[Chunk] = []
        try:
            chunks.extend(map(_checked, reader.feed(data)))
        except BridgeError as error:
            # The chunks before the invalid one are passed on.
            yield chunks
            raise of_answer(error.code, error.message) from error
        except ApiError:
            yield chunks
            raise
        yield chunks


def _checked(chunk: Chunk) -> Chunk:
    if chunk.error is not None:
        problem = of_upstream(502, {"error": chunk.error})
        raise of_answer(problem.code, problem.message)
    return chunk


def _parsed(data: str | bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise of_answer("upstream_json", "the upstream sent what is not JSON") from error


def _lenient(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
