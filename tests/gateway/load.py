"""Many streams at once through a gateway: `python tests/gateway/load.py [streams] [seconds]` prints what it measures.

Upstream, gateway and clients are processes of their own. Every token carries the time when it was written and whose it
is, so a stream that is lost, cut or mixed up with another is noticed, and how long each token took is known. The same
streams are run through a pass-through of starlette and httpx, which looks at nothing, and without anything between: on
a machine that others use too, only the ratios are meaningful.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

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
        cpu: how much time of a processor each token took of the process between, in microseconds.
    """

    streams: int
    wrong: int
    tokens: int
    p50: float
    p99: float
    cpu: float = 0.0


# --- the upstream -----------------------------------------------------------------------------------------------------


async def upstream(scope: Any, receive: Any, send: Any) -> None:
    """Writes `final` messages of `<who>:<when>` words; `max_tokens` is their number, `user` is who."""
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
    complete = await asyncio.gather(*(listen(port, path, f"u{number}", count, delays) for number in range(streams)))
    cuts = statistics.quantiles(delays, n=100)
    return Measured(streams, complete.count(False), len(delays), cuts[49], cuts[98])


# --- the processes ----------------------------------------------------------------------------------------------------


@contextmanager
def process(*command: str) -> Generator[tuple[subprocess.Popen[str], int]]:
    """A process that prints on its first line of stderr which port it listens on."""
    paths = os.pathsep.join((os.path.dirname(os.path.dirname(__file__)), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": paths}
    made = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True, env=environment)
    stderr = made.stderr
    assert stderr
    # The rest of stderr is read, or a full pipe would block the process.
    draining = threading.Thread(target=stderr.read, daemon=True)
    try:
        line = stderr.readline()
        draining.start()
        yield made, int(line.split("127.0.0.1:")[1].split("/")[0].split()[0])
    finally:
        end(made)
        draining.join()
        stderr.close()


def end(made: subprocess.Popen[str]) -> None:
    """End a process, whatever it does."""
    made.terminate()
    try:
        made.wait(10)
    except subprocess.TimeoutExpired:
        made.kill()
        made.wait()


def resident(number: int) -> float:
    """The memory that a process has, in MB."""
    with open(f"/proc/{number}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def serve(app: Any) -> None:
    """An application on a port of its own, which is printed on stderr."""
    import uvicorn

    from ocml_bridge.hosts.gateway.connections import listening_socket

    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", backlog=4096)
    socket = listening_socket(config)
    print(f"127.0.0.1:{socket.getsockname()[1]}", file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[socket])


def serve_pass_through(upstream: str) -> None:
    """What passes on whatever comes, and looks at nothing."""
    import httpx
    from starlette.applications import Starlette
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None, max_keepalive_connections=100))

    async def proxy(request: Any) -> Any:
        headers = {"content-type": "application/json"}
        body = await request.body()
        asked = client.build_request("POST", upstream + request.url.path, content=body, headers=headers)
        response = await client.send(asked, stream=True)

        async def chunks() -> AsyncGenerator[bytes]:
            try:
                async for chunk in response.aiter_raw():
                    yield chunk
            finally:
                await response.aclose()

        return StreamingResponse(chunks(), response.status_code, {"content-type": response.headers["content-type"]})

    serve(Starlette(routes=[Route("/{path:path}", proxy, methods=["POST"])]))


def used(number: int) -> float:
    """How much time of a processor a process has used, in seconds."""
    with open(f"/proc/{number}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """What one round gave: through the gateway, through the pass-through, and with nothing between."""

    gateway: Measured
    passed: Measured
    direct: Measured


def measure(streams: int, seconds: float, rounds: int = 1) -> tuple[list[Run], list[float]]:
    """Rounds of the same streams, and the gateway's memory: at the beginning, after a second, after each round."""
    chat, raw = "/v1/chat/completions", "/v1/completions"
    with ExitStack() as stack:
        _, behind = stack.enter_context(process(__file__, "upstream"))
        url = f"http://127.0.0.1:{behind}"
        passing, passed = stack.enter_context(process(__file__, "pass-through", url))
        options = ("serve", "-q", "--port", "0", "--upstream", f"{url}/v1")
        gateway, port = stack.enter_context(process("-m", "ocml_bridge", *options))
        memory = [resident(gateway.pid)]
        asyncio.run(run(port, chat, streams, min(seconds, 1)))
        memory.append(resident(gateway.pid))

        def through(made: subprocess.Popen[str], to: int, path: str) -> Measured:
            before = used(made.pid)
            measured = asyncio.run(run(to, path, streams, seconds))
            return measured._replace(cpu=(used(made.pid) - before) / measured.tokens * 1e6)

        runs: list[Run] = []
        for _ in range(rounds):
            passes = through(passing, passed, raw)
            runs.append(Run(through(gateway, port, chat), passes, asyncio.run(run(behind, raw, streams, seconds))))
            memory.append(resident(gateway.pid))
    return runs, memory


def main() -> None:
    streams, seconds, rounds = (*map(float, sys.argv[1:]), *(1000, 20, 1)[len(sys.argv) - 1 :])
    runs, memory = measure(int(streams), seconds, int(rounds))
    for gateway, passed, direct in runs:
        print(f"{gateway.streams} streams for {seconds:.0f} s, {gateway.tokens} tokens, {gateway.wrong} streams wrong")
        for name, each in (("gateway", gateway), ("pass-through", passed), ("direct", direct)):
            print(f"  {name:12} p50 {each.p50:8.2f} ms   p99 {each.p99:8.2f} ms   CPU {each.cpu:6.1f} us a token")
        print(
            f"  gateway : pass-through   p50 {gateway.p50 / passed.p50:.2f}   p99 {gateway.p99 / passed.p99:.2f}",
            end="",
        )
        print(f"   CPU {gateway.cpu / passed.cpu:.2f}")
    print(f"memory of the gateway in MB: {', '.join(f'{size:.0f}' for size in memory)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        serve(upstream)
    elif sys.argv[1:2] == ["pass-through"]:
        serve_pass_through(sys.argv[2])
    else:
        main()
