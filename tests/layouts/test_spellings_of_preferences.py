"""One preference in the spellings of many datasets: `plan` proposes a plan that reads it in each of them.

The names of the columns are those of the datasets and trainers that docs/layouts.md names. The prompt is a text or
messages, in a column or repeated by both answers; an answer is a text, a message, messages, or the whole conversation.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any, Final

import pytest
import yaml

from ocml_bridge.layouts import plan_of
from ocml_bridge.layouts.propose import Survey, proposal
from rows import as_pairs, conversations

SPELLINGS: Final[dict[str, tuple[Any, ...]]] = {
    "answers": (
        *(("chosen", "rejected"), ("preferred", "dispreferred"), ("chosen_response", "rejected_response")),
        *(("better", "worse"), ("win", "lose"), ("response_chosen", "response_rejected"), ("accepted", "rejected")),
        *(("preferred_output", "non_preferred_output"), ("chosen_messages", "rejected_messages")),
        *(("chosen_answer", "rejected_answer"), ("response_w", "response_l")),
        *(("chosen_conversations", "rejected_conversations"), ("chosen_conversation", "rejected_conversation")),
    ),
    "keys": (("role", "content", "user", "assistant"), ("from", "value", "human", "gpt")),
    "column": (
        *("prompt", "instruction", "question", "query", "input", "problem", "context", "user_prompt"),
        *("messages", "conversations", "conversation"),
    ),
    "prompt": ("text", "messages", "turns", "none"),
    "answer": ("text", "message", "messages", "whole", "json"),
    "system": ("none", "column", "message", "null"),
    "others": ({}, {"score_chosen": 9.0, "score_rejected": 1.0}, {"id": 1, "chosen_model": "m", "rejected_model": "n"}),
}
"""The spellings of each aspect; the first one is that of TRL."""
LISTS: Final = ("messages", "conversations", "conversation")
PROMPT: Final = [("user", "Why?")]
TURNS: Final = [("user", "Hi"), ("assistant", "Hello"), *PROMPT]


def is_possible(spelling: dict[str, Any]) -> bool:
    whole = spelling["answer"] in ("whole", "json")
    of_system = spelling["system"] != "message" or whole or spelling["prompt"] in ("messages", "turns")
    of_column = spelling["column"] not in LISTS or spelling["prompt"] != "text"
    return of_system and of_column and (whole or spelling["prompt"] != "none")


def row_of(spelling: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The preference as a row in some spelling, and the messages before the answer."""
    role, text, user, assistant = spelling["keys"]
    system = [("system", "Be kind.")] if spelling["system"] in ("message", "column") else []
    before = TURNS if spelling["prompt"] == "turns" else PROMPT
    given = [*(system if spelling["system"] == "message" else []), *before]
    messages = [{role: {"user": user, "assistant": assistant}.get(who, who), text: what} for who, what in given]

    def answer(words: str) -> Any:
        message = {role: assistant, text: words}
        whole = [*messages, message]
        spelled = {"text": words, "message": message, "messages": [message], "whole": whole, "json": json.dumps(whole)}
        return spelled[spelling["answer"]]

    prompts = {"text": {spelling["column"]: "Why?"}, "none": {}}
    row = {
        **{"column": {"system": "Be kind."}, "null": {"system": None}}.get(spelling["system"], {}),
        **prompts.get(spelling["prompt"], {spelling["column"]: messages}),
        **dict(zip(spelling["answers"], (answer("Because."), answer("No.")), strict=True)),
        **spelling["others"],
    }
    return row, [*system, *before]


@pytest.mark.parametrize(("one", "other"), [*combinations(SPELLINGS, 2)])
def test_the_proposed_plan_reads_a_preference_in_any_spelling(one: str, other: str) -> None:
    first = {name: each[0] for name, each in SPELLINGS.items()}
    drawn = [{**first, one: value, other: another} for value in SPELLINGS[one] for another in SPELLINGS[other]]
    for spelling in filter(is_possible, drawn):
        row, before = row_of(spelling)
        survey = Survey()
        survey.look(row)
        [conversation] = conversations(row, plan_of(yaml.safe_load(proposal(survey, []))))
        assert as_pairs(conversation.messages) == [*before, ("assistant", "Because.")], spelling
        rejected = [as_pairs(each.messages) for each in conversation.alternatives or ()]
        assert rejected == [[("assistant", "No.")]], spelling
