"""Anthropic Messages: everything comes back, losses of other formats are named, and the API's rules are kept."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import TypeAdapter

from anthropic_judge import facts, unnamed
from corpus import corpus_path
from ocml_bridge import BridgeError, ErrorCode, Options, Transcript, convert, formats, read, write
from ocml_bridge.model import Citation, Foreign, Media, Message, Settings, Text, Tool, Usage, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws

GOLDEN = Path(__file__).parents[2] / "golden" / "anthropic"
OTHERS = [name for name in formats() if name != "anthropic"]
TEXT = {"type": "text", "text": "Hi"}
QUESTION = {"role": "user", "content": "Hi"}


def call(call_id: str, name: str = "f", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id: str, content: Any = "1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def asks(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def from_user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def spelled(value: Any) -> str:
    """A value with the order of its keys."""
    return json.dumps(value)


def messages_of(document: Any) -> tuple[Message, ...]:
    transcript = read(document, "anthropic").transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


def written(*messages: Message, **around: Any) -> Any:
    return write(Transcript(messages, **around), "anthropic", policy=LENIENT).output


def recorded() -> Iterator[tuple[str, Any]]:
    """Every request and response that was recorded, and the golden cases."""
    for path in sorted(corpus_path("wires").glob("*/anthropic/*.json")):
        if "streaming" not in path.name and path.name != "error.json":
            yield str(path), json.loads(path.read_text("utf-8"))


def golden() -> Iterator[tuple[str, Any]]:
    for path in sorted(GOLDEN.glob("*/input.json")):
        yield path.parent.name, json.loads(path.read_text("utf-8"))


# --- everything comes back --------------------------------------------------------------------------------------------


def test_every_recorded_document_comes_back_to_the_order_of_its_keys() -> None:
    for name, document in recorded():
        back = convert(document, source="anthropic", target="anthropic")
        assert spelled(back.output) == spelled(document), name
        assert (back.findings, back.losses) == ((), ()), name


@pytest.mark.parametrize("target", OTHERS)
def test_losses_of_a_document_in_another_format_are_named(target: str) -> None:
    if target.endswith("-tokens"):
        pytest.importorskip("openai_harmony", reason="token ids need the official encoder")
    for name, document in [*golden(), *list(recorded())[:: 1 if target == "openai" else 7]]:
        there = convert(document, source="anthropic", target=target, policy=LENIENT)
        back = write(read(there.encode(), target).transcript, "anthropic", policy=LENIENT)
        found = unnamed(facts(document), facts(back.output), [*there.losses, *back.losses])
        assert found == [], (name, there.losses)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of the objects in a value."""
    items: Any = ()
    if isinstance(value, dict):
        yield path
        items = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    for key, item in items:
        yield from places(item, (*path, key))


def injected(document: Any, path: tuple[Any, ...], member: dict[str, Any], *, front: bool) -> Any:
    document = copy.deepcopy(document)
    found = document
    for key in path:
        found = found[key]
    members = {**member, **found} if front else {**found, **member}
    found.clear()
    found.update(members)
    return document


MEMBERS: list[dict[str, Any]] = [{"x_new": {"a": [1, None, ""]}}, {"x_new": None}, {"x_new": ""}, {"x_new": False}]


@pytest.mark.parametrize("member", MEMBERS, ids=spelled)
def test_unknown_members_come_back_at_every_level(member: dict[str, Any]) -> None:
    for name, document in golden():
        for path in places(document):
            for front in (True, False):
                given = injected(document, path, member, front=front)
                back = convert(given, source="anthropic", target="anthropic", policy=LENIENT)
                assert spelled(back.output) == spelled(given), (name, path)


