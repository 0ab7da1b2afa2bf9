"""OpenAI messages: what each wire message means, that every spelling comes back, and what is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter

import strategies_openai as wire
from corpus import corpus_path, other_wire
from ocml_adapters.openai.tools import hosted_tools
from ocml_bridge import (
    BridgeError,
    ErrorCode,
    FindingCode,
    LossCode,
    Message,
    Severity,
    Tool,
    Transcript,
    convert,
    read,
    write,
)
from ocml_bridge.formats.adapter import DEFAULT, Options
from ocml_bridge.model import Foreign, Freeform, Media, Part, Refusal, Settings, Signature, Text, ToolChoice
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws

ADAPTER, _ = adapter("openai")
AS_NAMED = Options(force_format=True)
CALL: dict[str, Any] = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": 1}'}}


def messages_of(*wires: Any) -> tuple[Message, ...]:
    document = read({"messages": list(wires)}, "openai").transcript
    assert isinstance(document, Transcript)
    return document.messages


def output_of(*messages: Message, options: Options = DEFAULT) -> Any:
    return write(Transcript(messages), "openai", options=options).output


def assistant(**members: Any) -> dict[str, Any]:
    return {"role": "assistant", **members}


def call(content: str = '{"city": 1}', **fields: Any) -> Message:
    known: dict[str, Any] = {"recipient": "functions.get_weather", "call_id": "c1", "constraint": "json", **fields}
    return Message("assistant", content, channel="commentary", end="call", **known)


def same(one: Any, other: Any) -> bool:
    """Equal JSON, with keys in the same order."""
    return json.dumps(one) == json.dumps(other)


# --- meaning ----------------------------------------------------------------------------------------------------------


def test_roles_are_kept_and_assistant_text_is_final() -> None:
    read_back = messages_of(*({"role": role, "content": "x"} for role in ("system", "developer", "user", "assistant")))
    assert [(message.role, message.channel) for message in read_back] == [
        ("system", None),
        ("developer", None),
        ("user", None),
        ("assistant", "final"),
    ]


def test_one_wire_message_is_thought_preamble_and_calls() -> None:
    other = {"id": "c2", "type": "function", "function": {"name": "python", "arguments": "not json"}}
    thought, preamble, first, second = messages_of(
        assistant(reasoning="think", content="I look.", tool_calls=[CALL, other])
    )
    assert thought == Message("assistant", "think", channel="analysis")
    assert preamble == Message("assistant", "I look.", channel="commentary", intent="preamble", continues=True)
    assert first == call(continues=True)
    assert second == call("not json", recipient="python", call_id="c2", continues=True)


def test_text_without_calls_is_final_beside_a_thought() -> None:
    assert [message.channel for message in messages_of(assistant(reasoning="r", content="c"))] == ["analysis", "final"]


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content", "thinking", "reasoning_text", "tool_plan"])
def test_every_name_of_reasoning_is_read_and_kept(key: str) -> None:
    wires = [assistant(**{key: "r", "content": "c"})]
    assert messages_of(*wires)[0].content == "r"
    assert same(write(read(wires, "openai").transcript, "openai").output, wires)


def test_reasoning_repeated_name_is_one_thought() -> None:
    assert len(messages_of(assistant(reasoning="r", reasoning_content="r", content="c"))) == 2


def test_reasoning_that_differs_between_two_keys_keeps_both() -> None:
    thought, _ = messages_of(assistant(reasoning="r", reasoning_content="other", content="c"))
    assert (thought.content, thought.extras) == ("r", {"openai": {"reasoning_content": "other"}})


def test_several_thoughts_are_one_text_and_a_list_that_keeps_them_apart() -> None:
    thoughts = [Message("assistant", "a", channel="analysis"), Message("assistant", "b", None, "analysis")]
    thoughts[1].continues = True
    output = output_of(*thoughts)
    (message,) = output["messages"]
    assert message["reasoning"] == "a\n\nb"
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": text} for text in "ab"]
    assert read(output, "openai").transcript == Transcript(tuple(thoughts))


def test_an_item_of_reasoning_details_is_a_thought_with_its_signature() -> None:
    details = [
        {"type": "reasoning.text", "text": "r", "signature": "s", "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "x", "format": "anthropic-claude-v1", "id": "e", "index": 1},
        {"type": "reasoning.text", "signature": "g", "format": "google-gemini-v1"},
        {"type": "reasoning.text", "text": "t"},
    ]
    wire = assistant(content="c", reasoning="r\n\nt", reasoning_details=details)
    found = [(message.content, message.signature) for message in messages_of(wire)]
    assert found == [
        ("r", Signature("s", "anthropic")),
        ("", Signature("x", "anthropic", sealed=True)),
        ("", Signature("g", "google")),
        ("t", None),
        ("c", None),
    ]
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


def test_a_summary_and_what_it_is_of_are_one_thought() -> None:
    """OpenRouter: two items of one format, where the model is OpenAI's."""
    named = {"format": "openai-responses-v1", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "x", **named}
    details = [{"type": "reasoning.summary", "summary": "s", **named}, sealed]
    wire = assistant(reasoning="s", reasoning_details=details, content="c")
    thought, _ = messages_of(wire)
    assert (thought.content, thought.content_type) == ("s", "summary")
    assert thought.signature == Signature("x", "openai", sealed=True)
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


def test_details_that_cannot_be_understood_are_kept_whole() -> None:
    details = [{"type": "reasoning.text", "text": "r", "signature": "s"}, {"type": "reasoning.new", "data": "x"}]
    thought, _ = messages_of(assistant(content="c", reasoning_details=details))
    assert (thought.content, thought.signature) == ("r", None)
    assert thought.extras == {"openai": {"reasoning_details": details}}


