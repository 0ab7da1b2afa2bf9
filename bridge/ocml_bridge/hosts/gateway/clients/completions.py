"""Pass on `POST /v1/completions`: the client's own prompt, and the upstream's answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import orjson

from .exchange import Call, parsed


async def completions(call: Call) -> None:
    """Pass on a request, and its answer."""
    gateway, request = call.gateway, parsed(call.data)
    named = request.get("model")
    backend = gateway.backend_for(request)
    data = call.data if request.get("model") == named else orjson.dumps(request)
    stream = request.get("stream") is True
    call.entry.know(model=named if isinstance(named, str) else "", stream=stream, upstream=backend.name)
    key = gateway.key_for(call.client.headers)
    with gateway.backends.serving(backend):
        if stream:
            await _stream(call, backend.upstream.passed_on("/completions", data, key))
        else:
            async with aclosing(backend.upstream.passed_on("/completions", data, key)) as chunks:
                body = b"".join([chunk async for chunk in chunks])
            call.entry.write(200)
            await call.answer(body)


async def _stream(call: Call, answer: AsyncGenerator[bytes]) -> None:
    async with call.stream({}) as events, aclosing(answer) as chunks:
        async for chunk in chunks:
            await events.write(chunk)
        call.entry.write(200)
        await events.end()
