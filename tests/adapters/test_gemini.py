"""Gemini's contents: the recorded ones come back, and other formats keep them or report the losses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import BridgeError, Options, convert, read, write
from ocml_bridge.chat.turns import is_hosted
from ocml_bridge.detection import detect
from ocml_bridge.errors import ErrorCode
from ocml_bridge.loss import FindingCode, LossCode, Severity
from ocml_bridge.model import (
    AnswerFormat,
    Foreign,
    Message,
    Settings,
    Text,
    Tool,
    ToolChoice,
    Transcript,
    Usage,
    replace,
)
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.split import read_all
from ocml_bridge.testing.laws import all_laws
from wire_facts import Recorded, injected, leaves, not_back, recorded, there_and_back

WORDS = {
    "maxOutputTokens": "max_tokens",
    "topK": "top_k",
    "responseMimeType": "response_format",
    "responseJsonSchema": "response_format",
    "thinkingConfig": "reasoning_effort",
    "responseModalities": "modalities",
    "functionCallingConfig": "tool_choice",
    "usageMetadata": "usage",
    "modelVersion": "model",
    "fileData": "media",
    "inlineData": "media",
    "functionCall": "recipient call-id message",
    "functionResponse": "name role message",
    "executableCode": "recipient message",
    "codeExecutionResult": "name role message",
    "text": "message",
    "thoughtSignature": "signature message",
    "functionDeclarations": "tools",
}
"""What losses call the values of these keys."""


KEPT_WHOLE = ("tools", "generationConfig", "toolConfig", "functionCallingConfig")
"""Members of a request that are named as wholes where they have more than settings and functions."""


def same(one: Any, other: Any) -> bool:
    """The same values with the same keys in the same order."""
    return json.dumps(one) == json.dumps(other)


def contents(*values: Any, **more: Any) -> dict[str, Any]:
    return {"contents": list(values), **more}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


# --- recorded ---------------------------------------------------------------------------------------------------------


def cases() -> list[Recorded]:
    return recorded("google")


def test_every_recorded_document_comes_back_with_its_keys_in_order() -> None:
    for case in cases():
        reading = read(case.data, "gemini")
        assert reading.findings == (), case
        back = write(reading.transcript, "gemini")
        assert back.losses == ()
        assert same(back.output, case.value), case


def test_nothing_recorded_is_gone_without_a_word_behind_any_format() -> None:
    problems = {
        (case.case, case.kind): found for case in cases() if (found := there_and_back(case.data, "gemini", WORDS))
    }
    # A model that answered is the model that is asked, where the answer becomes part of a request.
    assert {line for lines in problems.values() for line in lines if "modelVersion" not in line} == set()


def test_unknown_members_come_back_and_are_named_elsewhere() -> None:
    for case in cases():
        if case.kind != "request" or len(case.data) > 20_000:
            continue
        for place, changed in injected(case.value):
            reading = read(json.dumps(changed), "gemini")
            assert same(write(reading.transcript, "gemini").output, changed), (case.case, place)
            there = write(reading.transcript, "openai", policy=LENIENT)
            # Arguments, replies and schemas are the caller's: their contents are carried.
            carried = any("x_unknown" in leaf.keys or "x_unknown" in leaf.value for leaf in leaves(there.output))
            names = ("x_unknown", *(key for key in place.split("/") if key in KEPT_WHOLE))
            named = any(name in f"{loss.path} {loss.detail}" for loss in there.losses for name in names)
            assert carried or named, (case.case, place)


OTHERWISE = {
    ("anthropic", "codeInterpreterToolParam"),  # another question
    ("responses", "textFormatJsonObjectParam"),
    ("responses", "textFormatJsonSchemaParam"),
}
"""Cases that were recorded with other words on the other wire."""


@pytest.mark.parametrize(
    ("wire", "name"), [("chat-completions", "openai"), ("anthropic", "anthropic"), ("responses", "openai-responses")]
)
def test_the_same_case_is_the_same_on_other_wires(wire: str, name: str) -> None:
    twins = {case.case: case for case in recorded(wire) if case.kind == "request"}
    mine = [case for case in cases() if case.kind == "request" and case.case in twins]
    assert len(mine) >= 8
    for case in mine:
        twin = read(twins[case.case].data, name).transcript
        there = convert(case.data, source="gemini", target=name, policy=LENIENT)
        made = read(there.data, name).transcript
        assert isinstance(twin, Transcript)
        assert isinstance(made, Transcript)
        if (wire, case.case) not in OTHERWISE:
            assert list(map(fields_of, made.messages)) == list(map(fields_of, twin.messages)), case.case


def fields_of(message: Message) -> Any:
    """The fields of a message that both APIs have."""
    text = (
        "".join(getattr(part, "text", "") for part in message.content)
        if isinstance(message.content, tuple)
        else message.content
    )
    return (message.role.replace("developer", "system"), message.channel, message.recipient, text)


# --- reading ----------------------------------------------------------------------------------------------------------


def test_both_spellings_of_keys_are_read_alike() -> None:
    camel = contents(
        model({"functionCall": {"name": "f", "args": {"a_b": 1}}, "thoughtSignature": "cw=="}),
        systemInstruction={"parts": [{"text": "Be brief."}]},
        generationConfig={"maxOutputTokens": 9},
    )
    snake = contents(
        model({"function_call": {"name": "f", "args": {"a_b": 1}}, "thought_signature": "cw=="}),
        system_instruction={"parts": [{"text": "Be brief."}]},
        generation_config={"max_output_tokens": 9},
    )
    one, other = (read(each, "gemini").transcript for each in (camel, snake))
    assert isinstance(one, Transcript)
    assert isinstance(other, Transcript)
    assert [(m.role, m.content, m.extras) for m in one.messages] == [
        (m.role, m.content, m.extras) for m in other.messages
    ]
    assert one.settings == other.settings == Settings(max_tokens=9)
    assert same(write(other, "gemini").output, snake)


@pytest.mark.parametrize("role", [{}, {"role": None}, {"role": ""}])
def test_a_content_without_a_role_is_the_models_if_it_has_thoughts_or_calls(role: dict[str, Any]) -> None:
    parts: list[Any] = [{"text": "Hm.", "thought": True}, {"text": "Yes."}, {"functionCall": {"name": "f", "args": {}}}]
    document = contents(user({"text": "Q"}), {**role, "parts": parts})
    result = convert(json.dumps(document), source="gemini", target="openai")
    assert [finding.code for finding in result.findings] == [FindingCode.UNKNOWN_ROLE]
    assert [message["role"] for message in result.output["messages"]] == ["user", "assistant"]
    assert result.output["messages"][1]["content"] == "Yes."
    assert same(convert(json.dumps(document), source="gemini", target="gemini").output, document)


@pytest.mark.parametrize(
    ("role", "thought"), [("user", True), ("someone", True), ("model", "true"), ("model", {"x": 1})]
)
def test_a_thought_of_anyone_but_the_model_or_with_an_odd_mark_is_shown_nowhere(role: str, thought: Any) -> None:
    document = contents({"role": role, "parts": [{"text": "Hm.", "thought": thought}, {"text": "Yes."}]})
    result = convert(json.dumps(document), source="gemini", target="openai")
    assert [message["content"] for message in result.output["messages"]] == ["Yes."]
    lost = [(loss.code, loss.path) for loss in result.losses if loss.severity is Severity.LOST]
    assert lost == [(LossCode.FOREIGN_PART, "/messages/0/content/0")]
    assert same(convert(json.dumps(document), source="gemini", target="gemini").output, document)


def test_unknown_members_of_contents_may_be_spelled_as_known_ones_without_a_loss() -> None:
    document = {"contents": [{"role": "user", "inline_data": 1, "parts": [{"text": "a"}], "function_call": {"b_c": 2}}]}
    result = convert(json.dumps(document), source="gemini", target="gemini")
    assert same(result.output, document)
    assert result.losses == ()


PURR: dict[str, Any] = {"name": "purr", "parameters": {"type": "OBJECT", "properties": {}}}
LISTED: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "You are a cat."}]},
    "contents": [{"role": "user", "parts": [{"text": "Hello there."}]}],
    "tools": [{"functionDeclarations": [PURR]}],
}
ALONE = {
    "a part of the instruction": {"systemInstruction": {"parts": {"text": "You are a cat."}}},
    "a part of a content": {"contents": [{"role": "user", "parts": {"text": "Hello there."}}]},
    "the content": {"contents": {"role": "user", "parts": [{"text": "Hello there."}]}},
    "the content and its part": {"contents": {"parts": {"text": "Hello there."}, "role": "user"}},
    "the tool": {"tools": LISTED["tools"][0]},
    "the function": {"tools": [{"functionDeclarations": PURR}]},
    "the tool and its function": {"tools": {"function_declarations": PURR}},
}


@pytest.mark.parametrize("what", ALONE)
def test_an_item_alone_is_read_as_the_list_of_it_and_stays_alone(what: str) -> None:
    request = {**LISTED, **ALONE[what]}
    assert detect(request) == "gemini"
    reading = read(request)
    assert not reading.findings
    listed, there = (convert(each, source="gemini", target="openai") for each in (LISTED, request))
    assert there.output == listed.output
    assert [loss for loss in there.losses if loss.severity is not Severity.LAYOUT] == []
    assert same(write(reading.transcript, "gemini").output, request)


@pytest.mark.parametrize("what", ALONE)
def test_an_item_alone_is_the_same_by_plans(what: str) -> None:
    for text in ("a", "b", "c") * 4:
        request = json.loads(json.dumps({**LISTED, **ALONE[what]}).replace("Hello there.", text))
        by_plans, plain = (
            convert(request, source="gemini", target="openai", options=Options(plans=plans)) for plans in (True, False)
        )
        assert (by_plans.output, by_plans.losses) == (plain.output, plain.losses)
        assert same(write(by_plans.document, "gemini").output, request)


def test_an_item_that_is_no_longer_alone_is_in_a_list() -> None:
    document = read({"contents": user({"text": "Hi."}) | {"parts": {"text": "Hi."}}}, "gemini").transcript
    assert isinstance(document, Transcript)
    [asked] = document.messages
    twice = replace(asked, content=(Text("Hi."), Text("There.")))
    answered = replace(document, messages=(twice, Message("assistant", "Hello.", channel="final")))
    assert write(answered, "gemini").output == contents(
        user({"text": "Hi."}, {"text": "There."}), model({"text": "Hello."})
    )


def test_functions_without_other_members_are_among_the_tools() -> None:
    hiss = {"name": "hiss"}
    tools = [{"googleSearch": {}, "functionDeclarations": PURR}, {"functionDeclarations": [hiss]}]
    reading = read({**LISTED, "tools": tools})
    document = reading.transcript
    assert isinstance(document, Transcript)
    assert [tool.name for tool in document.tools or ()] == ["purr", "hiss"]
    assert same(write(document, "gemini").output, {**LISTED, "tools": tools})
    more = replace(document, tools=(*(document.tools or ()), Tool("nap")))
    assert write(more, "gemini").output["tools"] == [*tools, {"functionDeclarations": [{"name": "nap"}]}]


def test_a_function_alone_that_is_not_understood_is_kept_as_it_is() -> None:
    request = {**LISTED, "tools": [{"functionDeclarations": {"name": 1}}]}
    result = convert(request, source="gemini", target="openai")
    assert "/extras/gemini/tools" in [loss.path for loss in result.losses]
    assert same(convert(request, source="gemini", target="gemini").output, request)


def test_a_block_alone_is_no_list_where_the_api_takes_lists_only() -> None:
    with pytest.raises(BridgeError) as caught:
        read({"messages": [{"role": "user", "content": {"text": "Hi."}}], "inferenceConfig": {}}, "bedrock-converse")
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, "/messages/0/content")


def test_a_content_is_thoughts_texts_calls_and_code_in_their_order() -> None:
    document = contents(
        model(
            {"text": "Hm.", "thought": True},
            {"text": "I try."},
            {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "no"}},
            {"text": "It failed."},
        )
    )
    transcript = read(document, "gemini").transcript
    assert isinstance(transcript, Transcript)
    assert [(m.role, m.channel, m.recipient, m.content, m.failed) for m in transcript.messages] == [
        ("assistant", "analysis", None, "Hm.", None),
        ("assistant", "commentary", None, "I try.", None),
        ("assistant", "commentary", "python", "print(1)", None),
        ("tool", "commentary", "assistant", "no", True),
        ("assistant", "final", None, "It failed.", None),
    ]
    assert [message.continues for message in transcript.messages] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("response", "text", "failed"),
    [
        ({"output": "15 C"}, "15 C", None),
        ({"error": "no such city"}, "no such city", True),
        ({"output": ["a", 1]}, '["a",1]', None),
        ({"output": {"a": 1}}, '{"a":1}', None),
        ({"error": {"code": 5}}, '{"code":5}', True),
        ({"output": None}, '{"output":null}', None),
        ({"output": "a", "unit": "b"}, '{"output":"a","unit":"b"}', None),
        ({"output": '{"a": 1}'}, '{"a": 1}', None),
        ({"output": '{"output":"a"}'}, '{"output":"a"}', None),
        ({"result": "a"}, '{"result":"a"}', None),
        ({}, "{}", None),
    ],
)
def test_a_reply_is_its_text_or_its_object(response: Any, text: str, failed: bool | None) -> None:
    document = contents(user({"functionResponse": {"name": "f", "response": response}}))
    reading = read(document, "gemini")
    assert isinstance(reading.transcript, Transcript)
    (reply,) = reading.transcript.messages
    assert (reply.content, reply.failed, reply.name) == (text, failed, "functions.f")
    assert same(write(reading.transcript, "gemini").output, document)


def test_members_around_an_answer_are_settings() -> None:
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 14}
    document = {
        "candidates": [{"content": model({"text": "Hi"}), "finishReason": "MAX_TOKENS"}],
        "usageMetadata": usage,
    }
    transcript = read(document, "gemini").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(usage=Usage(7, 7, 14, None, 4))
    assert transcript.messages[-1].end is None


def test_a_list_of_documents_is_several() -> None:
    one = contents(user({"text": "Hi"}))
    with pytest.raises(BridgeError) as raised:
        read([one, one], "gemini")
    assert raised.value.code is ErrorCode.SEVERAL
    assert len(list(read_all([one, one], "gemini"))) == 2


@pytest.mark.parametrize("wrong", [5, "x", {}, {"contents": {}}, {"contents": [3]}, {"candidates": [3]}])
def test_an_invalid_document_is_refused_with_its_path(wrong: Any) -> None:
    with pytest.raises(BridgeError) as raised:
        read(json.dumps(wrong), "gemini")
    assert raised.value.code in (ErrorCode.SHAPE, ErrorCode.FORMAT_UNKNOWN)


def test_a_damaged_document_comes_back_or_is_refused() -> None:
    documents: list[Any] = [case.value for case in cases() if len(case.data) < 6_000]
    assert not_back(documents * 4, "gemini", seed=7) == []


# --- writing ----------------------------------------------------------------------------------------------------------


def from_openai(source: Any) -> Any:
    """What a request of Chat Completions becomes."""
    return convert(source, source="openai", target="gemini", policy=LENIENT)


def write_messages(*messages: Message, **more: Any) -> Any:
    return write(Transcript(messages, **more), "gemini", policy=LENIENT)


def test_replies_of_one_turn_are_one_content() -> None:
    written = from_openai(
        {
            "messages": [
                {"role": "user", "content": "q"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                        {"id": "b", "type": "function", "function": {"name": "g", "arguments": '{"x": [1, 2.5]}'}},
                    ],
                },
                {"role": "tool", "tool_call_id": "a", "content": '{"n": 1}'},
                {"role": "tool", "tool_call_id": "b", "content": "plain"},
            ]
        }
    )
    assert written.output["contents"][1:] == [
        model(
            {"functionCall": {"id": "a", "name": "f", "args": {}}},
            {"functionCall": {"id": "b", "name": "g", "args": {"x": [1, 2.5]}}},
        ),
        user(
            {"functionResponse": {"id": "a", "name": "f", "response": {"n": 1}}},
            {"functionResponse": {"id": "b", "name": "g", "response": {"output": "plain"}}},
        ),
    ]
    assert all(loss.severity is Severity.LAYOUT for loss in written.losses)


def test_arguments_that_are_no_object_are_put_into_one() -> None:
    call = Message("assistant", "not json", None, "commentary", "functions.f", "c", constraint="json", end="call")
    written = write_messages(Message("user", "q"), call)
    assert written.output["contents"][1]["parts"][0]["functionCall"]["args"] == {"input": "not json"}
    assert [(loss.code, loss.severity) for loss in written.losses] == [("content", "changed")]


def test_the_first_instructions_are_one_and_later_ones_are_the_users() -> None:
    written = write_messages(
        Message("system", "a"), Message("developer", "b"), Message("user", "q"), Message("system", "c")
    )
    assert written.output == contents(
        user({"text": "q"}), user({"text": "c"}), systemInstruction={"parts": [{"text": "a"}, {"text": "b"}]}
    )
    assert {(loss.code, loss.path) for loss in written.losses} >= {
        ("message", "/messages/1"),
        ("role", "/messages/3/role"),
    }


def test_another_answer_is_cut_off_in_its_last_message() -> None:
    thought, text = {"text": "Hm.", "thought": True}, {"text": "Hel"}
    answers = [([{"text": "Hello."}], "STOP"), ([thought, text], "MAX_TOKENS"), ([thought, text], "STOP")]
    document = {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": reason} for parts, reason in answers
        ]
    }
    transcript = read(document, "gemini").transcript
    assert isinstance(transcript, Transcript)
    found = [[(message.content, message.end) for message in each.messages] for each in transcript.alternatives or ()]
    assert found == [[("Hm.", "end"), ("Hel", None)], [("Hm.", "end"), ("Hel", "end")]]
    assert write(transcript, "gemini").output == document


def test_a_schema_is_written_where_no_keyword_of_it_is_lost() -> None:
    simple = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
    more = {"type": "object", "additionalProperties": False}
    tools = [
        {"type": "function", "function": {"name": name, "parameters": each}}
        for name, each in (("f", simple), ("g", more))
    ]
    request = {"messages": [{"role": "user", "content": "q"}], "tools": tools}
    written = from_openai(request)
    assert written.output["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": "f",
                    "parameters": {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}},
                },
                {"name": "g", "parametersJsonSchema": more},
            ]
        }
    ]
    assert written.losses == ()


@pytest.mark.parametrize(
    ("enum", "key"), [(["a", "b"], "parameters"), ([1, 2], "parametersJsonSchema"), ("a", "parametersJsonSchema")]
)
def test_a_schema_of_openapi_lists_texts_only(enum: Any, key: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "string", "enum": enum}}}
    written = from_openai({"messages": [{"role": "user", "content": "q"}], "tools": [tool]})
    (declared,) = written.output["tools"][0]["functionDeclarations"]
    assert [*declared] == ["name", key]


def test_a_candidate_is_an_object() -> None:
    with pytest.raises(BridgeError) as caught:
        read({"candidates": ["x"]}, "gemini")
    assert (caught.value.code, caught.value.path) == ("OCB-SHAPE", "/candidates/0")
    assert caught.value.message == "a candidate must be an object"


def test_settings_are_in_the_places_of_the_api() -> None:
    settings = Settings(
        model="m", temperature=0.5, max_tokens=3, stop=("x",), n=2, tool_choice=ToolChoice("required", ("functions.f",))
    )
    written = write_messages(Message("user", "q"), settings=settings)
    assert written.losses == ()
    assert written.output == {
        "model": "m",
        "contents": [user({"text": "q"})],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
        "generationConfig": {"temperature": 0.5, "maxOutputTokens": 3, "stopSequences": ["x"], "candidateCount": 2},
    }


# --- judges -----------------------------------------------------------------------------------------------------------


def test_googles_own_types_take_converted_documents_of_other_wires() -> None:
    types = pytest.importorskip("google.genai.types")
    checked = 0
    for case in recorded("chat-completions"):
        written = from_openai(case.data).output
        for content in written.get("contents", ()):
            types.Content.model_validate(content)
            checked += 1
        for tool in written.get("tools", ()):
            types.Tool.model_validate(tool)
        if "generationConfig" in written:
            types.GenerationConfig.model_validate(written["generationConfig"])
        if "toolConfig" in written:
            types.ToolConfig.model_validate(written["toolConfig"])
    assert checked > 50


def test_what_code_printed_stays_before_what_a_function_gave() -> None:
    """The model's code runs within its turn; the reply to a function comes with the next one."""
    request = {
        "contents": [
            {"role": "user", "parts": [{"text": "Both, please."}]},
            {
                "role": "model",
                "parts": [
                    {"functionCall": {"id": "1", "name": "weather", "args": {"place": "Paris"}}},
                    {"executableCode": {"language": "PYTHON", "code": "print(2)"}},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
                ],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "1", "name": "weather", "response": {"output": "sunny"}}}],
            },
        ]
    }
    result = convert(request, source="gemini", target="gemini")
    assert result.output == request
    assert result.losses == ()