def test_blocks_of_thinking_as_litellm_has_them_are_thoughts() -> None:
    blocks = [{"type": "thinking", "thinking": "r", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}]
    wire = assistant(content="c", reasoning_content="r", thinking_blocks=blocks)
    assert [message.signature for message in messages_of(wire)] == [
        Signature("s", "anthropic"),
        Signature("x", "anthropic", sealed=True),
        None,
    ]
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


@pytest.mark.parametrize(
    "signed",
    [
        {"extra_content": {"google": {"thought_signature": "s"}}},
        {"provider_specific_fields": {"thought_signature": "s"}},
    ],
)
def test_the_signature_of_a_call_of_gemini_is_the_call_s(signed: dict[str, Any]) -> None:
    wire = assistant(content=None, tool_calls=[{**CALL, **signed}])
    (message,) = messages_of(wire)
    assert (message.signature, message.extras) == (Signature("s", "google"), None)
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


def test_members_beside_the_signature_of_a_call_are_kept_with_it() -> None:
    wire = assistant(
        content=None, tool_calls=[{**CALL, "extra_content": {"google": {"thought_signature": "s", "x": 1}}}]
    )
    (message,) = messages_of(wire)
    assert message.signature is None
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


def test_the_option_chooses_the_key_of_reasoning() -> None:
    output = output_of(
        Message("assistant", "r", channel="analysis"),
        options=Options(format_options={"reasoning": "reasoning_content"}),
    )
    assert output["messages"] == [assistant(reasoning_content="r", content=None)]


@pytest.mark.parametrize("arguments", ["look", '{"a":1}'])
def test_a_custom_tool_and_its_call_stay_so_in_the_responses_api_and_are_a_function_elsewhere(arguments: str) -> None:
    grammar = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: WORD"}}
    call = {"id": "c1", "type": "custom", "custom": {"name": "look", "input": arguments}}
    request = {
        "messages": [
            {"role": "user", "content": "Where?"},
            assistant(content=None, tool_calls=[call]),
            {"role": "tool", "tool_call_id": "c1", "content": "There."},
        ],
        "tools": [{"type": "custom", "custom": {"name": "look", "description": "Looks.", "format": grammar}}],
    }
    there = convert(request, source="openai", target="openai-responses")
    output: Any = there.output
    _, called, reply = output["input"]
    assert (called["type"], called["input"]) == ("custom_tool_call", arguments)
    assert reply["type"] == "custom_tool_call_output"
    assert output["tools"] == [
        {
            "type": "custom",
            "name": "look",
            "description": "Looks.",
            "format": {"type": "grammar", "syntax": "lark", "definition": "start: WORD"},
        }
    ]
    assert [loss for loss in there.losses if loss.severity != "layout"] == []
    assert same(convert(output, source="openai-responses", target="openai").output, request)
    elsewhere = convert(request, source="openai", target="anthropic")
    assert ("tools", "lost", "/tools/0/freeform") in {
        (loss.code, loss.severity, loss.path) for loss in elsewhere.losses
    }


def test_a_custom_call_is_not_json() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "x.y", "input": "i"}}
    (message,) = messages_of(assistant(tool_calls=[custom]))
    assert (message.recipient, message.content, message.constraint) == ("x.y", "i", None)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"constraint": "json"}, "function"),
        ({"constraint": None, "content_type": "json", "recipient": "x.y"}, "function"),
        ({"constraint": None}, "function"),
        ({"constraint": "lark"}, "custom"),
        ({"constraint": None, "recipient": "python"}, "custom"),
    ],
)
def test_a_call_is_a_function_call_where_it_is_json_or_to_a_function(fields: dict[str, Any], kind: str) -> None:
    ((written,),) = [message["tool_calls"] for message in output_of(call(**fields))["messages"]]
    assert written["type"] == kind


@pytest.mark.parametrize(
    ("item", "call_id"),
    [
        ({"name": "get_weather", "args": {"city": 1}, "id": "c1", "type": "tool_call"}, "c1"),
        ({"name": "get_weather", "arguments": '{"city":1}'}, None),
        ({"type": "tool", "id": "c1", "function": {"name": "get_weather", "arguments": {"city": 1}}}, "c1"),
    ],
)
def test_a_call_in_the_shape_of_another_library_is_one(item: Any, call_id: str | None) -> None:
    reading = read([{"role": "user", "content": "Hi"}, assistant(content=None, tool_calls=[item])], "openai")
    assert isinstance(reading.transcript, Transcript)
    (_, made) = reading.transcript.messages
    assert replace(made, layout=None) == call('{"city":1}', call_id=call_id)
    assert [(found.code, found.path) for found in reading.findings] == [(FindingCode.SHAPE, "/messages/1")]
    assert same(output_of(made)["messages"][0]["tool_calls"], [item])
    edited = output_of(replace(made, content="{}"))["messages"][0]["tool_calls"][0]
    named = {} if call_id is None else {"id": call_id}
    assert edited == {**named, "type": "function", "function": {**CALL["function"], "arguments": "{}"}}


RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "5"}


