"""What faulty clients and upstreams do to others: `python tests/gateway/faults.py` prints what it measures.

A gateway of its own process answers one stream of a token every 20 ms. Beside it, one after the other, come an upstream
that answers with a gigabyte, one that makes thousands of answers, large requests, and connections that send half of
what they should. How late the tokens of the stream are, and how much memory the gateway takes, is measured for each.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from gateway.load import process, resident

TICK = 0.02
"""Between the tokens of the stream that is watched, in seconds."""
MIB = 1024 * 1024


class Felt(NamedTuple):
    """What one fault did.

    Attributes:
        fault: its name.
        latest: how late the latest token of the other stream was, in milliseconds.
        memory: how much more the gateway took at most, in MB.
        status: what the client got; 0 where it got nothing.
    """

    fault: str
    latest: float
    memory: float
    status: int


# --- the upstream -----------------------------------------------------------------------------------------------------


async def upstream(scope: Any, receive: Any, send: Any) -> None:
    """Ticks, or does what `user` names."""
    from gateway.scripted import body_of

    if scope["type"] != "http":
        return
    if scope["path"] == "/v1/models":
        body: dict[str, Any] = {"user": "models"}
    else:
        body = await body_of(receive)
    await FAULTY.get(body.get("user", ""), _ticks)(body, send)


async def _whole(send: Any, data: bytes, status: int = 200) -> None:
    await _begin(send, status)
    await send({"type": "http.response.body", "body": data, "more_body": False})


async def _begin(send: Any, status: int = 200) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})


def _event(text: str, index: int = 0) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': index, 'text': text, 'finish_reason': None}]})}\n\n".encode()


async def _ticks(_body: dict[str, Any], send: Any) -> None:
    await _begin(send)
    text = "<|channel|>final<|message|>"
    while True:
        await send({"type": "http.response.body", "body": _event(text), "more_body": True})
        await asyncio.sleep(TICK)
        text = f"{time.time_ns()} "


async def _models(_body: dict[str, Any], send: Any) -> None:
    await _whole(send, b'{"data":[{"id":"m","max_model_len":10000000}]}')


async def _gigabyte(_body: dict[str, Any], send: Any, status: int = 200) -> None:
    await _begin(send, status)
    block = b" " * MIB
    for _ in range(1024):
        await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _refusal(body: dict[str, Any], send: Any) -> None:
    await _gigabyte(body, send, 400)


async def _line(_body: dict[str, Any], send: Any) -> None:
    await _begin(send)
    await send({"type": "http.response.body", "body": b"data: ", "more_body": True})
    for _ in range(1024):
        await send({"type": "http.response.body", "body": b"x" * MIB, "more_body": True})


async def _answers(_body: dict[str, Any], send: Any) -> None:
    await _begin(send)
    for first in range(0, 20_000, 100):
        block = b"".join(_event("<|channel|>final<|message|>x", index) for index in range(first, first + 100))
        await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


async def _many_in_one(_body: dict[str, Any], send: Any) -> None:
    choice = {"text": "<|channel|>final<|message|>x<|return|>", "finish_reason": "stop"}
    choices = [{"index": index, **choice} for index in range(16_384)]
    await _whole(send, json.dumps({"choices": choices}).encode())


async def _large(_body: dict[str, Any], send: Any) -> None:
    choice = {"index": 0, "text": "<|channel|>final<|message|>" + "word " * (12 * MIB // 5), "finish_reason": "stop"}
    await _whole(send, json.dumps({"choices": [choice]}).encode())


async def _short(_body: dict[str, Any], send: Any) -> None:
    choice = {"index": 0, "text": "<|channel|>final<|message|>ok<|return|>", "finish_reason": "stop"}
    await _whole(send, json.dumps({"choices": [choice]}).encode())


FAULTY: dict[str, Callable[[dict[str, Any], Any], Awaitable[None]]] = {
    "models": _models,
    "gigabyte": _gigabyte,
    "refusal": _refusal,
    "line": _line,
    "answers": _answers,
    "many": _many_in_one,
    "large": _large,
    "short": _short,
}


# --- the clients ------------------------------------------------------------------------------------------------------


def head(size: int) -> bytes:
    lines = ("POST /v1/chat/completions HTTP/1.1", "Host: x", "Connection: close", f"Content-Length: {size}", "", "")
    return "\r\n".join(lines).encode()


async def asked(port: int, body: bytes) -> int:
    """The status of an answer that is read to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head(len(body)))
        writer.write(body)
        status = 0
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                status = status or int(data.split()[1])
        return status
    finally:
        writer.close()


