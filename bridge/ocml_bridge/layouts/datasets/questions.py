"""List the layouts of questions with their answers in columns."""

from __future__ import annotations

from functools import partial
from typing import Final

from ...loss import LossCode
from .. import columns, exchange, media
from ..layout import Layout
from . import evaluated, question_lists

QUESTIONS: Final[tuple[Layout, ...]] = (
    Layout(
        "lm-eval",
        "the samples that lm-evaluation-harness logs",
        "openai",
        {evaluated.ARGUMENTS: (evaluated.ARGUMENTS,), evaluated.RESPONSES: (evaluated.RESPONSES,)},
        evaluated.is_sample,
        evaluated.read_sample,
    ),
    Layout(
        "alpaca",
        "instruction, input and output, with history",
        "openai",
        {
            "instruction": columns.QUESTIONS,
            "input": columns.INPUTS,
            "output": columns.ANSWERS,
            **columns.HISTORY,
            **columns.PROMPT,
            **media.FIELDS,
        },
        exchange.is_exchange,
        partial(media.with_media, exchange.read_exchange),
        partial(media.in_columns, exchange.write_alpaca, as_text=True),
        drops={"name": LossCode.NAME, "weight": LossCode.WEIGHT},
        doubts=columns.INCOMPLETE,
    ),
    Layout(
        "question-answer",
        "a question with its answer, and a context of other values than texts (HotpotQA)",
        "openai",
        {"instruction": columns.QUESTIONS, "output": columns.ANSWERS, **columns.PROMPT},
        exchange.is_exchange,
        exchange.read_exchange,
        requires={"input": columns.INPUTS},
        doubts=columns.INCOMPLETE,
    ),
    Layout(
        "questions-answers",
        "a list of questions about a text, and a list of their answers (CoQA, QuAC)",
        "openai",
        {
            question_lists.QUESTIONS: ("questions",),
            question_lists.ANSWERS: ("orig_answers", "answers"),
            "input": ("story", *columns.INPUTS),
            "system": columns.SYSTEM,
        },
        question_lists.are_question_lists,
        question_lists.read_question_lists,
        extra_columns=frozenset({question_lists.ANSWERS}),
    ),
    Layout(
        "answered-by-any",
        "a question with several texts, each of which answers it (SQuAD)",
        "openai",
        {
            "instruction": (*columns.QUESTIONS[:4], "input", "inputs"),
            "input": columns.INPUTS[1:],
            "output": (
                "answers",
                "answers_spans",
                "answer",
                "ideal",
                "target",
                "targets",
                "ground_truths",
                "references",
            ),
            **columns.PROMPT,
        },
        exchange.is_answered_by_any,
        exchange.read_first_answer,
        extra_columns=frozenset({"output"}),
        doubts=columns.INCOMPLETE,
    ),
)