@pytest.mark.parametrize(
    "more",
    [{"type": "builtin_function"}, {"index": 0, "type": "builtin_function"}, {"type": "tool", "index": 0}],
)
def test_a_call_of_a_type_of_its_server_is_a_call_with_that_type(more: dict[str, Any]) -> None:
    """`builtin_function` is Kimi's search, which a client sends back as its reply: platform.moonshot.cn/docs."""
    item = {**CALL, **more}
    reading = read([{"role": "user", "content": "Hi"}, assistant(content=None, tool_calls=[item]), RESULT], "openai")
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    (_, made, reply) = reading.transcript.messages
    assert (made.recipient, made.call_id, reply.name) == ("functions.get_weather", "c1", "functions.get_weather")
    assert same(output_of(made)["messages"][0]["tool_calls"], [item])
    assert ("extras", "/messages/1/extras/openai/tool_calls") in [
        (loss.code, loss.path) for loss in write(reading.transcript, "anthropic", policy=LENIENT).losses
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"name": "get_weather", "args": {}, "id": ""},
        {"name": "get_weather", "args": {}, "id": 5},
        {"name": "get_weather", "args": {}, "more": 1},
        {"type": 5, "function": CALL["function"]},
        {"type": "tool", "function": "get_weather"},
    ],
)
def test_a_call_of_no_known_shape_is_kept_and_found(item: Any) -> None:
    reading = read([{"role": "user", "content": "Hi"}, assistant(content=None, tool_calls=[item])], "openai")
    assert [found.path for found in reading.findings] == ["/messages/1/extras/openai/tool_calls"]
    output: Any = write(reading.transcript, "openai", policy=LENIENT).output
    assert same(output[1]["tool_calls"], [item])


def test_the_deprecated_call_and_reply_are_read_and_written_as_they_were() -> None:
    wires = [
        assistant(content=None, function_call={"name": "f", "arguments": "{}"}),
        {"role": "function", "name": "f", "content": "42"},
    ]
    called, reply = messages_of(*wires)
    assert (called.recipient, called.call_id) == ("functions.f", None)
    assert (reply.role, reply.name, reply.channel) == ("tool", "functions.f", "commentary")
    assert read(wires, "openai").findings == ()


def test_a_reply_is_named_after_its_call_by_id_within_the_turn() -> None:
    """Ids repeat in real data: the latest call with the id is meant."""
    other = {"id": "c1", "type": "function", "function": {"name": "other", "arguments": "{}"}}
    reply = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    read_back = messages_of(assistant(tool_calls=[CALL]), reply, assistant(tool_calls=[other]), reply)
    assert [message.name for message in read_back] == [None, "functions.get_weather", None, "functions.other"]


def test_a_reply_that_answers_nothing_is_found_and_kept() -> None:
    reading = read([{"role": "tool", "tool_call_id": "c9", "content": "x"}], "openai")
    assert [finding.code for finding in reading.findings] == [FindingCode.REPLY_UNPAIRED]
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.messages[0].name is None


def test_arguments_given_as_an_object_become_text_and_come_back() -> None:
    wires = [
        assistant(
            content=None,
            tool_calls=[{"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": [1.0]}}}],
        )
    ]
    assert messages_of(*wires)[0].content == '{"a":[1.0]}'
    assert same(write(read(wires, "openai").transcript, "openai").output, wires)


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ({"type": "image_url", "image_url": {"url": "u", "detail": "low"}}, Media("image", url="u", detail="low")),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            Media("image", data="AA==", format="image/png"),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            Media("audio", data="AA", format="wav"),
        ),
        (
            {"type": "file", "file": {"file_id": "f", "filename": "n"}},
            Media("file", file_id="f", filename="n", vendor="openai"),
        ),
        ({"type": "video_url", "video_url": {"url": "u"}}, Media("video", url="u")),
        (
            {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA", "fps": 2}},
            Media("video", data="AAAA", format="video/mp4", extras={"openai": {"video_url": {"fps": 2}}}),
        ),
        ({"type": "video_url", "url": "u"}, Foreign("openai", {"type": "video_url", "url": "u"})),
        ({"type": "text", "text": "t", "x": 1}, Text("t", {"openai": {"x": 1}})),
    ],
)
def test_parts(raw: Any, part: Part) -> None:
    (message,) = messages_of({"role": "user", "content": [{"type": "text", "text": "see"}, raw]})
    assert message.content == (Text("see"), part)


def test_a_refusal_is_content_as_a_member_and_as_a_part() -> None:
    apart = assistant(content=None, refusal="no")
    inside = assistant(content=[{"type": "refusal", "refusal": "no"}])
    for message in (apart, inside):
        assert messages_of(message)[0].content == (Refusal("no"),)
        assert same(write(read([message], "openai").transcript, "openai").output, [message])


def test_tools() -> None:
    schema: Any = {"type": "object", "properties": {}}
    tools: list[Any] = [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema, "strict": True}},
        {"type": "custom", "custom": {"name": "x.y", "format": {"type": "text"}}},
    ]
    document = read({"messages": [], "tools": tools}, "openai").transcript
    assert document == Transcript(
        tools=(
            Tool("f", "d", schema, strict=True),
            Tool("y", namespace="x", layout={"openai": {"format": "text"}}, freeform=Freeform()),
        )
    )
    assert same(write(document, "openai").output, {"messages": [], "tools": tools})


def test_tools_of_other_kinds_are_found_and_stay_at_their_place() -> None:
    document = {"messages": [], "tools": [{"type": "web_search"}, {"type": "function", "function": {"name": "f"}}]}
    reading = read(document, "openai")
    assert [finding.code for finding in reading.findings] == [FindingCode.SHAPE]
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.tools == (Tool("f"),)
    assert same(write(reading.transcript, "openai").output, document)


# --- training weights -------------------------------------------------------------------------------------------------


def weights(document: Any) -> list[int | float | None]:
    transcript = read(document, "openai").transcript
    assert isinstance(transcript, Transcript)
    return [message.weight for message in transcript.messages]


@pytest.mark.parametrize("weight", [0, 1, 0.5, 1.0])
def test_a_weight_is_that_of_every_message_of_a_wire_message(weight: float) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    wire = {"role": "assistant", "reasoning": "r", "content": "t", "tool_calls": [call], "weight": weight}
    assert weights([{"role": "user", "content": "hi"}, wire]) == [None, weight, weight, weight]
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


@pytest.mark.parametrize("weight", [None, True, "1", [0]])
def test_an_invalid_weight_is_no_weight_and_comes_back(weight: Any) -> None:
    wire = {"role": "assistant", "content": "t", "weight": weight}
    assert weights([wire]) == [None]
    assert same(write(read([wire], "openai").transcript, "openai").output, [wire])


