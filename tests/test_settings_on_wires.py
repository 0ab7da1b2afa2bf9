"""Each setting is written to and read from the documented member; without one it is lost by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from ocml_bridge import Message, Severity, Tool, Transcript, read, write
from ocml_bridge.model import AnswerFormat, Settings, ToolChoice, Usage
from ocml_bridge.report.policy import LENIENT

SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": False}
SCHEMA_TEXT = '{"type":"object","additionalProperties":false}'
REQUESTS: dict[str, dict[str, Any]] = {
    "openai": {"messages": [{"role": "user", "content": "Hi"}]},
    "openai-responses": {"input": [{"type": "message", "role": "user", "content": "Hi"}]},
    "anthropic": {"messages": [{"role": "user", "content": "Hi"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    "bedrock-converse": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
}
ANSWERS: dict[str, dict[str, Any]] = {
    "openai": {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    },
    "openai-responses": {
        "object": "response",
        "status": "completed",
        "output": [
            {
                "type": "message",
                "id": "i",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Hi"}],
            }
        ],
    },
    "anthropic": {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Hi"}],
        "stop_reason": "end_turn",
    },
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]},
    "bedrock-converse": {
        "output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
        "stopReason": "end_turn",
    },
}
EVERYWHERE = ("openai", "openai-responses", "anthropic")
OPENAIS = ("openai", "openai-responses")
DESCRIBED: dict[str, Any] = {"name": "a", "description": "b", "schema": SCHEMA}


def at(path: str, value: Any) -> dict[str, Any]:
    """An object with a value at a path."""
    key, _, rest = path.partition(".")
    return {key: at(rest, value) if rest else value}


def everywhere(key: str, value: Any, *wires: str, **more: dict[str, Any]) -> dict[str, Any]:
    """The same member in these wires, and others in others."""
    return {**{wire: {key: value} for wire in wires}, **{wire.replace("_", "-"): there for wire, there in more.items()}}


def of_gemini(key: str, value: Any) -> dict[str, Any]:
    return at(f"generationConfig.{key}", value)


def of_bedrock(key: str, value: Any) -> dict[str, Any]:
    return at(f"inferenceConfig.{key}", value)


def choices(openai: Any, responses: Any, anthropic: Any, mode: str, bedrock: Any, *names: str) -> dict[str, Any]:
    named = {"allowedFunctionNames": [*names]} if names else {}
    return {
        "openai": {"tool_choice": openai},
        "openai-responses": {"tool_choice": responses},
        "anthropic": {"tool_choice": anthropic},
        "gemini": at("toolConfig.functionCallingConfig", {"mode": mode, **named}),
        **({} if bedrock is None else {"bedrock-converse": at("toolConfig.toolChoice", bedrock)}),
    }


PLACES: list[tuple[str, Any, dict[str, Any]]] = [
    ("model", "m", everywhere("model", "m", *EVERYWHERE, gemini={"model": "m"}, bedrock_converse={"modelId": "m"})),
    (
        *("temperature", 0.5),
        everywhere(
            *("temperature", 0.5, *EVERYWHERE),
            gemini=of_gemini("temperature", 0.5),
            bedrock_converse=of_bedrock("temperature", 0.5),
        ),
    ),
    (
        *("top_p", 0.5),
        everywhere(
            *("top_p", 0.5, *EVERYWHERE), gemini=of_gemini("topP", 0.5), bedrock_converse=of_bedrock("topP", 0.5)
        ),
    ),
    ("top_k", 5, everywhere("top_k", 5, *EVERYWHERE, gemini=of_gemini("topK", 5))),
    ("min_p", 0.5, everywhere("min_p", 0.5, "openai")),
    (
        *("presence_penalty", 0.5),
        everywhere("presence_penalty", 0.5, *OPENAIS, gemini=of_gemini("presencePenalty", 0.5)),
    ),
    (
        *("frequency_penalty", 0.5),
        everywhere("frequency_penalty", 0.5, *OPENAIS, gemini=of_gemini("frequencyPenalty", 0.5)),
    ),
    ("repetition_penalty", 1.5, everywhere("repetition_penalty", 1.5, *OPENAIS)),
    (
        *("max_tokens", 5),
        everywhere(
            *("max_tokens", 5, "anthropic"),
            openai={"max_completion_tokens": 5},
            openai_responses={"max_output_tokens": 5},
            gemini=of_gemini("maxOutputTokens", 5),
            bedrock_converse=of_bedrock("maxTokens", 5),
        ),
    ),
    (
        *("stop", ("x", "y")),
        everywhere(
            *("stop", ["x", "y"], *OPENAIS),
            anthropic={"stop_sequences": ["x", "y"]},
            gemini=of_gemini("stopSequences", ["x", "y"]),
            bedrock_converse=of_bedrock("stopSequences", ["x", "y"]),
        ),
    ),
    ("seed", 5, everywhere("seed", 5, *OPENAIS, gemini=of_gemini("seed", 5))),
    ("n", 2, everywhere("n", 2, "openai", gemini=of_gemini("candidateCount", 2))),
    *(
        (
            *("reasoning_effort", ours),
            {
                "openai": {"reasoning_effort": ours},
                "openai-responses": at("reasoning.effort", ours),
                "anthropic": at("output_config.effort", ours),
                "gemini": at("generationConfig.thinkingConfig.thinkingLevel", level),
                "bedrock-converse": at("outputConfig.effort", ours),
            },
        )
        for ours, level in (("low", "LOW"), ("high", "HIGH"), ("xhigh", "XHIGH"))
    ),
    ("verbosity", "low", everywhere("verbosity", "low", "openai", openai_responses=at("text.verbosity", "low"))),
    (
        *("modalities", ("text", "audio")),
        everywhere(
            "modalities", ["text", "audio"], "openai", gemini=of_gemini("responseModalities", ["TEXT", "AUDIO"])
        ),
    ),
    (
        *("response_format", AnswerFormat("text")),
        {
            "openai": at("response_format.type", "text"),
            "openai-responses": at("text.format.type", "text"),
            "gemini": of_gemini("responseMimeType", "text/plain"),
        },
    ),
    (
        *("response_format", AnswerFormat("json_object")),
        {
            "openai": at("response_format.type", "json_object"),
            "openai-responses": at("text.format.type", "json_object"),
            "gemini": of_gemini("responseMimeType", "application/json"),
        },
    ),
    (
        *("response_format", AnswerFormat("json_schema", "a", SCHEMA, "b", True)),
        {
            "openai": {"response_format": {"type": "json_schema", "json_schema": {**DESCRIBED, "strict": True}}},
            "openai-responses": at("text.format", {"type": "json_schema", **DESCRIBED, "strict": True}),
            **{wire: {} for wire in ("anthropic", "gemini", "bedrock-converse")},
        },
    ),
    (
        *("response_format", AnswerFormat("json_schema", schema=SCHEMA)),
        {
            **{wire: {} for wire in OPENAIS},
            "anthropic": at("output_config.format", {"type": "json_schema", "schema": SCHEMA}),
            "gemini": at("generationConfig", {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}),
            "bedrock-converse": at(
                "outputConfig.textFormat",
                {"type": "json_schema", "structure": {"jsonSchema": {"schema": SCHEMA_TEXT}}},
            ),
        },
    ),
    (
        *("response_format", AnswerFormat("json_schema", "a", SCHEMA, "b")),
        {
            **{wire: {} for wire in ("openai", "openai-responses", "anthropic", "gemini")},
            "bedrock-converse": at(
                "outputConfig.textFormat",
                {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"schema": SCHEMA_TEXT, "name": "a", "description": "b"}},
                },
            ),
        },
    ),
    (
        *("tool_choice", ToolChoice("auto")),
        choices("auto", "auto", {"type": "auto"}, "AUTO", {"auto": {}}),
    ),
    (
        *("tool_choice", ToolChoice("required")),
        choices("required", "required", {"type": "any"}, "ANY", {"any": {}}),
    ),
    (
        *("tool_choice", ToolChoice("none")),
        choices("none", "none", {"type": "none"}, "NONE", None),
    ),
    (
        *("tool_choice", ToolChoice("required", ("functions.f",))),
        choices(
            {"type": "function", "function": {"name": "f"}},
            {"type": "function", "name": "f"},
            {"type": "tool", "name": "f"},
            "ANY",
            {"tool": {"name": "f"}},
            "f",
        ),
    ),
    (
        *("parallel_tool_calls", False),
        everywhere(
            *("parallel_tool_calls", False, *OPENAIS),
            anthropic=at("tool_choice", {"type": "auto", "disable_parallel_tool_use": True}),
        ),
    ),
]
"""A setting, its value, and its members on each wire; no member if a wire can represent only a part of it."""
CASES = [(wire, field, value, members.get(wire)) for field, value, members in PLACES for wire in REQUESTS]


def asked(settings: Settings) -> Transcript:
    return Transcript((Message("user", "Hi"),), settings=settings, tools=(Tool("f", parameters=SCHEMA),))


def parts_in(members: Any, document: Any) -> bool:
    """Whether a document has these members, with nothing else in objects that have places for others."""
    if isinstance(members, dict) and isinstance(document, dict):
        inner = cast("dict[str, Any]", members)
        return all(key in document and parts_in(value, document[key]) for key, value in inner.items())
    return json.dumps(members) == json.dumps(document)


@pytest.mark.parametrize(("wire", "field", "value", "members"), CASES)
def test_a_setting_is_written_in_the_documented_member_or_lost(wire: str, field: str, value: Any, members: Any) -> None:
    written = write(asked(Settings(**{field: value})), wire, policy=LENIENT)
    lost = [loss for loss in written.losses if loss.code == "settings"]
    if members is None:
        assert [(loss.path, loss.severity) for loss in lost] == [(f"/settings/{field}", Severity.LOST)]
        assert field in lost[0].detail
        assert wire in lost[0].detail
    else:
        assert parts_in(members, written.output)
        assert not members or [loss for loss in lost if loss.path.startswith(f"/settings/{field}")] == []


@pytest.mark.parametrize(("wire", "field", "value", "members"), [case for case in CASES if case[3]])
def test_a_setting_is_read_from_the_documented_member(wire: str, field: str, value: Any, members: Any) -> None:
    document = {**members, **REQUESTS[wire]}
    reading = read(json.dumps(document), wire)
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    found = reading.transcript.settings
    assert found is not None
    assert getattr(found, field) == value
    assert reading.transcript.extras is None
    back = write(reading.transcript, wire)
    assert json.dumps(back.output) == json.dumps(document)


NEAREST: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("gemini", "reasoning_effort", "max", at("generationConfig.thinkingConfig.thinkingLevel", "XHIGH")),
    ("anthropic", "reasoning_effort", "minimal", at("output_config.effort", "low")),
    ("anthropic", "temperature", 1.5, {"temperature": 1}),
    ("bedrock-converse", "temperature", 1.5, of_bedrock("temperature", 1)),
]


@pytest.mark.parametrize(("wire", "field", "value", "members"), NEAREST)
def test_a_value_that_an_api_does_not_have_is_replaced_by_the_nearest(
    wire: str, field: str, value: Any, members: dict[str, Any]
) -> None:
    written = write(asked(Settings(**{field: value})), wire, policy=LENIENT)
    assert parts_in(members, written.output)
    assert [(loss.path, loss.severity) for loss in written.losses if loss.code == "settings"] == [
        (f"/settings/{field}", Severity.CHANGED)
    ]


@pytest.mark.parametrize(
    ("stops", "sent"),
    [(("\n", "END", "\n\n"), {"stop_sequences": ["END"]}), (("END", " "), {"stop_sequences": ["END"]}), (("\n",), {})],
)
def test_stop_texts_of_white_space_are_not_sent_to_anthropic(stops: tuple[str, ...], sent: dict[str, Any]) -> None:
    # "stop_sequences: each stop sequence must contain non-whitespace" (litellm, issue 3286)
    written = write(Transcript((Message("user", "Hi"),), settings=Settings(stop=stops)), "anthropic", policy=LENIENT)
    assert written.output == {**REQUESTS["anthropic"], **sent}
    lost = [loss for loss in written.losses if loss.path.startswith("/settings/stop")]
    assert any(loss.severity is Severity.LOST for loss in lost)


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-converse"])
def test_settings_for_calls_are_not_sent_without_tools(wire: str) -> None:
    calling = Settings(tool_choice=ToolChoice("auto"), parallel_tool_calls=False)
    written = write(Transcript((Message("user", "Hi"),), settings=calling), wire, policy=LENIENT)
    assert written.output == REQUESTS[wire]
    # The choice `auto` is the default of each API.
    assert {loss.path: loss.severity for loss in written.losses if loss.code == "settings"} == {
        "/settings/tool_choice": Severity.LAYOUT,
        "/settings/parallel_tool_calls": Severity.LOST,
    }


@pytest.mark.parametrize(
    ("wire", "members"),
    [
        ("anthropic", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        ("anthropic", {"tools": [], "tool_choice": {"type": "any"}}),
        ("anthropic", {"stop_sequences": ["\n", "END"]}),
        ("anthropic", {"stop_sequences": ["\n"]}),
        ("bedrock-converse", of_bedrock("temperature", 1.5)),
    ],
)
def test_settings_that_an_api_refuses_are_kept_in_its_own_requests(wire: str, members: dict[str, Any]) -> None:
    document = {**members, **REQUESTS[wire]}
    back = write(read(json.dumps(document), wire).transcript, wire)
    assert json.dumps(back.output) == json.dumps(document)
    assert back.losses == ()


def usage_of(*keys: str) -> dict[str, int]:
    """An object with a number for each key: 10, 5, and so on."""
    return dict(zip(keys, (10, 5, 15), strict=False))


USAGES: list[tuple[str, dict[str, Any], Usage]] = [
    ("openai", {"usage": usage_of("prompt_tokens", "completion_tokens", "total_tokens")}, Usage(10, 5, 15)),
    (
        "openai",
        {
            "usage": {
                **usage_of("prompt_tokens", "completion_tokens", "total_tokens"),
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 3},
            }
        },
        Usage(10, 5, 15, 4, 3),
    ),
    (
        "openai-responses",
        {
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 3},
                "total_tokens": 15,
            }
        },
        Usage(10, 5, 15, 4, 3),
    ),
    ("anthropic", {"usage": {"input_tokens": 10, "output_tokens": 5}}, Usage(10, 5, 15)),
    (  # recorded by opentelemetry-instrumentation-botocore: a prompt that is written to the cache
        "bedrock-converse",
        {"usage": {"cacheWriteInputTokens": 2701, "inputTokens": 4, "outputTokens": 10, "totalTokens": 2715}},
        Usage(2705, 10, 2715),
    ),
    (  # recorded by mirascope: the results of Google's search are tokens of the prompt, too
        "gemini",
        {
            "usageMetadata": {
                "promptTokenCount": 32,
                "candidatesTokenCount": 77,
                "totalTokenCount": 567,
                "toolUsePromptTokenCount": 134,
                "thoughtsTokenCount": 324,
            }
        },
        Usage(166, 401, 567, None, 324),
    ),
    (  # recorded by mirascope: thoughts up to the limit of tokens, and no answer
        "gemini",
        {"usageMetadata": {"promptTokenCount": 30, "thoughtsTokenCount": 1947, "totalTokenCount": 1977}},
        Usage(30, 1947, 1977, None, 1947),
    ),
    (
        "gemini",
        {
            "usageMetadata": {
                "promptTokenCount": 30,
                "candidatesTokenCount": 0,
                "thoughtsTokenCount": 7,
                "totalTokenCount": 37,
            }
        },
        Usage(30, 7, 37, None, 7),
    ),
    (
        "anthropic",
        {
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 2,
                "cache_read_input_tokens": 4,
                "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 3},
            }
        },
        Usage(16, 5, 21, 4, 3),
    ),
    (
        "gemini",
        {"usageMetadata": usage_of("promptTokenCount", "candidatesTokenCount", "totalTokenCount")},
        Usage(10, 5, 15),
    ),
    (
        "gemini",
        {
            "usageMetadata": {
                "promptTokenCount": 10,
                "candidatesTokenCount": 5,
                "totalTokenCount": 18,
                "cachedContentTokenCount": 4,
                "thoughtsTokenCount": 3,
            }
        },
        Usage(10, 8, 18, 4, 3),
    ),
    ("bedrock-converse", {"usage": usage_of("inputTokens", "outputTokens", "totalTokens")}, Usage(10, 5, 15)),
    (
        "bedrock-converse",
        {"usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 19, "cacheReadInputTokens": 4}},
        Usage(14, 5, 19, 4),
    ),
]
"""The tokens that were read from a cache are among those of the input, and those of thoughts among the output's."""


