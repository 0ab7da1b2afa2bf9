"""Define the gateway's routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from .api import CHAT, MESSAGES, RESPONSES, Api
from .clients.chat import LOSSES, chat, count_tokens
from .clients.completions import completions
from .clients.exchange import Call, Exchange
from .clients.keys import Keys
from .clients.pages import health, metrics, model, models, ready, unknown
from .gateway import Gateway
from .service import Service
from .settings import Settings
from .upstreams.backends import Backend, Backends
from .upstreams.http import HttpClient
from .upstreams.upstream import Upstream

ANYHOW: Final = Service()


def create_app(settings: Settings | Sequence[Settings], service: Service = ANYHOW) -> Starlette:
    """Return the gateway as an ASGI application.

    Args:
        settings: the settings of its upstream, or of each of several.
        service: the settings of the service for clients.
    """
    each = (settings,) if isinstance(settings, Settings) else tuple(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            clients = [(one, await stack.enter_async_context(HttpClient(one))) for one in each]
            backends = Backends([Backend(one, Upstream(one, client)) for one, client in clients], service.aliases)
            keys = None if service.keys is None else Keys(service.keys)
            app.state.gateway = gateway = Gateway(service, backends, keys)
            yield
            gateway.workers.shutdown(wait=False, cancel_futures=True)

    routes = [
        Route("/health", health),
        Route("/ready", ready),
        Route("/metrics", metrics),
        Route("/v1/models", models),
        Route("/v1/models/{name:path}", model),
        _post("/v1/chat/completions", chat, CHAT),
        _post("/v1/responses", chat, RESPONSES),
        _post("/v1/messages", chat, MESSAGES),
        _post("/v1/messages/count_tokens", count_tokens, MESSAGES),
        *([_post("/v1/completions", completions, CHAT)] if service.completions else []),
    ]
    middleware = [Middleware(CORSMiddleware, **_cors(service.origins))] if service.origins else []
    handlers: Any = {404: unknown, 405: unknown}
    return Starlette(routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers)


def _post(path: str, answer: Callable[[Call], Awaitable[None]], api: Api) -> Route:
    return Route(path, Exchange(path, answer, api), methods=["POST"])


def _cors(origins: Sequence[str]) -> dict[str, Any]:
    return {
        "allow_origins": list(origins),
        "allow_methods": ["GET", "POST"],
        "allow_headers": ["*"],
        "expose_headers": [LOSSES, "retry-after"],
        "max_age": 86_400,
    }