def test_unknown_members_are_named_where_they_are_lost() -> None:
    for name, document in golden():
        for path in places(document):
            if "input" in path or "input_schema" in path:
                continue  # they are arguments and schemas, and no members of ours
            given = injected(document, path, {"x_new": "XYZZY"}, front=False)
            there = convert(given, source="anthropic", target="openai", policy=LENIENT)
            if "XYZZY" in there.encode().decode():
                continue
            lost = [loss.path + loss.detail for loss in there.losses if loss.severity == "lost"]
            steps = {"x_new", *(str(step) for step in path if not isinstance(step, int))}
            assert any(step in place for step in steps for place in lost), (name, path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        None,
        [],
        [{"type": "text", "text": ""}],
        [TEXT],
        [TEXT, TEXT],
        [{"text": "Hi", "type": "text"}],
        [{"type": "text", "text": "Hi", "citations": None}],
        [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}],
        [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}],
        [{"type": "image", "source": {"data": "AAAA", "type": "base64", "media_type": "image/png"}}],
        [{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "\ud800"}}],
        [{"type": "document", "title": None, "source": {"type": "url", "url": "https://e.test"}}],
        [{"type": "hologram", "data": 1}],
        [1, "text", None],
        {"text": "Hi"},
        7,
    ],
    ids=str,
)
@pytest.mark.parametrize("role", ["user", "assistant", "system", "critic"])
def test_content_of_any_kind_comes_back(role: str, content: Any) -> None:
    document = {"messages": [QUESTION, {"role": role, "content": content}]}
    assert spelled(convert(document, source="anthropic", target="anthropic").output) == spelled(document)


@pytest.mark.parametrize(
    "block",
    [
        result("a", ""),
        result("a", []),
        {"type": "tool_result", "tool_use_id": "a"},
        result("a", None, is_error=None),
        result("a", [TEXT]),
        result("a", [TEXT, TEXT], is_error=False),
        result("a", [{"type": "image", "source": {"type": "url", "url": "https://e.test"}}], is_error=True),
        result("a", [{"type": "search_result", "source": "s", "title": "t", "content": [TEXT]}]),
        result("a", {"any": "thing"}),
        result("elsewhere"),
        {"content": "1", "type": "tool_result", "tool_use_id": "a", "cache_control": {"type": "ephemeral"}},
    ],
    ids=spelled,
)
def test_a_result_of_any_kind_comes_back(block: Any) -> None:
    document = {"messages": [QUESTION, asks(call("a")), from_user(block)]}
    assert spelled(convert(document, source="anthropic", target="anthropic").output) == spelled(document)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "thinking", "thinking": "t", "signature": ""},
        {"type": "thinking", "thinking": "t"},
        {"signature": "s", "thinking": "t", "type": "thinking"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "redacted_thinking", "data": ""},
        {"type": "reasoning", "text": "t"},
        {"text": "t", "type": "reasoning", "summary": []},
        {"type": "reasoning", "text": ""},
        {"type": "reasoning", "text": None},
        call("a", n=2**70, x=1.0, s="é\u2028", deep={"a": [None, {}]}),
        call("a", "python"),
        call("a", "browser.search"),
        call("a", ""),
        call("functions.f:0"),
        {"type": "tool_use", "name": "f", "input": {}},
        {"type": "tool_use", "id": None, "name": "f", "input": {}, "caller": {"type": "direct"}},
        {"type": "tool_use", "id": "a", "name": "f", "input": "{}"},
        {"type": "tool_use", "id": "a", "name": "f", "input": ["cat data.txt", 1.0]},
        {"type": "tool_use", "id": "a", "name": "f", "input": None},
        {"type": "tool_use", "id": "a", "name": "f"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "server_tool_use", "id": "s", "name": "user", "input": {}},
        {"type": "web_fetch_tool_result", "tool_use_id": "s", "content": {"type": "web_fetch_tool_result_error"}},
        {"type": "mcp_tool_use", "id": "m", "name": "f", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": True, "content": [TEXT]},
        {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": "1"},
    ],
    ids=spelled,
)
def test_a_block_of_the_assistant_comes_back_among_others(block: Any) -> None:
    for blocks in ([block], [TEXT, block], [block, TEXT], [block, call("z"), block], [TEXT, block, TEXT, call("z")]):
        document = {"messages": [QUESTION, asks(*blocks)]}
        assert spelled(convert(document, source="anthropic", target="anthropic").output) == spelled(document)


