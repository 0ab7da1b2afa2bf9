"""Rows whose calls have their name in the place of the function, or hold their results."""

from __future__ import annotations

from typing import Any

import pytest

from layouts.row_pieces import ANSWERED, ASK, ASKED, RowCase, check_row, ids_of
from ocml_bridge import write
from rows import conversations

ARGUMENTS = {"file_path": "bill.txt"}
READ: dict[str, Any] = {"function": "read_file", "args": ARGUMENTS, "id": "t-1", "placeholder_args": None}
CALLED = ("call read_file", '{"file_path":"bill.txt"}')
ANSWER = {"role": "assistant", "content": "Because."}
TEXT = {"type": "text", "content": "Bill: 10 EUR"}

ROWS: list[RowCase] = [
    # agentpile 0.3.1 (Apache-2.0), tests/corpora/fixtures/agentdojo: a run of AgentDojo, texts shortened
    (
        "messages",
        {
            "suite_name": "banking",
            "messages": [
                {"role": "user", "content": [{"type": "text", "content": "Why?"}]},
                {"role": "assistant", "content": None, "tool_calls": [READ]},
                {"role": "tool", "content": [TEXT], "tool_call_id": "t-1", "tool_call": READ, "error": None},
                ANSWER,
            ],
        },
        [ASKED, CALLED, ("tool", "Bill: 10 EUR"), ANSWERED],
    ),
    # of the same: a call that failed has no other result than the error
    (
        "messages",
        {
            "messages": [
                ASK,
                {"role": "assistant", "content": None, "tool_calls": [READ]},
                {"role": "tool", "content": [{**TEXT, "content": ""}], "tool_call_id": "t-1", "error": "ValueError: x"},
            ]
        },
        [ASKED, CALLED, ("tool", "ValueError: x")],
    ),
    # pytest-agentcontract 0.1.1 (MIT), examples/customer_support/scenarios: calls hold their results
    (
        "messages",
        {
            "schema_version": "1.0.0",
            "turns": [
                {"index": 0, **ASK},
                {
                    "index": 1,
                    **ANSWER,
                    "tool_calls": [
                        {"id": "a", "function": "read_file", "arguments": ARGUMENTS, "result": {"total": 79.99}},
                        {"id": "b", "function": "read_file", "arguments": ARGUMENTS, "result": None, "error": "gone"},
                    ],
                },
            ],
        },
        [ASKED, ANSWERED, CALLED, CALLED, ("tool", '{"total":79.99}'), ("tool", "gone")],
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids_of(ROWS))
def test_calls_are_read_with_their_results(case: RowCase) -> None:
    check_row(*case)


def test_results_answer_the_calls_that_hold_them() -> None:
    [conversation] = conversations(ROWS[2][1])
    assert [message.call_id for message in conversation.messages] == [None, None, "a", "b", "a", "b"]


def test_a_call_that_is_answered_by_a_message_keeps_its_other_members() -> None:
    """A second result is not made of a member of a call."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, "output": "1"}
    row = {"messages": [ASK, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "content": "2"}], "x": 1}
    [conversation] = conversations(row)
    assert [each.content for each in conversation.messages if each.role == "tool"] == ["2"]


def test_an_error_beside_a_result_stays_there() -> None:
    reply = {"role": "tool", "tool_call_id": "t-1", "content": "partly", "error": "late"}
    [conversation] = conversations({"messages": [ASK, {"role": "assistant", "tool_calls": [READ]}, reply]})
    assert conversation.messages[-1].content == "partly"
    assert [each.path for each in write(conversation, "harmony").losses if each.code == "extras"] == [
        "/messages/2/extras/openai/error"
    ]