def test_what_counts_differently_in_training_is_written_apart() -> None:
    thought = Message("assistant", "r", channel="analysis", weight=0)
    answer = Message("assistant", "t", channel="final", continues=True, weight=1)
    result = write(Transcript((thought, answer)), "openai")
    assert same(
        result.output,
        {
            "messages": [
                {"role": "assistant", "reasoning": "r", "content": None, "weight": 0},
                {"role": "assistant", "content": "t", "weight": 1},
            ]
        },
    )
    assert [(loss.code, loss.severity) for loss in result.losses] == [(LossCode.GROUPING, Severity.LAYOUT)]


def test_a_preamble_stays_with_its_call_whatever_they_count() -> None:
    preamble = Message("assistant", "t", channel="commentary", intent="preamble", weight=0)
    call = Message("assistant", "{}", None, "commentary", "functions.f", "c1", constraint="json", end="call", weight=1)
    result = write(Transcript((preamble, replace(call, continues=True))), "openai")
    assert [(loss.code, loss.severity, loss.path) for loss in result.losses] == [
        (LossCode.WEIGHT, Severity.CHANGED, "/messages/1/weight")
    ]


# --- shapes -----------------------------------------------------------------------------------------------------------

HI: Any = {"role": "user", "content": "hi"}
SHAPES: dict[str, Any] = {
    "list": [HI],
    "request": {"model": "m", "messages": [HI], "tools": [], "temperature": 0, "stop": None},
    "fine-tuning": {"messages": [HI, assistant(content="ho", weight=0)], "parallel_tool_calls": False},
    "response": {
        "id": "r",
        "choices": [{"index": 0, "message": assistant(content="a", refusal=None), "finish_reason": "stop"}],
        "usage": None,
    },
    "choices": {"choices": [{"message": assistant(content=text)} for text in "ab"]},
    "preference": {
        "input": {"messages": [HI], "tools": [], "parallel_tool_calls": True},
        "preferred_output": [assistant(content="a")],
        "non_preferred_output": [assistant(content="b")],
    },
    "nothing": [],
}


@pytest.mark.parametrize("document", SHAPES.values(), ids=SHAPES)
def test_every_shape_comes_back_as_it_was(document: Any) -> None:
    reading = read(document, "openai")
    result = write(reading.transcript, "openai")
    assert same(result.output, document)
    assert (reading.findings, result.losses) == ((), ())


def test_json_lines_of_one_message_each_are_a_list() -> None:
    data = b'{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n'
    assert write(read(data, "openai").transcript, "openai").output == [HI, assistant(content="ho")]


def test_an_answer_that_ran_out_of_tokens_is_cut_off() -> None:
    document = {"choices": [{"message": assistant(content="a"), "finish_reason": "length"}]}
    transcript = read(document, "openai").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[-1].end is None
    assert write(transcript, "openai").losses == ()


REFUSED: list[tuple[Any, str, str]] = [
    ("text", "", "expected a list of messages"),
    ({"messages": "x"}, "/messages", "not a list"),
    ({"messages": [HI, 5]}, "/messages/1", "object"),
    ({"messages": [HI, {"content": "x"}]}, "/messages/1/role", "role"),
    ([{"type": "function_call_output", "call_id": "c"}], "/0/role", "Responses API"),
    ({"input": "hi", "model": "m"}, "", "Responses"),
    (HI, "", "into a list"),
    ([{"messages": [HI]}, 5], "", "ocml-convert batch"),
    ({"choices": []}, "/choices/0", "message"),
    ({"choices": [{"delta": {}}]}, "/choices/0", "chunks"),
    ({"choices": [{"message": {}}]}, "/choices/0/message/role", "role"),
    ({"preferred_output": []}, "", "preferred_output"),
    ({"input": {"messages": [HI]}, "preferred_output": [7]}, "/preferred_output/0", "object"),
]


@pytest.mark.parametrize(("document", "path", "words"), REFUSED, ids=[path + " " + words for _, path, words in REFUSED])
def test_invalid_documents_are_refused_with_their_path(document: Any, path: str, words: str) -> None:
    data = json.dumps(document) if isinstance(document, str) else document
    with pytest.raises(BridgeError) as raised:
        read(data, "openai")
    assert (raised.value.code, raised.value.path) == (ErrorCode.SHAPE, path)
    assert words in raised.value.message


@pytest.mark.parametrize(
    ("message", "code", "path"),
    [
        ({"role": "critic", "content": "x"}, FindingCode.UNKNOWN_ROLE, "/messages/0/role"),
        ({"role": "user", "content": 5}, FindingCode.SHAPE, "/messages/0/content"),
        (assistant(content="x", tool_calls=[{"id": "c"}]), FindingCode.SHAPE, "/messages/0/extras/openai/tool_calls"),
        (
            assistant(content="x", function_call={}, tool_calls="x"),
            FindingCode.SHAPE,
            "/messages/0/extras/openai/tool_calls",
        ),
    ],
)
def test_unexpected_members_are_kept(message: Any, code: FindingCode, path: str) -> None:
    reading = read([message], "openai")
    assert [(finding.code, finding.path) for finding in reading.findings] == [(code, path)]
    assert same(write(reading.transcript, "openai").output, [message])


@pytest.mark.parametrize(
    ("document", "score"),
    [([HI], 2), ({"messages": [HI]}, 2), (SHAPES["response"], 3), (SHAPES["preference"], 3), ([1, 2], 0), ({}, 0)],
)
def test_detection(document: Any, score: int) -> None:
    assert ADAPTER.sniff(document) == score


# --- spelling ---------------------------------------------------------------------------------------------------------

