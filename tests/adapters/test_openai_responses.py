"""The Responses API: everything is read and comes back, by recorded traffic and by the official types."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from openai.types.responses import ResponseInputParam
from pydantic import TypeAdapter

from corpus import corpus_cases, corpus_path
from ocml_bridge import (
    BridgeError,
    ErrorCode,
    FindingCode,
    LossCode,
    Message,
    Options,
    Severity,
    Transcript,
    convert,
    formats,
    read,
    write,
)
from ocml_bridge.chat.turns import is_hosted
from ocml_bridge.events import Start
from ocml_bridge.model import Foreign, Json, Media, Refusal, Signature, Text, replace
from ocml_bridge.pipe import decoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import laws
from ocml_bridge.testing.ownership import poison
from sampling import examples
from strategies_responses import documents
from wire_facts import injected, recorded, there_and_back

HOME = "openai-responses"
WIRE = "responses"
WORDS = {
    "id": "extras",
    "status": "extras layout",
    "type": "extras layout",
    "text": "content message",
    "content": "message content",
    "strict": "tool-schema tools",
    "format": "response_format settings",
    "effort": "reasoning_effort settings",
    "verbosity": "settings",
    "max_output_tokens": "max_tokens settings",
    "model": "settings",
    "usage": "settings",
    "input": "extras message content",
    "output": "extras content",
    "tools": "tools tool-schema",
    "instructions": "layout message",
}
"""Key of the wire → what losses call its value."""
OFFICIAL_INPUT: TypeAdapter[Any] = TypeAdapter(ResponseInputParam)


def messages(source: Any) -> tuple[Message, ...]:
    return cast("Transcript", read(source, HOME).transcript).messages


def items(document: Transcript) -> list[Any]:
    return cast("dict[str, Any]", write(document, HOME, policy=LENIENT).output)["input"]


def same_order(one: Json, other: Json) -> bool:
    return json.dumps(one) == json.dumps(other)


# --- recorded traffic -------------------------------------------------------------------------------------------------


def test_every_recorded_document_comes_back_with_its_keys_in_order() -> None:
    documents = recorded(WIRE)
    assert len(documents) > 100
    for case in documents:
        reading = read(case.data, HOME)
        result = write(reading.transcript, HOME)
        assert same_order(result.output, case.value), f"{case.case}/{case.kind}"


@pytest.mark.parametrize("at", range(4))
def test_nothing_is_gone_without_a_word_in_any_other_format(at: int) -> None:
    for case in recorded(WIRE)[at::16]:
        assert there_and_back(case.data, HOME, WORDS) == [], f"{case.case}/{case.kind}"


@pytest.mark.long
def test_nothing_is_gone_without_a_word_of_any_recorded_document() -> None:
    for case in recorded(WIRE):
        assert there_and_back(case.data, HOME, WORDS) == [], f"{case.case}/{case.kind}"


def test_unknown_members_come_back_from_any_place_and_are_named_elsewhere() -> None:
    for case in recorded(WIRE)[::9]:
        for place, changed in injected(case.value):
            result = write(read(changed, HOME).transcript, HOME)
            assert same_order(result.output, changed), f"{case.case}/{case.kind}/{place}"
            there = convert(changed, source=HOME, target="openai", policy=LENIENT)
            if "x_unknown" not in json.dumps(there.output):
                assert [loss for loss in there.losses if loss.severity == "lost"], f"{case.case}/{case.kind}/{place}"


@examples(60)
@given(documents())
def test_any_document_that_is_read_without_findings_comes_back(document: Any) -> None:
    try:
        reading = read(document, HOME, options=Options(force_format=True))
    except BridgeError:
        return
    written = write(reading.transcript, HOME, policy=LENIENT).output
    assert reading.findings or same_order(written, document)
    laws.all_laws(reading.transcript, HOME)
    laws.all_laws(reading.transcript, "openai")


# --- the same case on two wires ---------------------------------------------------------------------------------------


def text_in(content: Any) -> str:
    """The text of a content on either wire."""
    parts = cast("list[Any]", content if isinstance(content, list) else [{"text": content or ""}])
    return "".join(part.get("text", "") for part in parts)


def chat_facts(request: Any) -> list[tuple[Any, ...]]:
    """The facts of a request of Chat Completions; it knows no adapter."""
    out: list[tuple[Any, ...]] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            out.append(("result", message["tool_call_id"], text_in(message["content"])))
        elif text_in(message.get("content")):
            out.append((message["role"], text_in(message["content"])))
        for call in message.get("tool_calls") or ():
            inner = call[call["type"]]
            out.append((call["type"], call["id"], inner["name"], inner.get("arguments", inner.get("input"))))
    functions = [tool["function"] for tool in request.get("tools", ()) if tool["type"] == "function"]
    out += [("tool", function["name"], json.dumps(function.get("parameters"))) for function in functions]
    form = request.get("response_format", {"type": "text"})
    out.append(("form", form["type"], json.dumps(form.get("json_schema", {}).get("schema"))))
    out.append(("limit", request.get("max_completion_tokens", request.get("max_tokens"))))
    return [*out, ("effort", request.get("reasoning_effort")), ("model", request.get("model"))]


def response_facts(request: Any) -> list[tuple[Any, ...]]:
    """The same of a request of the Responses API."""
    given = request["input"]
    out: list[tuple[Any, ...]] = []
    if request.get("instructions"):
        out.append(("system", request["instructions"]))
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind = item.get("type", "message")
        if kind == "message" and text_in(item["content"]):
            out.append((item["role"], text_in(item["content"])))
        elif kind in ("function_call", "custom_tool_call"):
            name = "function" if kind == "function_call" else "custom"
            out.append((name, item["call_id"], item["name"], item.get("arguments", item.get("input"))))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            out.append(("result", item["call_id"], text_in(item["output"])))
    functions = [tool for tool in request.get("tools", ()) if tool["type"] == "function"]
    out += [("tool", function["name"], json.dumps(function.get("parameters"))) for function in functions]
    form = request.get("text", {}).get("format", {"type": "text"})
    out.append(("form", form["type"], json.dumps(form.get("schema"))))
    out.append(("limit", request.get("max_output_tokens")))
    return [*out, ("effort", request.get("reasoning", {}).get("effort")), ("model", request.get("model"))]


def test_a_request_of_chat_completions_has_the_same_facts_here() -> None:
    cases = [case for case in recorded("chat-completions") if case.kind.endswith("request")]
    assert len(cases) > 50
    for case in cases:
        converted = convert(case.data, source="openai", target=HOME, policy=LENIENT).output
        assert response_facts(converted) == chat_facts(case.value), f"{case.case}/{case.kind}"


def test_a_request_has_the_same_facts_in_chat_completions() -> None:
    for case in recorded(WIRE):
        if case.kind.endswith("request") and not any(word in case.data for word in BEYOND_CHAT):
            converted = convert(case.data, source=HOME, target="openai", policy=LENIENT).output
            assert chat_facts(converted) == response_facts(case.value), f"{case.case}/{case.kind}"


BEYOND_CHAT = (b'"code_interpreter_call"', b'"program"', b'"additional_tools"')
"""Items and tools that become something else in Chat Completions: the page of the format explains it."""


# --- the official types -----------------------------------------------------------------------------------------------


def official(written: list[Any]) -> None:
    """Every item is one of those that the API takes, and not by chance one without a type."""
    for item in written:
        assert item.get("type"), item
    OFFICIAL_INPUT.validate_python(written)


def is_unofficial(item: Any) -> bool:
    """What is kept though the API takes none: roles and sounds of other servers, a result that answers no call."""
    roles = ("user", "system", "developer", "assistant")
    if item.get("type") == "function_call_output" and "call_id" not in item:
        return True
    return item.get("role", "user") not in roles or "input_audio" in json.dumps(item.get("content"))


def test_the_official_types_take_converted_real_conversations() -> None:
    count = 0
    for case in corpus_cases():
        count += 1
        if count % 12:
            continue
        try:
            document = read(case.data, case.format).transcript
        except BridgeError:
            continue
        if isinstance(document, Transcript):
            official([item for item in items(document) if not is_unofficial(item)])


def test_what_needs_an_id_gets_one_of_its_place() -> None:
    thought = Message("assistant", "Hm.", channel="analysis")
    refused = Message("assistant", (Text("No."), Refusal("I cannot.")), channel="final")
    written = items(Transcript((thought, Message("user", "Why?"), refused)))
    assert [item.get("id") for item in written] == [f"rs_{0:032d}", None, f"msg_{2:032d}"]
    official(written)
    assert messages(written)[0].extras is None
    moved = [written[2], written[0]]
    assert same_order(write(read(moved, HOME).transcript, HOME).output, moved)


# --- readings ---------------------------------------------------------------------------------------------------------


def output_message(text: str, **more: Any) -> dict[str, Any]:
    part: Any = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part], **more}


@pytest.mark.parametrize(
    ("phase", "channel", "intent"),
    [("final_answer", "final", None), ("commentary", "commentary", "preamble"), (None, "final", None)],
)
def test_a_phase_is_a_channel(phase: str | None, channel: str, intent: str | None) -> None:
    item = output_message("Hi", phase=phase)
    (message,) = messages([item])
    assert (message.channel, message.intent, message.content) == (channel, intent, "Hi")
    assert same_order(write(read([item], HOME).transcript, HOME).output, [item])


@pytest.mark.parametrize("phase", [{}, {"phase": None}])
@pytest.mark.parametrize("content", ["I look.", [{"type": "output_text", "text": "I look.", "annotations": []}]])
@pytest.mark.parametrize("between", [[], [{"type": "reasoning", "id": "rs_1", "summary": []}]], ids=["next", "thought"])
@pytest.mark.parametrize("kind", ["function_call", "web_search_call"])
def test_a_text_before_a_call_is_a_preamble(kind: str, between: list[Any], content: Any, phase: dict[str, Any]) -> None:
    """Models before GPT-5.3 have no phases, and clients such as pydantic-ai send them back without."""
    call = {"id": "c_1", "type": kind, "call_id": "c", "name": "f", "arguments": "{}", "action": {"type": "search"}}
    text = {"type": "message", "role": "assistant", "content": content, **phase}
    document = [{"role": "user", "content": "Hi"}, text, *between, call, {"role": "assistant", "content": "Done."}]
    assert json.dumps(write(read(document, HOME).transcript, HOME).output) == json.dumps(document)
    read_as = messages(document)
    assert (read_as[1].channel, read_as[1].intent, read_as[-1].channel) == ("commentary", "preamble", "final")
    harmony: Any = convert(document, source=HOME, target="harmony", policy=LENIENT).output
    assert "<|channel|>commentary<|message|>I look.<|end|>" in harmony
    for kept in ("final_answer", "draft"):
        assert messages([{**text, "phase": kept}, call])[0].channel != "commentary"


@pytest.mark.parametrize("phase", [None, "final_answer"])
def test_a_final_text_before_a_call_has_a_phase(phase: str | None) -> None:
    text = Message("assistant", "Hi.", channel="final")
    call = Message("assistant", "{}", None, "commentary", "functions.f", "c", constraint="json", end="call")
    result: Any = write(Transcript((text, call) if phase else (call, text)), HOME)
    [item] = [item for item in result.output["input"] if item["type"] == "message"]
    assert (item.get("phase"), result.lossless) == (phase, True)


def test_a_preamble_without_a_phase_gets_one_if_its_call_is_gone() -> None:
    text = {"type": "message", "role": "assistant", "content": "I look."}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    transcript = read([text, call], HOME).transcript
    assert isinstance(transcript, Transcript)
    alone = write(replace(transcript, messages=transcript.messages[:1]), HOME)
    assert alone.output == [{**text, "phase": "commentary"}]
    assert alone.lossless


def test_an_unknown_phase_is_hidden_and_found() -> None:
    reading = read([output_message("secret", phase="draft")], HOME)
    assert [finding.code for finding in reading.findings] == ["unknown-channel"]
    shown = convert([output_message("secret", phase="draft")], source=HOME, target="openai", policy=LENIENT)
    assert shown.output["messages"][0]["content"] is None


def test_each_text_of_a_reasoning_item_is_a_thought_and_the_item_comes_back() -> None:
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Sum."}],
        "content": [{"type": "reasoning_text", "text": text} for text in ("One.", "Two.")],
    }
    found = messages([item])
    assert [(one.content, one.channel, one.content_type) for one in found] == [
        ("One.", "analysis", None),
        ("Two.", "analysis", None),
    ]
    assert found[0].extras == {HOME: {"id": "rs_1", "summary": item["summary"]}}
    assert write(read([item], HOME).transcript, HOME).output == [item]


def test_reasoning_without_a_text_does_not_vanish() -> None:
    item: Any = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
    (message,) = messages([item])
    assert (message.content, message.channel) == ("", "analysis")
    assert message.signature == Signature("gAAAAABo", "openai", sealed=True)
    assert "gAAAAABo" not in json.dumps(convert([item], source=HOME, target="chatml", policy=LENIENT).output)
    losses = convert([item], source=HOME, target="chatml", policy=LENIENT).losses
    assert ("message", "lost", "/messages/0") in {(loss.code, loss.severity, loss.path) for loss in losses}


def test_ids_of_items_and_of_calls_are_apart() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    (message,) = messages([item])
    assert (message.call_id, message.extras) == ("call_1", {HOME: {"id": "fc_1"}})


def test_a_call_that_is_left_in_progress_is_whole_and_an_incomplete_one_is_cut_off() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{", "status": "in_progress"}
    assert messages([item])[0].end == "call"
    assert messages([{**item, "status": "incomplete"}])[0].end is None


def test_two_calls_with_one_id_and_an_output_before_its_call_are_kept() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}
    output = {"type": "function_call_output", "call_id": "c", "output": "1"}
    for document in ([call, call, output, output], [output, call]):
        assert same_order(write(read(document, HOME).transcript, HOME).output, document)


def test_a_namespace_is_part_of_the_recipient() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "find", "namespace": "crm", "arguments": "{}"}
    assert messages([item])[0].recipient == "crm.find"
    whole = {"type": "function_call", "call_id": "c", "name": "crm.find", "arguments": "{}"}
    assert messages([whole])[0].recipient == "crm.find"
    for each in (item, whole):
        assert same_order(write(read([each], HOME).transcript, HOME).output, [each])


@pytest.mark.parametrize("alone", [True, False])
def test_a_namespace_of_the_tools_own_name_is_that_of_a_function_alone(alone: bool) -> None:
    """The API names functions so that a search loads (langchain-openai's recording test_client_executed_tool_search).

    openai-agents-python reserves such namespaces for them (`_tool_identity.py`).
    """
    tool = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": True}
    space = {"type": "namespace", "name": "get_weather", "description": "W.", "tools": [tool]}
    call = {"type": "function_call", "call_id": "c", "name": "get_weather", "namespace": "get_weather"}
    document = {
        "input": [{**call, "arguments": "{}"}],
        "tools": [{**tool, "defer_loading": True} if alone else space],
        "tool_choice": {"type": "function", "name": "get_weather", "namespace": "get_weather"},
    }
    assert json.dumps(write(read(document, HOME).transcript, HOME).output) == json.dumps(document)
    there: Any = convert(document, source=HOME, target="anthropic").output
    assert there["messages"][0]["content"][0]["name"] == "get_weather"
    assert there["tools"][0]["name"] == there["tool_choice"]["name"] == "get_weather"


def test_a_call_that_nothing_constrains_is_a_functions_where_it_is_given_an_object() -> None:
    def called(body: str) -> Message:
        return Message("assistant", body, channel="commentary", recipient="functions.f", call_id="c", end="call")

    def answered() -> Message:
        return Message("tool", "1", "functions.f", "commentary", "assistant", "c")

    assert [item["type"] for item in items(Transcript((called('{"a":1}'), answered())))] == [
        "function_call",
        "function_call_output",
    ]
    assert [item["type"] for item in items(Transcript((called("print(1)"), answered())))] == [
        "custom_tool_call",
        "custom_tool_call_output",
    ]


def test_a_tool_that_the_server_ran_is_a_call_and_its_reply() -> None:
    item = {
        "id": "ci_1",
        "type": "code_interpreter_call",
        "status": "completed",
        "code": "print(1)",
        "container_id": "cntr_1",
        "outputs": [{"type": "logs", "logs": "1\n"}],
    }
    call, reply = messages([item])
    assert (call.recipient, call.content, call.constraint, call.call_id) == ("python", "print(1)", None, "ci_1")
    assert (reply.name, reply.content, reply.call_id) == ("python", "1\n", "ci_1")
    assert same_order(write(read([item], HOME).transcript, HOME).output, [item])


def test_a_message_of_another_agent_is_a_users_message_with_its_name() -> None:
    item = {
        "type": "agent_message",
        "author": "/lead/research",
        "recipient": "/lead",
        "content": [{"type": "input_text", "text": "The check passed."}],
    }
    reading = read({"input": [item]}, HOME)
    assert reading.findings == ()
    (message,) = cast("Transcript", reading.transcript).messages
    assert (message.role, message.name, message.content) == ("user", "/lead/research", "The check passed.")
    assert same_order(write(reading.transcript, HOME).output, {"input": [item]})
    there = convert({"input": [item]}, source=HOME, target="openai")
    assert there.output["messages"] == [{"role": "user", "name": "/lead/research", "content": "The check passed."}]
    assert [(loss.severity, loss.path) for loss in there.losses if loss.severity != "layout"] == [
        ("lost", "/messages/0/extras/openai-responses/recipient")
    ]


@pytest.mark.parametrize("author", [None, "", 1])
def test_what_no_agent_wrote_is_no_message_of_one(author: Any) -> None:
    item = {"type": "agent_message", "author": author, "content": "Hi."}
    reading = read([item], HOME)
    assert [finding.code for finding in reading.findings] == ["shape"]
    assert write(reading.transcript, HOME).output == [item]


OF_SOME_APIS: list[tuple[Any, str, str, str | None]] = [
    (
        [
            {"type": "multi_agent_call", "action": "spawn_agent", "arguments": '{"task":"x"}', "call_id": "c1"},
            {"type": "multi_agent_call_output", "action": "spawn_agent", "call_id": "c1", "output": [{"a": 1}]},
        ],
        "openai.multi_agent.spawn_agent",
        '{"task":"x"}',
        '[{"a":1}]',
    ),
    (
        [{"arguments": '{"query":"AI"}', "call_id": "", "name": "x_semantic_search", "type": "x_search_call"}],
        "xai.x_search",
        '{"query":"AI"}',
        None,
    ),
    (
        [{"queries": ["q"], "results": [{"url": "https://example.org"}], "type": "search_results"}],
        "perplexity.search_web",
        '["q"]',
        '[{"url":"https://example.org"}]',
    ),
    (
        [{"contents": [{"url": "https://example.org"}], "type": "fetch_url_results"}],
        "perplexity.fetch_url",
        "",
        '[{"url":"https://example.org"}]',
    ),
    (
        [{"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}}],
        "openai.tool_search",
        "{}",
        None,
    ),
]
"""Items; the recipient, the arguments and the reply of the call that they are."""


@pytest.mark.parametrize(("items", "recipient", "body", "reply"), OF_SOME_APIS)
def test_calls_of_tools_that_some_apis_have(items: Any, recipient: str, body: str, reply: str | None) -> None:
    reading = read(items, HOME)
    assert reading.findings == ()
    call, *replies = cast("Transcript", reading.transcript).messages
    assert (call.recipient, call.content, is_hosted(call)) == (recipient, body, True)
    assert [each.content for each in replies] == ([] if reply is None else [reply])
    assert same_order(write(reading.transcript, HOME).output, items)


def test_items_that_are_no_messages_keep_their_places_and_are_named_elsewhere() -> None:
    hi: Any = {"type": "message", "role": "user", "content": "Hi"}
    document: list[Any] = [
        {"id": "msg_0"},
        hi,
        {"type": "compaction", "encrypted_content": "gAA"},
        hi,
        {"type": "item_reference", "id": "x"},
    ]
    assert len(messages(document)) == 2
    assert same_order(write(read(document, HOME).transcript, HOME).output, document)
    losses = convert(document, source=HOME, target="openai").losses
    assert "/extras/openai-responses/input" in {loss.path for loss in losses if loss.severity == "lost"}


@pytest.mark.parametrize(("approve", "content"), [(True, "true"), (False, "false")])
def test_a_request_for_approval_is_a_call_that_the_client_answers(approve: bool, content: str) -> None:
    """OpenAI's guide to MCP and connectors: the client sends the answer back, and only then is the tool called."""
    request = {"id": "r1", "type": "mcp_approval_request", "arguments": "{}", "name": "roll", "server_label": "s"}
    answer = {"type": "mcp_approval_response", "approve": approve, "approval_request_id": "r1", "reason": "why"}
    asked, document = {"object": "response", "output": [request]}, {"input": [request, answer]}
    call, reply = messages(document)
    assert (call.recipient, call.content, call.call_id) == ("openai.mcp_approval.s.roll", "{}", "r1")
    assert (reply.role, reply.name, reply.content, reply.call_id) == ("tool", call.recipient, content, "r1")
    for each in (asked, document):
        result = convert(each, source=HOME, target=HOME)
        assert (json.dumps(result.output), result.findings) == (json.dumps(each), ())
    assert [message.recipient for message in messages(asked)] == [call.recipient]
    stream = decoder("openai-responses-sse")
    events = [*stream.feed(f"data: {json.dumps(asked)}\n\n"), *stream.finish()]
    [start] = [event for event in events if isinstance(event, Start)]
    assert not start.hosted, "a client of another API has to answer"


def test_a_response_keeps_its_own_input_apart_from_its_items() -> None:
    """Some logs have the request's input in the response; the items that are no messages have another place."""
    answer: Any = {"type": "message", "role": "assistant", "content": "Hi"}
    listed: Any = {"at": 0, "item": {"type": "mcp_list_tools"}}
    for own in ("Hello", [listed], [{"member": 1}], [{"role": "user", "content": "Hello"}]):
        for output in ([answer], [{"type": "mcp_list_tools"}, answer]):
            document = {"object": "response", "output": output, "input": own}
            result = convert(document, source=HOME, target=HOME)
            assert (json.dumps(result.output), result.losses) == (json.dumps(document), ())


@pytest.mark.parametrize("at", [0, 1])
def test_a_tool_in_a_namespace_may_have_a_member_of_that_name(at: int) -> None:
    inner: list[Any] = [
        {"type": "function", "name": name, "parameters": {"type": "object"}, "strict": True} for name in "fg"
    ]
    inner[at]["namespace"] = {"description": "Mine."}
    document = {"input": "Hi", "tools": [{"type": "namespace", "name": "n", "description": "d", "tools": inner}]}
    result = convert(document, source=HOME, target=HOME)
    assert (json.dumps(result.output), result.losses) == (json.dumps(document), ())


def test_an_unknown_item_is_kept_whole_and_found() -> None:
    item = {"type": "acme:note", "id": "n", "text": "Seen."}
    reading = read([item], HOME)
    assert [finding.code for finding in reading.findings] == ["shape"]
    assert cast("Transcript", reading.transcript).messages[0].content == (Foreign(HOME, item),)
    assert write(reading.transcript, HOME).output == [item]
    with pytest.raises(BridgeError, match="OCB-EMPTIED"):
        convert([item], source=HOME, target="openai")


def test_images_and_files_are_media() -> None:
    content = [
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "low"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,BBBB"},
        {"type": "input_audio", "input_audio": {"format": "wav", "data": "CCCC"}},
    ]
    (message,) = messages([{"role": "user", "content": content}])
    assert message.content == (
        Media("image", data="AAAA", format="image/png", detail="low"),
        Media("file", data="BBBB", format="application/pdf", filename="a.pdf"),
        Media("audio", data="CCCC", format="wav"),
    )


def test_a_response_that_is_incomplete_ends_in_a_message_that_was_cut_off() -> None:
    response = json.loads(corpus_path("wires", "reasoningRequestTruncated", WIRE, "response.json").read_text())
    assert messages(response)[-1].end is None


def test_a_conversation_that_the_server_has_is_found_missing() -> None:
    reading = read({"model": "m", "previous_response_id": "resp_1", "input": "Go on."}, HOME)
    assert [(finding.code, finding.severity) for finding in reading.findings] == [("shape", "layout")]


@pytest.mark.parametrize(
    "item", [{"type": "item_reference", "id": "m"}, {"id": "m"}, {"type": "compaction", "encrypted_content": "gA"}]
)
def test_what_only_the_server_can_read_is_found_missing(item: dict[str, Any]) -> None:
    """The AI SDK sends references in place of earlier answers, unless it is told not to store them."""
    result = read({"model": "m", "input": [item, {"type": "message", "role": "user", "content": "And now?"}]}, HOME)
    assert [(finding.code, finding.severity) for finding in result.findings] == [("shape", "layout")]


def test_functions_are_not_strict_unless_they_were() -> None:
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    written = convert({"messages": [], "tools": [tool]}, source="openai", target=HOME).output
    assert written["tools"] == [
        {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}
    ]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"model": "m", "input": [{"role": "user", "content": "Hi"}, "Hi"]}, "/input/1"),
        ({"model": "m", "input": 5}, "/input"),
        ({"output": {}}, "/output"),
        ([5], "/0"),
        ({"a": 1}, ""),
        ([{"model": "m", "input": "a"}, {"model": "m", "input": "b"}], "/1"),
    ],
)
def test_an_invalid_document_is_refused_with_its_path(document: Any, path: str) -> None:
    with pytest.raises(BridgeError) as raised:
        read(document, HOME)
    assert raised.value.path == path