# --- what is read -----------------------------------------------------------------------------------------------------


def test_reasoning_beside_tools_is_a_thought() -> None:
    """Roo Code stores the thoughts of all models so."""
    document = {"messages": [QUESTION, asks({"type": "reasoning", "text": "Hm.", "summary": []}, call("a"))]}
    reading = read(document, "anthropic")
    assert reading.findings == ()
    made = messages_of(document["messages"])
    assert [(each.role, each.channel, each.content) for each in made[1:2]] == [("assistant", "analysis", "Hm.")]
    output: Any = convert(document, source="anthropic", target="openai").output
    assert output["messages"][1]["reasoning"] == "Hm."
    same: Any = convert(document, source="anthropic", target="anthropic").output
    assert same["messages"][1]["content"][0] == {"type": "reasoning", "text": "Hm.", "summary": []}


def test_reasoning_of_the_user_is_no_thought() -> None:
    document = {"messages": [{"role": "user", "content": [{"type": "reasoning", "text": "Hm."}, TEXT]}]}
    assert [str(each.code) for each in read(document, "anthropic").findings] == ["shape"]


def test_blocks_are_messages_in_their_order() -> None:
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    made = messages_of(
        [QUESTION, asks(thinking, TEXT, call("a"), thinking, call("b"), TEXT), from_user(result("a"), TEXT)]
    )
    assert [(one.role, one.channel, one.intent, one.recipient, one.continues) for one in made] == [
        ("user", None, None, None, False),
        ("assistant", "analysis", None, None, False),
        ("assistant", "commentary", "preamble", None, True),
        ("assistant", "commentary", None, "functions.f", True),
        ("assistant", "analysis", None, None, True),
        ("assistant", "commentary", None, "functions.f", True),
        ("assistant", "final", None, None, True),
        ("tool", "commentary", None, "assistant", False),
        ("user", None, None, None, True),
    ]


def test_a_reply_has_the_name_of_its_call_and_whether_it_failed() -> None:
    made = messages_of(
        [asks(call("a"), call("b", "g")), from_user(result("b", is_error=True), result("a", is_error=False))]
    )
    assert [(one.name, one.call_id, one.failed) for one in made[2:]] == [
        ("functions.g", "b", True),
        ("functions.f", "a", False),
    ]


def test_a_system_prompt_is_one_message_however_many_blocks_it_has() -> None:
    made = messages_of({"system": [TEXT, {**TEXT, "cache_control": {"type": "ephemeral"}}], "messages": [QUESTION]})
    assert [one.role for one in made] == ["system", "user"]
    assert len(made[0].content) == 2


@pytest.mark.parametrize(
    ("more", "end"),
    [({"max_tokens": 9}, None), ({}, "end")],
    ids=["a request has it continued", "in a log it is whole"],
)
def test_the_last_message_of_the_assistant(more: dict[str, Any], end: str | None) -> None:
    document = {**more, "messages": [QUESTION, {"role": "assistant", "content": "{"}]}
    assert messages_of(document)[-1].end == end


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("pause_turn", "end"),
        ("refusal", "end"),
        ("max_tokens", None),
        ("model_context_window_exceeded", None),
        (None, None),
        ("something new", "end"),
    ],
)
def test_why_an_answer_is_over(reason: str | None, end: str | None) -> None:
    document = {"type": "message", "role": "assistant", "content": [TEXT], "stop_reason": reason}
    assert messages_of(document)[-1].end == end
    assert spelled(convert(document, source="anthropic", target="anthropic").output) == spelled(document)


