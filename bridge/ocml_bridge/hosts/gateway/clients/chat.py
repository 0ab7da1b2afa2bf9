"""Answer conversations: `POST /v1/chat/completions`, `/v1/responses`, `/v1/messages`."""

from __future__ import annotations

from contextlib import aclosing
from typing import Final

import orjson

from ..conversation import Conversation, classes, codes
from ..problems import ApiError
from ..upstreams.backends import Backend
from ..workers import discard
from .exchange import Call, parsed

LOSSES: Final = "x-ocml-losses"
"""The response header with the classes and codes of losses of the prompt."""


async def chat(call: Call) -> None:
    """Answer a request, in the form of its API."""
    talk, backend = await call.convert(_understood)
    losses = await talk.losses()
    call.entry.know(
        request=talk.id,
        model=talk.request.model,
        stream=talk.request.stream,
        losses=codes(losses),
        upstream=backend.name,
    )
    lost = classes(losses)
    headers = {LOSSES: lost} if lost else {}
    with call.gateway.backends.serving(backend):
        try:
            if talk.request.stream:
                await _stream(call, talk, headers)
            else:
                data = await talk.whole()
                call.entry.write(200, **talk.account())
                await call.answer(data, headers)
        finally:
            call.entry.know(**talk.account())


async def count_tokens(call: Call) -> None:
    """Answer with the number of tokens of a request's prompt (`POST /v1/messages/count_tokens`)."""
    talk, backend = await call.convert(_understood)
    call.entry.know(request=talk.id, model=talk.request.model, upstream=backend.name)
    count = await talk.tokens()
    call.entry.write(200)
    await call.answer(orjson.dumps({"input_tokens": count}))


def _understood(call: Call) -> tuple[Conversation, Backend]:
    gateway, request = call.gateway, parsed(call.data)
    discard(request)
    backend = gateway.backend_for(request)
    key = gateway.key_for(call.client.headers)
    model = request.get("model")
    memory = gateway.memory_of(call.caller, model if isinstance(model, str) else "")
    return Conversation(request, backend.settings, backend.upstream, key, memory, call.api), backend


async def _stream(call: Call, talk: Conversation, headers: dict[str, str]) -> None:
    async with call.stream(headers) as stream, aclosing(talk.chunks()) as chunks:
        try:
            async for chunk in chunks:
                await stream.write(chunk)
        except ApiError as problem:
            # The client gets the status of the upstream's refusal, unless a comment has begun the response already.
            if not call.client.has_started:
                raise
            await stream.write(talk.failed(problem))
        call.entry.write(200, **talk.account())
        await stream.end()
