"""One life cycle for every request: who leaves is noticed, silence is filled, what comes from outside is bounded."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from gateway.conftest import Bench, gateway_with
from gateway.scripted import Script, Upstream, serving
from gateway.test_openai_client import USER, final

ENDLESS = ["<|channel|>final<|message|>", *["word "] * 2_000]


def within(seconds: float, happened: Callable[[], bool]) -> None:
    """Wait for something, but not longer."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def connected(bench: Bench) -> socket.socket:
    url = httpx.URL(bench.url)
    return socket.create_connection((url.host, url.port or 80))


@contextmanager
def asked(bench: Bench, body: dict[str, Any]) -> Generator[socket.socket]:
    """A request of a client that can leave whenever it likes."""
    data = json.dumps(body).encode()
    with connected(bench) as connection:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
        connection.sendall(head.encode() + data)
        yield connection


# --- who leaves -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves_before_the_upstream_answers(private: Bench, stream: bool) -> None:
    model = private.play(final("late"), delay=30)
    with asked(private, {"model": model, "messages": USER, "stream": stream}):
        within(5, lambda: model in private.upstream.running)
    within(1, lambda: model in private.upstream.hung_up)
    assert model not in private.upstream.running


def test_a_client_that_leaves_in_the_middle_of_a_stream(private: Bench) -> None:
    model = private.play(ENDLESS, pause=0.01)
    with asked(private, {"model": model, "messages": USER, "stream": True}) as connection:
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
    within(1, lambda: model in private.upstream.hung_up)
    assert model not in private.upstream.running


def test_a_client_that_stays_and_takes_nothing() -> None:
    with gateway_with(profile="gpt-oss", write_timeout=0.2, keep_alive=0.1) as bench:
        model = bench.play(["<|channel|>final<|message|>", *["word " * 100_000] * 100], pause=0.001)
        with asked(bench, {"model": model, "messages": USER, "stream": True}):
            within(10, lambda: model in bench.upstream.hung_up)


# --- silence ----------------------------------------------------------------------------------------------------------


def test_silence_is_filled_with_comments() -> None:
    """While the model thinks in private, and while the upstream sends nothing at all."""
    with gateway_with(profile="gpt-oss", keep_alive=0.05) as bench:
        thinks = [
            "<|channel|>analysis<|message|>",
            *["hm "] * 10,
            "<|end|><|start|>assistant",
            *final("Yes.").split("m"),
        ]
        for model in (
            bench.play(final("Yes."), delay=0.3),
            bench.play([*thinks[:11], thinks[11] + final("Yes.")], pause=0.05),
        ):
            body = {"model": model, "messages": USER, "stream": True}
            lines = [line for line in httpx.post(f"{bench.url}/chat/completions", json=body).text.split("\n") if line]
            assert lines[:3] == [": keep-alive"] * 3
            assert lines[-1] == "data: [DONE]"
            chunks = list(bench.client.chat.completions.create(model=model, messages=USER, stream=True))
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Yes."


def test_a_refusal_behind_comments_is_an_event() -> None:
    """The status is given already; official clients raise at the event."""
    with gateway_with(profile="gpt-oss", keep_alive=0.05) as bench:
        model = bench.play([], status=400, body=b'{"error":{"message":"not today"}}', delay=0.3)
        body = {"model": model, "messages": USER, "stream": True}
        response = httpx.post(f"{bench.url}/chat/completions", json=body)
        assert response.status_code == 200
        last = [line for line in response.text.split("\n\n") if line.startswith("data:")][-1]
        assert json.loads(last.removeprefix("data:"))["error"]["message"] == "not today"


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_a_body_that_does_not_arrive() -> None:
    with gateway_with(profile="gpt-oss", body_timeout=0.2) as bench, connected(bench) as connection:
        connection.sendall(b'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"model":')
        assert connection.recv(10_000).startswith(b"HTTP/1.1 408")


def test_packed_bodies_are_unpacked_within_the_limit() -> None:
    with gateway_with(profile="gpt-oss", max_request=100_000) as bench:
        model = bench.play(final("ok"))
        for size, status in ((10, 200), (1_000_000, 413)):
            body = json.dumps({"model": model, "messages": [{"role": "user", "content": "x" * size}]}).encode()
            packed = {"content-encoding": "gzip"}
            response = httpx.post(f"{bench.url}/chat/completions", content=gzip.compress(body), headers=packed)
            assert response.status_code == status
        for encoding, status in (("br", 415), ("gzip", 400)):
            headers = {"content-encoding": encoding}
            response = httpx.post(f"{bench.url}/chat/completions", content=b"{}", headers=headers)
            assert response.status_code == status


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_that_is_too_large(stream: bool) -> None:
    with gateway_with(profile="gpt-oss", max_answer=100_000) as bench:
        model = bench.play(["<|channel|>final<|message|>", *["word " * 1_000] * 100])
        response = httpx.post(
            f"{bench.url}/chat/completions", json={"model": model, "messages": USER, "stream": stream}
        )
        assert len(response.content) < 200_000
        assert "larger than 100000 bytes" in response.text
        assert response.status_code == (200 if stream else 502)