def request(fault: str, text: str = "x", **more: Any) -> bytes:
    return json.dumps({"model": "m", "user": fault, "messages": [{"role": "user", "content": text}], **more}).encode()


async def halves(port: int) -> int:
    """A hundred connections with half a header, and a hundred with half a body."""
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(200)]
    for number, (_, writer) in enumerate(connections):
        writer.write(head(1000)[:40] if number % 2 else head(1000) + b"{")
    await asyncio.sleep(1)
    for _, writer in connections:
        writer.close()
    return 0


def faults(port: int) -> dict[str, Callable[[], Awaitable[int]]]:
    """Name → what is done."""
    deep = b'{"model":"m","user":"short","messages":' + b"[" * 4 * MIB + b"]" * 4 * MIB + b"}"
    message = b'{"role":"user","content":"x"}'
    small = b'{"model":"m","user":"short","messages":[' + b",".join([message] * 400_000) + b"]}"
    properties = {f"p{number}": {"type": "string"} for number in range(20_000)}
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": properties}}}
    huge = request("short", "x" * 100_000_000)
    return {
        "an answer of 1 GB": lambda: asked(port, request("gigabyte")),
        "a stream of 1 GB": lambda: asked(port, request("gigabyte", stream=True)),
        "a refusal of 1 GB": lambda: asked(port, request("refusal")),
        "a line of 1 GB": lambda: asked(port, request("line", stream=True)),
        "20,000 answers in a stream": lambda: asked(port, request("answers", stream=True)),
        "16,384 answers at once": lambda: asked(port, request("many")),
        "n of 1,000,000": lambda: asked(port, request("short", n=1_000_000)),
        "200 connections with half a request": lambda: halves(port),
        "an answer of 12 MiB": lambda: asked(port, request("large")),
        "a request of 15 MiB, one text": lambda: asked(port, request("short", "word " * (3 * MIB))),
        "a request of 8 MiB, nothing but brackets": lambda: asked(port, deep),
        "a request of 100 MB": lambda: asked(port, huge),
        "a schema of 20,000 properties": lambda: asked(port, request("short", tools=[tool])),
        "a request of 12 MiB, 400,000 messages": lambda: asked(port, small),
    }


async def felt(port: int, pid: int) -> AsyncGenerator[Felt]:
    """Every fault beside a stream."""
    delays: list[float] = []
    planned = faults(port)
    listening = asyncio.create_task(_listen(port, delays))
    while len(delays) < 20:
        await asyncio.sleep(0.05)
    for name, fault in planned.items():
        delays.clear()
        memory, task = [resident(pid)], asyncio.create_task(_timed(fault))
        while not task.done():
            await asyncio.sleep(0.01)
            memory.append(resident(pid))
        await asyncio.sleep(0.3)
        yield Felt(name, max(delays, default=float("inf")), max(memory) - memory[0], task.result())
    listening.cancel()


async def _timed(fault: Callable[[], Awaitable[int]]) -> int:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(30):
            return await fault()
    return -1


async def _listen(port: int, delays: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = request("", stream=True)
    writer.write(head(len(body)) + body)
    while line := await reader.readline():
        if line.startswith(b"data: {"):
            text = json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
            if text.strip():
                delays.append((time.time_ns() - int(text)) / 1e6)


async def measure() -> AsyncGenerator[Felt]:
    """Every fault, in front of a gateway of its own process."""
    with process(__file__, "upstream") as (_, behind):
        options = ("serve", "-q", "--port", "0", "--upstream", f"http://127.0.0.1:{behind}/v1")
        with process("-m", "ocml_bridge", *options) as (gateway, port):
            _drain(gateway)
            async for each in felt(port, gateway.pid):
                yield each


def _drain(made: subprocess.Popen[str]) -> None:
    assert made.stderr
    threading.Thread(target=made.stderr.read, daemon=True).start()


async def main() -> None:
    async for each in measure():
        latest = f"others at most {each.latest:7.1f} ms late"
        print(f"{each.fault:44} {each.status:4}  {latest}, memory +{each.memory:6.1f} MB", flush=True)


def serve_upstream() -> None:
    import uvicorn

    config = uvicorn.Config(upstream, host="127.0.0.1", port=0, log_level="critical")
    socket = config.bind_socket()
    socket.listen(config.backlog)
    print(f"127.0.0.1:{socket.getsockname()[1]}", file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[socket])


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        serve_upstream()
    else:
        asyncio.run(main())
