"""What clients send that no specification has, and that engines and services take."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from gateway.conftest import Bench, gateway_with
from ocml_bridge.loss import LossCode
from ocml_bridge.report.policy import LossPolicy

TURNED_OFF = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
HI = [{"role": "user", "content": "Hi"}]


def asked(bench: Bench, **more: Any) -> httpx.Response:
    request = {"model": bench.play("Hello.<|im_end|>"), "messages": HI, **more}
    return httpx.post(f"{bench.url}/chat/completions", json=request)


def test_thinking_can_be_turned_off() -> None:
    with gateway_with(profile="qwen3") as bench:
        for kwargs in ({"enable_thinking": False}, {"thinking": False}, {"reasoning_effort": "none"}):
            response = asked(bench, chat_template_kwargs=kwargs)
            assert (response.status_code, response.headers.get("x-ocml-losses")) == (200, None)
            assert bench.upstream.asked[-1]["prompt"].endswith(TURNED_OFF), kwargs
        for kwargs in ({"enable_thinking": True}, {}, None):
            assert "x-ocml-losses" not in asked(bench, chat_template_kwargs=kwargs).headers
            assert not bench.upstream.asked[-1]["prompt"].endswith(TURNED_OFF), kwargs
        response = asked(bench, chat_template_kwargs={"enable_thinking": False, "documents": []})
        assert response.headers["x-ocml-losses"] == "bookkeeping=extras"
        assert bench.upstream.asked[-1]["prompt"].endswith(TURNED_OFF)


@pytest.mark.parametrize(
    ("kwargs", "param"),
    [
        ("none", "chat_template_kwargs"),
        ({"enable_thinking": "no"}, "chat_template_kwargs.enable_thinking"),
        ({"reasoning_effort": 5}, "chat_template_kwargs.reasoning_effort"),
    ],
)
def test_invalid_arguments_of_a_template_are_named(private: Bench, kwargs: Any, param: str) -> None:
    response = asked(private, chat_template_kwargs=kwargs)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        (r"cut \ud83d", "cut \ufffd"),
        (r"\udc4b\ud83d\ud83d\udc4b", "\ufffd\ufffd👋"),
        (r"a \\ud83d is \ud83dx", r"a \ud83d is " + "\ufffdx"),
    ],
)
def test_half_a_character_is_replaced(private: Bench, text: str, replaced: str) -> None:
    model = private.play("<|channel|>final<|message|>Hi.<|return|>")
    body = f'{{"model": "{model}", "messages": [{{"role": "user", "content": "{text}"}}]}}'
    assert httpx.post(f"{private.url}/chat/completions", content=body.encode()).status_code == 200
    assert f"<|message|>{replaced}<|end|>" in private.upstream.asked[-1]["prompt"]


def test_thinking_of_messages_is_an_effort() -> None:
    def prompt(bench: Bench, **more: Any) -> str:
        body = {"model": bench.play("x"), "max_tokens": 9_000, "messages": HI, **more}
        assert httpx.post(f"{bench.url}/messages", json=body).status_code == 200
        return bench.upstream.asked[-1]["prompt"]

    with gateway_with(profile="qwen3") as bench:
        assert prompt(bench, thinking={"type": "disabled"}).endswith(TURNED_OFF)
        assert not prompt(bench, thinking={"type": "enabled", "budget_tokens": 1_024}).endswith(TURNED_OFF)
    with gateway_with(profile="gpt-oss") as bench:
        for budget, effort in ((1_024, "low"), (2_048, "medium"), (8_192, "high")):
            assert f"Reasoning: {effort}" in prompt(bench, thinking={"type": "enabled", "budget_tokens": budget})
        assert "Reasoning: medium" in prompt(bench, thinking={"type": "adaptive"})
        own = prompt(bench, thinking={"type": "enabled", "budget_tokens": 9_000}, output_config={"effort": "low"})
        assert "Reasoning: low" in own


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
CALLS = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in "ab"]


@pytest.mark.parametrize(
    ("path", "more", "param"),
    [
        ("chat/completions", {"messages": [{"role": "user", "content": [IMAGE]}]}, "messages.0.content.0"),
        (
            "chat/completions",
            {
                "messages": [
                    *HI,
                    {"role": "assistant", "content": "Wait.", "tool_calls": CALLS},
                    {"role": "tool", "tool_call_id": "a", "content": "1"},
                    {"role": "tool", "tool_call_id": "b", "content": "2"},
                    {"role": "user", "content": [{"type": "text", "text": "See?"}, IMAGE]},
                ]
            },
            "messages.4.content.1",
        ),
        ("chat/completions", {"verbosity": "low"}, "verbosity"),
        ("chat/completions", {"documents": [{"text": "x"}]}, "documents"),
        ("responses", {"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "x"}]}]}, "input"),
    ],
)
def test_what_is_refused_is_named_by_its_place_in_the_request(path: str, more: dict[str, Any], param: str) -> None:
    policy = LossPolicy(refuse=(LossCode.SETTINGS, LossCode.EXTRAS))
    with gateway_with(profile="gpt-oss", policy=policy) as bench:
        body = {"model": bench.play("x"), **({} if path == "responses" else {"messages": HI}), **more}
        error = httpx.post(f"{bench.url}/{path}", json=body).json()["error"]
    assert (error["code"], error["param"]) == ("OCB-LOSS", param)
