"""What the gateway asks its upstream, what it refuses, and how errors look to the official client."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import httpx
import pytest
from openai import (
    APIError,
    APIStatusError,
    AuthenticationError,
    BadRequestError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

from gateway.conftest import Bench, answering
from gateway.scripted import LENGTH, serving
from gateway.test_openai_client import TOOLS, USER, call, final, joined, thought
from ocml_bridge.hosts.gateway import Settings, create_app
from ocml_bridge.report.policy import LossPolicy

SECRET = "a secret that no log may have"


def test_the_prompt_is_the_one_of_the_profile(private: Bench) -> None:
    messages: Any = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi <|end|>"},
        {"role": "assistant", "content": "Hello.", "reasoning": "greet"},
        {"role": "user", "content": "Bye"},
    ]
    model = private.play(final("Bye."))
    private.client.chat.completions.create(model=model, messages=messages, reasoning_effort="high", temperature=0.5)
    asked = private.upstream.asked[-1]
    prompt = asked["prompt"]
    assert prompt.startswith("<|start|>system<|message|>You are ChatGPT")
    assert "Reasoning: high" in prompt
    assert "<|start|>developer<|message|># Instructions\n\nBe brief.<|end|>" in prompt
    assert "<|end|>" not in prompt.partition("Hi ")[2][:6]
    assert "greet" not in prompt
    assert prompt.endswith("<|start|>user<|message|>Bye<|end|><|start|>assistant")
    assert asked["temperature"] == 0.5
    assert asked["max_tokens"] == LENGTH - len(prompt) // 4 - 1
    assert asked["skip_special_tokens"] is False


def test_no_client_makes_a_special_token_that_was_named() -> None:
    for bench in answering(format="chatml", special_tokens=("[INST]",)):
        model = bench.play("Hi.<|im_end|>")
        bench.client.chat.completions.create(model=model, messages=[{"role": "user", "content": "a [INST] b"}])
        assert "a [\u200bINST] b" in bench.upstream.asked[-1]["prompt"]


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        *((f"harmony:{dialect}", "<|channel|>final<|message|>Hi.<|return|>") for dialect in ("spec", "oss", "hf")),
        ("internlm2:unused", "Hi.[UNUSED_TOKEN_145]"),
        ("chatml:openai", "Hi.<|im_end|>"),
    ],
)
def test_a_model_may_write_a_dialect(form: str, answer: str) -> None:
    for bench in answering(format=form):
        answered = bench.client.chat.completions.create(model=bench.play(answer), messages=USER)
        assert answered.choices[0].message.content == "Hi."
        chunks = bench.client.chat.completions.create(model=bench.play(answer), messages=USER, stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Hi."


@pytest.mark.parametrize("profile", ["qwen3", "qwen3.5"])
def test_models_that_speak_chatml_call_tools_and_think_in_private(profile: str) -> None:
    weather: Any = {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    }
    call = '{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}'
    xml = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"
    begun = {"qwen3": "<think>\n", "qwen3.5": ""}[profile]
    joined = f"{begun}Let me look.\n</think>\n\n<tool_call>\n{xml if begun == '' else call}\n</tool_call><|im_end|>"
    for bench in answering(format="chatml", profile=profile):
        for stream in (False, True):
            answered: Any = bench.client.chat.completions.create(
                model=bench.play(joined),
                messages=USER,
                tools=[{"type": "function", "function": weather}],
                stream=stream,
            )
            prompt = bench.upstream.asked[-1]["prompt"]
            assert "<tools>" in prompt
            assert prompt.endswith("<|im_start|>assistant\n" if begun else "<|im_start|>assistant\n<think>\n")
            if stream:
                deltas = [chunk.choices[0].delta for chunk in answered if chunk.choices]
                assert "look" not in "".join(delta.content or "" for delta in deltas)
                calls = [call for delta in deltas for call in delta.tool_calls or ()]
                name = "".join(call.function.name or "" for call in calls)
                arguments = "".join(call.function.arguments or "" for call in calls)
            else:
                message = answered.choices[0].message
                assert not message.content
                name, arguments = message.tool_calls[0].function.name, message.tool_calls[0].function.arguments
            assert (name, json.loads(arguments)) == ("get_weather", {"city": "Oslo", "days": 3})


PICTURE: Any = [
    {
        "role": "user",
        "content": [
            {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
            {"type": "text", "text": "Who is it?"},
        ],
    }
]


def test_a_picture_that_the_model_cannot_see_is_refused(private: Bench) -> None:
    with pytest.raises(BadRequestError) as raised:
        private.client.chat.completions.create(model=private.play(final("ok")), messages=PICTURE)
    assert (raised.value.code, raised.value.param) == ("OCB-LOSS", "messages.0.content.0")
    assert "ask the operator of the gateway for --allow media" in raised.value.message


def test_losses_of_the_prompt_are_in_a_header_by_their_class() -> None:
    for bench in answering(profile="gpt-oss", policy=LossPolicy(allow=("media",))):
        body = {"model": bench.play(final("ok")), "messages": PICTURE, "verbosity": "low"}
        response = httpx.post(f"{bench.url}/chat/completions", json=body)
        assert response.status_code == 200
        assert response.headers["x-ocml-losses"] == "content=media, bookkeeping=settings"


def test_lost_ids_of_calls_are_not_reported_to_clients(private: Bench) -> None:
    asked: Any = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: Any = [
        *USER,
        {"role": "assistant", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    body = {"model": private.play(final("ok")), "messages": messages, "tools": TOOLS}
    assert "x-ocml-losses" not in httpx.post(f"{private.url}/chat/completions", json=body).headers


def test_the_clients_key_is_passed_on(private: Bench) -> None:
    private.client.chat.completions.create(model=private.play(final("ok")), messages=USER)
    assert private.upstream.headers[-1]["authorization"] == "Bearer key-of-the-client"


def test_an_own_key_is_sent_in_place_of_the_clients() -> None:
    for bench in answering(api_key="own"):
        bench.client.chat.completions.create(model=bench.play("<|channel|>final<|message|>ok<|return|>"), messages=USER)
        assert bench.upstream.headers[-1]["authorization"] == "Bearer own"


def test_token_ids_both_ways() -> None:
    """Nothing in a text can be taken for a control token where the upstream is spoken to in token ids."""
    from ocml_adapters.harmony.tokens import encode

    thinks, answers = "𝔘 is a letter.", "So <|end|> is four words: 𝔘."
    ids = [
        *encode("<|channel|>analysis<|message|>", CONTROL),
        *encode(thinks),
        *encode("<|end|><|start|>assistant<|channel|>final<|message|>", CONTROL),
        *encode(answers),
    ]
    pieces: list[Any] = [[number] for number in ids]
    for bench in answering(format="harmony-tokens", profile="gpt-oss", reasoning="reasoning"):
        made = bench.client.chat.completions.create(model=bench.play(pieces), messages=USER).choices[0].message
        with bench.client.chat.completions.stream(model=bench.play(pieces, cut=3), messages=USER) as stream:
            streamed = stream.get_final_completion().choices[0].message
        for message in (made, streamed):
            assert message.content == answers
            assert (message.model_extra or {})["reasoning"] == thinks
        assert all(isinstance(number, int) for number in bench.upstream.asked[-1]["prompt"])
        assert bench.upstream.asked[-1]["return_token_ids"] is True


CONTROL = ("<|end|>", "<|start|>", "<|channel|>", "<|message|>")


@pytest.mark.parametrize(
    ("form", "begins", "prompt"),
    [
        ("internlm2", "", "<|im_start|>assistant\n"),
        ("chatml", "", "<|im_start|>assistant\n"),
        ("ocm-0.1", "", "<|im_start|>assistant\n"),
        ("ocm-2.2", "<|channel|>final<|message|>", "<|start|>assistant"),
    ],
)
def test_models_of_other_formats(form: str, begins: str, prompt: str) -> None:
    for bench in answering(format=form):
        model = bench.play([*begins, *f"Hello, {form}."], reason="stop", cut=5)
        with bench.client.chat.completions.stream(model=model, messages=USER) as stream:
            choice = stream.get_final_completion().choices[0]
        assert (choice.message.content, choice.finish_reason) == (f"Hello, {form}.", "stop")
        assert bench.upstream.asked[-1]["prompt"].endswith(prompt)


# --- who may see what -------------------------------------------------------------------------------------------------


def test_to_ask_for_what_is_hidden_is_refused(private: Bench) -> None:
    """OpenChatML 2.2 §4, §14."""
    with pytest.raises(PermissionDeniedError) as raised:
        private.client.chat.completions.create(
            model=private.play(final("x")), messages=USER, extra_body={"include_reasoning": True}
        )
    assert raised.value.code == "E-PERM-VISIBILITY"


def test_a_client_may_do_without_reasoning(opened: Bench) -> None:
    model = opened.play(joined(thought("hm"), final("x")))
    made = opened.client.chat.completions.create(model=model, messages=USER, extra_body={"include_reasoning": False})
    assert "reasoning" not in (made.choices[0].message.model_extra or {})


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "invalid_json"),
        (b"[]", "invalid_body"),
        (b'{"model":"m"}', "invalid_value"),
        (b'{"model":"m","messages":[{"content":"x"}]}', "invalid_value"),
        (b'{"model":"m","messages":[{"role":"user","content":"x"}],"stop":[1]}', "invalid_value"),
        (b"\xff", "invalid_json"),
    ],
)
def test_requests_that_are_none(private: Bench, body: bytes, code: str) -> None:
    response = httpx.post(f"{private.url}/chat/completions", content=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["type"]) == (code, "invalid_request_error")
    assert error["message"]


def test_half_a_character_is_not_what_is_wrong_with_a_request(private: Bench) -> None:
    body = rb'{"model":"m","messages":[{"role":"user","content":"\ud83d"}],"seed":1e400}'
    response = httpx.post(f"{private.url}/chat/completions", content=body)
    assert "infinity" in response.json()["error"]["message"]


def test_a_request_that_is_too_large() -> None:
    for bench in answering(max_request=1000):
        with pytest.raises(APIStatusError) as raised:
            bench.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x" * 2000}])
        assert (raised.value.status_code, raised.value.code) == (413, "request_too_large")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("status", "seen", "kind"),
    [
        (401, 401, AuthenticationError),
        (400, 400, BadRequestError),
        (429, 429, RateLimitError),
        (500, 500, InternalServerError),
        (503, 503, InternalServerError),
        (404, 502, InternalServerError),
    ],
)
def test_errors_of_the_upstream(
    private: Bench, status: int, seen: int, kind: type[APIStatusError], stream: bool
) -> None:
    """An error before the first token has a status, in a stream too."""
    body = json.dumps({"error": {"message": "not today", "code": "because"}}).encode()
    model = private.play([], status=status, body=body)
    with pytest.raises(kind) as raised:
        private.client.chat.completions.create(model=model, messages=USER, stream=stream)
    assert (raised.value.status_code, raised.value.code) == (seen, "because")
    assert "not today" in raised.value.message


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", b"", b'{"detail":"x"}', b'"words"', b"null"])
def test_errors_of_the_upstream_in_other_words(private: Bench, body: bytes) -> None:
    model = private.play([], status=503, body=body)
    with pytest.raises(InternalServerError) as raised:
        private.client.chat.completions.create(model=model, messages=USER)
    assert raised.value.status_code == 503
    assert raised.value.code == "upstream_error"


TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    "the request exceeds the available context size, try increasing it",
)
"""How vLLM, SGLang and llama.cpp refuse a request that is longer than the context."""


@pytest.mark.parametrize("words", TOO_LONG)
def test_a_request_that_is_too_long_has_the_code_that_clients_know(private: Bench, words: str) -> None:
    """Codex and opencode know by it that the conversation must be shortened."""
    body = json.dumps({"error": {"message": words, "type": "BadRequestError", "code": 400}}).encode()
    with pytest.raises(BadRequestError, match=re.escape(words)) as raised:
        private.client.chat.completions.create(model=private.play([], status=400, body=body), messages=USER)
    assert raised.value.code == "context_length_exceeded"


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"choices":1}', b"[1]", b'{"error":{"message":"late"}}'])
def test_answers_of_the_upstream_that_are_none(private: Bench, body: bytes) -> None:
    with pytest.raises(APIStatusError) as raised:
        private.client.chat.completions.create(model=private.play([], body=body), messages=USER)
    assert raised.value.status_code == 502


@pytest.mark.parametrize("error", [{"error": {"message": "no memory"}}, {"object": "error", "message": "no memory"}])
@pytest.mark.parametrize("stream", [True, False])
def test_an_error_of_the_upstream_keeps_its_words(private: Bench, error: dict[str, Any], stream: bool) -> None:
    """The second form is that of vLLM before 0.10."""
    data = json.dumps(error).encode()
    body = b"data: " + data + b"\n\n" if stream else data
    with pytest.raises(APIError, match="no memory"):
        list(private.client.chat.completions.create(model=private.play([], body=body), messages=USER, stream=stream))


def test_an_upstream_that_is_not_there() -> None:
    with serving(create_app(Settings("http://127.0.0.1:9/v1"))) as url:
        response = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": USER})
    assert response.status_code == 502
    assert response.json()["error"]["code"] == "upstream_unreachable"


@pytest.mark.parametrize("stream", [True, False])
def test_an_upstream_that_is_too_slow(stream: bool) -> None:
    for bench in answering(read_timeout=0.05):
        model = bench.play(["<|channel|>final", "<|message|>x"], pause=0.5)
        with pytest.raises(Exception) as raised:  # noqa: PT011  # a status, or an error in the stream
            list(bench.client.chat.completions.create(model=model, messages=USER, stream=stream))
        assert getattr(raised.value, "code", None) in {"upstream_timeout", "E-STREAM-TRUNCATED"}


def test_an_upstream_that_does_not_send_ids() -> None:
    """It was asked for them, and text cannot be read for them."""
    for bench in answering(format="harmony-tokens"):
        with pytest.raises(APIStatusError) as raised:
            bench.client.chat.completions.create(model=bench.play("text"), messages=USER)
        assert raised.value.status_code == 502


# --- parameters -------------------------------------------------------------------------------------------------------


WEATHER: Any = {"type": "function", "function": {"name": "weather"}}


@pytest.mark.parametrize(
    ("changed", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": ["Hi"]}, "messages.0"),
        ({"messages": [{"role": "alien", "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": [{"name": "user"}], "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages.0.content"),
        ({"messages": [{"role": "user"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [{"type": "alien"}]}]}, "messages.0.content.0"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages.0.content.0"),
        ({"messages": [{"role": "assistant", "tool_calls": ["f"]}]}, "messages.0.tool_calls.0"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}, "messages.0.tool_calls.0.function.name"),
        ({"model": 5}, "model"),
        ({"stream": "true"}, "stream"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_completion_tokens": -1}, "max_completion_tokens"),
        ({"max_tokens": "5"}, "max_tokens"),
        ({"n": 0}, "n"),
        ({"n": 16_384}, "n"),
        ({"n": True}, "n"),
        ({"seed": "x"}, "seed"),
        ({"temperature": "hot"}, "temperature"),
        ({"logit_bias": {"5": "x"}}, "logit_bias.5"),
        ({"logprobs": 1}, "logprobs"),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"stop": [1]}, "stop"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
        ({"tools": {}}, "tools"),
        ({"tools": ["weather"]}, "tools.0"),
        ({"tools": [{"type": "function"}]}, "tools.0.function.name"),
        ({"functions": [{"name": 5}]}, "functions.0.name"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": [WEATHER], "tool_choice": "sometimes"}, "tool_choice"),
        ({"parallel_tool_calls": "no"}, "parallel_tool_calls"),
        ({"reasoning_effort": 5}, "reasoning_effort"),
        ({"verbosity": "some"}, "verbosity"),
        ({"audio": {"voice": "x"}}, "audio"),
        ({"web_search_options": {}}, "web_search_options"),
        ({"tool_choice": 7}, "tool_choice"),
        ({"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice"),
        ({"functions": [{"name": "f"}], "function_call": {"name": "g"}}, "function_call"),
        ({"response_format": "json"}, "response_format"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema"),
        ({"modalities": ["audio"]}, "modalities"),
    ],
)
def test_a_parameter_that_cannot_be_done_is_named(private: Bench, changed: dict[str, Any], param: str) -> None:
    asked = len(private.upstream.asked)
    response = httpx.post(f"{private.url}/chat/completions", json={"model": "m", "messages": USER, **changed})
    error = response.json()["error"]
    assert (response.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert len(private.upstream.asked) == asked, "the engine has not been asked"


def test_mistral_s_word_for_a_required_call_is_understood(private: Bench) -> None:
    """Recorded by magentic: Mistral's clients send `any`."""
    for word in ("required", "any"):
        model = private.play(call("weather", "{}"))
        asked = {"model": model, "messages": USER, "tools": [WEATHER], "tool_choice": word}
        assert httpx.post(f"{private.url}/chat/completions", json=asked).status_code == 200
    first, second = ({**body, "model": "m"} for body in private.upstream.asked[-2:])
    assert first == second


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9}, "anthropic_version"),
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "inferenceConfig": {}}, "inferenceConfig"),
    ],
)
def test_a_request_of_another_api_is_refused_with_the_path_that_takes_it(
    private: Bench, more: dict[str, Any], param: str
) -> None:
    response = httpx.post(f"{private.url}/chat/completions", json={"messages": USER, **more})
    error = response.json()["error"]
    assert (response.status_code, error["param"]) == (400, param)
    assert "/v1/messages" in error["message"]
    assert "force_format" not in error["message"], "a client has no such option"


