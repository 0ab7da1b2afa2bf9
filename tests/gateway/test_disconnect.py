"""A client that leaves, and a gateway that is asked to stop."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable

import httpx

from gateway.conftest import Bench
from gateway.scripted import Script, Upstream, serving
from gateway.test_openai_client import USER


def until(happened: Callable[[], bool]) -> None:
    """Wait for something, but not for ever."""
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_upstream_is_hung_up_on_when_the_client_leaves(opened: Bench) -> None:
    model = opened.play(["<|channel|>final", "<|message|>", *["word "] * 500], pause=0.02)
    stream = opened.client.chat.completions.create(model=model, messages=USER, stream=True)
    assert next(iter(stream)).choices
    stream.close()
    until(lambda: model in opened.upstream.hung_up)


def test_a_client_that_leaves_before_the_first_word(opened: Bench) -> None:
    model = opened.play(["<|channel|>analysis<|message|>", *["hm "] * 500], pause=0.02)
    body = {"model": model, "messages": USER, "stream": True}
    with httpx.stream("POST", f"{opened.url}/chat/completions", json=body) as response:
        assert response.status_code == 200
    until(lambda: model in opened.upstream.hung_up)


def test_serve_finishes_what_is_under_way() -> None:
    """The command itself: it prints where it listens, answers, and ends on SIGTERM once the answer is finished."""
    upstream = Upstream()
    upstream.scripts["m"] = Script(["<|channel|>final<|message|>", *["word "] * 30, "<|return|>"], pause=0.02)
    with serving(upstream) as behind:
        command = [sys.executable, "-m", "ocml_bridge", "serve", "--upstream", f"{behind}/v1", "--port", "0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        line = process.stderr.readline()
        assert "listening on http://127.0.0.1:" in line
        url = line.split("listening on ")[1].split(",")[0]
        lines: list[str] = []
        body = {"model": "m", "messages": USER, "stream": True}
        with httpx.stream("POST", f"{url}/chat/completions", json=body) as response:
            for data in response.iter_lines():
                lines += [data] if data else []
                if len(lines) == 5:
                    process.send_signal(signal.SIGTERM)
        assert sum('"content":"word ' in data for data in lines) == 30
        assert lines[-1] == "data: [DONE]"
        assert process.wait(10) == 0
        log = process.stderr.read()
        process.stderr.close()
    assert '"finish":["stop"]' in log