def test_cached_tokens_of_the_input_are_tokens_of_the_input() -> None:
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 4}
    document = {"type": "message", "role": "assistant", "content": [TEXT], "stop_reason": "end_turn", "usage": usage}
    transcript = read(document, "anthropic").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings is not None
    numbers = transcript.settings.usage
    assert numbers is not None
    assert (numbers.input_tokens, numbers.cached_tokens, numbers.output_tokens, numbers.total_tokens) == (
        321,
        300,
        4,
        325,
    )


@pytest.mark.parametrize(
    ("usage", "is_response"),
    [
        (Usage(5, 7, 12), True),
        (Usage(5, None, 12), False),
        (Usage(None, 7), False),
        (Usage(5, 7, 12, cached_tokens=9), False),
    ],
)
def test_a_message_without_complete_usage_is_written_as_no_response(usage: Usage, is_response: bool) -> None:
    answer = Message("assistant", "Yes.", channel="final", end="end")
    made = write(Transcript((answer,), settings=Settings(model="m", usage=usage)), "anthropic", policy=LENIENT)
    output: Any = made.output
    assert ("usage" in output) is (output.get("type") == "message") is is_response
    assert any(loss.path == "/settings/usage" for loss in made.losses) is not is_response


def test_a_list_of_documents_is_several() -> None:
    document = {"type": "message", "role": "assistant", "content": [TEXT]}
    with pytest.raises(BridgeError) as raised:
        read([document, {"messages": [QUESTION]}], "anthropic")
    assert raised.value.code is ErrorCode.SEVERAL


def test_contents_that_the_api_refuses_are_findings_and_stay() -> None:
    document = [asks(call("a"), call("b", "g")), from_user(TEXT, result("b"), result("a")), asks(call("a"))]
    reading = read(document, "anthropic")
    assert [str(finding.code) for finding in reading.findings] == ["call-id-repeated", "shape"]
    assert write(reading.transcript, "anthropic").output == document


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ({"name": "f", "input_schema": 5}, []),
        ({"name": "f", "description": 5}, []),
        ({"type": "mcp_toolset", "mcp_server_name": "x"}, []),
        ({"input_schema": {}}, ["/extras/anthropic/tools"]),
        ({"name": 5}, ["/extras/anthropic/tools"]),
        ("f", ["/extras/anthropic/tools"]),
    ],
)
def test_a_tool_of_an_unknown_type_is_kept_and_one_without_a_type_is_a_finding(tool: Any, found: list[str]) -> None:
    document = {"messages": [QUESTION], "tools": [tool]}
    reading = read(document, "anthropic")
    assert [finding.path for finding in reading.findings] == found
    assert write(reading.transcript, "anthropic").output == document


# --- the API's rules --------------------------------------------------------------------------------------------------


def asking(call_id: str | None, name: str = "f", arguments: str = "{}", **more: Any) -> Message:
    recipient = f"functions.{name}"
    return Message(
        "assistant", arguments, None, "commentary", recipient, call_id, constraint="json", end="call", **more
    )


def replying(call_id: str | None, text: str = "1", name: str = "functions.f") -> Message:
    return Message("tool", text, name, "commentary", "assistant", call_id)


def test_replies_follow_their_calls_in_the_order_of_the_calls() -> None:
    question = Message("user", "And?")
    talk = Transcript((asking("a"), asking("b", "g"), question, replying("b", "2", "functions.g"), replying("a")))
    result_ = write(talk, "anthropic")
    assert result_.output == {
        "messages": [
            asks(call("a")),
            asks(call("b", "g")),
            from_user(result("a"), result("b", "2")),
            {"role": "user", "content": "And?"},
        ]
    }
    moved = [loss for loss in result_.losses if loss.code == "order"]
    assert [(loss.path, loss.severity) for loss in moved] == [("/messages/2", "layout"), ("/messages/4", "layout")]