CONTENTS: list[Any] = [None, "", [], "x", {}, [{"type": "text", "text": "x"}], [{"type": "text", "text": ""}]]
EMPTIES: list[Any] = [{}, {"tool_calls": []}, {"content": "", "refusal": None, "function_call": None}]
SPELLINGS: list[Any] = [
    *(assistant(content=content, tool_calls=[CALL]) for content in CONTENTS),
    *({"role": "user", "content": content} for content in CONTENTS),
    *(assistant(**empty) for empty in EMPTIES),
    {"content": "x", "name": "bob", "role": "user"},
    assistant(content=None, tool_calls=[{"function": {"arguments": "{}", "name": "f"}, "id": "c", "type": "function"}]),
    assistant(content=None, tool_calls=[{"function": {"name": "functions.f"}}]),
    {"role": "tool", "content": "x", "name": "f", "tool_call_id": None},
    {
        "role": "user",
        "content": [{"text": "a", "type": "text"}, {"image_url": {"detail": "low", "url": "u"}, "type": "image_url"}],
    },
]


@pytest.mark.parametrize("message", SPELLINGS, ids=json.dumps)
def test_absent_null_empty_and_the_order_of_keys_come_back(message: Any) -> None:
    result = write(read([message, HI], "openai").transcript, "openai")
    assert same(result.output, [message, HI])
    assert result.losses == ()


def test_an_empty_message_is_a_message() -> None:
    assert messages_of(assistant()) == (
        Message("assistant", "", channel="final", layout={"openai": {"form": ["role"]}}),
    )


def test_common_messages_have_no_layout() -> None:
    spelled = messages_of(
        HI,
        assistant(reasoning="r", content=None, tool_calls=[CALL]),
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
    )
    assert all(message.layout is None and message.extras is None for message in spelled)


@given(wire.DOCUMENTS)
def test_any_document_is_written_back_exactly(document: Any) -> None:
    """Law 1, and more than it asks: findings do not matter."""
    transcript = read(document, "openai").transcript
    result = write(transcript, "openai")
    assert same(result.output, document)
    assert result.losses == ()


# --- the official types -----------------------------------------------------------------------------------------------


def test_plain_cases_fit_the_official_types() -> None:
    conversation = (
        Message("developer", "Be brief."),
        Message("user", (Text("What is this?"), Media("image", url="https://example.org/a.png"))),
        Message("assistant", "I look.", channel="commentary", intent="preamble"),
        call(continues=True),
        Message("tool", "5", "functions.get_weather", "commentary", "assistant", "c1"),
        Message("assistant", "Done.", channel="final"),
        Message("assistant", (Refusal("No."),), channel="final"),
    )
    result = write(Transcript(conversation, tools=(Tool("get_weather", "d", {"type": "object"}),)), "openai")
    output: Any = result.output
    for message in output["messages"]:
        TypeAdapter[Any](ChatCompletionMessageParam).validate_python(message)
    for tool in output["tools"]:
        TypeAdapter[Any](ChatCompletionToolParam).validate_python(tool)
    assert result.lossless


def test_every_transcript_of_the_corpus_is_written_back_exactly() -> None:
    for path in sorted(corpus_path("openai").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            document = json.loads(line)
            if (vendor := other_wire(document)) is not None:
                with pytest.raises(BridgeError, match=vendor) as raised:
                    read(document, "openai")
                assert raised.value.code in (ErrorCode.SHAPE, ErrorCode.FORMAT_DOUBT)
            assert same(write(read(document, "openai", options=AS_NAMED).transcript, "openai").output, document)


def test_every_recorded_request_and_answer_is_read_without_a_finding_and_written_back_exactly() -> None:
    folders = sorted(corpus_path("wires").glob("*/chat-completions"))
    files = [file for folder in folders for file in folder.glob("*.json") if not re.search("stream|error", file.name)]
    assert len(files) == 108
    for file in files:
        document = json.loads(file.read_bytes())
        reading = read(document)
        assert (reading.source, reading.findings) == ("openai", ()), file
        assert same(write(reading.transcript, "openai").output, document), file


def test_reasoning_in_parts_is_reasoning_and_comes_back_as_it_was() -> None:
    """As axolotl's rows have it, with more in each part than its text."""
    parts = [{"type": "text", "text": "Hmm, 5.", "train": False}, {"type": "text", "text": " No, 4."}]
    row = {"messages": [assistant(reasoning_content=parts, content="4")]}
    assert [(message.channel, message.content) for message in messages_of(*row["messages"])] == [
        ("analysis", "Hmm, 5."),
        ("analysis", " No, 4."),
        ("final", "4"),
    ]
    assert same(write(read(row, "openai").transcript, "openai").output, row)


def test_the_choice_among_a_models_own_tools_goes_with_them() -> None:
    """There are no other tools, so the reader leaves it with them."""
    request = read(
        {
            "messages": [{"role": "user", "content": "Hi."}],
            "tools": [{"type": "browser_search"}],
            "tool_choice": "none",
            "temperature": 0,
        },
        source="openai",
    ).transcript
    assert isinstance(request, Transcript)
    rest, found = hosted_tools(request, {"browser_search"})
    assert [tool.kind for tool in found] == ["browser_search"]
    assert rest.settings == Settings(temperature=0, tool_choice=ToolChoice("none"))
    assert rest.extras is None


MADE: dict[str, Any] = {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}
MADE_LATER: dict[str, Any] = {"type": "image_url", "image_url": {"url": "https://e.org/b.png"}, "index": 0}
NOTE: dict[str, Any] = {"url": "https://e.org", "title": "E", "start_index": 0, "end_index": 2}
PICTURE = Media("image", url="https://e.org/a.png")


@pytest.mark.parametrize(
    ("members", "content"),
    [
        ({"content": "Hi", "images": [MADE]}, (Text("Hi"), PICTURE)),
        ({"content": "", "images": [MADE]}, (PICTURE,)),
        ({"content": None, "images": [MADE]}, (PICTURE,)),
        ({"images": [MADE]}, (PICTURE,)),
        ({"content": None, "reasoning": "So.", "images": [MADE]}, (PICTURE,)),
        ({"content": [{"type": "text", "text": "Hi"}], "images": [MADE]}, (Text("Hi"), PICTURE)),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "images": [MADE]},
            (Text("a"), Text("b"), PICTURE),
        ),
        ({"content": [{"type": "text", "text": "a"}, MADE], "images": [MADE]}, (Text("a"), PICTURE, PICTURE)),
        (
            {"content": "Hi", "images": [MADE_LATER]},
            (Text("Hi"), Media("image", url="https://e.org/b.png", extras={"openai": {"index": 0}})),
        ),
        ({"content": "Hi", "images": []}, "Hi"),
        ({"content": "Hi", "images": [{"type": "drawing"}]}, "Hi"),
        ({"content": "Hi", "refusal": "No.", "images": [MADE]}, (Text("Hi"), Refusal("No."))),
        ({"content": [MADE]}, (PICTURE,)),
    ],
)
def test_images_that_a_model_made_follow_its_text(members: dict[str, Any], content: Any) -> None:
    wire = {"role": "assistant", **members}
    assert messages_of(wire)[-1].content == content
    result = convert({"messages": [wire]}, source="openai", target="openai")
    assert (json.dumps(result.output), result.losses) == (json.dumps({"messages": [wire]}), ())


