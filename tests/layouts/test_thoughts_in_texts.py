"""A thought in the text of an answer is reported, with the option of a plan that reads it as reasoning."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from layouts.row_pieces import ANSWERED, ASKED, TURN
from ocml_bridge.layouts import AUTO, Plan, plan_of, read_row
from ocml_bridge.layouts.thoughts import tag_of
from rows import as_pairs, conversations

PLAN = Plan((AUTO,))
HI = {"role": "user", "content": "Hi"}
TEXTS = {
    "think": ("<think>\nhm\n</think>\n\nYes.", "hm\n</think>\nYes.", "\n<think>hm</think>Yes."),
    "thinking": ("<thinking>hm</thinking>\nYes.", "hm\n</thinking>\n\nYes."),
    "begin_of_thought": ("<|begin_of_thought|>\nhm\n<|end_of_thought|>\n\nYes.",),
}
MENTIONS = (
    "Begin with <think> and end with\n</think>\n, then answer.",
    "The tag </think> ends it.",
    "Yes.\n```\n<think>\nhm\n</think>\n```",
)


def rows_of(text: str) -> dict[str, dict[str, Any]]:
    """A row of each layout whose answer is a text."""
    answer = {"role": "assistant", "content": text}
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": text}]
    return {
        "messages": {"messages": [HI, answer]},
        "messages of parts": {"messages": [HI, {**answer, "content": [{"type": "text", "text": text}]}]},
        "sharegpt": {"conversations": turns},
        "sharegpt of preferences": {"conversations": turns[:1], "chosen": turns[1], "rejected": turns[1]},
        "alpaca": {"instruction": "Hi", "output": text},
        "prompt-completion": {"prompt": "Hi", "completion": text},
        "preference": {"prompt": "Hi", "chosen": text, "rejected": "No."},
        "compared": {"prompt": "Hi", "response_a": text, "response_b": "No.", "winner": "a"},
        "answered": {"messages": [HI], "response": text},
        "logged": {"request": {"messages": [HI]}, "response": {"choices": [{"message": answer}]}},
        "pairs": {"conversation": [{"input": "Hi", "output": text}]},
        "texts": {"data": ["Hi", text]},
        "dialogue": {"text": f"USER: Hi\nASSISTANT: {text}"},
        "alpaca-text": {"text": f"### Instruction:\nHi\n\n### Response:\n{text}"},
        "llama-3": {
            "text": f"<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            f"<|start_header_id|>assistant<|end_header_id|>\n\n{text}<|eot_id|>"
        },
    }


LAYOUTS = list(rows_of(""))


def found_in(row: dict[str, Any], plan: Plan = PLAN) -> list[tuple[str, str]]:
    documents = read_row(plan, row).documents
    return [(each.code, each.detail) for document in documents for each in document.findings if each.code == "markup"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("tag", "text"), [(tag, text) for tag, texts in TEXTS.items() for text in texts])
def test_a_thought_in_a_text_is_reported_and_the_option_of_a_plan_reads_it(layout: str, tag: str, text: str) -> None:
    row = rows_of(text)[layout]
    if layout.startswith("sharegpt") and text.lstrip().startswith("<think>"):
        assert not found_in(row)  # the format reads it
    else:
        assert all(f"'thoughts: [{tag}]'" in detail for _, detail in found_in(row))
        assert found_in(row)
    named = replace(PLAN, thoughts=(tag,))
    assert not found_in(row, named)
    [document, *_] = read_row(named, row).documents
    written = json.dumps(document.value)
    assert "Yes." in written
    assert "hm" in written
    assert "end_of" not in written
    assert "</thinking>" not in written


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", MENTIONS)
def test_a_tag_that_an_answer_only_mentions_is_text(layout: str, text: str) -> None:
    row = rows_of(text)[layout]
    for plan in (PLAN, replace(PLAN, thoughts=("think", "thinking"))):
        assert not found_in(row, plan)
        assert json.dumps(text)[1:-1] in json.dumps(read_row(plan, row).documents[0].value)


def test_a_thought_without_a_closing_tag_is_reported_without_an_option() -> None:
    row = rows_of("<think>\nhm")["messages"]
    assert found_in(row) == [("markup", "the thought in `<think>` is read as text")]
    assert found_in(row, replace(PLAN, thoughts=("think",))) == found_in(row)


def test_tags_in_the_text_of_a_user_are_not_a_thought() -> None:
    text = "<thinking>hm</thinking>Why?"
    rows = (
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "So."}]},
        {"conversations": [{"from": "human", "value": text}, {"from": "gpt", "value": "So."}]},
    )
    for row in rows:
        plain, named = (read_row(plan, row).documents for plan in (PLAN, replace(PLAN, thoughts=("thinking",))))
        assert list(plain) == list(named)
        assert not found_in(row)


def test_the_reasoning_of_an_answer_is_the_one_in_its_member() -> None:
    answer = {"role": "assistant", "reasoning_content": "a", "content": "<think>b</think>Yes."}
    row = {"messages": [HI, answer]}
    document: Any = read_row(replace(PLAN, thoughts=("think",)), row).documents[0].value
    assert document["messages"][1] == answer
    assert found_in(row)


def test_a_thought_in_tags_is_read_as_text_unless_the_plan_names_the_tags() -> None:
    row = {"prompt": "Why?", "completion": "<think>\nHm.\n</think>\n\nBecause."}
    assert as_pairs(conversations(row)[0].messages) == [ASKED, ("assistant", "<think>\nHm.\n</think>\n\nBecause.")]
    plan = plan_of({"layout": "prompt-completion", "thoughts": "think"})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_a_thought_in_other_tags_is_read_from_turns() -> None:
    text = (
        "<|begin_of_thought|>\n\nHm.\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\nBecause.\n\n<|end_of_solution|>"
    )
    row = {"conversations": [TURN, {"from": "assistant", "value": text}]}
    plan = plan_of({"layout": "sharegpt", "thoughts": ["begin_of_thought"]})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("thought", "<Thought>\nHm.\n</Thought>\n<Output>\nBecause.\n</Output>"),
        ("thinking", "<thinking>\nHm.\n</thinking>\n\n<output>\nBecause.\n</output>"),
    ],
)
def test_tags_of_a_thought_may_be_in_capitals_and_the_answer_in_tags(tag: str, text: str) -> None:
    """OpenO1-SFT, and Reflection-70B's data (their cards)."""
    row = {"instruction": "Why?", "output": text}
    assert tag_of(text) == tag
    plan = plan_of({"layout": "alpaca", "thoughts": [tag]})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_a_thought_is_read_from_a_text_of_a_template() -> None:
    row = {"text": "<｜User｜>Why?<｜Assistant｜><think>\nHm.\n</think>\n\nBecause.<｜end▁of▁sentence｜>"}
    plan = plan_of({"layout": "deepseek", "thoughts": "think"})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_a_column_of_reasoning_is_an_extra_column_if_the_answer_has_its_own_thought() -> None:
    plan = plan_of({"layout": "reasoned", "thoughts": ["think"]})
    row = {"question": "Why?", "reasoning": "Let me see.", "answer": "<think>Hm.</think>Because."}
    [document] = read_row(plan, row).documents
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]
    assert document.extra_columns == {"reasoning": "Let me see."}


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Hm.\n</think>\n\nBecause.", "Hm."),
        ("Say </think> then.\nBecause.", None),
        ("Write\n<think>\nHm.\n</think>\nfirst.", None),
    ],
)
def test_a_thought_without_an_opening_tag_ends_at_a_line_with_the_closing_tag(text: str, thought: str | None) -> None:
    [found] = conversations({"prompt": "Why?", "response": text}, Plan((AUTO,), thoughts=("think",)))
    assert as_pairs(found.messages)[1:] == (
        [("assistant", text)] if thought is None else [("thought", thought), ANSWERED]
    )
