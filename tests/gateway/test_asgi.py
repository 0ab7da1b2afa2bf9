"""`hosts.asgi`: any ASGI application whose stream is to be another one."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from openai import APIError, OpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from gateway.scripted import serving
from gateway.test_openai_client import ANSWERS, PROMPT, batch, of_client
from ocml_bridge.events import Answer
from ocml_bridge.hosts.asgi import Scope, StreamMiddleware
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.stream.completions import CompletionsDecoder

USER: Any = [{"role": "user", "content": "?"}]


def application(text: bytes, size: int, *, breaks: bool = False) -> Any:
    """An application that streams a model's own words."""

    async def stream(_request: Request) -> Response:
        async def chunks() -> AsyncGenerator[bytes]:
            for at in range(0, len(text), size):
                yield text[at : at + size]
            if breaks:
                raise RuntimeError("the engine died")

        return StreamingResponse(
            chunks(), headers={"content-length": "999999"} if breaks else {}, media_type="text/plain"
        )

    async def refuse(_request: Request) -> Response:
        return PlainTextResponse("no", 418)

    routes = [
        Route("/v1/chat/completions", stream, methods=["POST"]),
        Route("/v1/refused/chat/completions", refuse, methods=["POST"]),
        Route("/other", stream),
    ]

    def choose(scope: Scope) -> Pipe | None:
        if not scope["path"].endswith("/chat/completions"):
            return None
        return Pipe(decoder("harmony", prefix=PROMPT), encoder("openai-sse", answer=Answer("a", "m", 1)))

    return StreamMiddleware(Starlette(routes=routes), choose)


def client_of(url: str) -> OpenAI:
    return OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64, 1000])
def test_any_chunking_gives_one_answer(size: int) -> None:
    text = ANSWERS["a preamble"]
    with (
        serving(application(text.encode(), size)) as url,
        client_of(url) as client,
        client.chat.completions.stream(model="m", messages=USER) as stream,
    ):
        assert of_client(stream.get_final_completion().choices[0].message) == batch(text, reasoning=False)


def test_a_stream_that_ends_inside_a_message_is_an_error() -> None:
    app = application(ANSWERS["content"].encode()[:-12], 7)
    with serving(app) as url, client_of(url) as client, pytest.raises(APIError) as raised:
        list(client.chat.completions.create(model="m", messages=USER, stream=True))
    assert raised.value.code == "E-STREAM-TRUNCATED"


def test_an_application_that_fails_inside_a_stream_is_an_error() -> None:
    app = application(ANSWERS["content"].encode()[:30], 7, breaks=True)
    with serving(app) as url, client_of(url) as client, pytest.raises(APIError):
        list(client.chat.completions.create(model="m", messages=USER, stream=True))


def test_other_paths_and_errors_pass_unchanged() -> None:
    import httpx

    with serving(application(b"as it is <|x|>", 3)) as url:
        assert httpx.get(f"{url}/other").text == "as it is <|x|>"
        response = httpx.post(f"{url}/v1/refused/chat/completions", json={})
        assert (response.status_code, response.text) == (418, "no")
        rewritten = httpx.post(f"{url}/v1/chat/completions", json={})
    assert rewritten.headers["content-type"].startswith("text/event-stream")
    assert "content-length" not in rewritten.headers


def test_a_refusal_passes_from_one_stream_to_the_other() -> None:
    """The upstream has the API of Chat Completions; its chunks are read and written again."""

    def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return (
            b"data: "
            + json.dumps({"id": "u", "object": "chat.completion.chunk", "choices": [choice]}).encode()
            + b"\n\n"
        )

    data = chunk({"role": "assistant"}) + chunk({"refusal": "I can"}) + chunk({"refusal": "not."}) + chunk({}, "stop")

    def choose(_scope: Scope) -> Pipe:
        return Pipe(decoder("openai-sse"), encoder("openai-sse", answer=Answer("a", "m", 1)))

    async def stream(_request: Request) -> Response:
        return Response(data + b"data: [DONE]\n\n", media_type="text/event-stream")

    app = StreamMiddleware(Starlette(routes=[Route("/v1/chat/completions", stream, methods=["POST"])]), choose)
    with (
        serving(app) as url,
        client_of(url) as client,
        client.chat.completions.stream(model="m", messages=USER) as made,
    ):
        message = made.get_final_completion().choices[0].message
    assert (message.refusal, message.content) == ("I cannot.", "")


@pytest.mark.parametrize("reason", ["stop", "length"])
def test_an_engines_own_stream_is_rewritten(reason: str) -> None:
    """The application passes on what a completions server sends: events with pieces of the text."""

    def piece(text: str, reason: str | None = None) -> bytes:
        body = {"choices": [{"index": 0, "text": text, "finish_reason": reason}]}
        return b"data: " + json.dumps(body).encode() + b"\n\n"

    async def stream(_request: Request) -> Response:
        pieces = ["<|channel|>analysis<|message|>SECRET<|end|>", PROMPT, "<|channel|>final<|message|>Hel", "lo."]
        return Response(b"".join(map(piece, pieces)) + piece("", reason) + b"data: [DONE]\n\n")

    def choose(_scope: Scope) -> Pipe:
        reads = CompletionsDecoder(decoder("harmony", prefix=PROMPT))
        return Pipe(reads, encoder("openai-sse", answer=Answer("a", "m", 1)))

    app = StreamMiddleware(Starlette(routes=[Route("/v1/chat/completions", stream, methods=["POST"])]), choose)
    with serving(app) as url, client_of(url) as client:
        chunks = list(client.chat.completions.create(model="m", messages=USER, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Hello."
    assert chunks[-1].choices[0].finish_reason == reason
    assert "SECRET" not in "".join(map(str, chunks))


@pytest.mark.parametrize("event", ["http.disconnect", "broken"])
def test_a_client_that_leaves_cancels(event: str) -> None:
    import asyncio

    cancelled: list[bool] = []

    class Watched(Pipe):
        def cancel(self) -> None:
            cancelled.append(True)
            super().cancel()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"<|channel|>final<|message|>x", "more_body": True})
        await receive()

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if event == "broken" and message["type"] == "http.response.body":
            raise OSError

    pipe = Watched(decoder("harmony", prefix=PROMPT), encoder("openai-sse"))
    run = StreamMiddleware(app, lambda _: pipe)({"type": "http", "headers": []}, receive, send)
    if event == "broken":
        with pytest.raises(OSError):  # noqa: PT011  # the server's own
            asyncio.run(run)
    else:
        asyncio.run(run)
    assert cancelled == [True]