def test_images_are_kept_beside_sources_and_calls() -> None:
    notes = [{"type": "url_citation", "url_citation": NOTE}]
    called = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    wire = {"role": "assistant", "content": "Hi", "annotations": notes, "images": [MADE], "tool_calls": called}
    text, _ = messages_of(wire)
    assert [type(part) for part in text.content] == [Text, Media]
    assert convert({"messages": [wire]}, source="openai", target="openai").output == {"messages": [wire]}


@pytest.mark.parametrize(
    ("part", "media"),
    [
        (
            {"type": "file", "file": {"filename": "a", "file_data": "https://e.org/a.pdf"}},
            {"type": "document", "source": {"type": "url", "url": "https://e.org/a.pdf"}, "title": "a"},
        ),
        ({"type": "input_audio", "input_audio": {"data": "https://e.org/a.wav", "format": "wav"}}, None),
    ],
)
def test_an_address_in_the_place_of_data_is_an_address(part: dict[str, Any], media: Any) -> None:
    document = {"messages": [{"role": "user", "content": [{"type": "text", "text": "See"}, part]}]}
    assert convert(document, source="openai", target="openai").output == document
    written: Any = convert(document, source="openai", target="anthropic", policy=LENIENT)
    content = written.output["messages"][0]["content"]
    assert content == ("See" if media is None else [{"type": "text", "text": "See"}, media])
    assert [loss.code for loss in written.losses if loss.code == "media"] == ([] if media is not None else ["media"])
    assert "https://e.org/a" in convert(document, source="openai", target="gemini").data.decode()


OBJECT: Any = {"title": "A", "n": 1.5, "of": [None, {"b": ""}]}
BESIDE: dict[str, Any] = {
    "nothing": {},
    "a thought": {"reasoning": "Hm."},
    "a refusal": {"refusal": "No."},
    "a source": {
        "annotations": [
            {
                "type": "url_citation",
                "url_citation": {"url": "https://e.org", "title": "E", "start_index": 0, "end_index": 3},
            }
        ]
    },
    "an image": {"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
    "a mark": {"cache_control": {"type": "ephemeral"}},
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=list(BESIDE))
def test_an_object_as_content_is_the_text_of_its_json(beside: Any) -> None:
    source = [{"role": "assistant", "content": OBJECT, **beside}]
    reading = read(source, "openai")
    assert [(str(finding.code), finding.path) for finding in reading.findings] == [("shape", "/messages/0/content")]
    assert write(reading.transcript, "openai").output == source
    assert '{"title":"A","n":1.5,"of":[null,{"b":""}]}' in repr(read(source, "openai").transcript)


def test_an_object_as_content_is_a_text_on_other_wires() -> None:
    answer: Any = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": {"a": 1}}, "finish_reason": "stop"}]
    }
    assert convert(answer, source="openai", target="anthropic").output["messages"] == [
        {"role": "assistant", "content": '{"a":1}'}
    ]


def test_a_text_that_was_an_object_and_was_edited_stays_a_text() -> None:
    document = read([{"role": "assistant", "content": {"a": 1}}], "openai").transcript
    assert isinstance(document, Transcript)
    for text in ("Hi", '{"a": 2}', "[1]"):
        edited = replace(document, messages=(replace(document.messages[0], content=text),))
        assert write(edited, "openai").output == [{"role": "assistant", "content": text}]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "document", "document": {"id": "0", "data": '{"a": 1}'}},
        {"type": "document", "document": {"data": "Sun."}},
        {"document": {"data": "Sun.", "id": "0"}, "type": "document", "more": 1},
        {"type": "document", "document": {"data": "Sun."}, "cache_control": {"type": "ephemeral"}},
    ],
)
def test_a_document_of_coheres_is_a_passage(part: Any) -> None:
    source = [{"role": "user", "content": [part, {"type": "text", "text": "When?"}]}]
    reading = read(source, "openai")
    assert reading.findings == ()
    assert write(reading.transcript, "openai").output == source
    passages: Any = reading.transcript
    assert passages.messages[0].content[0].texts == (part["document"]["data"],)
    blocks: Any = convert(source, source="openai", target="anthropic").output
    assert blocks["messages"][0]["content"][0]["source"]["content"][0]["text"] == part["document"]["data"]