def test_a_schema_that_is_none_is_not_written_as_null() -> None:
    asked = Transcript((Message("user", "hi"),), settings=Settings(response_format=AnswerFormat("json_schema", "a")))
    output = write(asked, "gemini").output
    assert isinstance(output, dict)
    assert output["generationConfig"] == {"responseMimeType": "application/json"}


def test_a_system_instruction_that_names_a_role_is_the_systems_whatever_was_read_before() -> None:
    """As Google's clients write it; contents that look the same are a user's."""
    content: Any = {"role": "user", "parts": [{"text": "Hi"}]}
    request = {"systemInstruction": content, "contents": [content]}
    for _ in range(8):  # as often as plans take to be learned
        alone = read({"contents": [content]}, "gemini").transcript
        assert isinstance(alone, Transcript)
        assert [message.role for message in alone.messages] == ["user"]
        document = read(request, "gemini").transcript
        assert isinstance(document, Transcript)
        assert [message.role for message in document.messages] == ["system", "user"]
        assert write(document, "gemini").output == request


def test_a_reply_with_an_empty_name_keeps_it() -> None:
    """The API refuses such a name, and nobody gave it another."""
    reply = {"functionResponse": {"id": "c1", "name": "", "response": {"output": "x"}}}
    document = {"contents": [{"role": "user", "parts": [reply]}]}
    result = convert(document, source="gemini", target="gemini")
    assert (result.output, result.losses) == (document, ())


