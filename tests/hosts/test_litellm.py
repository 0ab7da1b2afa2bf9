"""LiteLLM: what it gets of a model behind a completions server is what batch conversion gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gateway.scripted import Script, Upstream, serving
from ocml_bridge import convert
from ocml_bridge.hosts.gateway import Settings

pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = (
    "<|channel|>analysis<|message|>Two calls.<|end|>"
    "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>" + '{"x":"ü"}<|call|>'
    "<|start|>assistant<|channel|>commentary to=functions.g <|constrain|>json<|message|>{}<|call|>"
)
USER = [{"role": "user", "content": "?"}]
TOOLS = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in "fg"]


@pytest.fixture(scope="module")
def upstream() -> Iterator[tuple[Upstream, str]]:
    app = Upstream()
    with serving(app) as url:
        yield app, url


@pytest.fixture
def litellm(engine: Callable[[str], Any], upstream: tuple[Upstream, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    library = engine("litellm")
    from ocml_bridge.hosts.litellm import provider

    handler = provider(Settings(f"{upstream[1]}/v1", profile="gpt-oss", reasoning="reasoning_content"))
    monkeypatch.setattr(library, "custom_provider_map", [{"provider": "own", "custom_handler": handler}])
    library.utils.custom_llm_setup()
    return library


def expected() -> dict[str, Any]:
    output: Any = convert("<|start|>assistant" + TEXT, source="harmony", target="openai").output
    (message,) = output["messages"]
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message["tool_calls"]]
    return {"reasoning": message["reasoning"], "calls": calls}


def seen(message: Any) -> dict[str, Any]:
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls]
    return {"reasoning": message.reasoning_content, "calls": calls}


def test_whole(litellm: Any, upstream: tuple[Upstream, str]) -> None:
    upstream[0].scripts["m"] = Script([TEXT])
    made = litellm.completion("own/m", messages=USER, tools=TOOLS, temperature=0.5)
    assert seen(made.choices[0].message) == expected()
    assert made.choices[0].finish_reason == "tool_calls"
    assert upstream[0].asked[-1]["temperature"] == 0.5
    assert "namespace functions" in upstream[0].asked[-1]["prompt"]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_streamed(litellm: Any, upstream: tuple[Upstream, str], size: int) -> None:
    upstream[0].scripts["m"] = Script([TEXT[at : at + size] for at in range(0, len(TEXT), size)], cut=7)
    chunks = list(litellm.completion("own/m", messages=USER, tools=TOOLS, stream=True))
    assert seen(litellm.stream_chunk_builder(chunks).choices[0].message) == expected()
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["tool_calls"]


def test_async(litellm: Any, upstream: tuple[Upstream, str]) -> None:
    upstream[0].scripts["m"] = Script([TEXT])

    async def run() -> tuple[Any, list[Any]]:
        whole = await litellm.acompletion("own/m", messages=USER, tools=TOOLS)
        stream = await litellm.acompletion("own/m", messages=USER, tools=TOOLS, stream=True)
        return whole, [chunk async for chunk in stream]

    whole, chunks = asyncio.run(run())
    assert seen(whole.choices[0].message) == expected()
    assert seen(litellm.stream_chunk_builder(chunks).choices[0].message) == expected()


def test_a_stream_that_breaks_off_is_an_error(litellm: Any, upstream: tuple[Upstream, str]) -> None:
    upstream[0].scripts["m"] = Script([TEXT[:60]], reason=None)
    with pytest.raises(Exception, match="cut off"):
        list(litellm.completion("own/m", messages=USER, stream=True, num_retries=0))
    with pytest.raises(Exception, match="cut off"):
        litellm.completion("own/m", messages=USER, num_retries=0)


def test_errors_of_the_upstream(litellm: Any, upstream: tuple[Upstream, str]) -> None:
    body = json.dumps({"error": {"message": "not today"}}).encode()
    upstream[0].scripts["m"] = Script([], status=429, body=body)
    with pytest.raises(Exception, match="not today") as raised:
        litellm.completion("own/m", messages=USER, num_retries=0)
    assert getattr(raised.value, "status_code", None) == 429


def test_the_profile_defines_the_format(litellm: Any, upstream: tuple[Upstream, str], monkeypatch: Any) -> None:
    from ocml_bridge.hosts.litellm import provider

    handler = provider(Settings(f"{upstream[1]}/v1", profile="qwen3.5", reasoning="reasoning_content"))
    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "own", "custom_handler": handler}])
    litellm.utils.custom_llm_setup()
    upstream[0].scripts["q"] = Script(["Hm.\n</think>\n\n<tool_call>\n<function=f>\n</function>\n</tool_call>"])
    message = litellm.completion("own/q", messages=USER, tools=TOOLS).choices[0].message
    assert seen(message) == {"reasoning": "Hm.", "calls": [("f", "{}")]}
    assert upstream[0].asked[-1]["prompt"].endswith("<|im_start|>assistant\n<think>\n")


@pytest.mark.parametrize(
    ("asked", "effort"),
    [
        ({"reasoning_effort": "high"}, "high"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 4096}}, "medium"),
        ({"thinking": {"type": "enabled", "budget_tokens": 32_000}}, "high"),
        ({"thinking": {"type": "disabled"}}, "low"),
        ({}, "medium"),
    ],
)
def test_how_much_to_reason(litellm: Any, upstream: tuple[Upstream, str], asked: dict[str, Any], effort: str) -> None:
    """gpt-oss knows low, medium and high."""
    upstream[0].scripts["m"] = Script([TEXT])
    litellm.completion("own/m", messages=USER, **asked)
    assert f"Reasoning: {effort}" in upstream[0].asked[-1]["prompt"]


def test_the_upstream_is_asked_once_what_it_is(litellm: Any, upstream: tuple[Upstream, str]) -> None:
    """One client serves all calls of an event loop."""
    upstream[0].scripts["m"] = Script([TEXT])
    listed = upstream[0].listed
    for _ in range(3):
        litellm.completion("own/m", messages=USER)
    assert upstream[0].listed == listed + 1

    async def run() -> None:
        for _ in range(3):
            await litellm.acompletion("own/m", messages=USER)

    asyncio.run(run())
    assert upstream[0].listed == listed + 2
