"""What an operator needs: models, readiness, numbers, keys, several upstreams, web pages, preambles."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import AuthenticationError, NotFoundError
from prometheus_client.parser import text_string_to_metric_families

from gateway.conftest import Bench, gateway_with
from gateway.scripted import Script, Upstream, serving
from gateway.test_openai_client import TOOLS, USER, call, final, joined, thought, tokens
from ocml_bridge.errors import BridgeError
from ocml_bridge.hosts.gateway import Service, Settings, create_app
from ocml_bridge.hosts.gateway.clients.keys import Keys
from ocml_bridge.hosts.gateway.problems import ApiError

PREAMBLE = "<|channel|>commentary<|message|>I look it up.<|end|>"


def root(bench: Bench) -> str:
    return bench.url.removesuffix("/v1")


# --- models and completions -------------------------------------------------------------------------------------------


def test_a_model_by_its_name_and_by_its_alias() -> None:
    with gateway_with(profile="gpt-oss", aliases={"org/small": "m"}) as bench:
        assert [model.id for model in bench.client.models.list()] == ["m", "org/small"]
        assert bench.client.models.retrieve("m").id == "m"
        assert bench.client.models.retrieve("org/small").id == "org/small"
        with pytest.raises(NotFoundError) as raised:
            bench.client.models.retrieve("another")
        assert raised.value.code == "model_not_found"
        bench.upstream.scripts["m"] = Script([final("ok")])
        bench.client.chat.completions.create(model="org/small", messages=USER)
        assert bench.upstream.asked[-1]["model"] == "m"


def test_several_upstreams_answer_for_their_own_models() -> None:
    small, large = Upstream(), Upstream()
    small.scripts["small"], large.scripts["large"] = Script([final("S")]), Script([final("L")])
    with ExitStack() as stack:
        urls = [stack.enter_context(serving(each)) for each in (small, large)]
        settings = [
            Settings(f"{url}/v1", profile="gpt-oss", models=(name,))
            for url, name in zip(urls, ("small", "large"), strict=True)
        ]
        url = stack.enter_context(serving(create_app(settings, Service(aliases={"huge": "large"}))))
        for name, content in (("small", "S"), ("large", "L"), ("huge", "L")):
            made = httpx.post(f"{url}/v1/chat/completions", json={"model": name, "messages": USER})
            assert made.json()["choices"][0]["message"]["content"] == content
        missing = httpx.post(f"{url}/v1/chat/completions", json={"model": "tiny", "messages": USER})
        assert (missing.status_code, missing.json()["error"]["param"]) == (404, "model")


def test_requests_go_to_the_upstream_that_has_least_to_do_and_can_be_reached() -> None:
    upstream = Upstream()
    upstream.scripts["m"] = Script([final("ok")])
    with serving(upstream) as behind:
        gone, there = (Settings(f"{base}/v1", profile="gpt-oss") for base in ("http://127.0.0.1:9", behind))
        with serving(create_app([gone, there])) as url:
            body = {"model": "m", "messages": USER}
            statuses = [httpx.post(f"{url}/v1/chat/completions", json=body).status_code for _ in range(4)]
            assert statuses == [502, 200, 200, 200]
            assert httpx.get(f"{url}/ready").json()["upstreams"] == {
                "http://127.0.0.1:9/v1": False,
                f"{behind}/v1": True,
            }


@pytest.mark.parametrize("stream", [True, False])
def test_completions_are_passed_through(private: Bench, stream: bool) -> None:
    """Raw: the client's own prompt, and whatever the model writes."""
    text = joined(thought("hm"), final("ok"))
    model = private.play(tokens(text))
    made: Any = private.client.completions.create(model=model, prompt="<|start|>assistant", stream=stream)
    whole = "".join(chunk.choices[0].text for chunk in made) if stream else made.choices[0].text
    assert whole == text
    assert private.upstream.asked[-1]["prompt"] == "<|start|>assistant"
    assert "skip_special_tokens" not in private.upstream.asked[-1]
    assert private.upstream.headers[-1]["authorization"] == "Bearer key-of-the-client"


def test_completions_can_be_turned_off() -> None:
    with gateway_with(completions=False) as bench, pytest.raises(NotFoundError):
        bench.client.completions.create(model="m", prompt="x")


# --- health, readiness, numbers ---------------------------------------------------------------------------------------


def test_ready_asks_the_upstream(private: Bench) -> None:
    assert httpx.get(f"{root(private)}/ready").json()["status"] == "ready"
    with serving(create_app(Settings("http://127.0.0.1:9/v1"))) as url:
        assert httpx.get(f"{url}/health").status_code == 200
        assert httpx.get(f"{url}/ready").status_code == 503


def test_numbers_for_prometheus() -> None:
    with gateway_with(profile="gpt-oss", turn_memory=None, name="gpu-1") as bench:
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        bench.client.chat.completions.create(model=bench.play(final("ok"), usage=usage), messages=USER)
        list(bench.client.chat.completions.create(model=bench.play(final("ok")), messages=USER, stream=True))
        httpx.post(f"{bench.url}/chat/completions", content=b"{")
        exposed = httpx.get(f"{root(bench)}/metrics")
        assert exposed.headers["content-type"].startswith("text/plain")
        values = {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(exposed.text)
            for sample in family.samples
        }
        path = "/v1/chat/completions"
        assert values["ocml_requests_total", path, "200", "gpu-1"] == 2
        assert values["ocml_requests_total", path, "400", ""] == 1
        assert values["ocml_tokens_total", "completion", "gpu-1"] == 3
        assert values["ocml_request_seconds_count", path] == 3
        assert values["ocml_first_event_seconds_count", path] == 1
        assert values["ocml_requests_in_flight",] == 0