# --- tools that the API runs ------------------------------------------------------------------------------------------


def ran(*parts: Any) -> Any:
    return [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": list(parts)}]


def test_a_tool_that_the_api_runs_has_its_call_and_its_result_in_the_models_content() -> None:
    called = {"toolCall": {"toolType": "URL_CONTEXT", "args": {"urls": ["a"]}, "id": "t"}, "thoughtSignature": "c2ln"}
    answered = {"toolResponse": {"toolType": "URL_CONTEXT", "response": {"b": 1}, "id": "t"}}
    transcript = read(ran(called, answered), "gemini").transcript
    assert isinstance(transcript, Transcript)
    call, reply = transcript.messages[1:]
    assert (call.recipient, call.content, call.call_id) == ("URL_CONTEXT", '{"urls":["a"]}', "t")
    assert (reply.role, reply.name, reply.content, reply.call_id) == ("tool", "URL_CONTEXT", '{"b":1}', "t")
    assert is_hosted(call)
    edited = replace(transcript, messages=(transcript.messages[0], replace(call, content='{"urls":["c"]}'), reply))
    parts = write(edited, "gemini").output[1]["parts"]
    assert parts[0]["toolCall"]["args"] == {"urls": ["c"]}
    assert parts[1] == answered


@pytest.mark.parametrize(
    "part",
    [
        {"toolCall": {"args": {}}},
        {"toolCall": {"toolType": "A", "args": 1}},
        {"toolCall": {"toolType": "functions.a"}},
        {"toolCall": {"toolType": "A"}, "type": "b"},
        {"toolResponse": {"toolType": "A", "response": []}},
    ],
)
def test_an_odd_call_of_such_a_tool_stays_as_it_is(part: Any) -> None:
    transcript = read(ran(part), "gemini").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[1].content == (Foreign("gemini", part),)
    assert write(transcript, "gemini").output == ran(part)


def test_a_call_of_such_a_tool_in_a_users_content_stays_as_it_is() -> None:
    contents = [{"role": "user", "parts": [{"toolCall": {"toolType": "A"}}]}]
    assert write(read(contents, "gemini").transcript, "gemini").output == contents


@pytest.mark.parametrize("last", [{"role": "model", "odd": 1}, {"role": "model", "parts": []}])
def test_an_entry_without_parts_does_not_vanish_behind_a_result_that_moves(last: dict[str, Any]) -> None:
    """Found by fuzzing: the reply becomes the code's result in the first entry, with which the last one was joined."""
    code = {"executableCode": {"language": "PYTHON", "code": "x"}}
    contents = [{"role": "model", "parts": [code]}, {"role": "tool", "parts": [{"text": "R"}]}, last]
    written = write(read({"contents": contents}, "gemini").transcript, "gemini", policy=LENIENT).output
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "R"}}
    assert written == {"contents": [{"role": "model", "parts": [code, result]}, last]}