@pytest.mark.parametrize(
    "data", [{"text": "Sun.", "title": "Sky"}, {}, {"n": 1.0, "big": 12345678901234567890, "yes": True, "no": None}]
)
def test_the_data_of_a_document_may_be_an_object(data: Any) -> None:
    """Cohere's tools give objects. The text of the passage is their JSON, and is an object again in what is written."""
    part = {"type": "document", "document": {"data": data, "id": "0"}}
    source = [{"role": "tool", "tool_call_id": "c", "content": [part, part]}]
    reading = read(source, "openai")
    transcript: Any = reading.transcript
    passage = transcript.messages[0].content[1]
    assert json.loads(passage.texts[0]) == data
    assert "shape" not in [str(finding.code) for finding in reading.findings]
    assert same(write(transcript, "openai").output, source)
    passage.texts = ("edited",)
    written: Any = write(transcript, "openai").output
    assert written[0]["content"][1]["document"] == {"id": "0", "data": "edited"}


@pytest.mark.parametrize("document", [{}, {"data": ["Sun."]}, "Sun."])
def test_another_document_is_kept_as_it_is(document: Any) -> None:
    source = [{"role": "user", "content": [{"type": "document", "document": document}]}]
    reading = read(source, "openai")
    assert [str(finding.code) for finding in reading.findings] == ["shape"]
    assert write(reading.transcript, "openai").output == source


def test_passages_of_others_are_texts() -> None:
    result = {
        "type": "search_result",
        "source": "https://e.org",
        "title": "E",
        "content": [{"type": "text", "text": "Sun."}],
    }
    source = {"messages": [{"role": "user", "content": [result]}]}
    [message] = convert(source, source="anthropic", target="openai").output["messages"]
    assert "Sun." in json.dumps(message)
    assert "document" not in json.dumps(message)


def test_who_calls_a_deprecated_function_has_a_name() -> None:
    wire = {"role": "assistant", "name": "bob", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    transcript = read({"messages": [wire]}, "openai").transcript
    assert isinstance(transcript, Transcript)
    assert [(message.name, message.recipient) for message in transcript.messages] == [("bob", "functions.f")]


@pytest.mark.parametrize("options", [{}, {"search_context_size": "low"}])
def test_unknown_members_beside_a_switch_stay_in_their_place(options: Any) -> None:
    message = {"role": "user", "content": "Hi"}
    for request in (
        {"messages": [message], "web_search_options": options, "x_new": {"a": 1}},
        {"messages": [message], "x_new": {"a": 1}, "web_search_options": options},
    ):
        assert same(convert(request, source="openai", target="openai").output, request)


def test_an_empty_object_and_a_list_of_one_are_two_things() -> None:
    """Whatever was read before: the plan of the one is none of the other."""
    contents: list[Any] = [{}, [{}]]
    for content in contents * 6:
        request: dict[str, Any] = {
            "messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": content}]
        }
        assert same(convert(request, source="openai", target="openai", policy=LENIENT).output, request)


CALLED: Any = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DRAWN: Any = {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}


@pytest.mark.parametrize(
    "message",
    [
        {"audio": {"id": "a1"}},
        {"content": None, "audio": {"id": "a1"}},
        {"content": "", "audio": {"id": "a1"}},
        {"audio": {"id": "a1"}, "content": "Hi"},
        {"reasoning": "Hm", "audio": {"id": "a1"}},
        {
            "content": None,
            "audio": {"id": "a1"},
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {
            "content": "x",
            "images": [{"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}],
            "audio": {"id": "a1"},
        },
        {"content": None, "audio": {"id": "a1", "data": "AA==", "transcript": "Yes, they do.", "expires_at": 1}},
        {"content": "", "refusal": None, "audio": {"transcript": "Yes.", "expires_at": None, "id": "a1"}},
        {"content": "Hi", "audio": {"id": "a1", "data": "AA==", "transcript": "Hi"}},
        {"content": [{"type": "text", "text": "Hi"}], "audio": {"id": "a1", "transcript": "Hello, " * 40}},
        {"content": None, "audio": {"id": "a1", "data": "", "transcript": ""}},
        {"reasoning": "Hm", "audio": {"id": "a1", "transcript": "Yes."}, "tool_calls": [CALLED]},
    ],
    ids=repr,
)
def test_an_assistants_sound_is_a_medium(message: dict[str, Any]) -> None:
    document = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", **message}]}
    for _ in range(6):
        result = convert(document, source="openai", target="openai")
        assert (json.dumps(result.output), result.losses) == (json.dumps(document), ())
    lost = [loss for loss in convert(document, source="openai", target="anthropic").losses if loss.code == "media"]
    assert [loss.loss_class for loss in lost] == ["content"]


@pytest.mark.parametrize("target", ["anthropic", "bedrock-converse", "harmony", "ocm-2.2"])
def test_the_transcript_of_a_sound_is_what_a_format_without_sounds_has(target: str) -> None:
    message = {"role": "assistant", "content": None, "audio": {"id": "a1", "data": "AA==", "transcript": "Yes."}}
    result = convert({"messages": [message]}, source="openai", target=target)
    assert read(result.output, target).transcript == result.image
    assert isinstance(result.image, Transcript)
    assert result.image.messages[0].content == "Yes."
    assert [loss.path for loss in result.losses if loss.code == "media"] == ["/messages/0/content/1"]


@pytest.mark.parametrize("audio", ["a1", {}, {"id": ""}, {"id": 1, "transcript": "Yes."}, {"data": "AA=="}])
def test_a_sound_without_an_id_is_an_extra(audio: Any) -> None:
    document = {"messages": [{"role": "assistant", "content": "Hi", "audio": audio}]}
    result = read(document, "openai").transcript
    assert isinstance(result, Transcript)
    assert result.messages[0].content == "Hi"
    assert write(result, "openai").output == document


def test_a_sound_with_an_id_has_a_place_only_at_the_end_of_an_assistants_message() -> None:
    sound = Media("audio", file_id="a1")
    for message in (
        Message("user", (sound,)),
        Message("assistant", (sound, Text("Hi")), channel="final"),
        Message("assistant", (sound, sound), channel="final"),
    ):
        all_laws(Transcript((message,)), "openai")
    message = Message("assistant", (Text("Hi"), sound), channel="final")
    assert all_laws(Transcript((message,)), "openai").result.lossless


# --- members in camel case --------------------------------------------------------------------------------------------

CAMEL_CALL: Any = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "toolCalls": [CAMEL_CALL]},
        {"toolCalls": [CAMEL_CALL], "role": "assistant", "content": "Let me see.", "prefix": False},
        {"role": "assistant", "content": "Hi.", "toolCalls": None},
        {"role": "assistant", "content": "Hi.", "toolCalls": "none"},
        {"role": "assistant", "content": None, "tool_calls": [CALLED], "toolCalls": [CAMEL_CALL]},
        {"role": "tool", "content": "1", "toolCallId": "c1", "name": "f"},
        {"role": "tool", "content": "1", "toolCallId": "c1", "tool_call_id": "c2"},
        {"role": "user", "content": [{"type": "image_url", "imageUrl": {"url": "https://e.org/a.png"}}]},
        {"role": "user", "content": [{"imageUrl": "data:image/png;base64,iVBORw==", "type": "image_url", "x": 1}]},
        {"role": "user", "content": [{"type": "image_url", "imageUrl": "u", "image_url": "v"}]},
        {"role": "user", "content": [{"type": "document_url", "documentUrl": "https://e.org/a.pdf"}]},
    ],
    ids=repr,
)
def test_members_in_camel_case_are_written_back(message: dict[str, Any]) -> None:
    document = {"messages": [{"role": "user", "content": "Hi"}, message]}
    for _ in range(4):
        result = convert(document, source="openai", target="openai")
        assert json.dumps(result.output) == json.dumps(document)


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_members_in_camel_case_are_what_they_are(finish: str) -> None:
    message = {"role": "assistant", "content": ""}
    snake, camel = (
        read({"choices": [{"index": 0, "message": {**message, calls: [CAMEL_CALL]}, reason: finish}]}, "openai")
        for calls, reason in (("tool_calls", "finish_reason"), ("toolCalls", "finishReason"))
    )
    found, expected = (
        [replace(each, layout=None) for each in cast("Transcript", one.transcript).messages] for one in (camel, snake)
    )
    assert found == expected
    assert (found[0].end is None) is (finish == "length")


