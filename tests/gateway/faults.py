"""What faulty clients and upstreams do to others: `python tests/gateway/faults.py` prints what it measures.

A gateway of its own process answers one stream of a token every 20 ms. Beside it, one after the other, come an upstream
that answers with a gigabyte, one that makes thousands of answers, large requests, and connections that send half of
what they should. For each is measured how late the tokens of the stream are, how long the gateway's event loop is
blocked, and how much memory the gateway takes. A fault has half a minute.
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
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from gateway.load import end, process, resident, serve

TICK: Final = 0.02
"""Between the tokens of the stream that is watched, in seconds."""
LIMIT: Final = 30.0
"""For one fault, in seconds."""
MIB: Final = 1024 * 1024


class Felt(NamedTuple):
    """What one fault did.

    Attributes:
        fault: its name.
        latest: how late the latest token of the other stream was, in milliseconds.
        lag: how long the gateway's event loop stood still at most, in milliseconds.
        memory: how much more the gateway took at most, in MB.
        status: what the client got; 0 where it got nothing, -1 where it waited for too long.
    """

    fault: str
    latest: float
    lag: float
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
    answering = asyncio.ensure_future(FAULTY.get(body.get("user", ""), _ticks)(body, send))
    leaving = asyncio.ensure_future(_left(receive))
    # A server ends when all its answers have: none may go on behind its client.
    await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
    answering.cancel()
    leaving.cancel()


async def _left(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
    with listener(port) as delays:
        async with asyncio.timeout(LIMIT):
            while len(delays) < 20:
                await asyncio.sleep(0.05)
        for name, fault in faults(port).items():
            await lag(port)
            delays.clear()
            memory, task = [resident(pid)], asyncio.create_task(_timed(fault))
            while not task.done():
                await asyncio.sleep(0.01)
                memory.append(resident(pid))
            await asyncio.sleep(0.3)
            latest = max(delays, default=float("inf"))
            yield Felt(name, latest, await lag(port), max(memory) - memory[0], task.result())


async def _timed(fault: Callable[[], Awaitable[int]]) -> int:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LIMIT):
            return await fault()
    return -1


async def lag(port: int) -> float:
    """How long the gateway's event loop stood still at most since it was asked before, in milliseconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET /lag HTTP/1.0\r\n\r\n")
        async with asyncio.timeout(LIMIT):
            return float((await reader.read()).rpartition(b"\r\n\r\n")[2])
    finally:
        writer.close()


@contextmanager
def listener(port: int) -> Generator[list[float]]:
    """How late each token of a stream is, in milliseconds, while a process of its own reads it.

    Whoever sends a large request is too busy to look at a clock.
    """
    command = [sys.executable, __file__, "listen", str(port)]
    made = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    delays: list[float] = []
    output = made.stdout
    assert output is not None
    reading = threading.Thread(target=lambda: delays.extend(map(float, output)), daemon=True)
    reading.start()
    try:
        yield delays
    finally:
        end(made)
        reading.join()
        output.close()


async def listen(port: int) -> None:
    """Print how late each token of a stream is."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = request("", stream=True)
    writer.write(head(len(body)) + body)
    while line := await reader.readline():
        if line.startswith(b"data: {"):
            text = json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
            if text.strip():
                print((time.time_ns() - int(text)) / 1e6, flush=True)


class Probed:
    """An application that reports at `/lag` how long its event loop was blocked.

    Args:
        app: all else is its.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._longest = 0.0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == "/lag":
            longest, self._longest = self._longest, 0.0
            await _whole(send, f"{longest * 1000:.1f}".encode())
        elif scope["type"] == "lifespan":
            probe = asyncio.create_task(self._look())
            await self._app(scope, receive, send)
            probe.cancel()
        else:
            await self._app(scope, receive, send)

    async def _look(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            self._longest = max(self._longest, time.perf_counter() - before - 0.005)


def serve_gateway(behind: str) -> None:
    """The gateway as its command runs it, with a probe."""
    from ocml_bridge.cli import main as command
    from ocml_bridge.hosts import gateway

    make = gateway.create_app
    gateway.create_app = lambda *args, **more: Probed(make(*args, **more))  # type: ignore[assignment]
    sys.argv[1:] = ["serve", "-q", "--port", "0", "--upstream", behind]
    command()


async def measure() -> AsyncGenerator[Felt]:
    """Every fault, in front of a gateway of its own process."""
    with ExitStack() as stack:
        _, behind = stack.enter_context(process(__file__, "upstream"))
        gateway, port = stack.enter_context(process(__file__, "gateway", f"http://127.0.0.1:{behind}/v1"))
        async for each in felt(port, gateway.pid):
            yield each


async def main() -> None:
    began = time.monotonic()
    print(f"{'seconds':>7}  {'fault':44} status  others late, ms  loop still, ms  memory, MB")
    async for fault, latest, still, memory, status in measure():
        second = time.monotonic() - began
        print(f"{second:7.1f}  {fault:44} {status:6}  {latest:15.1f}  {still:14.1f}  {memory:+10.1f}", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["upstream"]:
            serve(upstream)
        case ["gateway", behind]:
            serve_gateway(behind)
        case ["listen", port]:
            asyncio.run(listen(int(port)))
        case _:
            asyncio.run(main())
