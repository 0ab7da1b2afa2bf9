"""A thought that stays in the text of an answer is found, with the option of a plan that reads it as reasoning."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ocml_bridge.layouts import AUTO, Plan, read_row

PLAN = Plan((AUTO,))
ASKED = {"role": "user", "content": "Hi"}
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
        "messages": {"messages": [ASKED, answer]},
        "messages of parts": {"messages": [ASKED, {**answer, "content": [{"type": "text", "text": text}]}]},
        "sharegpt": {"conversations": turns},
        "sharegpt of preferences": {"conversations": turns[:1], "chosen": turns[1], "rejected": turns[1]},
        "alpaca": {"instruction": "Hi", "output": text},
        "prompt-completion": {"prompt": "Hi", "completion": text},
        "preference": {"prompt": "Hi", "chosen": text, "rejected": "No."},
        "compared": {"prompt": "Hi", "response_a": text, "response_b": "No.", "winner": "a"},
        "answered": {"messages": [ASKED], "response": text},
        "logged": {"request": {"messages": [ASKED]}, "response": {"choices": [{"message": answer}]}},
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
def test_a_thought_in_a_text_is_found_and_can_be_read(layout: str, tag: str, text: str) -> None:
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
def test_an_answer_that_mentions_a_tag_is_a_text(layout: str, text: str) -> None:
    row = rows_of(text)[layout]
    for plan in (PLAN, replace(PLAN, thoughts=("think", "thinking"))):
        assert not found_in(row, plan)
        assert json.dumps(text)[1:-1] in json.dumps(read_row(plan, row).documents[0].value)


def test_a_thought_without_an_end_is_found_without_advice() -> None:
    row = rows_of("<think>\nhm")["messages"]
    assert found_in(row) == [("markup", "the thought in `<think>` is read as text")]
    assert found_in(row, replace(PLAN, thoughts=("think",))) == found_in(row)


def test_what_a_person_says_is_no_thought() -> None:
    text = "<thinking>hm</thinking>Why?"
    rows = (
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "So."}]},
        {"conversations": [{"from": "human", "value": text}, {"from": "gpt", "value": "So."}]},
    )
    for row in rows:
        plain, named = (read_row(plan, row).documents for plan in (PLAN, replace(PLAN, thoughts=("thinking",))))
        assert list(plain) == list(named)
        assert not found_in(row)


def test_reasoning_in_a_member_stays_that_of_the_answer() -> None:
    answer = {"role": "assistant", "reasoning_content": "a", "content": "<think>b</think>Yes."}
    row = {"messages": [ASKED, answer]}
    document: Any = read_row(replace(PLAN, thoughts=("think",)), row).documents[0].value
    assert document["messages"][1] == answer
    assert found_in(row)