@pytest.mark.parametrize(("key", "value"), [("toolChoice", "any"), ("tool_choice", "any"), ("toolChoice", "required")])
def test_mistral_s_choice_of_any_tool_is_one(key: str, value: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    document = {"messages": [{"role": "user", "content": "Hi"}], "tools": [tool], key: value}
    assert convert(document, source="openai", target="openai").output == document
    written: Any = convert(document, source="openai", target="anthropic").output
    assert written["tool_choice"] == {"type": "any"}


# --- replies directly after their calls -------------------------------------------------------------------------------


def called(*ids: str, text: str | None = None) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": call_id.upper()}


def text_of(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def item_call(call_id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}"}


def item_result(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": call_id.upper()}


def use(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}}


def used(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": call_id.upper()}


PULLED_APART: dict[str, tuple[str, Any, list[Any]]] = {
    "a warning of Codex between a call and its result (litellm, test_function_call_output_adjacency.py)": (
        "openai-responses",
        {"input": [text_of("user", "Hi"), item_call("a"), text_of("user", "Warning"), item_result("a")]},
        [text_of("user", "Hi"), called("a"), result("a"), text_of("user", "Warning")],
    ),
    "a text between two calls, whose results follow together (litellm, the same)": (
        "openai-responses",
        {"input": [item_call("a"), text_of("assistant", "Hm"), item_call("b"), item_result("a"), item_result("b")]},
        [called("a"), result("a"), called("b", text="Hm"), result("b")],
    ),
    "texts between and after calls of one answer": (
        "anthropic",
        [
            text_of("user", "Hi"),
            {"role": "assistant", "content": [use("a"), {"type": "text", "text": "Hm"}, use("b")]},
            {"role": "user", "content": [used("a"), used("b")]},
        ],
        [text_of("user", "Hi"), called("a"), result("a"), called("b", text="Hm"), result("b")],
    ),
    "results in another order": (
        "openai-responses",
        {"input": [item_call("a"), item_call("b"), item_result("b"), item_result("a")]},
        [called("a", "b"), result("b"), result("a")],
    ),
}


@pytest.mark.parametrize("case", PULLED_APART)
def test_results_directly_follow_the_message_with_their_calls(case: str) -> None:
    """The API refuses a request if another message stands between them."""
    source, document, messages = PULLED_APART[case]
    written = convert(document, source=source, target="openai")
    output: Any = written.output
    assert output["messages"] == messages
    assert [loss for loss in written.losses if loss.severity is not Severity.LAYOUT] == []


@pytest.mark.parametrize(
    "messages",
    [
        [called("a"), text_of("user", "Hm"), result("a")],
        [called("a"), called("b"), result("a"), result("b")],
        [called("a"), called("b", text="Hm"), text_of("assistant", "Hm"), result("b"), result("a")],
    ],
)
def test_results_that_were_read_elsewhere_stay_there(messages: list[Any]) -> None:
    for document in (messages, {"messages": messages}):
        back = convert(json.dumps(document), source="openai", target="openai")
        assert (json.dumps(back.output), back.losses) == (json.dumps(document), ())
