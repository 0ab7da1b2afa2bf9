"""The command `serve`: settings in a file, several processes, TLS, and connections that send nothing."""

from __future__ import annotations

import datetime
import ipaddress
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gateway.scripted import Script, Upstream, serving
from gateway.test_openai_client import USER, call, final, joined, thought
from gateway.test_turn_memory import SECRET, replied
from ocml_bridge import cli
from ocml_bridge.cli import serve as command
from ocml_bridge.cli.output import CommandError
from ocml_bridge.errors import BridgeError
from ocml_bridge.hosts.gateway import Settings
from ocml_bridge.hosts.gateway.connections import listening_socket
from sources import ROOT


@contextmanager
def running(*arguments: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """The command, and the URL that it prints."""
    line = [sys.executable, "-m", "ocml_bridge", "serve", "--port", "0", "--grace", "1", *arguments]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        for logged in process.stderr:
            if "listening on " in logged:
                yield logged.split("listening on ")[1].split("/v1,")[0], process
                break
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def test_a_piece_of_an_answer_does_not_wait_for_the_client() -> None:
    """Accepted connections do as the socket that listens: nothing is delayed until the client has acknowledged."""
    with listening_socket(uvicorn.Config("", port=0)) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def settings_in(tmp_path: Path, text: str, *arguments: str) -> list[Settings]:
    """What the command makes of a file."""
    (tmp_path / "settings.yaml").write_text(text)
    line = ["--settings", str(tmp_path / "settings.yaml"), *arguments]
    program = click.Context(cli.command, info_name="ocml-convert", **cli.command.context_settings)
    context = command.serve.make_context("serve", line, parent=program)
    given: dict[str, Any] = context.params
    return command.upstreams(context, {**given, "policy": None})


# --- settings in a file -----------------------------------------------------------------------------------------------


def test_a_file_has_what_the_command_line_has_and_more(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-secret\n")
    one, other = settings_in(
        tmp_path,
        f"""
        profile: gpt-oss
        read-timeout: 20
        alias: {{gpt-4o: large}}
        upstreams:
          - upstream: http://one/v1
            model: [large, larger]
            name: one
            key-file: {tmp_path}/key
          - upstream: http://other/v1
            profile: qwen3
            reasoning: reasoning
            refuse: [media, structure]
            body: {{grammar: x}}
        """,
    )
    assert (one.upstream, one.profile, one.models, one.name) == ("http://one/v1", "gpt-oss", ("large", "larger"), "one")
    assert (one.api_key, one.read_timeout, one.reasoning) == ("sk-secret", 20.0, None)
    assert (other.profile, other.format, other.reasoning, other.models) == ("qwen3", "chatml", "reasoning", ())
    assert (other.policy.refuse, other.body) == (("media", "structure"), {"grammar": "x"})


def test_the_file_on_the_page_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "operating.md").read_text("utf-8")
    (tmp_path / "gpu-1").write_text("sk-secret")
    text = page.partition("```yaml\n")[2].partition("```")[0].replace("/run/secrets", str(tmp_path))
    one, two, small = settings_in(tmp_path, text)
    assert (one.models, two.models, small.models) == (("gpt-oss-120b",), ("gpt-oss-120b",), ("qwen3-8b",))
    assert (one.profile, one.api_key, small.profile, small.reasoning) == ("gpt-oss", "sk-secret", "qwen3", "reasoning")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("uptream: x", "did you mean upstream?"),
        ("upstreams: [{upstream: 'http://x/v1', port: 1}]", "port"),
        ("upstreams: [{}]", "--upstream"),
        ("upstreams: x", "list"),
        ("[]", "must map"),
        ("a: [", "YAML"),
        ("port: many\nupstream: http://x/v1", "many"),
        ("upstreams: [{upstream: 'http://x/v1', profile: nobody}]", "nobody"),
    ],
)
def test_errors_in_a_file_are_named(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises((BridgeError, click.ClickException, CommandError)) as raised:
        settings_in(tmp_path, text)
    assert word in str(raised.value)


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    (only,) = settings_in(tmp_path, "upstream: http://file/v1\nread-timeout: 20\n", "--read-timeout", "5")
    assert (only.upstream, only.read_timeout) == ("http://file/v1", 5.0)


# --- processes and connections ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_several_processes_are_one_gateway() -> None:
    """Whichever of them is asked: what led to a call is put back, and the numbers are those of all."""
    upstream = Upstream()
    upstream.scripts["m"] = Script([joined(thought(SECRET), call("f", "{}"))])
    with serving(upstream) as behind, running("--upstream", f"{behind}/v1", "-q", "--workers", "2") as (url, process):
        for _ in range(6):
            made = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": USER}, timeout=30)
            message = made.json()["choices"][0]["message"]
            assert SECRET not in made.text
            httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": replied(message)})
            assert SECRET in upstream.asked[-1]["prompt"]
        numbers = httpx.get(f"{url}/metrics").text
        path = 'path="/v1/chat/completions",status="200"'
        assert [line.split()[-1] for line in numbers.splitlines() if path in line and "_total" in line] == ["12.0"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


def test_half_a_header_is_not_waited_for() -> None:
    with running("--upstream", "http://127.0.0.1:9/v1", "--header-timeout", "0.3") as (url, _):
        host, port = httpx.URL(url).host, httpx.URL(url).port or 80
        for begun in (b"", b"POST /v1/chat/comp", b"GET /health HTTP/1.1\r\nHost: x\r\nX-Half"):
            with socket.create_connection((host, port), 5) as connection:
                connection.sendall(begun)
                assert connection.recv(1000) == b""
        with socket.create_connection((host, port), 5) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200")
            connection.sendall(b"GET /hea")
            assert connection.recv(1000) == b""


def test_https(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.pem"
    certificate.write_bytes(own_certificate())
    upstream = Upstream()
    upstream.scripts["m"] = Script([final("ok")])
    with (
        serving(upstream) as behind,
        running("--upstream", f"{behind}/v1", "--tls-certificate", str(certificate)) as (url, _),
    ):
        assert url.startswith("https://")
        body = {"model": "m", "messages": USER, "stream": True}
        trust = ssl.create_default_context(cafile=str(certificate))
        answer = httpx.post(f"{url}/v1/chat/completions", json=body, verify=trust)
        assert answer.text.endswith("data: [DONE]\n\n")


def own_certificate() -> bytes:
    """A certificate of nobody's, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return made.public_bytes(pem) + key.private_bytes(pem, form, serialization.NoEncryption())


def test_errors_of_the_start_are_one_line(tmp_path: Path) -> None:
    def refused(*arguments: str) -> tuple[int, str]:
        line = [sys.executable, "-m", "ocml_bridge", "serve", "--upstream", "http://127.0.0.1:9/v1", *arguments]
        done = subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False)
        assert done.stderr.count("\n") == 1
        return done.returncode, done.stderr

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        status, line = refused("--port", port)
    assert status == 1
    assert line.startswith(f"ocml-convert: 127.0.0.1:{port}: OCB-IO: ")
    assert "--port" in line
    missing = str(tmp_path / "keys")
    message = f"the keys in {missing} cannot be read: No such file or directory"
    assert refused("--api-keys", missing) == (2, f"ocml-convert: OCB-OPTION: {message}\n")
    status, line = refused("--body", "{bad")
    assert status == 2
    assert "--body must be a JSON object: not JSON" in line


def test_a_start_says_why_the_upstream_does_not_work_yet() -> None:
    with serving(Upstream()) as url:
        line = [sys.executable, "-m", "ocml_bridge", "serve", "--port", "0", "--upstream", f"{url}/v2"]
        process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        message = process.stderr.readline()
        process.terminate()
        process.communicate()
    assert f"in front of {url}/v2, which does not work yet, and is asked again with the first request: " in message
    assert message.endswith("; the URL of most servers ends in /v1\n")


def test_a_gateway_that_is_open_to_everybody_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCML_UPSTREAM_KEY", "sk-own\n")
    arguments = ["serve", "--port", "0", "--host", "0.0.0.0", "--upstream", "http://127.0.0.1:9/v1"]
    process = subprocess.Popen([sys.executable, "-m", "ocml_bridge", *arguments], stderr=subprocess.PIPE, text=True)
    assert process.stderr
    line = process.stderr.readline()
    process.terminate()
    process.communicate()
    assert "--api-keys" in line
    assert "sk-own" not in line
