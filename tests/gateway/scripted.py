"""A scripted upstream: `/v1/completions` that replays recorded answers, over real sockets."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from ocml_bridge.hosts.gateway.connections import listening_socket

LENGTH = 131_072
"""Of the models' context, in tokens."""


@dataclass
class Script:
    """One recorded answer.

    Attributes:
        pieces: what the engine writes, token by token: texts, or lists of ids.
        reason: why it ends; None: it breaks off without a reason.
        cut: how many bytes of the stream travel together; 0 for an event at a time.
        pause: between chunks, in seconds.
        delay: before the response begins, in seconds.
        status: of the response.
        body: what is answered in place of the pieces, as it is.
        headers: more headers of such a response.
        usage: the numbers of tokens, if it sends them.
        choices: how many answers there are; all are the same.
        hangs_up: whether the connection is reset where the pieces end.
    """

    pieces: list[Any] = field(default_factory=list[Any])
    reason: str | None = "stop"
    cut: int = 0
    pause: float = 0.0
    delay: float = 0.0
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    usage: dict[str, int] | None = None
    choices: int = 1
    hangs_up: bool = False


class Upstream:
    """The ASGI application.

    Attributes:
        scripts: answers by the name of the model that is asked.
        asked: the bodies of all requests.
        headers: the headers of all requests.
        listed: how often it has been asked for its models.
        owner: whom its list of models names as their owner: vLLM writes `vllm`.
        hung_up: names of models whose client left before the answer was over.
        running: names of models that are being answered.
    """

    def __init__(self, owner: str = "vllm") -> None:
        self.owner = owner
        self.listed = 0
        self.scripts: dict[str, Script] = {}
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.hung_up: list[str] = []
        self.running: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if scope["path"] == "/v1/models":
            self.listed += 1
            model = {"id": "m", "object": "model", "owned_by": self.owner, "max_model_len": LENGTH}
            await _answer(send, 200, json.dumps({"object": "list", "data": [model]}).encode())
            return
        body = await body_of(receive)
        if scope["path"] == "/tokenize":
            count = len(body["prompt"]) // 4 + 1
            await _answer(send, 200, json.dumps({"count": count, "max_model_len": LENGTH, "tokens": []}).encode())
            return
        self.asked.append(body)
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        script = self.scripts.get(body["model"]) or Script([[0]])
        self.running.append(body["model"])
        left = asyncio.create_task(_left(receive))
        try:
            await self._answer(body, script, left, send)
        finally:
            left.cancel()
            self.running.remove(body["model"])

    async def _answer(self, body: dict[str, Any], script: Script, left: asyncio.Task[None], send: Any) -> None:
        await asyncio.wait([left], timeout=script.delay)
        if left.done():
            self.hung_up.append(body["model"])
        elif script.body is not None:
            await _answer(send, script.status, script.body, script.headers)
        elif body.get("stream"):
            await self._stream(body, script, left, send)
        else:
            await asyncio.sleep(script.pause)
            await _answer(send, 200, json.dumps(_whole(body, script)).encode())

    async def _stream(self, body: dict[str, Any], script: Script, left: asyncio.Task[None], send: Any) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for chunk in _cut(list(_events(body, script)), script.cut):
            if left.done():
                self.hung_up.append(body["model"])
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await asyncio.sleep(script.pause)
        if script.hangs_up:
            raise ConnectionResetError
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def body_of(receive: Any) -> dict[str, Any]:
    """The JSON body of a request."""
    data = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return json.loads(data)


async def _left(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(send: Any, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in (more or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _choice(index: int, piece: Any, reason: str | None) -> dict[str, Any]:
    content = {"text": piece} if isinstance(piece, str) else {"text": "", "token_ids": piece}
    return {"index": index, **content, "finish_reason": reason}


def _events(body: dict[str, Any], script: Script) -> Iterator[bytes]:
    last = len(script.pieces) - 1
    for at, piece in enumerate(script.pieces):
        reason = script.reason if at == last else None
        for index in range(script.choices):
            yield _event({"id": "cmpl-1", "model": body["model"], "choices": [_choice(index, piece, reason)]})
    if script.usage and body.get("stream_options", {}).get("include_usage"):
        yield _event({"id": "cmpl-1", "choices": [], "usage": script.usage})
    if script.reason is not None:
        yield b"data: [DONE]\n\n"


def _event(body: dict[str, Any]) -> bytes:
    # Not ASCII on purpose: chunks may be cut inside a character.
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def _cut(events: list[bytes], size: int) -> list[bytes]:
    if size == 0:
        return events
    data = b"".join(events)
    return [data[at : at + size] for at in range(0, len(data), size)]


def _whole(body: dict[str, Any], script: Script) -> dict[str, Any]:
    ids = bool(script.pieces) and not isinstance(script.pieces[0], str)
    piece: Any = [each for some in script.pieces for each in some] if ids else "".join(script.pieces)
    choices = [_choice(index, piece, script.reason) for index in range(script.choices)]
    return {"id": "cmpl-1", "model": body["model"], "choices": choices} | (
        {"usage": script.usage} if script.usage else {}
    )


@contextmanager
def serving(app: Any) -> Generator[str]:
    """A server of an ASGI application in a thread of its own; its address.

    It ends by itself afterwards: nobody waits for it.
    """
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    socket = listening_socket(config)

    def run() -> None:
        server.run(sockets=[socket])
        socket.close()

    threading.Thread(target=run).start()
    try:
        while not server.started:
            time.sleep(0.005)
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
