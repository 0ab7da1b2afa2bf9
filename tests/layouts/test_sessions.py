"""Sessions as programs with agents store them; the rows follow the types and exports of each program.

* opencode: `packages/opencode/src/session/message-v2.ts`, and what `opencode export` writes.
* Goose: `crates/goose/src/conversation/message.rs`. In earlier versions the value of a result is its content.
* LiveKit: `livekit/agents/llm/chat_context.py`, the dictionary of a `ChatContext`.
* ATIF: Harbor's trajectories, as Terminal-Bench has them.
* Semantic Kernel in .NET: a `ChatHistory` as `JsonSerializer` writes it.
* Agent Development Kit: `google/adk/evaluation/eval_case.py`; its server's answers, in camel case.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.errors import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Media
from rows import Pair, as_pairs, conversations

ASKED: Pair = ("user", "Rome?")
THOUGHT: Pair = ("thought", "Hm.")
CALLED: list[Pair] = [("call weather", '{"city":"Rome"}'), ("tool", "20")]
ANSWERED: Pair = ("assistant", "20 degrees.")
WHOLE: list[Pair] = [ASKED, THOUGHT, *CALLED, ANSWERED]
PNG = "data:image/png;base64,iVBORw0KGgo="


def open_code(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"info": {"id": f"msg_{role}", "role": role, "sessionID": "ses_1"}, "parts": list(parts)}


OPENCODE = {
    "info": {"id": "ses_1", "title": "Weather"},
    "messages": [
        open_code("user", {"id": "prt_1", "type": "text", "text": "Rome?"}),
        open_code(
            "assistant",
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm."},
            {
                "type": "tool",
                "callID": "t",
                "tool": "weather",
                "state": {"status": "completed", "input": {"city": "Rome"}, "output": "20", "title": "Weather"},
            },
            {"type": "step-finish", "reason": "tool-calls", "cost": 0},
            {"type": "step-start"},
            {"type": "text", "text": "20 degrees."},
        ),
    ],
}


def goose(role: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "created": 1756800000, "content": list(content), "metadata": {"userVisible": True}}


GOOSE_ASKS = goose("user", {"type": "text", "text": "Rome?"})
GOOSE_CALLS = goose(
    "assistant",
    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
    {
        "type": "toolRequest",
        "id": "t",
        "toolCall": {"status": "success", "value": {"name": "weather", "arguments": {"city": "Rome"}}},
    },
)
RESULT = [{"type": "text", "text": "20"}]
GOOSE_ANSWERS = goose("assistant", {"type": "text", "text": "20 degrees."})


def goose_gets(value: Any) -> dict[str, Any]:
    return goose("user", {"type": "toolResponse", "id": "t", "toolResult": {"status": "success", "value": value}})


LIVEKIT: list[dict[str, Any]] = [
    {"id": "item_1", "type": "message", "role": "user", "content": ["Rome?"], "interrupted": False},
    {"id": "item_2", "type": "function_call", "call_id": "t", "arguments": '{"city":"Rome"}', "name": "weather"},
    {
        "id": "item_3",
        "type": "function_call_output",
        "name": "weather",
        "call_id": "t",
        "output": "20",
        "is_error": False,
    },
    {"id": "item_4", "type": "agent_handoff", "old_agent_id": "a", "new_agent_id": "b"},
    {"id": "item_5", "type": "message", "role": "assistant", "content": ["20 degrees."], "interrupted": True},
]
ATIF: list[dict[str, Any]] = [
    {"step_id": 1, "timestamp": "2026-01-01T00:00:00Z", "source": "user", "message": "Rome?"},
    {
        "step_id": 2,
        "source": "agent",
        "model_name": "m",
        "message": "",
        "reasoning_content": "Hm.",
        "tool_calls": [{"tool_call_id": "t", "function_name": "weather", "arguments": {"city": "Rome"}}],
        "observation": {"results": [{"source_call_id": "t", "content": "20"}]},
        "metrics": {"prompt_tokens": 5},
    },
    {"step_id": 3, "source": "agent", "message": [{"type": "text", "text": "20 degrees."}]},
]


def kernel(role: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"Role": {"Label": role}, "Items": list(items)}


KERNEL = [
    kernel("user", {"$type": "TextContent", "Text": "Rome?"}),
    kernel(
        "Assistant",
        {"$type": "FunctionCallContent", "Id": "t", "FunctionName": "weather", "Arguments": {"city": "Rome"}},
    ),
    kernel("tool", {"$type": "FunctionResultContent", "CallId": "t", "FunctionName": "weather", "Result": "20"}),
    kernel("assistant", {"$type": "TextContent", "Text": "20 degrees.", "ModelId": "m"}),
]

ROWS: list[tuple[str, dict[str, Any], list[Pair]]] = [
    ("opencode", OPENCODE, WHOLE),
    ("goose", {"conversation": [GOOSE_ASKS, GOOSE_CALLS, goose_gets(RESULT), GOOSE_ANSWERS]}, WHOLE),
    (
        "goose",
        {"messages": [GOOSE_ASKS, GOOSE_CALLS, goose_gets({"content": RESULT, "isError": False}), GOOSE_ANSWERS]},
        WHOLE,
    ),
    ("livekit", {"items": LIVEKIT}, [ASKED, *CALLED, ANSWERED]),
    ("atif", {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": ATIF}, WHOLE),
    ("semantic-kernel-net", {"messages": KERNEL}, [ASKED, *CALLED, ANSWERED]),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(ROWS)])
def test_a_session_is_the_conversation_that_a_person_reads(
    name: str, row: dict[str, Any], expected: list[Pair]
) -> None:
    assert read_row(Plan((AUTO,)), row).layout.name == name
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == expected
    called = [message.call_id for message in conversation.messages if message.call_id is not None]
    assert called == ["t", "t"]


def test_other_items_of_a_session_are_extra_columns() -> None:
    [document] = read_row(Plan((AUTO,)), {"items": LIVEKIT}).documents
    handoff = {"id": "item_4", "type": "agent_handoff", "old_agent_id": "a", "new_agent_id": "b"}
    assert handoff in document.extra_columns["nodes"]


def test_an_image_of_livekit_is_a_part_of_its_message() -> None:
    image = {"id": "img_1", "type": "image_content", "image": PNG, "mime_type": None}
    item = {"id": "item_1", "type": "message", "role": "user", "content": ["Look.", image]}
    [conversation] = conversations({"items": [item]})
    text, picture = conversation.messages[0].content
    assert getattr(text, "text", None) == "Look."
    assert picture == Media("image", data="iVBORw0KGgo=", format="image/png")


def test_the_address_of_an_image_of_a_trajectory_is_the_path_of_its_file() -> None:
    source = {"media_type": "image/png", "path": "images/step_2.png"}
    message = [{"type": "text", "text": "Look."}, {"type": "image", "source": source}]
    row = {"steps": [{"step_id": 1, "source": "user", "message": message}]}
    [conversation] = conversations(row)
    text, picture = conversation.messages[0].content
    assert getattr(text, "text", None) == "Look."
    assert picture == Media("image", url="images/step_2.png")
    [document] = read_row(Plan((AUTO,)), row).documents
    assert "image/png" in json.dumps(document.extra_columns)


def test_the_tools_of_the_agent_of_a_trajectory_are_declared() -> None:
    """agentpile 0.3.1 (Apache-2.0), tests/fixtures/atif_multiagent.json: ATIF 1.7, shortened."""
    tool: Any = {"type": "function", "function": {"name": "weather", "description": "Of a city.", "parameters": {}}}
    row: dict[str, Any] = {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "a", "tool_definitions": [tool]},
        "steps": ATIF,
    }
    [conversation] = conversations(row)
    assert [each.name for each in conversation.tools or ()] == ["weather"]
    assert read_row(Plan((AUTO,)), row).extra_columns["agent"] == row["agent"]


def test_items_of_the_responses_api_are_not_read_as_livekit() -> None:
    content = [{"type": "output_text", "text": "20 degrees."}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "content": content}
    assert read_row(Plan((AUTO,)), {"items": [item]}).layout.name == "wrapped"


@pytest.mark.parametrize("messages", [OPENCODE["messages"], [GOOSE_CALLS], KERNEL])
def test_a_document_of_a_program_is_refused_with_what_reads_it(messages: list[Any]) -> None:
    with pytest.raises(BridgeError) as caught:
        convert(messages, target="openai")
    assert "`ocml-convert batch --plan auto` reads such rows" in caught.value.message


def test_each_chat_of_a_store_of_llamaindex_is_a_conversation() -> None:
    """A `SimpleChatStore`, persisted."""

    def message(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": text}]}

    chats = {"ann": [message("user", "Rome?"), message("assistant", "20 degrees.")], "bob": [message("user", "Oslo?")]}
    row = {"store": {**chats, "new": []}, "class_name": "SimpleChatStore"}
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, [each.path for each in found.documents]) == ("chat-store", ["/store/ann", "/store/bob"])
    assert [as_pairs(each.messages) for each in conversations(row)] == [[ASKED, ANSWERED], [("user", "Oslo?")]]


# --- eval sets of the Agent Development Kit ---------------------------------------------------------------------------


def adk_content(role: str | None, text: str) -> dict[str, Any]:
    return {"parts": [{"text": text, "video_metadata": None}], "role": role}


USE = {"id": None, "name": "weather", "args": {"city": "Rome"}}
RUN: dict[str, Any] = {
    "invocation_id": "e-1",
    "user_content": adk_content("user", "Rome?"),
    "intermediate_data": {"tool_uses": [USE], "tool_responses": [], "intermediate_responses": []},
    "final_response": adk_content(None, "20 degrees."),
}


def test_each_case_of_an_eval_set_is_a_conversation_with_the_calls_that_it_expects() -> None:
    plan = {"eval_id": "c", "conversation_scenario": {"starting_prompt": "Hi"}}
    row = {"eval_set_id": "e", "eval_cases": [{"eval_id": "a", "conversation": [RUN]}, plan]}
    assert read_row(Plan((AUTO,)), row).layout.name == "adk-evals"
    assert [as_pairs(each.messages) for each in conversations(row)] == [[ASKED, CALLED[0], ANSWERED]]


def test_each_case_is_an_extra_column_of_its_own_conversation() -> None:
    cases: list[dict[str, Any]] = [{"eval_id": name, "conversation": [RUN]} for name in "ab"]
    plan = {"eval_id": "c", "conversation_scenario": {"starting_prompt": "Hi"}}
    found = read_row(Plan((AUTO,)), {"eval_set_id": "e", "eval_cases": [plan, *cases]})
    assert [each.extra_columns["eval_cases"] for each in found.documents] == [[cases[0], plan], [cases[1]]]
    assert found.extra_columns == {"eval_set_id": "e"}


def test_events_of_a_run_are_read_as_thoughts_calls_and_replies() -> None:
    events = [
        {"author": "guide", "content": {"role": "model", "parts": [{"functionCall": {**USE, "id": "t"}}]}},
        {
            "author": "guide",
            "content": {"role": "user", "parts": [{"functionResponse": {"id": "t", "response": {"output": "20"}}}]},
        },
    ]
    run = {
        "userContent": adk_content("user", "Rome?"),
        "intermediateData": {"invocationEvents": events},
        "finalResponse": adk_content("model", "20 degrees."),
    }
    [conversation] = conversations({"evalSetId": "e", "evalCases": [{"evalId": "a", "conversation": [run]}]})
    assert [speaker for speaker, _ in as_pairs(conversation.messages)] == ["user", "call weather", "tool", "assistant"]