def test_ids_are_of_the_alphabet_and_no_two_calls_have_one() -> None:
    talk = (
        asking("f:0"),
        replying("f:0"),
        asking("f_0"),
        replying("f_0"),
        asking("f_0"),
        replying("f_0"),
        asking(None),
    )
    output = written(*talk)
    ids = [block.get("id", block.get("tool_use_id")) for message in output["messages"] for block in message["content"]]
    assert ids == ["f_0_2", "f_0_2", "f_0", "f_0", "f_0_3", "f_0_3", "call_1"]


def test_arguments_that_are_no_object_are_a_member_of_one() -> None:
    result_ = write(Transcript((asking("a", arguments="print(1)"),)), "anthropic")
    assert result_.output == {"messages": [asks(call("a", input="print(1)"))]}
    assert [(loss.code, loss.severity) for loss in result_.losses] == [("content", "changed")]


def test_an_input_that_is_no_object_is_the_arguments_of_the_call() -> None:
    """Claude Code sends back what a model wrote, whatever it is."""
    document = {"messages": [QUESTION, asks({"type": "tool_use", "id": "a", "name": "f", "input": ["cat data.txt"]})]}
    assert [message.content for message in messages_of(document)] == ["Hi", '["cat data.txt"]']
    prompt = convert(document, source="anthropic", target="harmony", policy=LENIENT).output
    assert '<|constrain|>json<|message|>["cat data.txt"]<|call|>' in str(prompt)


def test_a_thought_without_a_signature_is_left_out() -> None:
    result_ = write(Transcript((Message("user", "Hi"), Message("assistant", "t", channel="analysis"))), "anthropic")
    assert result_.output == {"messages": [QUESTION]}
    assert [(loss.code, loss.severity, loss.path) for loss in result_.losses] == [("message", "lost", "/messages/1")]


def test_thoughts_without_a_signature_are_kept_where_that_is_asked_for() -> None:
    document = Transcript((Message("user", "Hi"), Message("assistant", "t", channel="analysis")))
    result_ = write(document, "anthropic", options=Options(format_options={"unsigned": "keep"}))
    assert result_.output == {"messages": [QUESTION, asks({"type": "thinking", "thinking": "t", "signature": ""})]}
    assert result_.lossless


def test_all_that_instructs_the_model_in_the_beginning_is_the_system_prompt() -> None:
    output = written(
        Message("system", "One."), Message("developer", "Two."), Message("user", "Hi"), Message("system", "Three.")
    )
    assert output == {
        "system": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}],
        "messages": [QUESTION, {"role": "system", "content": "Three."}],
    }


def test_an_instruction_of_which_nothing_is_understood_is_left_out() -> None:
    strange = Message("system", (Foreign("openai", {"type": "text", "value": "Be brief."}),))
    result_ = write(
        Transcript((strange, Message("system", "Two."), Message("user", "Hi"))), "anthropic", policy=LENIENT
    )
    assert result_.output == {"system": "Two.", "messages": [QUESTION]}
    assert "emptied" in [str(loss.code) for loss in result_.losses]


def test_a_request_has_the_limit_of_tokens() -> None:
    settings = Settings(model="claude-opus-4-6")
    assert written(Message("user", "Hi"), settings=settings)["max_tokens"] == 4096
    assert "max_tokens" not in written(Message("user", "Hi"))
    document = {"model": "claude-opus-4-6", "messages": [QUESTION]}
    assert convert(document, source="anthropic", target="anthropic").output == document


def test_a_tool_has_a_schema() -> None:
    output = written(Message("user", "Hi"), tools=(Tool("f"),))
    assert output["tools"] == [{"name": "f", "input_schema": {"type": "object", "properties": {}}}]


# --- judged by the official types -------------------------------------------------------------------------------------