# --- keys and web pages -----------------------------------------------------------------------------------------------


def test_keys_are_asked_for_and_never_passed_on(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("# clients\nalice key-of-the-client\n")
    with gateway_with(profile="gpt-oss", keys=str(tmp_path / "keys")) as bench:
        bench.client.chat.completions.create(model=bench.play(final("ok")), messages=USER)
        assert "authorization" not in bench.upstream.headers[-1]
        asked = len(bench.upstream.asked)
        stranger = bench.client.with_options(api_key="another")
        for ask in (
            lambda: stranger.chat.completions.create(model="m", messages=USER),
            lambda: stranger.completions.create(model="m", prompt="x"),
            lambda: stranger.models.list(),
        ):
            with pytest.raises(AuthenticationError) as raised:
                ask()
            assert raised.value.code == "invalid_api_key"
        assert len(bench.upstream.asked) == asked
        assert httpx.get(f"{root(bench)}/health").status_code == 200


def test_keys_are_read_again_when_the_file_changes(tmp_path: Path) -> None:
    file, now = tmp_path / "keys", [0.0]
    file.write_text("alice old\n")
    keys = Keys(file, lambda: now[0])
    assert keys.caller("Bearer old") == "alice"
    assert keys.caller(None, "old") == "alice"
    file.write_text("alice old\nalice new\n")
    os.utime(file, (1, 1))
    now[0] = 2.0
    assert keys.caller("bearer new") == keys.caller("Bearer old") == "alice"
    file.write_text("alice new\n")
    now[0] = 4.0
    with pytest.raises(ApiError):
        keys.caller("Bearer old")
    file.unlink()
    now[0] = 6.0
    assert keys.caller("Bearer new") == "alice"
    for authorization in (None, "", "Bearer ", "Basic new", "new", "Bearer 𝔘"):
        with pytest.raises(ApiError):
            keys.caller(authorization)


@pytest.mark.parametrize("text", ["", "# nothing\n\n"])
def test_a_file_without_keys_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys").write_text(text)
    with pytest.raises(BridgeError):
        Keys(tmp_path / "keys")
    with pytest.raises(BridgeError):
        Keys(tmp_path / "missing")


def test_web_pages_of_named_origins_may_ask() -> None:
    with gateway_with(profile="gpt-oss", origins=("https://app.test",)) as bench:
        asks = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
        for origin, allowed in (("https://app.test", "https://app.test"), ("https://other.test", None)):
            answer = httpx.options(f"{bench.url}/chat/completions", headers={"origin": origin, **asks})
            assert answer.headers.get("access-control-allow-origin") == allowed
        body = {"model": bench.play(final("ok")), "messages": USER, "stream": True}
        answer = httpx.post(f"{bench.url}/chat/completions", json=body, headers={"origin": "https://app.test"})
        assert answer.headers["access-control-allow-origin"] == "https://app.test"
        assert answer.text.endswith("data: [DONE]\n\n")


# --- preambles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("preambles", "reasoning", "content", "thoughts"),
    [
        ("content", None, "I look it up.", None),
        ("reasoning", None, None, None),
        ("nothing", None, None, None),
        ("reasoning", "reasoning", None, "Hm.\n\nI look it up."),
        ("nothing", "reasoning", None, "Hm."),
    ],
)
def test_preambles_are_content_or_reasoning_or_nothing(
    preambles: Any, reasoning: Any, content: str | None, thoughts: str | None, stream: bool
) -> None:
    text = joined(thought("Hm."), PREAMBLE, call("f", '{"x":1}'))
    with gateway_with(profile="gpt-oss", preambles=preambles, reasoning=reasoning) as bench:
        model = bench.play(tokens(text))
        if stream:
            with bench.client.chat.completions.stream(model=model, messages=USER, tools=TOOLS) as chunks:
                message = chunks.get_final_completion().choices[0].message
        else:
            message = bench.client.chat.completions.create(model=model, messages=USER, tools=TOOLS).choices[0].message
        assert (message.content or None, (message.model_extra or {}).get("reasoning")) == (content, thoughts)
        assert message.tool_calls
        # The reasoning that the client does not see was still written by the model.
        calls = [
            {"id": message.tool_calls[0].id, "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
        ]
        messages: Any = [
            *USER,
            {"role": "assistant", "content": content, "tool_calls": calls},
            {"role": "tool", "tool_call_id": calls[0]["id"], "content": "dry"},
        ]
        bench.upstream.scripts[model] = Script([final("Dry.")])
        bench.client.chat.completions.create(model=model, messages=messages)
        prompt = bench.upstream.asked[-1]["prompt"]
        assert PREAMBLE in prompt
        assert prompt.index("Hm.") < prompt.index("I look it up.") < prompt.index("to=functions.f")
