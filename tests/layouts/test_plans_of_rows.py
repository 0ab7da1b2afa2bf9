"""Plans: how a plan reads rows, which rows are refused without one, and the errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.all_rows import ROWS
from layouts.row_pieces import (
    ANSWERED,
    ASK,
    ASKED,
    BOTH,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, BY_NAME, PREVIEWS, Plan, plan_of, read_row
from ocml_bridge.layouts.agents.sessions import SESSIONS
from ocml_bridge.layouts.agents.table import FRAMEWORKS
from rows import as_pairs, conversations


@pytest.mark.parametrize(
    ("plan", "row", "message"),
    [
        ("alpaca", {"instruction": "Why?", "output": True}, 'the row has "instruction", "output"'),
        ("alpaca", {"instruction": "Why?", "output": None}, "'output' is empty"),
        ("alpaca", {"conversations": [{"from": "human", "value": "x"}]}, "it looks like sharegpt"),
        ("alpaca", {"instruction": "Why?", "output": "x", "history": [["a"]]}, "a pair of texts"),
        ("messages", {"messages": [{"role": "user", "content": "x"}], "tools": "[{"}, "not JSON text"),
        (AUTO, {"text": "The sky is blue."}, "not a row of any layout"),
        (
            AUTO,
            {"messages": [{"speaker": "Ann", "text": "Why?"}]},
            "`ocml-convert plan DATA -o plan.yaml` proposes one",
        ),
        (AUTO, {"text": r"<|im_start|>user\nWhy?<|im_end|>"}, "write them as line ends: jq"),
        (AUTO, {"session_id": "s", "role": "user", "message": "Why?"}, "looks like a single message"),
        (AUTO, {"role": "assistant", "tool_calls": [{"id": "c"}]}, "looks like a single message"),
        (AUTO, {"name": "Aqua", "is_user": False, "mes": "Why?"}, "a message in each line"),
        (AUTO, {"conversation": {"messages": [ASK], "context": "Rome"}}, "not a row of any layout"),
        (AUTO, {"history": [["Why?", ["image.png"]]]}, "not a row of any layout"),
        (AUTO, {"uuid": "u", "name": "", "chat_messages": []}, "'chat_messages' is empty"),
        (AUTO, {"id": 1, "messages": None}, "'messages' is empty"),
        (AUTO, {"id": 1, "messages": None, "said": [{"text": "a"}]}, "this is not a row of any layout"),
        (AUTO, {"prompt": "Why?", "chosen": None, "rejected": "No."}, "'chosen' is empty"),
        (AUTO, {"prompt": "Why?", "answers": [{"answer": "Because."}]}, "not a row of any layout"),
        (AUTO, {"mapping": {"a": {"message": None, "parent": None, "children": []}}}, "a tree with a message"),
        (AUTO, {"mapping": {"a": {"message": None, "parent": "a", "children": ["a"]}}}, "a node of a tree"),
        (
            AUTO,
            {
                "mapping": {
                    "a": {"message": None, "parent": "b"},
                    "b": {"message": None, "parent": "a", "children": ["a"]},
                }
            },
            "a node of a tree",
        ),
    ],
)
def test_the_error_for_an_invalid_row_has_the_reason(plan: str, row: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgeError, match="OCB-") as caught:
        read_row(plan_of(plan), row)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("alpacca", "did you mean alpaca?"),
        ({"layot": "alpaca"}, "did you mean layout?"),
        ({"layout": "alpaca", "columns": {"instructon": "q"}}, "did you mean instruction?"),
        ({"layout": "alpaca", "thoughts": "thinc"}, "did you mean think?"),
        ({"columns": {}}, "has no 'layout'"),
        ({"layout": "alpaca", "roles": ["user"]}, "must map names to names"),
        (3, "is not a mapping"),
        ({None: None}, "a key of the plan is not a text; there are layout"),
        ({1: "alpaca", "layout": "alpaca"}, "a key of the plan is not a text"),
    ],
)
def test_the_error_for_a_mistake_in_a_plan_names_a_similar_word(value: Any, message: str) -> None:
    with pytest.raises(BridgeError) as caught:
        plan_of(value)
    assert caught.value.code == "OCB-OPTION"
    assert message in str(caught.value)


def test_a_plan_renames_columns_keys_and_roles() -> None:
    plan = plan_of(
        {
            "layout": "messages",
            "columns": {"messages": "turns"},
            "role": "who",
            "text": "said",
            "roles": {"Kunde": "user", "Dienst": "assistant"},
        }
    )
    row = {"turns": [{"who": "Kunde", "said": "Why?"}, {"who": "Dienst", "said": "Because."}], "id": 3}
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ANSWERED]
    assert read_row(plan, row).extra_columns == {"id": 3}


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Which?", "options": ["a", "b"], "answer": "B"},
        {"question": "Which?", "choices": ["a", "b"], "answer": "B", "solution": "The second."},
        {"prompt": "A long story. TL;DR:", "label": "Short."},
        {"prompt": "I was sad.", "utterance": "I lost my dog.", "speaker_idx": 1},
        {"chosen": "Because.", "rejected": "No.", "source": "web"},
        {"turns": ["Why?", "And then?"], "question_id": 81},
        {"messages": [{"role": "user", "fragments": ["Why?"]}]},
    ],
    ids=["options", "choices", "a label", "a situation", "answers to nothing", "questions alone", "unknown members"],
)
def test_a_row_without_evident_speakers_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(BridgeError) as error:
        read_row(Plan((AUTO,)), row)
    assert error.value.code == "OCB-SHAPE"


def test_a_plan_may_name_the_layout_of_a_row_that_is_not_detected() -> None:
    row = {"question": "Which?", "options": ["a", "b"], "answer": "B"}
    found = read_row(plan_of("alpaca"), row)
    assert (found.layout.name, [*found.extra_columns]) == ("alpaca", ["options"])


def test_an_error_shortens_the_names_of_columns() -> None:
    """Found by fuzzing: a row may have many columns, whose names may be long."""
    row = {f"{at} {'long ' * 1000}": 1 for at in range(1000)}
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), row)
    assert len(str(caught.value)) < 900


def test_every_layout_has_rows() -> None:
    exports = {"oasst", "chatgpt-export", "claude-export", "open-webui", "librechat", "lm-studio", "ai-studio", "moss"}
    exports |= {"grok-export", "vscode-chat", "chainlit", "tau2", "branches"}
    stored = {"adk", "adk-evals", "wrapped", *(each.name for each in (*FRAMEWORKS, *SESSIONS))}
    here = {name for name, _ in ROWS} | exports | stored
    previews = {layout.name for layout in PREVIEWS}
    assert BY_NAME.keys() - here == {"stepwise", "recorded-stream", "gemini-preference", *previews}


def test_a_plan_with_several_layouts_detects_the_layout_of_each_row() -> None:
    plan = plan_of({"layout": ["anthropic", "gemini", "messages"]})
    asked = {"role": "user", "content": "Why?"}
    rows = [
        {"model": "m", "max_tokens": 1, "system": "Be kind.", "messages": [asked]},
        {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]},
        {"messages": [asked]},
    ]
    assert [read_row(plan, row).layout.name for row in rows] == ["anthropic", "gemini", "messages"]


@pytest.mark.parametrize(
    ("data", "beside"),
    [
        ({"conversation": [{"messages": [ASK]}]}, []),
        (json.dumps({"conversation": [{"messages": [ASK]}]}), []),
        ({"conversation": [{"messages": [ASK], "id": 7}]}, ["data"]),
    ],
    ids=["alone", "as text", "with more"],
)
def test_a_plan_may_name_a_place_inside_of_a_column(data: Any, beside: list[str]) -> None:
    plan = plan_of({"layout": "messages", "columns": {"messages": "data.conversation[0].messages"}})
    row = {"data": data}
    [conversation] = conversations(row, plan)
    assert as_pairs(conversation.messages) == [ASKED]
    assert [*read_row(plan, row).extra_columns] == beside


@pytest.mark.parametrize("data", [{}, 3, "no JSON", {"conversation": []}, {"conversation": {"0": 1}}])
def test_a_row_without_the_place_that_its_plan_names_is_refused(data: Any) -> None:
    plan = plan_of({"layout": "messages", "columns": {"messages": "data.conversation[0].messages"}})
    with pytest.raises(BridgeError, match="OCB-SHAPE"):
        read_row(plan, {"data": data})


@pytest.mark.parametrize(
    "row",
    [
        {"inputs": {"topic": "bears"}, "outputs": {"joke": "No."}},
        {"inputs": {"question": "Why?", "choices": ["a", "b"]}, "outputs": {"answer": "a"}},
        {"inputs": {"question": "Why?"}, "outputs": {"label": 1}},
        {"input": "Why?", "expected": "Because."},
        {"question": "Why?", "A": "Because.", "B": "So.", "answer": "A"},  # C-Eval, CMMLU
        {"prompt": "", "memory": "", "actions": ["Why?", "Because."]},  # KoboldAI
    ],
)
def test_rows_whose_keys_do_not_name_the_speakers_are_refused(row: dict[str, Any]) -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), row)


def test_a_list_of_texts_named_candidates_is_not_a_response_of_gemini() -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), {"personality": ["I ski."], "candidates": ["Yes.", "No."], "history": ["Why?"]})


VALUED = {role: {"type": "text", "value": text} for role, text in BOTH}
PARTS: Any = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in BOTH]


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("alpaca", {"instruction": "Why?", "input": "", "output": "Because."}),
        ("llamafactory-v1", {"messages": [{**each, "content": [VALUED[each["role"]]]} for each in PARTS]}),
        ("messages", {"messages": PARTS}),
    ],
)
def test_a_message_of_one_text_part_is_written_as_one_of_a_text(layout: str, expected: dict[str, Any]) -> None:
    """Rows of TRL's and axolotl's vision data have the texts of all messages in parts."""
    row, losses = BY_NAME[layout].write({"messages": PARTS})
    assert (row, list(losses)) == (expected, [])


@pytest.mark.parametrize("layout", ["stepwise", "prompt-completion", "alpaca"])
def test_an_error_names_the_layout_that_cannot_hold_a_conversation(layout: str) -> None:
    with pytest.raises(BridgeError, match=f"the layout {layout} cannot hold this"):
        BY_NAME[layout].write({"input": {"messages": [ASK]}, "preferred_output": [], "non_preferred_output": []})
