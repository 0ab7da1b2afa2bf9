"""Results and answers of benchmarks, and preferences of trainers; the rows follow the code of these programs.

* tau2-bench: `Results` and `SimulationRun` in `src/tau2/data_model`, messages as in `message.py` there.
* The Berkeley leaderboard: `possible_answer/BFCL_v4_multi_turn_base.json`, and `BFCL_v3_exec_simple.json`.
* NeMo RL: `PreferenceDataset`, rows with a `context` and `completions` that have a `rank`.
"""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError, convert, read
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import as_pairs, conversations

USER = {"role": "user", "content": "Where is my order?", "tool_calls": None, "turn_idx": 1, "cost": 0.0}
CALL = {"id": "c1", "name": "get_order", "arguments": {"id": 7}, "requestor": "assistant"}
TALK: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Hi! How can I help?", "tool_calls": None, "turn_idx": 0, "raw_data": None},
    USER,
    {"role": "assistant", "content": None, "tool_calls": [CALL], "turn_idx": 2},
    {"id": "c1", "role": "tool", "content": "shipped", "requestor": "assistant", "error": False, "turn_idx": 3},
    {"role": "assistant", "content": "It is on its way.", "tool_calls": None, "turn_idx": 4},
]
PAIRS = [
    ("assistant", "Hi! How can I help?"),
    ("user", "Where is my order?"),
    ("call get_order", '{"id":7}'),
    ("tool", "shipped"),
    ("assistant", "It is on its way."),
]


def simulation(name: str, messages: list[Any]) -> dict[str, Any]:
    return {"id": name, "task_id": "t1", "termination_reason": "user_stop", "trial": 0, "messages": messages}


RESULTS: dict[str, Any] = {
    "timestamp": "2026-01-01T00:00:00",
    "info": {"environment_info": {"domain_name": "retail", "policy": "Be kind."}},
    "tasks": [{"id": "t1"}],
    "simulations": [simulation("s1", TALK), simulation("s2", []), simulation("s3", TALK[:2])],
}

ANSWERS = [{"role": "assistant", "content": text} for text in ("Worse.", "Better.")]
RANKED: dict[str, Any] = {
    "context": [{"role": "user", "content": "Hi"}],
    "completions": [{"rank": at, "completion": [each]} for at, each in zip((1, 0), ANSWERS, strict=True)],
}
ROWS: tuple[dict[str, Any], ...] = (RESULTS, RANKED, {"ground_truth": ["f(a=1)"]})


def test_each_simulation_of_tau2_is_a_conversation() -> None:
    assert [as_pairs(each.messages) for each in conversations(RESULTS)] == [PAIRS, PAIRS[:2]]
    found = read_row(Plan((AUTO,)), RESULTS)
    assert found.layout.name == "tau2"
    assert [each.path for each in found.documents] == ["/simulations/0/messages", "/simulations/2/messages"]
    assert list(found.extra_columns) == ["timestamp", "info", "tasks"]
    beside = [each.extra_columns["simulations"] for each in found.documents]
    assert [[each["id"] for each in of] for of in beside] == [["s1", "s2"], ["s3"]]


def test_a_simulation_in_a_line_is_read_as_messages() -> None:
    assert [as_pairs(each.messages) for each in conversations(simulation("s1", TALK))] == [PAIRS]


CHECK: dict[str, Any] = {"id": "u1", "name": "check_status_bar", "arguments": {"all": True}, "requestor": "user"}
SETTINGS: dict[str, Any] = {"id": "u2", "name": "open_settings", "arguments": {}, "requestor": "user"}
ON_THE_PHONE: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Look at your phone, please.", "tool_calls": None, "turn_idx": 0},
    {"role": "user", "content": None, "tool_calls": [CHECK, SETTINGS], "turn_idx": 1, "cost": 0.1},
    {"id": "u1", "role": "tool", "content": "no signal", "requestor": "user", "error": False, "turn_idx": 2},
    {"id": "u2", "role": "tool", "content": "", "requestor": "user", "error": False, "turn_idx": 3},
    {"role": "user", "content": "No signal.", "tool_calls": None, "turn_idx": 4},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "turn_idx": 5},
    {"id": "c1", "role": "tool", "content": "shipped", "requestor": "assistant", "error": False, "turn_idx": 6},
]
"""A conversation in the domain of telecom, in which the user has tools, too."""


