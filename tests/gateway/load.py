"""Many streams at once through a gateway: `python tests/gateway/load.py [streams] [seconds]` prints what it measures.

Upstream, gateway and clients are processes of their own. Every token carries the time when it was written and whose it
is, so a stream that is lost, cut or mixed up with another is noticed, and how long each token took is known. The same
streams are run without the gateway for comparison: what it adds is the difference.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator

PAUSE = 0.2
"""Between the tokens of one stream, in seconds."""


class Measured(NamedTuple):
    """What one run gave.

    Attributes:
        streams: how many ran at once.
        wrong: how many of them were not what was written.
        tokens: how many tokens arrived.
        p50: how long half of the tokens took at most, in milliseconds.
        p99: the same for 99 of 100.
    """

    streams: int
    wrong: int
    tokens: int
    p50: float
    p99: float


# --- the upstream -----------------------------------------------------------------------------------------------------


async def upstream(scope: Any, receive: Any, send: Any) -> None:
    """Writes `final` messages of `<who>:<when>` words; `max_tokens` says how many, `user` who."""
    if scope["type"] != "http":
        return
    from gateway.scripted import body_of  # in this process the folder of the tests is on the path

    if scope["path"] == "/v1/models":
        models = json.dumps({"data": [{"id": "m", "max_model_len": 4096}]}).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": models})
        return
    body = await body_of(receive)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    await asyncio.sleep((hash(body["user"]) % 1000) / 1000 * PAUSE)
    count = body["max_tokens"]
    for number in range(-1, count + 1):
        text = f"{body['user']}:{number}:{time.time_ns()} "
        if number in (-1, count):
            text = "<|channel|>final<|message|>" if number < 0 else "<|return|>"
        choice = {"index": 0, "text": text, "finish_reason": "stop" if number == count else None}
        event = f"data: {json.dumps({'id': 'u', 'choices': [choice]})}\n\n".encode()
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await asyncio.sleep(PAUSE)
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


# --- the clients ------------------------------------------------------------------------------------------------------


async def listen(port: int, path: str, who: str, count: int, delays: list[float]) -> bool:
    """One stream; whether it was all there, in order, and its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        asked: dict[str, Any] = {"model": "m", "stream": True, "user": who, "max_tokens": count}
        asked |= (
            {"prompt": "x"} if path.endswith("/v1/completions") else {"messages": [{"role": "user", "content": "x"}]}
        )
        body = json.dumps(asked).encode()
        writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        words: list[str] = []
        ended = False
        while line := await reader.readline():
            if line.startswith(b"data: [DONE]"):
                ended = True
                break
            if not line.startswith(b"data: "):
                continue
            text = text_of(json.loads(line[6:]))
            if text and not text.startswith("<|"):
                delays.append((time.time_ns() - int(text.rsplit(":", 1)[1])) / 1e6)
                words.append(text)
        return ended and [word.rsplit(":", 1)[0] for word in words] == [f"{who}:{n}" for n in range(count)]
    finally:
        writer.close()


def text_of(event: dict[str, Any]) -> str:
    choice = event["choices"][0]
    return str(choice.get("text") or choice.get("delta", {}).get("content") or "")


async def run(port: int, path: str, streams: int, seconds: float) -> Measured:
    """Run streams at once."""
    delays: list[float] = []
    count = int(seconds / PAUSE)
    told = await asyncio.gather(*(listen(port, path, f"u{number}", count, delays) for number in range(streams)))
    cuts = statistics.quantiles(delays, n=100)
    return Measured(streams, told.count(False), len(delays), cuts[49], cuts[98])


# --- the processes ----------------------------------------------------------------------------------------------------


@contextmanager
def process(*command: str) -> Generator[tuple[subprocess.Popen[str], int]]:
    """A process that says on its first line of stderr which port it listens on."""
    paths = os.pathsep.join((os.path.dirname(os.path.dirname(__file__)), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": paths}
    made = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert made.stderr
        line = made.stderr.readline()
        yield made, int(line.split("127.0.0.1:")[1].split("/")[0].split()[0])
    finally:
        made.terminate()
        made.communicate()


def resident(number: int) -> float:
    """The memory that a process has, in MB."""
    with open(f"/proc/{number}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def serve_upstream() -> None:
    import uvicorn

    config = uvicorn.Config(upstream, host="127.0.0.1", port=0, log_level="critical", backlog=4096)
    socket = config.bind_socket()
    socket.listen(config.backlog)
    print(f"127.0.0.1:{socket.getsockname()[1]}", file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[socket])


def measure(streams: int, seconds: float) -> tuple[Measured, Measured, list[float]]:
    """Through the gateway, without it, and the gateway's memory: at the beginning, after a second, at the end."""
    with ExitStack() as stack:
        _, behind = stack.enter_context(process(__file__, "upstream"))
        gateway, port = stack.enter_context(
            process("-m", "ocml_bridge", "serve", "-q", "--port", "0", "--upstream", f"http://127.0.0.1:{behind}/v1")
        )
        memory = [resident(gateway.pid)]
        asyncio.run(run(port, "/v1/chat/completions", streams, 1))
        memory.append(resident(gateway.pid))
        direct = asyncio.run(run(behind, "/v1/completions", streams, seconds))
        through = asyncio.run(run(port, "/v1/chat/completions", streams, seconds))
        memory.append(resident(gateway.pid))
    return through, direct, memory


def main() -> None:
    streams, seconds = (*map(float, sys.argv[1:]), *(500, 20)[len(sys.argv) - 1 :])
    through, direct, memory = measure(int(streams), seconds)
    print(f"{through.streams} streams for {seconds:.0f} s, {through.tokens} tokens, {through.wrong} streams wrong")
    print(f"each token, through the gateway: p50 {through.p50:.2f} ms, p99 {through.p99:.2f} ms")
    print(f"each token, without it:          p50 {direct.p50:.2f} ms, p99 {direct.p99:.2f} ms")
    print(f"memory of the gateway in MB: {', '.join(f'{size:.0f}' for size in memory)}")


if __name__ == "__main__":
    serve_upstream() if sys.argv[1:2] == ["upstream"] else main()
