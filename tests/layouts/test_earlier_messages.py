"""Rows with a question beside messages: the question is read once, and prompts of several agents stay beside."""

from __future__ import annotations

from typing import Any

import pytest

from layouts.row_pieces import ANSWERED, ASK, ASKED, BOTH
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.layouts.fitting import members_of
from rows import Pair, as_pairs, conversations

SO: list[Pair] = [*BOTH, ("user", "So?"), ("assistant", "So.")]
ANSWER = {"role": "assistant", "content": "Because."}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        # agentpile 0.3.1 (Apache-2.0), tests/corpora/fixtures/who_and_when: the question, and all that agents said
        ({"history": [{"role": "human", "content": "Why?"}, ANSWER], "question": "Why?"}, BOTH),
        ({"history": [ANSWER, ASK], "question": "Why?", "answer": "Because."}, [ANSWERED, *BOTH]),
        ({"history": [ASK, ANSWER], "question": "Why?", "answer": "Because."}, [*BOTH, *BOTH]),
        ({"history": [ASK], "message": "How?"}, [ASKED, ("user", "How?")]),
        # pairs that are objects, next to the last question and its answer
        *[
            ({"history": [dict(zip(names, ("Why?", "Because."), strict=True))], "query": "So?", "response": "So."}, SO)
            for names in (("user", "bot"), ("question", "answer"), ("human", "ai"), ("prompt", "response"))
        ],
        ({"chat_history": [{"user": "Why?", "assistant": None}], "message": "So?"}, [ASKED, ("user", "So?")]),
    ],
)
def test_a_question_that_earlier_messages_have_is_read_once(row: dict[str, Any], expected: list[Pair]) -> None:
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == expected


def test_a_question_that_is_left_out_is_noticed() -> None:
    [document] = read_row(Plan((AUTO,)), {"history": [ASK, ANSWER], "question": "Why?"}).documents
    [finding] = document.findings
    assert (finding.path, finding.detail) == (
        "/instruction",
        "the earlier messages have the question; it is read once",
    )


@pytest.mark.parametrize("prompt", ["Why?", [ASK]])
def test_a_question_that_the_answer_begins_with_is_read_once(prompt: Any) -> None:
    """KTO Mix (`argilla/kto-mix-15k`): a prompt, and messages of which it is the first."""
    [document] = read_row(Plan((AUTO,)), {"prompt": prompt, "completion": [ASK, ANSWER], "label": True}).documents
    assert members_of(document.value)["messages"] == [ASK, ANSWER]
    assert [finding.detail for finding in document.findings] == ["the answer begins with the question; it is read once"]


def test_results_in_a_history_belong_to_their_calls() -> None:
    """Trajectories of SWE-agent 1.1 (`.traj`): a result has a list of the ids of its calls."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for name in ("one", "two")
    ]
    history = [
        {**ASK, "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "Look.", "tool_calls": calls, "action": "ls", "message_type": "action"},
        *({"role": "tool", "content": name, "tool_call_ids": [name]} for name in ("two", "one")),
    ]
    [conversation] = conversations({"history": history, "trajectory": [{"action": "ls"}], "info": {}})
    assert [each.call_id for each in conversation.messages if each.role == "tool"] == ["two", "one"]


def test_an_error_in_a_history_names_its_column() -> None:
    history = [{"role": "assistant", "tool_calls": '[{"name": 1}]'}]
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), {"chat_history": history})
    assert (caught.value.path or "").startswith("/chat_history")


def test_system_prompts_of_several_agents_stay_beside_the_conversation() -> None:
    """agentpile 0.3.1 (Apache-2.0), tests/corpora/fixtures/who_and_when, texts shortened."""
    prompts = {"Math_Expert": "You are a math expert.", "Coder_Expert": "You write code."}
    history = [{"content": "Why?", "name": "Coder_Expert", "role": "user"}]
    found = read_row(Plan((AUTO,)), {"question": "How?", "history": history, "system_prompt": prompts})
    assert found.layout.name == "history"
    assert found.extra_columns == {"system_prompt": prompts}