def test_it_is_one_of_the_formats() -> None:
    assert HOME in formats()


# --- items without ids ------------------------------------------------------------------------------------------------

NO_ID: list[Any] = [
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi", "annotations": []}]},
    {"type": "code_interpreter_call", "code": "1", "container_id": "c", "outputs": [{"type": "logs", "logs": "1"}]},
    {"type": "code_interpreter_call", "code": "2", "outputs": [{"type": "image", "url": "https://x/y.png"}]},
    {"type": "mcp_call", "server_label": "l", "name": "n", "arguments": "{}", "output": "o"},
    {"type": "file_search_call", "queries": ["q"], "results": [{"text": "t"}], "status": "completed"},
    {"type": "image_generation_call", "result": "aGk=", "status": "completed"},
]
"""Items as people write them by hand, and as servers that are not OpenAI's send them."""
CALLED: Any = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
GAVE: Any = {"type": "function_call_output", "call_id": "c1", "output": "x"}


@pytest.mark.parametrize("item", NO_ID, ids=lambda item: item["type"])
@pytest.mark.parametrize("around", [([], []), ([CALLED], []), ([CALLED], [GAVE]), ([NO_ID[1]], [NO_ID[1]])])
def test_an_item_without_an_id_stays_one_without(item: Any, around: tuple[list[Any], list[Any]]) -> None:
    before, behind = around
    items = [*before, item, *behind]
    for document in (
        {"model": "m", "input": [{"role": "user", "content": "hi"}, *items]},
        {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": items},
    ):
        result = convert(json.dumps(document), target="openai-responses")
        assert (result.output, list(result.losses)) == (document, [])


def test_a_reply_in_the_shape_of_chat_completions_reads_as_one_of_the_api() -> None:
    reading = read([CALLED, {"role": "tool", "tool_call_id": "c1", "content": "x"}], HOME)
    own = read([CALLED, GAVE], HOME).transcript
    assert isinstance(reading.transcript, Transcript)
    assert isinstance(own, Transcript)
    assert reading.transcript.messages == own.messages
    assert [(finding.code, finding.path) for finding in reading.findings] == [(FindingCode.SHAPE, "/messages/1")]
    assert write(reading.transcript, HOME).output == [CALLED, GAVE]


@pytest.mark.parametrize("content", [5, True, {"text": "Hi"}])
def test_content_that_is_neither_a_text_nor_a_list_is_kept_and_found(content: Any) -> None:
    document = [{"type": "message", "role": "user", "content": content}]
    reading = read(document, HOME)
    found = [(finding.code, finding.path, finding.detail) for finding in reading.findings]
    detail = "content is neither a text nor a list of parts; it is kept as it is"
    assert found == [(FindingCode.SHAPE, "/messages/0/content", detail)]
    assert write(reading.transcript, HOME).output == document


@pytest.mark.parametrize(
    "edited", [{"role": "developer"}, {"content": (Text("Hi"), Text("!"))}, {"weight": 0.5}, {"content": "Bye"}]
)
def test_an_input_that_was_a_text_stays_one_while_it_has_a_text_alone(edited: dict[str, Any]) -> None:
    document = read({"input": "Hi"}, HOME).transcript
    assert isinstance(document, Transcript)
    message = replace(document.messages[0], **edited)
    output: Any = write(replace(document, messages=(message,)), HOME).output
    back = read(output, HOME).transcript
    assert isinstance(back, Transcript)
    assert [(each.role, each.content) for each in back.messages] == [(message.role, message.content)]
    assert isinstance(output["input"], str) is (message.role == "user" and isinstance(message.content, str))


@pytest.mark.parametrize("text", [None, [], ""])
def test_a_part_without_a_text_is_kept_in_its_place(text: Any) -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": text}]}
    request = {"input": [{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}, output]}
    for _ in range(8):  # as often as plans take to be learned
        assert write(read(request, "openai-responses").transcript, "openai-responses").output == request


@pytest.mark.parametrize("response", [{}, {"output": None}, {"output": {}}, {"output": "x"}])
def test_a_response_beside_its_request_has_a_list_of_items(response: Any) -> None:
    with pytest.raises(BridgeError) as raised:
        read({"request": {"input": "Hi"}, "response": response}, "openai-responses")
    assert (raised.value.code, raised.value.path) == (ErrorCode.SHAPE, "/response/output")


def test_a_list_of_requests_with_their_responses_is_several_conversations() -> None:
    one: dict[str, Any] = {"request": {"input": "Hi"}, "response": {"output": []}}
    with pytest.raises(BridgeError) as raised:
        read([one, one], "openai-responses")
    assert raised.value.code is ErrorCode.SEVERAL
    halves: list[dict[str, Any]] = [{"request": {"input": "Hi"}}, {"response": {"output": []}}]
    for half in halves:  # an item that nobody knows
        reading = read([half], "openai-responses")
        assert [finding.code for finding in reading.findings] == [FindingCode.SHAPE]
        assert write(reading.transcript, "openai-responses").output == [half]


@pytest.mark.parametrize("given", [{}, {"type": None}, {"type": ""}, {"type": "message"}])
def test_an_item_with_a_role_and_no_type_is_a_message(given: dict[str, Any]) -> None:
    document = [{**given, "role": "user", "content": "Hi"}]
    reading = read(document, "openai-responses")
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    assert [(message.role, message.content) for message in reading.transcript.messages] == [("user", "Hi")]
    assert write(reading.transcript, "openai-responses").output == document


def _shell_call(call_id: str) -> Any:
    action: dict[str, Any] = {"type": "exec", "command": [call_id], "env": {}}
    return {"type": "local_shell_call", "call_id": call_id, "status": "completed", "action": action}


@pytest.mark.parametrize("key", ["call_id", "id"])
def test_what_a_local_shell_gave_answers_the_call_that_it_names(key: str) -> None:
    """The types of the API's clients name the call in `id`, its guides in `call_id`."""
    more = {"id": "o"} if key == "call_id" else {}
    replies = [{"type": "local_shell_call_output", **more, key: name, "output": f"of {name}"} for name in "ba"]
    document = {"input": [_shell_call("a"), _shell_call("b"), *replies]}
    written = convert(json.dumps(document), source="openai-responses", target="openai", policy=LENIENT)
    _, first, second = written.output["messages"]
    assert [(one["tool_call_id"], one["content"]) for one in (first, second)] == [("b", "of b"), ("a", "of a")]
    assert not [loss for loss in written.losses if loss.code in ("pairing", "call-id")]
    back = write(read(json.dumps(document), "openai-responses").transcript, "openai-responses")
    assert json.dumps(back.output) == json.dumps(document)
    assert back.losses == ()


def comes_back(document: Any) -> bool:
    result = convert(document, source=HOME, target=HOME)
    return (result.output, list(result.output), result.losses) == (document, list(document), ())


def test_a_computer_may_be_given_several_actions_at_once() -> None:
    actions = [{"type": "screenshot"}, {"type": "type", "text": "penguin"}]
    item = {"type": "computer_call", "call_id": "call_1", "action": None, "actions": actions}
    (call,) = messages({"input": [item]})
    assert (call.recipient, json.loads(cast("str", call.content))) == ("openai.computer", actions)
    assert comes_back({"input": [item]})


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("No such page", "No such page"),
        ({"type": "http_error", "code": 404}, '{"type":"http_error","code":404}'),
        ('{"type":"http_error","code":404}', '{"type":"http_error","code":404}'),
    ],
)
def test_why_a_call_of_a_servers_tool_failed_is_its_reply(error: Json, why: str) -> None:
    call = {"type": "mcp_call", "id": "mcp_1", "server_label": "l", "name": "n", "arguments": "{}"}
    item = {**call, "output": None, "error": error, "status": "failed"}
    _, reply = messages({"input": [item]})
    assert (reply.content, reply.failed, reply.call_id) == (why, True, "mcp_1")
    assert comes_back({"input": [item]})


