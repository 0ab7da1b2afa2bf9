"""docs/gateway.md is true: its example runs, its options exist, and it names every stream."""

from __future__ import annotations

import asyncio
import doctest
import re
from typing import Any

import httpx

from gateway.scripted import Script, Upstream
from harmony_answers import client_sees
from ocml_bridge.cli import command
from ocml_bridge.hosts.gateway.clients import parameters
from ocml_bridge.hosts.gateway.upstreams.drivers import DRIVERS, completions, vllm
from ocml_bridge.pipe import streams
from sources import ROOT

PAGE = ROOT / "docs" / "gateway.md"
TEXT = PAGE.read_text("utf-8")


def test_the_example_runs() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False)
    assert done.attempted >= 5
    assert done.failed == 0


def test_the_endpoint_answers() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    engine = Upstream()
    engine.scripts["m"] = Script(["<think>\nA greeting.", "\n</think>\n\nHel", "lo."], reason="length", cut=9)
    cut_off = engine.scripts["cut"] = Script(["Hel"], reason=None)

    async def post(model: str) -> bytes:
        behind = httpx.AsyncClient(transport=httpx.ASGITransport(engine), base_url="http://engine")
        made: dict[str, Any] = {"client": behind}
        exec(code, made)  # the page's own example
        transport = httpx.ASGITransport(made["app"])
        async with behind, httpx.AsyncClient(transport=transport, base_url="http://own") as client:
            body = {"model": model, "messages": [{"role": "user", "content": "Hi"}]}
            return (await client.post("/v1/chat/completions", json=body)).content

    answer = asyncio.run(post("m"))
    seen = client_sees(answer)
    assert (seen["content"], seen["reasoning"], seen["finish_reason"]) == ("Hello.", "", "length")
    assert answer.endswith(b"data: [DONE]\n\n")
    assert engine.asked[-1]["prompt"] == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert cut_off.reason is None
    assert b"E-STREAM-TRUNCATED" in asyncio.run(post("cut"))


def test_the_command_has_the_options_that_it_is_shown_with() -> None:
    (line,) = re.findall(r"^ocml-convert serve (.*)$", TEXT, re.MULTILINE)
    context = command.make_context("ocml-convert", ["serve", "--help"], resilient_parsing=True)
    serve = command.get_command(context, "serve")
    assert serve is not None
    known = {spelling for parameter in serve.params for spelling in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", line)) <= known


def test_every_stream_is_named() -> None:
    readable, writable = streams()
    named = set(re.findall(r"`([^`]+)`", TEXT.partition("Streams that can be read")[2].partition("\n\n")[0]))
    assert named == {*readable, *writable}


def test_every_member_that_is_passed_on_is_named() -> None:
    table = TEXT.partition("| parameter of a request |")[2].partition("\n\n")[0]
    spelled = {"presence_penalty": "penalties", "frequency_penalty": "penalties", "stream": "stream"}
    assert all(spelled.get(name, f"`{name}`") in table for name in parameters.SAMPLING)


def test_every_driver_is_described() -> None:
    table = TEXT.partition("| driver |")[2].partition("\n\n")[0]
    assert all(f"| `{name}` |" in table for name in DRIVERS)


def test_what_is_sent_unasked_is_named() -> None:
    options = (ROOT / "docs" / "cli.md").read_text("utf-8").partition("## `serve`")[2].partition("\n## ")[0]
    assert all(f"`{name}`" in options for name in (*completions.WHOLE_TOKENS, *vllm.IDS))
