"""Calls of tools that an API itself has: in a stream of that API they stay what they are, and no other client gets one.

A client that is given such a call would run a tool that it does not have, or answer it a second time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ocml_bridge import decoder, encoder
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Stop
from ocml_bridge.loss import Loss, LossCode

SEARCH: Any = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "sun"},
}
MCP: Any = {
    "id": "mcp_1",
    "type": "mcp_call",
    "status": "completed",
    "server_label": "lab",
    "name": "ask",
    "arguments": '{"q":1}',
    "output": "yes",
    "error": None,
    "approval_request_id": None,
}
CUSTOM: Any = {
    "id": "ctc_1",
    "type": "custom_tool_call",
    "status": "completed",
    "call_id": "call_9",
    "name": "shell",
    "input": "ls",
}
TEXT: Any = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "content": [dict[str, Any](type="output_text", text="It is sunny.", annotations=[])],
}
TOOL_SEARCH: Any = {
    "id": "tsc_1",
    "type": "tool_search_call",
    "status": "completed",
    "arguments": {"paths": ["weather"]},
    "call_id": None,
    "execution": "server",
}
TOOLS_FOUND: Any = {
    "id": "tso_1",
    "type": "tool_search_output",
    "status": "completed",
    "call_id": None,
    "execution": "server",
    "tools": [{"type": "function", "name": "weather", "parameters": {"type": "object"}}],
}
OF_FUNCTION: Any = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "weather",
    "arguments": "{}",
}
USE: Any = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "sun"}}
FOUND: Any = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
OTHERS = ("openai", "gemini", "bedrock-converse")


def responses(*items: Any) -> bytes:
    """A stream of the Responses API in which each item comes whole."""
    response: Any = {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": list(items)}
    begun: Any = {**response, "status": "in_progress", "output": []}
    events: list[Any] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(items):
        events += [
            {"type": f"response.output_item.{what}", "output_index": at, "item": item} for what in ("added", "done")
        ]
    events.append({"type": "response.completed", "response": response})
    return b"".join(b"event: %s\ndata: %s\n\n" % (each["type"].encode(), json.dumps(each).encode()) for each in events)


def messages(*blocks: Any, reason: str = "end_turn") -> bytes:
    """A stream of Anthropic Messages in which each block comes whole."""
    start: Any = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
    events: list[Any] = [{"type": "message_start", "message": start}]
    for at, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": at, "content_block": block})
        events.append({"type": "content_block_stop", "index": at})
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return b"".join(b"event: %s\ndata: %s\n\n" % (each["type"].encode(), json.dumps(each).encode()) for each in events)


def answered(source: str, data: bytes, target: str) -> tuple[Any, list[Loss]]:
    """The answer that a client of another API gets, and what is lost."""
    reader, writer = decoder(source), encoder(target, answer=Answer("a", "m"))
    made = b"".join([*writer.encode([*reader.feed(data), *reader.finish()]), *writer.finish()])
    return (made if target == "bedrock-converse" else json.loads(made)), writer.losses


@pytest.mark.parametrize("target", [*OTHERS, "anthropic"])
def test_no_client_is_asked_to_run_a_tool_of_the_responses_api(target: str) -> None:
    answer, losses = answered("openai-responses-sse", responses(SEARCH, MCP, TEXT), target)
    shown = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
    assert "It is sunny." in shown
    assert "search" not in shown
    assert "ask" not in shown
    lost = [loss.path for loss in losses if loss.code is LossCode.MESSAGE]
    assert lost == ["/messages/0", "/messages/1", "/messages/2"]  # two calls, and what one of them gave


@pytest.mark.parametrize("target", [*OTHERS, "openai-responses"])
def test_no_client_is_asked_to_run_a_tool_of_anthropic(target: str) -> None:
    text = {"type": "text", "text": "It is sunny."}
    answer, losses = answered("anthropic-sse", messages(USE, FOUND, text), target)
    shown = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
    assert "It is sunny." in shown
    assert "search" not in shown
    assert [loss.path for loss in losses if loss.code is LossCode.MESSAGE] == ["/messages/0", "/messages/1"]


CODE: Any = {"executableCode": {"language": "PYTHON", "code": "print(6*7)"}}
RAN: Any = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}


def contents(*parts: Any) -> bytes:
    """A stream of Gemini in which each part comes in a chunk."""
    chunks: list[Any] = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks)


@pytest.mark.parametrize("target", ["openai", "bedrock-converse", "anthropic", "openai-responses"])
@pytest.mark.parametrize("before", [(), ({"fileData": {"fileUri": "a", "x": 1}},)], ids=["as it comes", "at the end"])
def test_no_client_is_asked_to_run_the_code_of_gemini(target: str, before: tuple[Any, ...]) -> None:
    answer, losses = answered("gemini-sse", contents(*before, CODE, RAN, {"text": "It is 42."}), target)
    shown = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
    assert "It is 42." in shown
    assert "python" not in shown
    assert "6*7" not in shown
    assert "tool" not in shown or target == "openai-responses"
    lost = {loss.path for loss in losses if loss.code is LossCode.MESSAGE}
    assert lost >= {f"/messages/{len(before)}", f"/messages/{len(before) + 1}"}


LOOKED_UP: Any = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["sun"]}, "id": "t"}}
FINDS: Any = {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"output": "hits"}, "id": "t"}}


@pytest.mark.parametrize("target", ["openai", "bedrock-converse", "anthropic", "openai-responses"])
def test_no_client_is_asked_to_run_a_tool_of_gemini(target: str) -> None:
    answer, losses = answered("gemini-sse", contents(LOOKED_UP, FINDS, {"text": "It is sunny."}), target)
    shown = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
    assert "It is sunny." in shown
    assert "queries" not in shown
    assert "hits" not in shown
    assert [loss.path for loss in losses if loss.code is LossCode.MESSAGE] == ["/messages/0", "/messages/1"]


SIGNED: Any = {"text": "", "thoughtSignature": "c2ln"}
CALL: Any = {"functionCall": {"name": "f", "args": {}}}


@pytest.mark.parametrize(
    "parts",
    [
        (CODE, RAN, {"text": "It is 42."}),
        ({**LOOKED_UP, "thoughtSignature": "c2ln"}, {**FINDS, "thoughtSignature": "c2ln"}, {"text": "It is sunny."}),
        ({"text": "I look."}, CODE, RAN, {"text": "And more."}, CODE, RAN, {"text": "It is 42."}),
        (CALL, SIGNED),
        (CALL, CALL, {"text": "Both."}),
        ({"text": "", "thought": True, "thoughtSignature": "c2ln"}, CALL, SIGNED),
        ({"text": "Hm", "thought": True}, CALL, SIGNED),
        ({"text": "See."}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, SIGNED),
    ],
)
def test_texts_and_code_of_gemini_keep_their_order(parts: tuple[Any, ...]) -> None:
    reader, writer = decoder("gemini-sse"), encoder("gemini", answer=Answer("a", "m"), visibility=DEBUG)
    (made,) = [*writer.encode([*reader.feed(contents(*parts)), *reader.finish()]), *writer.finish()]
    assert json.loads(made)["candidates"][0]["content"]["parts"] == [*parts]
    assert [loss for loss in writer.losses if loss.path.startswith("/messages")] == []


@pytest.mark.parametrize("target", ["openai", "anthropic", "openai-responses", "gemini"])
def test_no_client_is_asked_to_run_a_tool_of_the_server_of_converse(target: str) -> None:
    use = {"toolUseId": "s1", "name": "nova_code_interpreter", "type": "server_tool_use"}
    result = {"toolUseId": "s1", "type": "nova_code_interpreter_result", "status": "success"}
    events: list[Any] = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": use}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"snippet":"6*7"}'}}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolResult": result}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolResult": [{"json": {"stdOut": "42"}}]}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"text": "It is 42."}}},
        {"contentBlockStop": {"contentBlockIndex": 2}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    answer, losses = answered("bedrock-converse", data, target)
    assert "It is 42." in json.dumps(answer)
    assert "snippet" not in json.dumps(answer)
    assert [loss.path for loss in losses if loss.code is LossCode.MESSAGE] == ["/messages/0", "/messages/1"]


def test_chat_completions_end_as_an_answer_does_that_calls_nothing() -> None:
    answer, _ = answered("anthropic-sse", messages(USE, FOUND, {"type": "text", "text": "Sunny."}), "openai")
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "stop"
    assert "tool_calls" not in choice["message"]


def test_calls_of_the_client_stay_beside_them() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"at": "Oslo"}}
    answer, _ = answered("anthropic-sse", messages(USE, FOUND, call, reason="tool_use"), "openai")
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert [each["function"]["name"] for each in choice["message"]["tool_calls"]] == ["weather"]


def test_responses_come_back_unchanged() -> None:
    answer, _ = answered("openai-responses-sse", responses(SEARCH, MCP, CUSTOM, TEXT), "openai-responses")
    search, mcp, custom, text = answer["output"]
    assert (search, mcp) == (SEARCH, MCP)
    assert (custom, text) == (CUSTOM, TEXT)


def test_what_a_tool_gave_in_an_item_of_its_own_stays_before_what_follows_it() -> None:
    """langchain-openai, test_tool_search_streaming: the call has no id, and a call of the client follows."""
    items = [TOOL_SEARCH, TOOLS_FOUND, OF_FUNCTION]
    answer, losses = answered("openai-responses-sse", responses(*items), "openai-responses")
    assert [item["type"] for item in answer["output"]] == [item["type"] for item in items]
    assert answer["output"][1]["tools"] == TOOLS_FOUND["tools"]
    assert not [loss for loss in losses if loss.code is LossCode.ORDER]


def test_a_thought_stays_one_item_with_its_id_its_texts_and_what_it_is_encrypted_in() -> None:
    texts = [{"type": "summary_text", "text": text} for text in ("First.", "Second.")]
    thought = {"id": "rs_1", "type": "reasoning", "summary": texts, "encrypted_content": "sealed"}
    reader = decoder("openai-responses-sse")
    writer = encoder("openai-responses-sse", answer=Answer("a", "m"), visibility=DEBUG)
    made = b"".join([*writer.encode([*reader.feed(responses(thought, TEXT)), *reader.finish()]), *writer.finish()])
    events = [
        json.loads(line.removeprefix("data: ")) for line in made.decode().split("\n") if line.startswith("data: ")
    ]
    assert events[-1]["response"]["output"] == [thought, TEXT]
    texts = [(event["summary_index"], event["text"]) for event in events if event["type"].endswith("summary_text.done")]
    assert texts == [(0, "First."), (1, "Second.")]
    assert {event["item_id"] for event in events if "summary" in event["type"]} == {"rs_1"}


def test_an_item_of_a_hosted_tool_is_sent_when_it_begins_and_when_it_is_complete() -> None:
    reader = decoder("openai-responses-sse")
    writer = encoder("openai-responses-sse", answer=Answer("a", "m"))
    made = b"".join([*writer.encode([*reader.feed(responses(SEARCH, MCP, TEXT)), *reader.finish()]), *writer.finish()])
    events = [
        json.loads(line.removeprefix("data: ")) for line in made.decode().split("\n") if line.startswith("data: ")
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    for at, item in enumerate((SEARCH, MCP)):
        added, done = [event for event in events if event.get("item", {}).get("id") == item["id"]]
        assert (added["output_index"], done["output_index"]) == (at, at)
        assert (added["type"], added["item"]["status"]) == ("response.output_item.added", "in_progress")
        assert (done["type"], done["item"]) == ("response.output_item.done", item)


def test_anthropic_messages_come_back_unchanged() -> None:
    text = {"type": "text", "text": "It is sunny."}
    answer, _ = answered("anthropic-sse", messages(USE, FOUND, text), "anthropic")
    assert answer["content"] == [USE, FOUND, text]


SHELL: Any = {
    "id": "lsh_1",
    "type": "local_shell_call",
    "status": "completed",
    "call_id": "call_1",
    "action": {"type": "exec", "command": ["ls"], "env": {}},
}
OF_THE_CLIENT: dict[str, Any] = {
    "a local shell": SHELL,
    "a computer": {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "action": {"type": "screenshot"}},
    "a patch": {
        "type": "apply_patch_call",
        "id": "apc_1",
        "call_id": "call_1",
        "operation": {"type": "delete_file", "path": "a"},
    },
    "a shell": {"type": "shell_call", "id": "sh_1", "call_id": "call_1", "action": {"commands": ["ls"]}},
    "a shell that names its place": {
        "type": "shell_call",
        "id": "sh_1",
        "call_id": "call_1",
        "action": {"commands": ["ls"]},
        "environment": {"type": "local"},
    },
    "a search of tools": {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": "call_1",
        "arguments": {"goal": "g"},
        "execution": "client",
    },
}
OF_THE_SERVER: dict[str, Any] = {
    "a shell in a container": {
        **OF_THE_CLIENT["a shell"],
        "environment": {"type": "container_reference", "container_id": "cntr_1"},
    },
    "a search of tools": {**OF_THE_CLIENT["a search of tools"], "call_id": None, "execution": "server"},
}
ENDS: dict[str, Callable[[Any], str]] = {
    "openai": lambda answer: answer["choices"][0]["finish_reason"],
    "anthropic": lambda answer: answer["stop_reason"],
    "bedrock-converse": lambda answer: json.loads(answer.splitlines()[-1])["messageStop"]["stopReason"],
}
"""Why an answer ended, by the target."""
CALLED = {"openai": "tool_calls", "anthropic": "tool_use", "bedrock-converse": "tool_use"}
COMPLETE = {"openai": "stop", "anthropic": "end_turn", "bedrock-converse": "end_turn"}


@pytest.mark.parametrize("target", ENDS)
@pytest.mark.parametrize("item", OF_THE_CLIENT.values(), ids=list(OF_THE_CLIENT))
def test_a_tool_of_the_client_is_its_call_on_every_wire(item: Any, target: str) -> None:
    answer, losses = answered("openai-responses-sse", responses(item), target)
    shown = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
    assert "call_1" in shown
    assert ENDS[target](answer) == CALLED[target]
    assert not [loss for loss in losses if loss.code is LossCode.MESSAGE]


@pytest.mark.parametrize("target", ENDS)
@pytest.mark.parametrize("item", OF_THE_SERVER.values(), ids=list(OF_THE_SERVER))
def test_a_tool_of_the_server_is_no_call_of_the_client(item: Any, target: str) -> None:
    answer, losses = answered("openai-responses-sse", responses(item, TEXT), target)
    assert ENDS[target](answer) == COMPLETE[target]
    assert [loss.path for loss in losses if loss.code is LossCode.MESSAGE] == ["/messages/0"]


GET: Any = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}


@pytest.mark.parametrize("items", [(GET, MCP), (MCP, GET), (GET, SEARCH, TEXT)], ids=["before", "behind", "far before"])
def test_a_call_that_waits_beside_the_servers_own_ends_the_answer(items: tuple[Any, ...]) -> None:
    reader = decoder("openai-responses-sse")
    *_, stop = [*reader.feed(responses(*items)), *reader.finish()]
    assert isinstance(stop, Stop)
    assert stop.reason == "tool_calls"


@pytest.mark.parametrize("items", [(SEARCH, TEXT), (MCP, TEXT), (TEXT, MCP)], ids=["found", "answered", "at the end"])
def test_the_servers_own_calls_do_not_end_an_answer(items: tuple[Any, ...]) -> None:
    reader = decoder("openai-responses-sse")
    *_, stop = [*reader.feed(responses(*items)), *reader.finish()]
    assert isinstance(stop, Stop)
    assert stop.reason == "stop"


def test_a_call_before_a_search_of_anthropics_waits_for_the_client() -> None:
    use: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    answer, _ = answered("anthropic-sse", messages(use, USE, FOUND, reason="tool_use"), "openai")
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
