"""The server that completes prompts: `/v1/completions`, as vLLM, llama.cpp's server and others offer it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import httpx
import orjson

from ...adapter import Kind
from ...errors import BridgeError
from ...model import Json
from ...stream.sse import Reader
from .problems import ApiError, members, of_answer, of_upstream
from .settings import Settings

ERROR_BODY: Final = 65_536
"""The most bytes that are read of an upstream's refusal."""

DEFAULT_BODY: Final[dict[str, Json]] = {
    # Servers leave control tokens out of the text unless they are told otherwise.
    "skip_special_tokens": False,
    "spaces_between_special_tokens": False,
    # The prompt has all its tokens already.
    "add_special_tokens": False,
}
TOKEN_BODY: Final[dict[str, Json]] = {"return_token_ids": True}
"""Asks for the ids of what is written, too."""


@dataclass(slots=True)
class Piece:
    """What an upstream says next of one answer.

    Attributes:
        index: of the answer.
        text: what it wrote.
        ids: the same as token ids, where they were asked for.
        reason: why it is over, in the upstream's word; None while it is not.
    """

    index: int
    text: str = ""
    ids: Sequence[int] | None = None
    reason: str | None = None


@dataclass(slots=True)
class Heard:
    """One message of the upstream: pieces of answers, and the numbers of tokens once they are known."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    usage: dict[str, object] | None = None


class Upstream:
    """A client of the completions server.

    Args:
        settings: where it is, and how long to wait for it.
        client: sends the requests.
    """

    def __init__(self, settings: Settings, client: httpx.AsyncClient) -> None:
        self._base = settings.upstream.rstrip("/")
        self._key = settings.api_key
        self._limit = settings.max_answer
        self._client = client
        self._tokens = settings.model.adapter.kind is Kind.JSON
        more = {**DEFAULT_BODY, **(TOKEN_BODY if self._tokens else {}), **settings.body}
        self._body = {key: value for key, value in more.items() if value is not None}

    @asynccontextmanager
    async def answer(self, body: Mapping[str, Json], key: str | None) -> AsyncGenerator[AsyncGenerator[Heard]]:
        """Ask for completions. Inside the context, what the upstream says; leaving it hangs up.

        Args:
            body: the request; with `stream` true, answers come piece by piece.
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: where there is no answer.
        """
        request = self._client.build_request(
            "POST",
            f"{self._base}/completions",
            content=orjson.dumps({**body, **self._body}),
            headers=self._headers(key),
        )
        response = await self._send(request)
        try:
            yield _streamed(response, self._limit) if body.get("stream") else _whole(response, self._limit)
        finally:
            await response.aclose()

    async def models(self, key: str | None) -> Any:
        """The upstream's list of models."""
        request = self._client.build_request("GET", f"{self._base}/models", headers=self._headers(key))
        response = await self._send(request)
        try:
            return _parsed(await read(response, self._limit))
        finally:
            await response.aclose()

    def _headers(self, key: str | None) -> dict[str, str]:
        key = f"Bearer {self._key}" if self._key is not None else key
        return {"content-type": "application/json"} | ({"authorization": key} if key else {})

    async def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            response = await self._client.send(request, stream=True)
            if response.status_code != 200:
                try:
                    body = await begun(response, ERROR_BODY)
                finally:
                    await response.aclose()
                raise of_upstream(
                    response.status_code,
                    _lenient(body),
                    retry_after=response.headers.get("retry-after"),
                    own_key=self._key is not None,
                )
        except httpx.HTTPError as error:
            raise _unreachable(error) from error
        return response


def client_for(settings: Settings) -> httpx.AsyncClient:
    """A client that waits as long as the settings say, and opens as many connections as there are answers."""
    timeout = httpx.Timeout(settings.read_timeout, connect=settings.connect_timeout, pool=None)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    return httpx.AsyncClient(timeout=timeout, limits=limits)


def _unreachable(error: httpx.HTTPError) -> ApiError:
    if isinstance(error, httpx.TimeoutException):
        return ApiError(504, "upstream_timeout", "the upstream did not answer in time")
    return ApiError(502, "upstream_unreachable", f"the upstream cannot be reached: {type(error).__name__}")


async def read(response: httpx.Response, limit: int) -> bytes:
    """The body of a response.

    Raises:
        ApiError: where it is larger than the limit.
    """
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > limit:
            raise _too_large(limit)
    return bytes(data)


async def begun(response: httpx.Response, limit: int) -> bytes:
    """The body of a response, cut off at the limit."""
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk[: limit - len(data)]
        if len(data) >= limit:
            break
    return bytes(data)


def _too_large(limit: int) -> ApiError:
    return of_answer("upstream_too_large", f"the upstream's answer is larger than {limit} bytes")


async def _whole(response: httpx.Response, limit: int) -> AsyncGenerator[Heard]:
    try:
        body = _parsed(await read(response, limit))
    except httpx.HTTPError as error:
        raise _unreachable(error) from error
    yield heard(body)


async def _streamed(response: httpx.Response, limit: int) -> AsyncGenerator[Heard]:
    reader, size = Reader(limit), 0
    try:
        async for data in response.aiter_bytes():
            size += len(data)
            if size > limit:
                raise _too_large(limit)
            for _, said in reader.feed(data):
                if said == "[DONE]":
                    return
                yield heard(_parsed(said))
    except BridgeError as error:
        raise of_answer(error.code, error.message) from error
    except httpx.HTTPError as error:
        raise _unreachable(error) from error


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


def heard(body: Any) -> Heard:
    """What an object of the upstream says.

    Raises:
        ApiError: for an error, and for what is no completion.
    """
    said = members(body)
    if "error" in said:
        problem = of_upstream(502, said)
        raise of_answer(problem.code, problem.message)
    choices = said.get("choices")
    if not isinstance(choices, list):
        raise of_answer("upstream_shape", "the upstream sent what is no completion")
    return Heard([_piece(choice) for choice in cast("list[Any]", choices)], members(said.get("usage")) or None)


def _piece(choice: Any) -> Piece:
    said = members(choice)
    index, text, ids, reason = (said.get(key) for key in ("index", "text", "token_ids", "finish_reason"))
    return Piece(
        index if isinstance(index, int) else 0,
        text if isinstance(text, str) else "",
        cast("list[int]", ids) if isinstance(ids, list) else None,
        reason if isinstance(reason, str) else None,
    )