def test_more_answers_than_were_asked_for(private: Bench) -> None:
    body = {"model": private.play(final("x"), choices=3), "messages": USER}
    whole = httpx.post(f"{private.url}/chat/completions", json=body)
    assert (whole.status_code, whole.json()["error"]["code"]) == (502, "upstream_shape")
    streamed = httpx.post(f"{private.url}/chat/completions", json={**body, "stream": True}).text
    assert '"content":"x"' in streamed
    assert '"index":1' not in streamed


def test_a_long_error_of_the_upstream_is_shortened(private: Bench) -> None:
    body = json.dumps({"error": {"message": "no " * 1_000_000}}).encode()
    response = httpx.post(
        f"{private.url}/chat/completions", json={"model": private.play([], status=400, body=body), "messages": USER}
    )
    assert response.status_code == 400
    assert len(response.content) < 5_000


def test_no_more_requests_at_once_than_there_is_room_for() -> None:
    with gateway_with(profile="gpt-oss", max_in_flight=1) as bench:
        model = bench.play(ENDLESS, pause=0.01)
        with asked(bench, {"model": model, "messages": USER, "stream": True}) as connection:
            assert connection.recv(10_000)
            refused = httpx.post(f"{bench.url}/chat/completions", json={"model": model, "messages": USER})
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        within(1, lambda: not bench.upstream.running)
        within(
            1,
            lambda: (
                httpx.post(
                    f"{bench.url}/chat/completions", json={"model": bench.play(final("ok")), "messages": USER}
                ).status_code
                == 200
            ),
        )


# --- refusals of the upstream -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("status", "error", "seen"),
    [
        (404, {"error": {"message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}}, 404),
        (404, {"error": {"message": "no such one", "param": "model"}}, 404),
        (404, {"detail": "Not Found"}, 502),
        (422, {"detail": [{"loc": ["body", "temperature"], "msg": "Input should be a number"}]}, 422),
    ],
)
def test_a_refusal_keeps_its_status_and_its_words(
    private: Bench, status: int, error: dict[str, Any], seen: int, stream: bool
) -> None:
    model = private.play([], status=status, body=json.dumps(error).encode())
    response = httpx.post(f"{private.url}/chat/completions", json={"model": model, "messages": USER, "stream": stream})
    assert response.status_code == seen
    words = ("The model", "no such one", "Not Found", "body.temperature: Input should be a number")
    assert any(word in response.json()["error"]["message"] for word in words)


def test_when_to_come_again_is_passed_on(private: Bench) -> None:
    model = private.play([], status=429, body=b'{"error":{"message":"slow down"}}', headers={"retry-after": "7"})
    response = httpx.post(f"{private.url}/chat/completions", json={"model": model, "messages": USER})
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")


def test_a_wrong_key_of_the_gateways_own_is_not_the_clients_affair() -> None:
    with gateway_with(profile="gpt-oss", api_key="own") as bench:
        model = bench.play([], status=401, body=b'{"error":{"message":"wrong key"}}')
        response = httpx.post(f"{bench.url}/chat/completions", json={"model": model, "messages": USER})
        assert response.status_code == 502


def test_an_internal_error_is_reported_without_contents(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def mistaken(*_: Any) -> None:
        raise KeyError("SECRET")

    monkeypatch.setattr("ocml_bridge.hosts.gateway.clients.chat.parsed", mistaken)
    with gateway_with(profile="gpt-oss") as bench:
        response = httpx.post(f"{bench.url}/chat/completions", json={"model": "m", "messages": USER})
        assert (response.status_code, response.json()["error"]["code"]) == (500, "internal_error")
    logged = "".join(record.getMessage() for record in caplog.records if record.name == "ocml_bridge.gateway")
    assert "KeyError" in logged
    assert "chat.py" in logged
    assert "SECRET" not in logged + response.text


# --- the end ----------------------------------------------------------------------------------------------------------


def test_serve_ends_in_time_whatever_is_under_way() -> None:
    """Answers that do not end in time are broken off, clients get an error, and it is no internal error."""
    upstream = Upstream()
    upstream.scripts["m"] = Script(ENDLESS, pause=0.05)
    with serving(upstream) as behind:
        command = [
            sys.executable,
            "-m",
            "ocml_bridge",
            "serve",
            "--upstream",
            f"{behind}/v1",
            "--port",
            "0",
            "--grace",
            "1",
        ]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        url = process.stderr.readline().split("listening on ")[1].split(",")[0]
        body = {"model": "m", "messages": USER, "stream": True}
        lines: list[str] = []
        begun = time.monotonic()
        with httpx.stream("POST", f"{url}/chat/completions", json=body) as response:
            for data in response.iter_lines():
                lines += [data] if data else []
                if len(lines) == 5:
                    process.send_signal(signal.SIGTERM)
                    begun = time.monotonic()
        assert json.loads(lines[-1].removeprefix("data: "))["error"]["code"] == "stopping"
        assert process.wait(10) == 0
        assert time.monotonic() - begun < 4
        log = process.stderr.read()
        process.stderr.close()
        assert "Traceback" not in log
        within(1, lambda: not upstream.running)