@pytest.mark.parametrize(("status", "failed"), [("failed", True), ("completed", None)])
def test_a_patch_may_fail(status: str, failed: bool | None) -> None:
    patch = {"type": "apply_patch_call", "call_id": "call_1", "operation": {"type": "delete_file", "path": "a"}}
    item = {"type": "apply_patch_call_output", "call_id": "call_1", "status": status, "output": "no such file"}
    _, reply = messages({"input": [patch, item]})
    assert (reply.content, reply.failed) == ("no such file", failed)
    assert comes_back({"input": [patch, item]})


@pytest.mark.parametrize(("data", "format_"), [("iVBORw0KGgo=", "image/png"), ("aGk=", None)])
def test_the_type_of_a_generated_image_is_recognised_by_its_data(data: str, format_: str | None) -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": data}
    _, reply = messages({"input": [item]})
    assert reply.content == (Media("image", data=data, format=format_),)
    assert comes_back({"input": [item]})


def test_additional_functions_are_read_beside_tools_of_the_server() -> None:
    """What the client runs is declared in every format; what the server runs is an extra, as in a request."""
    function = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": True}
    item = {"type": "additional_tools", "role": "developer", "tools": [{"type": "web_search"}, function]}
    request: dict[str, Any] = {"model": "m", "input": [{"role": "user", "content": "Hi."}, item]}
    there = convert(request, source="openai-responses", target="openai")
    assert [tool["function"]["name"] for tool in there.output["tools"]] == ["look"]
    lost = {(loss.code, loss.path) for loss in there.losses if loss.severity is Severity.LOST}
    assert lost == {(LossCode.EXTRAS, "/messages/1/extras/openai-responses/tools")}
    assert convert(request, source="openai-responses", target="openai-responses").output == request
    only = {**request, "input": [*request["input"][:1], {**item, "tools": [{"type": "web_search"}]}]}
    there = convert(only, source="openai-responses", target="openai")
    assert (LossCode.EXTRAS, "/extras/openai-responses/input") in {(loss.code, loss.path) for loss in there.losses}
    assert convert(only, source="openai-responses", target="openai-responses").output == only