def test_functions_are_answered_as_they_are_asked_for(private: Bench) -> None:
    """The deprecated form: who sends `functions` looks for `function_call`."""
    functions: Any = [{"name": "f", "parameters": {"type": "object"}}]
    model = private.play(call("f", '{"x": 1}'))
    choice = private.client.chat.completions.create(model=model, messages=USER, functions=functions).choices[0]
    assert choice.message.function_call is not None
    assert (choice.message.function_call.name, choice.message.tool_calls) == ("f", None)
    assert choice.finish_reason == "function_call"
    chunks = private.client.chat.completions.create(model=model, messages=USER, functions=functions, stream=True)
    deltas = [(chunk.choices[0].delta, chunk.choices[0].finish_reason) for chunk in chunks if chunk.choices]
    assert "".join(delta.function_call.name or "" for delta, _ in deltas if delta.function_call) == "f"
    assert not any(delta.tool_calls for delta, _ in deltas)
    assert deltas[-1][1] == "function_call"


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_health_models_and_nothing_else(private: Bench) -> None:
    assert httpx.get(private.url.replace("/v1", "/health")).json() == {"status": "ok"}
    assert [model.id for model in private.client.models.list()] == ["m"]
    with pytest.raises(NotFoundError):
        private.client.embeddings.create(model="m", input="x")


def test_the_log_has_numbers_and_codes_and_no_contents(opened: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ocml_bridge.gateway")
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    text = joined(thought(SECRET), final(SECRET))
    for stream in (True, False):
        model = opened.play(text, usage=usage)
        messages: Any = [{"role": "user", "content": SECRET}]
        made: Any = opened.client.chat.completions.create(model=model, messages=messages, stream=stream)  # type: ignore[call-overload]
        for _ in made:
            pass
    lines = [record.getMessage() for record in caplog.records if record.name == "ocml_bridge.gateway"]
    assert len(lines) >= 2
    assert SECRET not in "".join(lines)
    for line in lines[-2:]:
        entry = json.loads(line)
        assert {"time", "status", "milliseconds", "path", "request", "model", "stream", "finish"} <= entry.keys()
        assert (entry["status"], entry["finish"]) == (200, ["stop"])
