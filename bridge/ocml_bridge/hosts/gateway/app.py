"""The gateway's routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ..asgi import STREAM_HEADERS
from .conversation import Conversation, codes
from .journal import Entry
from .problems import ApiError
from .settings import Settings
from .upstream import Upstream, client_for

LOSSES: Final = "x-ocml-losses"
"""The response header that says what the prompt could not say of the request: codes, each with its severity."""


def create_app(settings: Settings) -> Starlette:
    """The gateway as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with client_for(settings) as client:
            app.state.gateway = Gateway(settings, Upstream(settings, client))
            yield

    return Starlette(
        routes=[
            Route("/health", _health),
            Route("/v1/models", _models),
            Route("/v1/chat/completions", _chat, methods=["POST"]),
        ],
        lifespan=lifespan,
        exception_handlers={404: _unknown, 405: _unknown},
    )


async def _health(_request: Request) -> Response:
    return _json({"status": "ok"})


async def _unknown(request: Request, _error: Exception) -> Response:
    return _refused(ApiError(404, "not_found", f"there is no {request.method} {request.url.path} here"))


async def _models(request: Request) -> Response:
    gateway: Gateway = request.app.state.gateway
    try:
        return _json(await gateway.upstream.models(request.headers.get("authorization")))
    except ApiError as problem:
        return _refused(problem)


async def _chat(request: Request) -> Response:
    gateway: Gateway = request.app.state.gateway
    return await gateway.chat(request)


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    return Response(data, status, headers, "application/json")


def _refused(problem: ApiError) -> Response:
    return _json(problem.body(), problem.status)


class Gateway:
    """Answers requests.

    Args:
        settings: how.
        upstream: completes prompts.
    """

    def __init__(self, settings: Settings, upstream: Upstream) -> None:
        self._settings = settings
        self.upstream: Final = upstream

    async def chat(self, request: Request) -> Response:
        """`POST /v1/chat/completions`."""
        entry = Entry(request.url.path)
        try:
            body = _parsed(await self._read(request))
            talk = Conversation(body, self._settings, self.upstream, request.headers.get("authorization"))
            lost = codes(talk.asked.prompt.losses)
            entry.know(request=talk.id, model=talk.asked.model, stream=talk.asked.stream, losses=lost)
            headers = {LOSSES: ", ".join(lost)} if lost else {}
            if talk.asked.stream:
                return await self._stream(talk, headers, entry)
            response = _json(await talk.whole(), headers=headers)
            entry.write(200, **talk.account())
        except ApiError as problem:
            entry.write(problem.status, error=problem.code)
            return _refused(problem)
        except ClientDisconnect:
            entry.write(499)
            return Response(status_code=400)
        return response

    async def _read(self, request: Request) -> bytes:
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > self._settings.max_request:
                message = f"the request is larger than {self._settings.max_request} bytes"
                raise ApiError(413, "request_too_large", message)
        return bytes(data)

    async def _stream(self, talk: Conversation, headers: dict[str, str], entry: Entry) -> Response:
        chunks = talk.chunks()
        await anext(chunks)  # a refusal of the upstream still has a status of its own
        headers |= {name.decode(): value.decode() for name, value in STREAM_HEADERS}

        async def said() -> AsyncGenerator[bytes]:
            try:
                async for chunk in chunks:
                    yield chunk
            finally:
                await chunks.aclose()
                entry.write(200, **talk.account())

        return StreamingResponse(said(), headers=headers)


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ApiError(400, "invalid_json", f"the body is not JSON: {error}") from error
