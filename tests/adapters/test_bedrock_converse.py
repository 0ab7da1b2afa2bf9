"""Bedrock's Converse: the recorded messages come back, and what is written is what the service model takes."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError, convert, detect, read, write
from ocml_bridge.errors import ErrorCode
from ocml_bridge.loss import Severity
from ocml_bridge.model import (
    CacheMark,
    Foreign,
    Media,
    Message,
    Passages,
    Settings,
    Text,
    Tool,
    ToolChoice,
    Transcript,
    Usage,
    replace,
)
from ocml_bridge.report.policy import LENIENT
from wire_facts import Recorded, injected, leaves, not_back, recorded, there_and_back

FORMAT = "bedrock-converse"
WORDS = {
    "modelId": "model",
    "maxTokens": "max_tokens",
    "usage": "usage",
    "text": "message",
    "document": "media",
}
"""What losses call the values of these keys."""
KEPT_WHOLE = ("toolConfig", "inferenceConfig")
"""Members of a request that are named as wholes where they have more than settings and tools."""


def same(one: Any, other: Any) -> bool:
    """The same values with the same keys in the same order."""
    return json.dumps(one) == json.dumps(other)


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def use(call_id: str, name: str, value: Any) -> Any:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": value}}


def result(call_id: str, *blocks: Any) -> Any:
    return {"toolResult": {"toolUseId": call_id, "content": list(blocks)}}


def messages_of(document: Any) -> tuple[Message, ...]:
    transcript = read(document, FORMAT).transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


def written(*messages: Message, **more: Any) -> Any:
    return write(Transcript(messages, **more), FORMAT, policy=LENIENT)


def call(name: str, arguments: str, call_id: str | None) -> Message:
    return Message("assistant", arguments, None, "commentary", name, call_id, constraint="json", end="call")


def reply(text: str, call_id: str | None) -> Message:
    return Message("tool", text, None, "commentary", "assistant", call_id)


# --- recorded ---------------------------------------------------------------------------------------------------------


def cases() -> list[Recorded]:
    return recorded("bedrock")


def test_every_recorded_document_comes_back_with_its_keys_in_order() -> None:
    for case in cases():
        reading = read(case.data, FORMAT)
        assert reading.findings == (), case
        back = write(reading.transcript, FORMAT)
        assert back.losses == ()
        assert same(back.output, case.value), case


def test_nothing_recorded_is_gone_without_a_word_behind_any_format() -> None:
    for case in cases():
        assert there_and_back(case.data, FORMAT, WORDS) == [], (case.case, case.kind)


TOOLS: dict[str, Any] = {
    "modelId": "m",
    "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
    "messages": [
        user({"text": "q"}, {"document": {"name": "a", "format": "pdf", "source": {"bytes": "aGk="}}}),
        assistant(
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "cw=="}}}, use("t", "f", {"a": 1})
        ),
        user(result("t", {"text": "b"}, {"json": {"c": 1}}), {"cachePoint": {"type": "default"}}),
    ],
    "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]},
    "inferenceConfig": {"maxTokens": 5},
}


def test_unknown_members_come_back_and_are_named_elsewhere() -> None:
    for value in [TOOLS, *(case.value for case in cases() if case.kind == "request")]:
        for place, changed in injected(value):
            reading = read(json.dumps(changed), FORMAT)
            assert same(write(reading.transcript, FORMAT).output, changed), place
            there = write(reading.transcript, "openai", policy=LENIENT)
            # Arguments, results and schemas are the caller's: their contents are carried.
            carried = any("x_unknown" in leaf.keys or "x_unknown" in leaf.value for leaf in leaves(there.output))
            keys = place.split("/")
            names = ("x_unknown", *(key for key in keys if key in KEPT_WHOLE), "a foreign part", "blocks behind")
            named = any(name in f"{loss.path} {loss.detail} {loss.code}" for loss in there.losses for name in names)
            assert carried or named or any(loss.code == "foreign-part" for loss in there.losses), place


@pytest.mark.parametrize("case", ["simpleRequest", "complexReasoningRequest", "reasoningRequest"])
def test_the_same_case_is_the_same_in_chat_completions(case: str) -> None:
    found = {
        wire: [each for each in recorded(wire) if (each.case, each.kind) == (case, "request")]
        for wire in ("bedrock", "chat-completions")
    }
    mine, twin = (found[wire][0].value for wire in found)
    made: Any = convert(mine, source=FORMAT, target="openai", policy=LENIENT).output
    contents = [(message["role"], message["content"]) for message in made["messages"]]
    assert contents == [(message["role"], message["content"]) for message in twin["messages"]]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_message_is_its_blocks_in_their_order() -> None:
    document = [
        assistant({"text": "I look."}, use("a", "f", {"x": [1, 2.5]}), {"text": "And here."}, use("b", "g", {})),
        user(result("b", {"text": "2"}), {"text": "Go on."}, result("a", {"text": "1"})),
    ]
    assert [(m.role, m.channel, m.name, m.content, m.continues) for m in messages_of(document)] == [
        ("assistant", "commentary", None, "I look.", False),
        ("assistant", "commentary", None, '{"x":[1,2.5]}', True),
        ("assistant", "commentary", None, "And here.", True),
        ("assistant", "commentary", None, "{}", True),
        ("tool", "commentary", "functions.g", "2", False),
        ("user", None, None, "Go on.", True),
        ("tool", "commentary", "functions.f", "1", True),
    ]
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


def test_system_content_is_text_guarded_text_and_marks() -> None:
    part = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A day."}}
    cited = {
        "type": "char_location",
        "cited_text": "A",
        "document_index": 0,
        "start_char_index": 0,
        "end_char_index": 1,
    }
    system = [{"type": "text", "text": "Be brief.", "citations": [cited]}, part]
    request = {"system": system, "messages": [{"role": "user", "content": "Hi"}]}
    result = convert(request, source="anthropic", target=FORMAT, policy=LENIENT)
    assert result.output["system"] == [{"text": "Be brief."}, {"text": "A day."}]  # type: ignore[index, call-overload]
    assert [(loss.code, loss.severity, loss.path) for loss in result.losses if loss.severity != "layout"] == [
        ("citations", "lost", "/messages/0/content/0/citations"),
        ("media", "changed", "/messages/0/content/1"),
    ]


def test_a_block_that_has_no_place_in_system_is_kept_there() -> None:
    image = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    document = {
        "messages": [user({"text": "Hi"})],
        "system": [{"text": "Look."}, image, {"cachePoint": {"type": "default"}}],
    }
    reading = read(document, FORMAT)
    assert reading.findings == ()
    assert write(reading.transcript, FORMAT).output == document


@pytest.mark.parametrize(
    ("blocks", "content"),
    [
        ([], ""),
        ([{"text": ""}], ""),
        ([{"text": "a"}], "a"),
        ([{"json": {"a": [1]}}], '{"a":[1]}'),
        ([{"json": 5}], "5"),
    ],
)
def test_a_result_is_its_text_or_its_json(blocks: Any, content: str) -> None:
    document = [assistant(use("t", "f", {})), user(result("t", *blocks))]
    assert messages_of(document)[1].content == content
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


@pytest.mark.parametrize(("status", "failed"), [("error", True), ("success", False), (None, None)])
def test_the_status_of_a_result_is_whether_it_failed(status: str | None, failed: bool | None) -> None:
    block = result("t", {"text": "a"})
    if status is not None:
        block["toolResult"]["status"] = status
    document = [assistant(use("t", "f", {})), user(block)]
    assert messages_of(document)[1].failed is failed
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


@pytest.mark.parametrize(
    "name", ["report.pdf", "company_policy", "a  b", "", "Résumé", "n" * 300, "a-b [1] (2)", None, 1]
)
@pytest.mark.parametrize("source", [{"text": "A day."}, {"bytes": "aGk="}, {"content": [{"text": "A day."}]}])
@pytest.mark.parametrize("format_", [{"format": "txt"}, {}])
def test_the_name_of_a_document_stays_whatever_it_is(name: Any, source: Any, format_: Any) -> None:
    document = [user({"document": {**format_, "name": name, "source": source}}, {"text": "q"})]
    for _ in range(3):
        assert same(convert(document, source=FORMAT, target=FORMAT).output, document)
    if isinstance(name, str):
        [message] = messages_of(document)
        part = message.content[0]
        assert isinstance(part, (Media, Passages))
        edited = replace(part, filename="x.y") if isinstance(part, Media) else replace(part, title="x.y")
        [written] = write(Transcript((replace(message, content=(edited,)),)), FORMAT).output["messages"]
        assert written["content"][0]["document"]["name"] == "x-y"


def test_bytes_that_javascript_dumped_are_bytes() -> None:
    source = {"bytes": {str(at): byte for at, byte in enumerate(b"Hi\0there\xff")}}
    document = [user({"document": {"name": "n", "format": "txt", "source": source}})]
    [message] = messages_of(document)
    [part] = message.content
    assert isinstance(part, Media)
    assert (base64.b64decode(part.data or ""), part.format) == (b"Hi\0there\xff", "text/plain")
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


def test_a_cache_point_is_a_place_and_no_text() -> None:
    point = {"cachePoint": {"type": "default"}}
    document = [user({"text": "a"}, point, {"text": "b"}, point), assistant(use("t", "f", {}), point)]
    asked, called = messages_of(document)
    assert asked.content == (Text("a", cache=CacheMark()), Text("b", cache=CacheMark()))
    assert (called.content, called.cache) == ("{}", CacheMark())
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


def test_cached_tokens_are_part_of_the_input() -> None:
    document = {
        "output": {"message": assistant({"text": "Hi"})},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 4, "outputTokens": 2, "totalTokens": 16, "cacheReadInputTokens": 10},
        "metrics": {"latencyMs": 1},
    }
    transcript = read(document, FORMAT).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings == Settings(usage=Usage(14, 2, 16, 10))
    assert same(write(transcript, FORMAT).output, document)


@pytest.mark.parametrize("wrong", [5, "x", {}, {"messages": {}}, {"messages": [3]}, [{"messageStart": {"role": "a"}}]])
def test_an_invalid_document_is_refused_with_its_path(wrong: Any) -> None:
    with pytest.raises(BridgeError) as raised:
        read(json.dumps(wrong), FORMAT)
    assert raised.value.code in (ErrorCode.SHAPE, ErrorCode.FORMAT_DOUBT)


def test_a_damaged_document_comes_back_or_is_refused() -> None:
    documents: list[Any] = [TOOLS, *(case.value for case in cases() if len(case.data) < 6_000)]
    assert not_back(documents * 4, FORMAT, seed=7) == []


# --- writing ----------------------------------------------------------------------------------------------------------


def test_roles_alternate() -> None:
    done = written(
        Message("user", "a"), Message("user", "b"), Message("assistant", "c"), call("functions.f", "{}", "t")
    )
    assert done.output == {
        "messages": [user({"text": "a"}, {"text": "b"}), assistant({"text": "c"}, use("t", "f", {}))]
    }
    assert {(loss.code, loss.path) for loss in done.losses} >= {
        ("message", "/messages/1"),
        ("content", "/messages/0/content"),
    }


def test_losses_of_messages_that_become_one_are_named_at_each_of_them() -> None:
    unknown = [Foreign("anthropic", {"type": "of_tomorrow", "at": at}) for at in range(3)]
    done = written(*(Message("user", (Text(f"t{at}"), part)) for at, part in enumerate(unknown)))
    assert done.output == {"messages": [user({"text": "t0"}, {"text": "t1"}, {"text": "t2"})]}
    assert [(loss.path, loss.severity) for loss in done.losses if loss.code == "foreign-part"] == [
        (f"/messages/{at}/content/1", Severity.LOST) for at in range(3)
    ]


def test_results_go_first_in_the_order_of_their_calls() -> None:
    done = written(
        Message("user", "q"),
        call("functions.f", "{}", "a"),
        call("functions.g", "{}", "b"),
        reply("2", "b"),
        Message("user", "wait"),
        reply("1", "a"),
    )
    assert done.output["messages"][2] == user(result("a", {"text": "1"}), result("b", {"text": "2"}), {"text": "wait"})
    assert [loss.path for loss in done.losses if loss.code == "order"] == ["/messages/5"]
    assert done.order == (0, 1, 2, 5, 3, 4)


def test_texts_that_a_moved_reply_leaves_side_by_side_are_one() -> None:
    done = written(
        Message("user", "q"),
        call("functions.f", "{}", "a"),
        Message("user", "wait"),
        reply("1", "a"),
        Message("user", "so?"),
    )
    assert done.output["messages"][2] == user(result("a", {"text": "1"}), {"text": "wait"}, {"text": "so?"})
    assert {(loss.code, loss.path) for loss in done.losses} >= {("order", "/messages/3"), ("message", "/messages/4")}


def test_ids_and_names_have_the_letters_that_the_api_takes() -> None:
    tool = Tool("search", None, {"type": "object"}, "browser")
    choice = Settings(tool_choice=ToolChoice("required", ("browser.search",)))
    one, two = call("browser.search", "{}", "a/1"), call("functions.f", "{}", "a_1")
    done = written(Message("user", "q"), one, two, reply("x", "a/1"), reply("y", "a_1"), tools=(tool,), settings=choice)
    assert done.output["messages"][1:] == [
        assistant(use("a_1_2", "browser_search", {}), use("a_1", "f", {})),
        user(result("a_1_2", {"text": "x"}), result("a_1", {"text": "y"})),
    ]
    assert done.output["toolConfig"]["tools"][0]["toolSpec"]["name"] == "browser_search"
    assert done.output["toolConfig"]["toolChoice"] == {"tool": {"name": "browser_search"}}
    changed = {loss.path for loss in done.losses if loss.severity is Severity.CHANGED}
    assert changed >= {"/messages/1/call_id", "/messages/1/recipient", "/messages/3/call_id"}


@pytest.mark.parametrize("choice", [{"auto": {}}, {"any": {}}, {"tool": {"name": "f"}}])
@pytest.mark.parametrize("tools", [{}, {"tools": []}])
def test_a_choice_among_no_tools_comes_back_and_is_not_written_otherwise(choice: Any, tools: Any) -> None:
    document = {"messages": [user({"text": "q"})], "toolConfig": {**tools, "toolChoice": choice}}
    transcript = read(document, FORMAT).transcript
    assert isinstance(transcript, Transcript)
    assert write(transcript, FORMAT).output == document
    assert "toolConfig" not in written(Message("user", "q"), settings=transcript.settings).output


def test_an_empty_text_is_left_out() -> None:
    done = written(Message("user", "q"), Message("assistant", ""), Message("user", "again"))
    assert done.output == {"messages": [user({"text": "q"}, {"text": "again"})]}


def test_instructions_in_the_middle_stay_there() -> None:
    done = written(Message("developer", "a"), Message("user", "q"), Message("developer", "b"))
    assert done.output == {
        "messages": [user({"text": "q"}), {"role": "system", "content": [{"text": "b"}]}],
        "system": [{"text": "a"}],
    }
    assert [loss.path for loss in done.losses] == ["/messages/0/role", "/messages/2/role", "/messages/2/layout"]


# --- judges -----------------------------------------------------------------------------------------------------------


def _with_bytes(value: Any) -> Any:
    """Documents as the SDK takes them: bytes in place of base64."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: base64.b64decode(each) if key == "bytes" else _with_bytes(each) for key, each in members.items()}
    return [_with_bytes(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def test_the_service_model_takes_converted_documents_of_other_wires() -> None:
    botocore = pytest.importorskip("botocore.session")
    validate = pytest.importorskip("botocore.validate")
    model = botocore.Session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape
    checked = 0
    for wire, source in (("chat-completions", "openai"), ("google", "gemini"), ("bedrock", FORMAT)):
        for case in recorded(wire):
            request: Any = convert(case.data, source=source, target=FORMAT, policy=LENIENT).output
            if "messages" not in request or wire == "bedrock":
                continue
            request = {"modelId": "m", **_with_bytes(request)}
            report = validate.ParamValidator().validate(request, shape)
            assert not report.has_errors(), (case.case, case.kind, report.generate_report())
            roles = [message["role"] for message in request["messages"]]
            assert all(one != other for one, other in pairwise(roles)), case
            checked += 1
    assert checked > 50


SPEC: dict[str, Any] = {"toolSpec": {"name": "f", "description": "Does.", "inputSchema": {"json": {"type": "object"}}}}
POINT: dict[str, Any] = {"cachePoint": {"type": "default"}}
SYSTEM_TOOL: dict[str, Any] = {"systemTool": {"name": "nova_grounding"}}


@pytest.mark.parametrize(
    ("tools", "count"),
    [
        ([SPEC, SPEC, SPEC], 3),
        ([SYSTEM_TOOL, SPEC, SPEC], 2),
        ([SPEC, SPEC, SYSTEM_TOOL, SPEC], 3),
        ([SPEC, POINT, SPEC, POINT, POINT, SYSTEM_TOOL, POINT], 2),
        ([POINT, SPEC], 1),
        ([SPEC, 2, SPEC, {"as it is": 1}, {**SYSTEM_TOOL, "as it is": 1}], 2),
        ([SPEC, {"toolSpec": {"name": "g"}}, {"toolSpec": 1}, None, "f"], 1),
    ],
)
def test_marks_between_tools_come_back_in_their_place(tools: list[Any], count: int) -> None:
    given: dict[str, Any] = {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "toolConfig": {"tools": tools},
    }
    document = read(given, "bedrock-converse").transcript
    assert isinstance(document, Transcript)
    assert len(document.tools or ()) == count
    there = write(document, "bedrock-converse")
    assert json.dumps(there.output) == json.dumps(given)
    assert there.losses == ()


@pytest.mark.parametrize(
    "content",
    [
        [{"json": {"a": 1}}, {"text": "x"}],
        [{"text": "x"}, {"json": {"a": 1}}, {"json": [1]}],
        [{"json": "x"}, {"json": None}],
        [{"text": '{"a":1}'}, {"json": {"a": 1.0}}],
        [{"image": {"format": "png", "source": {"bytes": "aGk="}}}, {"json": {}}],
    ],
)
def test_values_among_the_parts_of_a_result_come_back(content: list[Any]) -> None:
    use = {"toolUse": {"toolUseId": "c", "name": "f", "input": {"a": 1}}}
    given: dict[str, Any] = {
        "messages": [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": content}}]},
        ]
    }
    there = write(read(given, "bedrock-converse").transcript, "bedrock-converse")
    assert json.dumps(there.output) == json.dumps(given)
    assert there.losses == ()


def test_a_document_that_is_a_text_is_plain_text_for_others() -> None:
    source = {"messages": [user({"document": {"name": "Notes", "source": {"text": "A day."}}}, {"text": "q"})]}
    assert same(write(read(json.dumps(source), FORMAT).transcript, FORMAT).output, source)
    written = convert(json.dumps(source), source=FORMAT, target="anthropic", policy=LENIENT)
    text = {"type": "text", "media_type": "text/plain", "data": "A day."}
    assert written.output["messages"][0]["content"][0] == {"type": "document", "source": text, "title": "Notes"}
    assert [loss.code for loss in written.losses if loss.severity is not Severity.LAYOUT] == []
    gemini = convert(json.dumps(source), source=FORMAT, target="gemini", policy=LENIENT)
    assert gemini.output["contents"][0]["parts"][0]["inlineData"]["mimeType"] == "text/plain"


@pytest.mark.parametrize(
    "block",
    [
        {"citationsContent": {"content": [{"text": "x"}], "odd": 1}},
        {"document": {"name": "n", "source": {"content": [{"text": "a"}]}, "odd": 1}},
        {"document": {"name": "n", "format": "txt", "source": {"content": [{"text": "a"}]}}, "odd": 2},
    ],
)
def test_unknown_members_of_a_block_stay_in_their_place(block: dict[str, Any]) -> None:
    """Nothing is added beside it, such as an empty list of citations."""
    document = [user({"text": "q"}, block)]
    assert same(write(read(document, FORMAT).transcript, FORMAT).output, document)


def test_a_response_without_a_reason_is_detected_by_its_blocks() -> None:
    """As the answer of a stream that broke off is written, which has no reason."""
    broken: Any = {"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}}, "usage": {}}
    assert detect(json.dumps(broken)) == "bedrock-converse"
    assert write(read(broken, "bedrock-converse").transcript, "bedrock-converse").output == broken
    for content in ("Hi", [{"type": "text", "text": "Hi"}], []):
        with pytest.raises(BridgeError):
            detect(json.dumps({"output": {"message": {"role": "assistant", "content": content}}}))
