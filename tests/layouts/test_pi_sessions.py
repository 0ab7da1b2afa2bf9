"""Sessions of pi and OpenClaw: teich 0.3.6 (Apache-2.0), examples, texts shortened; and pi's docs/session.md."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

PREVIEW = Plan((AUTO,), preview=True)
HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-16T02:37:34.075Z", "cwd": "/a"}
MODEL = {"type": "model_change", "id": "m", "parentId": None, "provider": "anthropic", "modelId": "claude-opus-4-5"}


def line(name: str, parent: str | None, role: str, *content: dict[str, Any], **members: Any) -> dict[str, Any]:
    message = {"role": role, **members, "content": list(content), "timestamp": 1768531079593}
    return {"type": "message", "id": name, "parentId": parent, "message": message}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"}
CALL = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls"}}
ASKS = line("a", "m", "user", text("Rome?"))
CALLS = line("b", "a", "assistant", THOUGHT, text("I look."), CALL, api="anthropic-messages", stopReason="toolUse")
REPLIES = line("c", "b", "toolResult", text("20"), toolCallId="t", toolName="bash", isError=False)
ANSWERS = line("d", "c", "assistant", text("20 degrees."))
SESSION = [HEAD, MODEL, ASKS, CALLS, REPLIES, ANSWERS]
WHOLE: list[Pair] = [
    ("user", "Rome?"),
    ("thought", "Hm."),
    ("assistant", "I look."),
    ("call bash", '{"command":"ls"}'),
    ("tool", "20"),
    ("assistant", "20 degrees."),
]


def test_a_session_is_a_conversation() -> None:
    row = {"session": SESSION}
    assert read_row(PREVIEW, row).layout.name == "pi"
    [conversation] = conversations(row, PREVIEW)
    assert as_pairs(conversation.messages) == WHOLE
    assert [message.call_id for message in conversation.messages if message.call_id] == ["t", "t"]


def test_what_a_line_holds_besides_its_message_is_an_extra_column() -> None:
    [document] = read_row(PREVIEW, {"session": SESSION}).documents
    model, _, called, *_ = document.extra_columns["nodes"]
    assert model["modelId"] == "claude-opus-4-5"
    assert called["message"]["stopReason"] == "toolUse"
    assert called["message"]["content"][0]["thinkingSignature"] == "c2ln"


def test_each_branch_is_a_conversation_and_the_current_one_is_first() -> None:
    again = line("e", "c", "assistant", text("Twenty."))
    found = conversations({"session": [*SESSION, again]}, PREVIEW)
    assert [each.messages[-1].content for each in found] == ["Twenty.", "20 degrees."]


def test_a_session_of_the_first_version_is_in_its_order() -> None:
    lines = [{key: each[key] for key in each if key not in ("id", "parentId")} for each in SESSION[1:]]
    [conversation] = conversations({"session": [HEAD, *lines]}, PREVIEW)
    assert as_pairs(conversation.messages) == WHOLE


def test_a_session_without_messages_is_refused() -> None:
    with pytest.raises(BridgeError):
        read_row(PREVIEW, {"session": [HEAD, MODEL]})


@pytest.mark.parametrize(
    "other",
    [
        {"type": "compaction", "id": "x", "parentId": "c", "summary": "He asks.", "firstKeptEntryId": "a"},
        {"type": "branch_summary", "id": "x", "parentId": "c", "summary": "He asked.", "fromId": "a"},
        {
            "type": "message",
            "id": "x",
            "parentId": "c",
            "message": {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0},
        },
    ],
)
def test_what_the_program_says_stays_beside_and_is_noticed(other: dict[str, Any]) -> None:
    session = [HEAD, MODEL, ASKS, CALLS, REPLIES, other, {**ANSWERS, "parentId": "x"}]
    [document] = read_row(PREVIEW, {"session": session}).documents
    assert [each.path for each in document.findings] == ["/session/5"]
    assert other in document.extra_columns["nodes"]
    [conversation] = conversations({"session": session}, PREVIEW)
    assert as_pairs(conversation.messages) == WHOLE