def test_the_tools_of_an_item_belong_to_the_caller() -> None:
    """Codex 0.171 declares its tools in an item; the members of each are in another order than usual."""
    function = {"type": "function", "name": "look", "strict": False, "parameters": {"type": "object"}}
    request = {"input": [{"type": "additional_tools", "role": "developer", "tools": [function]}]}
    data = json.dumps(request).encode()
    poison(read(data, "openai-responses").transcript)
    assert convert(data, source="openai-responses", target="openai-responses").output == request


@pytest.mark.parametrize("names", [{"name": "f", "namespace": "n"}, {"name": "f"}, {}])
def test_a_reply_has_the_name_and_the_namespace_that_it_was_read_with(names: dict[str, str]) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", **names}
    request = {"input": [call, {"type": "function_call_output", "call_id": "c", **names, "output": "4"}]}
    assert convert(request, source="openai-responses", target="openai-responses").output == request


@pytest.mark.parametrize("plans", [True, False])
@pytest.mark.parametrize(
    "item",
    [
        {"\0": "Obey."},
        {"type": "\0", "text": "Obey."},
        {"type": None, "text": "Obey."},
        {"role": "user", "content": "Hi", "id": "\0"},
        {"role": "user", "content": "Hi", "id": None},
    ],
    ids=repr,
)
def test_no_item_is_taken_for_instructions_or_for_one_with_a_generated_id(item: dict[str, Any], plans: bool) -> None:
    """No document can contain the marks that the writer puts on a unit until it has its place."""
    document = {"model": "m", "input": [item, {"role": "user", "content": "Hello"}]}
    for _ in range(6):
        result = convert(document, source="openai-responses", target="openai-responses", options=Options(plans=plans))
        assert json.dumps(result.output) == json.dumps(document)


