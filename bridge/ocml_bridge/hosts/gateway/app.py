"""The gateway's routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .backends import Backend, Backends
from .chat import chat
from .exchange import Exchange
from .gateway import Gateway
from .keys import Keys
from .problems import ApiError
from .service import Service
from .settings import Settings
from .upstream import Upstream, client_for

ANYHOW: Final = Service()


def create_app(settings: Settings | Sequence[Settings], service: Service = ANYHOW) -> Starlette:
    """The gateway as an ASGI application.

    Args:
        settings: how it speaks to its upstream, or to each of several.
        service: how it serves its clients.
    """
    each = (settings,) if isinstance(settings, Settings) else tuple(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            clients = [(one, await stack.enter_async_context(client_for(one))) for one in each]
            backends = Backends([Backend(one, Upstream(one, client)) for one, client in clients], service.aliases)
            keys = None if service.keys is None else Keys(service.keys)
            app.state.gateway = gateway = Gateway(service, backends, keys)
            yield
            gateway.workers.shutdown(wait=False, cancel_futures=True)

    return Starlette(
        routes=[
            Route("/health", _health),
            Route("/v1/models", _models),
            Route("/v1/chat/completions", Exchange("/v1/chat/completions", chat), methods=["POST"]),
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
        gateway.caller(request.headers)
        return _json({"object": "list", "data": await gateway.models(request.headers)})
    except ApiError as problem:
        return _refused(problem)


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status, headers, "application/json")


def _refused(problem: ApiError) -> Response:
    return _json(problem.body(), problem.status, problem.headers)