@pytest.mark.parametrize("row", [{"simulations": [simulation("s1", ON_THE_PHONE)]}, simulation("s1", ON_THE_PHONE)])
def test_calls_of_the_user_are_contents_of_the_users_messages(row: dict[str, Any]) -> None:
    [found] = conversations(row)
    assert [(*pair, message.name) for pair, message in zip(as_pairs(found.messages), found.messages, strict=True)] == [
        ("assistant", "Look at your phone, please.", None),
        ("user", '{"id":"u1","name":"check_status_bar","arguments":{"all":true},"requestor":"user"}', None),
        ("user", '{"id":"u2","name":"open_settings","arguments":{},"requestor":"user"}', None),
        ("user", "no signal", "check_status_bar"),
        ("user", "", "open_settings"),
        ("user", "No signal.", None),
        ("call get_order", '{"id":7}', None),
        ("tool", "shipped", "functions.get_order"),
    ]
    (document,) = read_row(Plan((AUTO,)), row).documents
    assert [each.path for each in document.findings] == ["/messages/1/tool_calls", "/messages/2", "/messages/3"]
    assert not read(document.value, "openai").findings
    wires: Any = convert(document.value, source="openai", target="anthropic").output
    assert "tool_result" not in str(wires["messages"][:-1])


def test_a_message_of_the_user_may_have_a_text_and_calls() -> None:
    talk = [
        {"role": "user", "content": "I look.", "tool_calls": [CHECK]},
        {"role": "tool", "tool_call_id": "u1", "content": "no signal"},
        {"role": "assistant", "content": "Thanks."},
    ]
    [found] = conversations({"messages": talk})
    assert [(each.role, each.name) for each in found.messages] == [
        ("user", None),
        ("user", None),
        ("user", "check_status_bar"),
        ("assistant", None),
    ]
    assert found.messages[0].content == "I look."


def test_python_calls_are_read_for_each_turn() -> None:
    row = {"id": "multi_turn_base_0", "ground_truth": [["cd(folder='a')", "ls()"], [], ["grep(pattern='x', n=[1, 2])"]]}
    (document,) = read_row(Plan((AUTO,)), row).documents
    assert [(each.path, each.detail) for each in document.findings] == [
        ("/truth/1", "a turn without calls is left out")
    ]
    (found,) = conversations(row)
    assert as_pairs(found.messages) == [
        ("call cd", '{"folder":"a"}'),
        ("call ls", "{}"),
        ("call grep", '{"pattern":"x","n":[1,2]}'),
    ]
    alone = {"id": "exec_simple_0", "ground_truth": ["calc(n=20, p=0.6)"]}
    assert [as_pairs(each.messages) for each in conversations(alone)] == [[("call calc", '{"n":20,"p":0.6}')]]


@pytest.mark.parametrize("call", ["sort('a.txt')", "f(a=open('x'))", "f(a=1) and g()", "f(a=1), g(b=2)"])
def test_calls_without_names_of_their_arguments_are_refused(call: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), {"ground_truth": [["ls()"], [call]]})
    assert "arguments have names" in caught.value.message or "no layout" in caught.value.message


@pytest.mark.parametrize("truth", [["a text"], [], [["ls()", 1]], "ls()", [[]]])
def test_other_values_of_ground_truth_are_not_calls(truth: Any) -> None:
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), {"id": "1", "ground_truth": truth})
    assert "not a row of any layout" in caught.value.message or "no conversation" in caught.value.message


def test_ranked_answers_may_be_messages() -> None:
    (document,) = read_row(Plan((AUTO,)), RANKED).documents
    assert document.value == {
        "input": {"messages": [{"role": "user", "content": "Hi"}]},
        "preferred_output": [ANSWERS[1]],
        "non_preferred_output": [ANSWERS[0]],
    }
