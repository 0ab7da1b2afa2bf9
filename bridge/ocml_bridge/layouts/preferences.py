"""The layouts of rows that say which of several answers is the better one."""

from __future__ import annotations

from typing import Final

from . import battles, columns, exchange, ranked, scored
from .layout import Layout

PREFERENCES: Final[tuple[Layout, ...]] = (
    Layout(
        "preference",
        "a prompt with an answer that was chosen and one that was rejected (TRL, LLaMA-Factory)",
        "openai",
        {
            "instruction": (*("prompt", "instruction", "question", "query"), *columns.TURNS[:3]),
            "input": ("input",),
            "chosen": (
                "chosen",
                "chosen_response",
                "response_chosen",
                "answer_chosen",
                "chosen_conversations",
                "response_j",
            ),
            "rejected": (
                *("rejected", "rejected_response", "response_rejected", "answer_rejected", "rejected_conversations"),
                "response_k",
            ),
            **columns.HISTORY,
            **columns.PROMPT,
        },
        exchange.is_preference,
        exchange.read_preference,
        exchange.write_preference,
    ),
    Layout(
        "arena",
        "the conversations of two models, and which one won (Chatbot Arena)",
        "openai",
        {**{side: (side,) for side in battles.SIDES}, battles.WINNER: (battles.WINNER,)},
        battles.is_battle,
        battles.read_battle,
        beside=frozenset({battles.WINNER}),
    ),
    Layout(
        "ranked",
        "a prompt with answers that are ranked or scored (Nectar, UltraFeedback)",
        "openai",
        {
            "instruction": ("prompt", "instruction", "question"),
            ranked.ANSWERS: ("answers", "completions"),
            **columns.PROMPT,
        },
        ranked.is_ranked,
        ranked.read_ranked,
        beside=frozenset({ranked.ANSWERS}),
    ),
    Layout(
        "gemini-preference",
        "a request of Gemini with two answers and their scores (Vertex AI's preference tuning)",
        "canonical",
        {
            **{each: (each,) for each in (scored.CONTENTS, scored.COMPLETIONS, "tools")},
            "system_instruction": ("system_instruction", "systemInstruction"),
        },
        scored.are_scored,
        scored.read_scored,
    ),
)