@pytest.mark.parametrize(("wire", "members", "usage"), USAGES)
def test_the_numbers_of_tokens_are_read_from_each_wire(wire: str, members: dict[str, Any], usage: Usage) -> None:
    document = {**ANSWERS[wire], **members}
    transcript = read(document, wire).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(usage=usage)
    assert json.dumps(write(transcript, wire).output) == json.dumps(document)


@pytest.mark.parametrize("wire", REQUESTS)
def test_values_of_other_types_are_not_settings_and_are_restored(wire: str) -> None:
    for field, _, members in PLACES:
        for other in ("w", -1.5, True, [], ["w", 1], {"w": 1}):
            document = {**_with(members.get(wire, {}), other), **REQUESTS[wire]}
            back = write(read(json.dumps(document), wire).transcript, wire, policy=LENIENT)
            assert json.dumps(back.output) == json.dumps(document), (field, other)


def _with(members: dict[str, Any], leaf: Any) -> dict[str, Any]:
    """Members whose innermost values are another one."""
    return {key: _with(cast("Any", value), leaf) if isinstance(value, dict) else leaf for key, value in members.items()}


CHOSEN: list[tuple[str, Any, Any, bool]] = [
    (wire, tool, {"type": kind, **named}, kind == "custom")
    for kind in ("custom", "function")
    for wire, tool, named in (
        ("openai", {"type": "custom", "custom": {"name": "f"}}, {kind: {"name": "f"}}),
        ("openai-responses", {"type": "custom", "name": "f"}, {"name": "f"}),
    )
]
"""Wire, a tool that takes a text, a choice of it, and whether that names it as what it is."""