@pytest.mark.parametrize("arguments", [{}, {"args": {}}, {"args": {"queries": ["a"]}}])
@pytest.mark.parametrize("result", [{}, {"response": {}}, {"response": {"found": 1}}])
def test_an_empty_object_and_none_are_two_things_for_tools_of_the_server(arguments: Any, result: Any) -> None:
    parts: list[Any] = [
        {"toolCall": {"toolType": "GOOGLE_SEARCH", "id": "a", **arguments}},
        {"toolResponse": {"toolType": "GOOGLE_SEARCH", "id": "a", **result}},
    ]
    request = {"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": parts}]}
    assert convert(request, source="gemini", target="gemini").output == request


def test_nothing_is_joined_to_a_message_without_parts() -> None:
    nothing = Message("assistant", "", channel="final", layout={"gemini": {"empty": "none"}})
    text, look = Message("assistant", "Hm.", channel="final"), Message("assistant", "{}", recipient="functions.look")
    look = replace(look, channel="commentary", constraint="json", end="call", continues=True)
    for messages in (
        (nothing, look),
        (text, nothing, look),
        (look, nothing, look),
        (nothing, text),
        (nothing, nothing),
    ):
        document = Transcript((Message("user", "Look."), *messages))
        all_laws(document, "gemini")
        output: Any = write(document, "gemini").output
        assert [bool(wire["parts"]) for wire in output["contents"][1:]] == [each is not nothing for each in messages]


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "bedrock-converse"])
def test_an_image_that_the_model_drew_while_it_thought_is_not_in_the_answer(target: str) -> None:
    """minimaxir/gemimg, pull request 21: `gemini-3-pro-image-preview` sends up to two of them before the image."""
    parts: list[Any] = [
        {"text": "A plan.", "thought": True},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}, "thought": True},
        {"inlineData": {"mimeType": "image/png", "data": "aGkh"}, "thoughtSignature": "c2ln"},
    ]
    source: Any = {"contents": [{"role": "user", "parts": [{"text": "Draw."}]}, {"role": "model", "parts": parts}]}
    reading = read(source, "gemini")
    assert reading.findings == ()
    assert same(write(reading.transcript, "gemini").output, source)
    written = convert(json.dumps(source), source="gemini", target=target, policy=LENIENT)
    text = json.dumps(written.output)
    assert ("aGkh" in text, "aGk=" in text) == (True, False)
    assert ("foreign-part", "/messages/2/content/0") in [(loss.code, loss.path) for loss in written.losses]