def test_the_official_types_take_converted_chat_completions() -> None:
    types = pytest.importorskip("anthropic.types")
    request, message = TypeAdapter(types.MessageCreateParams), TypeAdapter(types.MessageParam)
    for path in sorted(corpus_path("wires").glob("*/chat-completions/*request.json")):
        output: Any = convert(path.read_bytes(), source="openai", target="anthropic", policy=LENIENT).output
        request.validate_python({"max_tokens": 1, **output})
        for wire in output["messages"]:  # the request's are looked at when somebody iterates over them
            message.validate_python(wire)


def test_the_official_types_take_a_response_that_is_written() -> None:
    types = pytest.importorskip("anthropic.types")
    for path in sorted(corpus_path("wires").glob("*/chat-completions/*response.json")):
        output: Any = convert(path.read_bytes(), source="openai", target="anthropic", policy=LENIENT).output
        # Whoever answers gives the id of the answer.
        types.Message.model_validate({"id": "msg_1", **output})


# --- beside Chat Completions ------------------------------------------------------------------------------------------

LEAVE_OUT = {"model", "max_tokens", "max_completion_tokens", "temperature", "metadata", "store", "safety_identifier"}
"""What the recorded twins ask of different models."""
ALONE: dict[str, set[str]] = {
    # Of one wire alone, as the page of the format explains.
    "chatCompletionsAssistantCacheControlParam": {"messages"},
    "opus47AdaptiveThinkingReasoningEffortParam": {"thinking"},
    "parallelToolCallsDisabledParam": {"tools", "tool_choice", "messages"},
    "textFormatJsonSchemaParam": {"response_format"},
    # What was recorded differs.
    "metadataParam": {"user"},
    "safetyIdentifierParam": {"user"},
    "simpleRequest": {"output_config", "reasoning_effort"},
}
"""The twin → its members that differ."""


def plain(document: Any) -> Any:
    """A request with a system prompt and content as text, where they are one text."""
    if isinstance(document, list):
        items = cast("list[Any]", document)
        alone = len(items) == 1 and set(items[0]) == {"type", "text"}
        return items[0]["text"] if alone else [plain(item) for item in items]
    if isinstance(document, dict):
        return {key: plain(value) for key, value in cast("dict[str, Any]", document).items()}
    return document


@pytest.mark.parametrize(
    ("source", "target", "wire", "other"),
    [
        ("openai", "anthropic", "chat-completions", "anthropic"),
        ("anthropic", "openai", "anthropic", "chat-completions"),
    ],
)
def test_a_recorded_request_becomes_its_twin_of_the_other_wire(source: str, target: str, wire: str, other: str) -> None:
    count = 0
    for path in sorted(corpus_path("wires").glob(f"*/{wire}/request.json")):
        case, twin = path.parents[1].name, path.parents[1] / other / "request.json"
        if not twin.exists():
            continue
        made: Any = convert(path.read_bytes(), source=source, target=target, policy=LENIENT).output
        apart = LEAVE_OUT | ALONE.get(case, set())
        one, two = (
            {key: value for key, value in plain(document).items() if key not in apart}
            for document in (made, json.loads(twin.read_bytes()))
        )
        assert one == two, case
        count += 1
    assert count == 14


@pytest.mark.parametrize(
    ("part", "source"),
    [
        (Media("file", data="YSxi", format="text/csv"), {"type": "text", "media_type": "text/plain", "data": "a,b"}),
        (Media("image", data="/9j/4AA="), {"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AA="}),
        (Media("image", data="AAAA"), {"type": "base64", "data": "AAAA"}),
    ],
)
def test_data_is_written_as_a_type_that_the_api_takes(part: Media, source: Any) -> None:
    output: Any = write(Transcript((Message("user", (part,), end="end"),)), "anthropic", policy=LENIENT).output
    assert output["messages"][0]["content"][0]["source"] == source


