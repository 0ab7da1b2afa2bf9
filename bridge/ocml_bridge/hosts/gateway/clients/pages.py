"""Answer `GET` requests about the gateway and its models."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from ..gateway import Gateway
from ..metrics import CONTENT_TYPE
from ..problems import ApiError


async def health(_request: Request) -> Response:
    """Answer `GET /health`: the process is alive."""
    return _json({"status": "ok"})


async def ready(request: Request) -> Response:
    """Answer `GET /ready`: an upstream answers; 503 if none does."""
    upstreams = await _gateway(request).ready()
    status = "ready" if any(upstreams.values()) else "unready"
    return _json({"status": status, "upstreams": upstreams}, 200 if status == "ready" else 503)


async def metrics(request: Request) -> Response:
    """Answer `GET /metrics`, for Prometheus."""
    return Response(_gateway(request).metrics.exposed(), media_type=CONTENT_TYPE)


async def models(request: Request) -> Response:
    """Answer `GET /v1/models`."""
    try:
        return _json({"object": "list", "data": await _models(request)})
    except ApiError as problem:
        return _refused(problem)


async def model(request: Request) -> Response:
    """Answer `GET /v1/models/{id}`."""
    name = request.path_params["name"]
    try:
        for each in await _models(request):
            if each["id"] == name:
                return _json(each)
        raise ApiError(404, "model_not_found", f"there is no model {name[:100]!r} here", "model")
    except ApiError as problem:
        return _refused(problem)


async def unknown(request: Request, _error: Exception) -> Response:
    """Answer any other path."""
    return _refused(ApiError(404, "not_found", f"there is no {request.method} {request.url.path} here"))


def _gateway(request: Request) -> Gateway:
    return request.app.state.gateway


async def _models(request: Request) -> list[dict[str, Any]]:
    gateway = _gateway(request)
    gateway.caller(request.headers)
    return await gateway.models(request.headers)


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status, headers, "application/json")


def _refused(problem: ApiError) -> Response:
    return _json(problem.body(), problem.status, problem.headers)