def test_a_response_that_code_assist_encloses_is_read_at_its_place() -> None:
    answers = [{"content": model({"text": text}), "index": at} for at, text in enumerate(("One.", "Two."))]
    source: Any = {"traceId": "t", "response": {"candidates": [*answers, {"content": {"parts": 1}}]}}
    assert detect(json.dumps(source)) == "gemini"
    reading = read(source, "gemini")
    assert same(write(reading.transcript, "gemini").output, source)
    two = read({"response": {"candidates": answers}, "traceId": "t"}, "gemini").transcript
    assert isinstance(two, Transcript)
    assert [alternative.messages[0].content for alternative in two.alternatives or ()] == ["Two."]
    for candidates, place in ((1, ""), ([1], "/0"), ([{"content": {"parts": 1}}], "/0/content/parts")):
        with pytest.raises(BridgeError) as caught:
            read({"response": {"candidates": candidates}}, "gemini")
        assert caught.value.path == f"/response/candidates{place}"


def test_a_record_of_a_request_and_its_response_is_no_enclosed_response() -> None:
    """The request would be an unknown member, so that the question would be missing in other formats."""
    answer: Any = {"candidates": [{"content": model({"text": "Hi."})}]}
    for record in ({"request": contents(model({"text": "Hi"})), "response": answer}, {"key": "1", "response": answer}):
        with pytest.raises(BridgeError) as caught:
            detect(json.dumps(record))
        assert "a line of a provider's batch" in caught.value.message


def test_a_result_that_answers_a_call_again_has_the_name_that_gemini_requires() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    results = [{"role": "tool", "tool_call_id": "c1", "content": text} for text in ("one", "two")]
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    output: Any = convert({"messages": [*messages, *results]}, source="openai", target="gemini").output
    answers = [part["functionResponse"] for part in output["contents"][2]["parts"]]
    assert [(answer["name"], answer["response"]["output"]) for answer in answers] == [("f", "one"), ("f", "two")]
