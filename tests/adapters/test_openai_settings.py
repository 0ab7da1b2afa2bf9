"""The parameters of Chat Completions are the settings of a conversation, and come back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import LossCode, Severity, Transcript, convert, read, write
from ocml_bridge.model import AnswerFormat, Settings, ToolChoice, Usage, replace

HI: dict[str, Any] = {"role": "user", "content": "hi"}


def transcript_of(**parameters: Any) -> Transcript:
    transcript = read({"messages": [HI], **parameters}, "openai").transcript
    assert isinstance(transcript, Transcript)
    return transcript


def settings_of(**parameters: Any) -> Settings:
    return transcript_of(**parameters).settings or Settings()


def assert_identity(document: dict[str, Any]) -> None:
    result = write(read(document, "openai").transcript, "openai")
    assert json.dumps(result.output) == json.dumps(document)
    assert result.losses == ()


WEATHER = {"type": "function", "function": {"name": "weather"}}
READ: list[tuple[dict[str, Any], Settings]] = [
    ({"model": "m"}, Settings(model="m")),
    ({"model": ""}, Settings(model="")),
    ({"temperature": 0, "top_p": 1.0, "top_k": 5, "min_p": 0.1}, Settings(None, 0, 1.0, 5, 0.1)),
    ({"max_tokens": 5}, Settings(max_tokens=5)),
    ({"max_completion_tokens": 5}, Settings(max_tokens=5)),
    ({"stop": "x"}, Settings(stop=("x",))),
    ({"stop": ["x", "y"]}, Settings(stop=("x", "y"))),
    ({"stop": []}, Settings(stop=())),
    ({"seed": 1, "n": 2}, Settings(seed=1, n=2)),
    ({"reasoning_effort": "high"}, Settings(reasoning_effort="high")),
    ({"reasoning": {"effort": "high"}}, Settings(reasoning_effort="high")),
    ({"tool_choice": "auto"}, Settings(tool_choice=ToolChoice("auto"))),
    ({"tool_choice": WEATHER}, Settings(tool_choice=ToolChoice("required", ("functions.weather",)))),
    ({"function_call": "none"}, Settings(tool_choice=ToolChoice("none"))),
    ({"function_call": {"name": "weather"}}, Settings(tool_choice=ToolChoice("required", ("functions.weather",)))),
    (
        {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [WEATHER]}}},
        Settings(tool_choice=ToolChoice("auto", ("functions.weather",))),
    ),
    ({"response_format": {"type": "json_object"}}, Settings(response_format=AnswerFormat("json_object"))),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}, "strict": True}}},
        Settings(response_format=AnswerFormat("json_schema", "a", {}, None, True)),
    ),
    ({"parallel_tool_calls": False, "verbosity": "low"}, Settings(parallel_tool_calls=False, verbosity="low")),
]


@pytest.mark.parametrize(("parameters", "settings"), READ)
def test_a_parameter_is_a_setting_and_comes_back(parameters: dict[str, Any], settings: Settings) -> None:
    transcript = transcript_of(**parameters)
    assert (transcript.settings, transcript.extras) == (settings, None)
    assert_identity({"messages": [HI], **parameters})
    assert_identity({**parameters, "messages": [HI]})


@pytest.mark.parametrize(
    "parameters",
    [
        *({"temperature": "hot"}, {"temperature": True}, {"max_tokens": 1.5}, {"stop": [1]}, {"model": 7}),
        *({"tool_choice": 7}, {"tool_choice": {"type": "function"}}, {"reasoning": {"exclude": True}}),
        *({"response_format": {"type": "json_schema"}, "x": 1}, {"response_format": {"type": "grammar"}}),
        *({"logit_bias": {"1": 2}}, {"metadata": {"a": 1}}, {"store": "yes"}, {"prompt_cache_options": {"ttl": "30m"}}),
    ],
)
def test_an_invalid_setting_is_an_extra_in_its_own_place(parameters: dict[str, Any]) -> None:
    if "x" not in parameters:
        assert settings_of(**parameters) == Settings()
        losses = [loss for loss in write(transcript_of(**parameters), "harmony").losses if loss.path != "/layout"]
        assert [loss.path for loss in losses] == [f"/extras/openai/{key}" for key in parameters]
    assert_identity({"messages": [HI], **parameters})


@pytest.mark.parametrize("value", [None, [], {}, ""])
@pytest.mark.parametrize(
    "key", ["temperature", "stop", "tool_choice", "response_format", "reasoning", "usage", "model"]
)
def test_null_and_empty_are_not_absent(key: str, value: Any) -> None:
    assert_identity({"messages": [HI], key: value})


def test_the_first_of_two_keys_for_one_setting_is_believed_and_the_other_stays() -> None:
    both = {"max_tokens": 5, "max_completion_tokens": 9}
    transcript = transcript_of(**both)
    assert transcript.settings == Settings(max_tokens=9)
    assert transcript.extras == {"openai": {"max_tokens": 5}}
    assert_identity({"messages": [HI], **both})


def test_members_beside_a_setting_stay_with_null_in_its_place() -> None:
    transcript = transcript_of(reasoning={"exclude": True, "effort": "high"})
    assert transcript.settings == Settings(reasoning_effort="high")
    assert transcript.extras == {"openai": {"reasoning": {"exclude": True, "effort": None}}}
    assert_identity({"messages": [HI], "reasoning": {"exclude": True, "effort": "high"}})


USAGE = {
    "prompt_tokens": 9,
    "completion_tokens": 12,
    "total_tokens": 21,
    "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 7},
}
RESPONSE = {
    "id": "r",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
    "usage": USAGE,
    "system_fingerprint": None,
}


def test_members_beside_a_setting_stay_when_the_setting_is_changed() -> None:
    found = transcript_of(usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "cost": 0.5})
    assert found.settings is not None
    changed = replace(found, settings=replace(found.settings, usage=Usage(4, 5, 9, cached_tokens=1)))
    result = write(changed, "openai")
    output: Any = result.output
    assert output["usage"] == {
        "prompt_tokens": 4,
        "completion_tokens": 5,
        "total_tokens": 9,
        "cost": 0.5,
        "prompt_tokens_details": {"cached_tokens": 1},
    }
    assert all(loss.severity is Severity.LAYOUT for loss in result.losses)


def test_an_object_without_the_setting_does_not_get_it() -> None:
    assert_identity({"messages": [HI], "reasoning_effort": "low", "reasoning": {"summary": "auto"}})


def test_the_model_and_the_usage_of_a_response_are_settings() -> None:
    transcript = read(RESPONSE, "openai").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(model="m", usage=Usage(9, 12, 21, 4, 7))
    assert_identity(RESPONSE)
    assert_identity({**RESPONSE, "usage": {"prompt_tokens": 9, "completion_tokens": 12}})


def test_the_settings_of_a_preference_line_are_those_of_its_input() -> None:
    line: dict[str, Any] = {
        "input": {"messages": [HI], "temperature": 0},
        "preferred_output": [],
        "non_preferred_output": [],
    }
    transcript = read(line, "openai").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(temperature=0)
    assert_identity(line)


# --- to the header of OpenChatML 2.2, and back ------------------------------------------------------------------------


def test_settings_go_into_the_header_of_openchatml_and_come_back() -> None:
    request = {
        "model": "m",
        "messages": [HI],
        "temperature": 0.3,
        "max_completion_tokens": 5,
        "stop": ["x"],
        "tool_choice": "auto",
    }
    there = convert(request, source="openai", target="ocm-2.2")
    assert there.output == (
        "version: 2.2\nmodel: m\n"
        'generation_settings: {"temperature": 0.3, "max_tokens": 5, "stop": ["x"], "tool_choice": "auto"}\n'
        "<|start|>user<|message|>hi<|end|>\n"
    )
    assert there.lossless
    back = convert(there.output, source="ocm-2.2", target="openai")
    assert back.output == request
    assert back.losses == ()


@pytest.mark.parametrize(("parameters", "settings"), READ)
def test_every_setting_of_a_request_comes_back_from_openchatml(parameters: Any, settings: Settings) -> None:
    text = write(transcript_of(**parameters), "ocm-2.2").output
    back = read(text, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    assert back.settings == settings


def test_what_the_header_has_no_key_for_is_reported_at_its_own_place() -> None:
    result = write(read(RESPONSE, "openai").transcript, "ocm-2.2")
    lost = [(loss.code, loss.path) for loss in result.losses if loss.severity is Severity.LOST]
    assert lost == [
        (LossCode.SETTINGS, "/settings/usage"),
        (LossCode.EXTRAS, "/extras/openai/id"),
        (LossCode.EXTRAS, "/extras/openai/object"),
        (LossCode.EXTRAS, "/extras/openai/created"),
        (LossCode.EXTRAS, "/extras/openai/usage"),
        (LossCode.EXTRAS, "/extras/openai/choices"),
    ]


def test_generation_settings_of_other_names_stay() -> None:
    text = 'version: 2.2\ngeneration_settings: {"temperature": 0.7, "builtin_tools": ["python"], "model": "x"}\n'
    transcript = read(text, "ocm-2.2").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(temperature=0.7)
    assert transcript.extras == {"ocm-2.2": {"generation_settings": {"builtin_tools": ["python"], "model": "x"}}}
    assert write(transcript, "ocm-2.2").output == text


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.just(0.5), st.sampled_from(["", "auto", "x"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["type", "name", "function", "effort", "prompt_tokens", "mode"]), inner),
    ),
    max_leaves=4,
)
KEYS = [
    "temperature",
    "stop",
    "tool_choice",
    "function_call",
    "response_format",
    "reasoning",
    "usage",
    "model",
    "tools",
]


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4), st.booleans())
def test_any_parameters_come_back(parameters: dict[str, Any], first: bool) -> None:
    around = {**parameters, "messages": [HI]} if first else {"messages": [HI], **parameters}
    result = write(read(around, "openai").transcript, "openai")
    assert json.dumps(result.output) == json.dumps(around)