@pytest.mark.parametrize(("wire", "tool", "choice", "plain"), CHOSEN)
def test_another_spelling_of_a_choice_of_a_custom_tool_is_kept(
    wire: str, tool: Any, choice: Any, *, plain: bool
) -> None:
    document = {**REQUESTS[wire], "tools": [tool], "tool_choice": choice}
    transcript = read(document, wire).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(tool_choice=ToolChoice("required", ("functions.f",)))
    assert ("settings" in (transcript.layout or {}).get(wire, {})) is not plain
    assert write(transcript, wire).output == document


FUNCTIONS = [{"type": "function", "function": {"name": name}} for name in "fg"]
LISTED: list[tuple[str, Any, ToolChoice]] = [
    (wire, value, ToolChoice(cast("Any", mode), ("functions.f", "functions.g")))
    for mode in ("auto", "required")
    for wire, value in (
        ("openai", {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": FUNCTIONS}}),
        (
            "openai-responses",
            {"type": "allowed_tools", "mode": mode, "tools": [{"type": "function", "name": name} for name in "fg"]},
        ),
    )
]
"""Wire, a list of the tools that may be called, and the choice that it is."""
ALIKE: list[tuple[str, dict[str, Any], str, Any]] = [
    ("gemini", of_gemini("topK", 40.0), "top_k", 40),
    (
        "gemini",
        at("generationConfig", {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT"}}),
        *("response_format", AnswerFormat("json_schema", schema={"type": "object"})),
    ),
    ("openai", {"max_tokens": 5}, "max_tokens", 5),
    ("openai", {"stop": "x"}, "stop", ("x",)),
    ("openai", {"reasoning": {"effort": "high"}}, "reasoning_effort", "high"),
    ("openai", {"function_call": {"name": "f"}}, "tool_choice", ToolChoice("required", ("functions.f",))),
    ("anthropic", {"output_format": {"type": "json_schema", "schema": SCHEMA}}, "response_format", SCHEMA),
    *((wire, {"tool_choice": value}, "tool_choice", choice) for wire, value, choice in LISTED),
]
"""Other spellings of a setting."""


@pytest.mark.parametrize(("wire", "members", "field", "value"), ALIKE)
def test_other_spellings_of_a_setting_are_read_and_restored(
    wire: str, members: dict[str, Any], field: str, value: Any
) -> None:
    document = {**members, **REQUESTS[wire]}
    transcript = read(json.dumps(document), wire).transcript
    assert isinstance(transcript, Transcript)
    found = getattr(transcript.settings, field)
    assert (found.schema if value is SCHEMA else found) == value
    assert json.dumps(write(transcript, wire).output) == json.dumps(document)


DECLARED: dict[str, tuple[dict[str, Any], Callable[[list[Any]], dict[str, Any]]]] = {
    "openai": (
        {"type": "function", "function": {"name": "f", "description": "Fetches.", "parameters": {"type": "object"}}},
        lambda tools: {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}},
    ),
    "openai-responses": (
        {"type": "function", "name": "f", "description": "Fetches.", "parameters": {"type": "object"}},
        lambda tools: {"type": "allowed_tools", "mode": "auto", "tools": tools},
    ),
}
"""Wire → a tool, and a choice among tools."""


def _changed(tool: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A declaration with other members than another, where that has its own."""
    inner = tool.get("function")
    return {**tool, **members} if inner is None else {**tool, "function": {**inner, **members}}


@pytest.mark.parametrize("wire", DECLARED)
@pytest.mark.parametrize(
    ("members", "is_setting"),
    [
        ({}, True),
        ({"parameters": {}}, True),
        ({"description": "Guesses."}, False),
        ({"parameters": {"type": "object", "properties": {}}}, False),
        ({"strict": True}, False),
    ],
)
def test_a_choice_that_declares_a_tool_differently_from_the_request_is_not_a_setting_and_its_loss_is_reported(
    wire: str, members: dict[str, Any], *, is_setting: bool
) -> None:
    tool, choice = DECLARED[wire]
    document = {**REQUESTS[wire], "tools": [tool], "tool_choice": choice([_changed(tool, **members)])}
    transcript = read(document, wire).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == (Settings(tool_choice=ToolChoice("auto", ("functions.f",))) if is_setting else None)
    assert write(transcript, wire).output == document
    for other in ("gemini", "harmony"):
        losses = {loss.path for loss in write(transcript, other, policy=LENIENT).losses}
        assert (f"/extras/{wire}/tool_choice" in losses) is not is_setting


@pytest.mark.parametrize("wire", DECLARED)
def test_a_choice_that_declares_a_tool_missing_in_the_request_is_not_a_setting(wire: str) -> None:
    tool, choice = DECLARED[wire]
    for declared in ({}, {"tools": list[Any]()}):
        document: dict[str, Any] = {**REQUESTS[wire], **declared, "tool_choice": choice([tool])}
        transcript = read(document, wire).transcript
        assert isinstance(transcript, Transcript)
        assert transcript.settings is None
        assert write(transcript, wire).output == document


HOSTED: dict[str, tuple[dict[str, Any], str]] = {
    "openai": ({"tools": [{"type": "openrouter:web_search"}], "tool_choice": "required"}, "tool_choice"),
    "openai-responses": ({"tools": [{"type": "web_search"}], "tool_choice": "auto"}, "tool_choice"),
    "anthropic": (
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}], "tool_choice": {"type": "any"}},
        "tool_choice",
    ),
    "gemini": (
        {"tools": [{"googleSearch": {}}], "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
        "toolConfig",
    ),
    "bedrock-converse": (
        {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}], "toolChoice": {"auto": {}}}},
        "toolConfig",
    ),
}
"""Requests whose tools the server runs, with a choice among these; and the member that has it."""
CHOICES = frozenset({"tool_choice", "toolConfig", "parallel_tool_calls"})


def transcript_of(request: dict[str, Any], source: str) -> Transcript:
    transcript = read(request, source=source).transcript
    assert isinstance(transcript, Transcript)
    return transcript


@pytest.mark.parametrize("source", HOSTED)
@pytest.mark.parametrize("target", HOSTED)
def test_a_choice_among_tools_of_the_server_is_not_written_for_an_api_without_them(source: str, target: str) -> None:
    """The APIs refuse a request with a choice and without tools."""
    members, choice = HOSTED[source]
    request = {**REQUESTS[source], **members}
    transcript = transcript_of(request, source)
    assert transcript.settings is None
    written = write(transcript, target=target)
    if source == target:
        assert (written.output, written.losses) == (request, ())
        return
    assert CHOICES.isdisjoint(written.output)
    assert f"/extras/{source}/{choice}" in [loss.path for loss in written.losses if loss.severity is Severity.LOST]


@pytest.mark.parametrize("source", ["openai", "openai-responses"])
def test_parallel_calls_of_tools_of_the_server_are_not_a_setting(source: str) -> None:
    request = {**REQUESTS[source], **HOSTED[source][0], "parallel_tool_calls": False}
    transcript = transcript_of(request, source)
    assert transcript.settings is None
    assert write(transcript, target=source).output == request


@pytest.mark.parametrize("source", ["openai", "openai-responses"])
def test_a_choice_among_tools_of_the_server_and_of_the_client_is_a_setting(source: str) -> None:
    function: dict[str, Any] = {"name": "f", "parameters": {}}
    own = {"type": "function", "function": function} if source == "openai" else {"type": "function", **function}
    request = {**REQUESTS[source], "tools": [{"type": "web_search"}, own], "tool_choice": "required"}
    assert transcript_of(request, source).settings == Settings(tool_choice=ToolChoice("required"))


@pytest.mark.parametrize("target", ["openai-responses", "anthropic", "gemini", "bedrock-converse"])
def test_the_loss_of_an_empty_object_that_asks_for_a_search_is_reported(target: str) -> None:
    """`web_search_options` asks for a search even if it is empty; other empty members have no effect."""
    given: dict[str, Any] = {"model": "m", "web_search_options": {}, "logit_bias": {}}
    given["messages"] = [{"role": "user", "content": "Hi"}]
    document = read(given, "openai").transcript
    assert json.dumps(write(document, "openai").output) == json.dumps(given)
    lost = [loss.path for loss in write(document, target).losses if loss.path.startswith("/extras")]
    assert lost == ["/extras/openai/web_search_options"]