@pytest.mark.parametrize("kind", ["reasoning_text", "summary_text"])
@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "bedrock-converse"])
def test_reasoning_among_the_parts_of_a_message_is_no_text(kind: str, target: str) -> None:
    """Conversations of the API may have such parts."""
    parts: list[Any] = [{"type": kind, "text": "SECRET"}, {"type": "output_text", "text": "Hi", "annotations": []}]
    document: dict[str, Any] = {"output": [{"type": "message", "role": "assistant", "content": parts}]}
    result = convert(document, source="openai-responses", target=target, policy=LENIENT)
    assert b"SECRET" not in json.dumps(result.output).encode()
    assert "/messages/0/content/0" in [loss.path for loss in result.losses if loss.code == "foreign-part"]
    assert convert(document, source="openai-responses", target="openai-responses").output == document


def test_texts_of_reasoning_are_texts_in_any_spelling() -> None:
    for part in ({"text": "Hm.", "type": "reasoning_text"}, {"type": "reasoning_text", "text": "Hm.", "note": 1}):
        item = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [part], "encrypted_content": "gAA"}
        reading = read([item], HOME)
        (message,) = cast("Transcript", reading.transcript).messages
        assert "Hm." in str(message.content)
        assert json.dumps(write(reading.transcript, HOME).output) == json.dumps([item])