@pytest.mark.parametrize(
    "source",
    [
        {"type": "base64", "media_type": "image/png", "data": "aGk=", "x": 1},
        {"data": "aGk=", "media_type": "image/png", "type": "base64"},
        {"type": "base64", "data": "iVBORw0KGgo="},
        {"url": "https://e.org/a.png", "type": "url", "x": None},
        {"type": "file", "file_id": "f", "x": {"y": 1}},
    ],
)
def test_an_image_is_read_with_any_other_members_of_its_source(source: dict[str, Any]) -> None:
    block: dict[str, Any] = {"type": "image", "source": source}
    given: dict[str, Any] = {
        "messages": [{"role": "user", "content": [block, {"type": "text", "text": "What is it?"}]}]
    }
    document = read(given, "anthropic").transcript
    assert isinstance(document, Transcript)
    assert isinstance(document.messages[0].content[0], Media)
    assert json.dumps(write(document, "anthropic").output) == json.dumps(given)


@pytest.mark.parametrize("flag", [{}, {"is_error": True}, {"is_error": False}])
def test_an_error_of_a_servers_tool_may_have_a_flag_and_a_type(flag: dict[str, bool]) -> None:
    use: dict[str, Any] = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    result: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "s", "content": error, **flag}
    given: dict[str, Any] = {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [use, result]}]
    }
    document = read(given, "anthropic").transcript
    assert isinstance(document, Transcript)
    assert document.messages[2].failed is flag.get("is_error", True)
    assert json.dumps(write(document, "anthropic").output) == json.dumps(given)


@pytest.mark.parametrize("content", [[], [{"type": "text", "text": ""}], [{"type": "text", "text": " "}]])
def test_an_empty_response_comes_back_unchanged(content: list[Any]) -> None:
    given: dict[str, Any] = {"type": "message", "role": "assistant", "content": content}
    given |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1}}
    done = convert(given, source="anthropic", target="anthropic")
    assert json.dumps(done.output) == json.dumps(given)
    assert done.losses == ()


def test_an_answer_that_is_cut_off_later_gets_its_stop_reason() -> None:
    """It was read without a reason why it stopped; what is written has the one that reads as cut off."""
    response = {"type": "message", "role": "assistant", "content": [TEXT]}
    whole = read(response, "anthropic").transcript
    assert isinstance(whole, Transcript)
    assert write(whole, "anthropic").output == response
    [message] = whole.messages
    cut_off = replace(whole, messages=(replace(message, end=None),))
    assert write(cut_off, "anthropic").output == {**response, "stop_reason": "max_tokens"}


def test_a_tool_that_is_chosen_by_the_name_of_a_namespace_keeps_it() -> None:
    choice = {"type": "tool", "name": "functions.f"}
    request = {"model": "m", "max_tokens": 9, "messages": [QUESTION], "tool_choice": choice}
    assert convert(request, source="anthropic", target="anthropic").output == request


@pytest.mark.parametrize("more", [{}, {"cache_control": None}, {"cache_control": {"type": "ephemeral"}}, {"x": 1}])
def test_an_empty_system_prompt_stays_one(more: dict[str, Any]) -> None:
    given = {"messages": [{"role": "user", "content": "Hi"}], "system": [{"text": "", "type": "text", **more}]}
    assert spelled(convert(given, source="anthropic", target="anthropic").output) == spelled(given)


def test_unsigned_citations_are_for_a_response_and_two_answers_are_none() -> None:
    cited = Text("Spain won.", citations=(Citation(url="https://example.org/1", title="News"),))
    one = Message("assistant", (cited,), channel="final")
    shown = replace(one, content=(cited, Media("image", data="iVBORw0KGgo=", format="image/png")))
    asked = (Message("user", "Who won?"), one)
    for messages, kept in (((one,), True), ((one, one), False), (asked, False), ((shown,), False)):
        document = Transcript(messages, settings=Settings(model="m", usage=Usage(input_tokens=9, output_tokens=40)))
        assert ("encrypted_index" in str(write(document, "anthropic").output)) is kept
        all_laws(document, "anthropic")
