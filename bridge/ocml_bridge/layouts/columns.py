"""List the names of columns that several layouts have; the first of a tuple is the one that is written."""

from __future__ import annotations

from typing import Final

SYSTEM: Final = (
    *("system", "system_prompt", "system_message", "systemPrompt", "systemMessage", "preamble", "preprompt"),
    *("systemInstruction", "system_instruction"),
)
TOOLS: Final = ("tools", "functions", "available_tools", "tool_definitions")
MEDIA: Final = {"images": ("images", "image"), "videos": ("videos", "video"), "audios": ("audios", "audio")}
HISTORY: Final = {"history": ("history", "chat_history")}
PROMPT: Final = {"system": SYSTEM, "tools": TOOLS}
INPUTS: Final = ("input", "context", "article", "passage", "sql_context")
QUESTIONS: Final = (
    *("instruction", "question", "query", "problem", "prompt", "inputs_pretokenized", "inputs", "message_1"),
    *("instructions", "user", "human", "input_text", "user_input", "user_message", "user_prompt", "task"),
    *("goal", "q", "message", "sql_prompt", "request"),
)
FURTHER_QUESTIONS: Final = frozenset({"question", "query", "problem", "inputs"})
"""Columns that the instruction of a row may be about; without them it may ask nothing (TableInstruct, M3IT)."""
ANSWERS: Final = (
    *("output", "response", "solution", "completion", "answer", "targets_pretokenized", "targets", "outputs"),
    *("message_2", "generated_solution", "actual_output", "best_answer", "generated_text", "generation"),
    *("assistant", "gpt", "bot", "output_text", "model_output", "model_response", "llm_response"),
    *("assistant_response", "target", "a", "sql", "code", "story", "model_answer", "reference_answer"),
    *("final_answer", "long_answer", "expected_output", "ideal", "expected_answer", "expected_response"),
    "expectedOutput",
    *("gold_answer", "correct_answer", "generated", "generated_answer", "generated_response", "llm_output"),
    *("predict", "prediction", "reply", "reference", "ground_truth"),
)

THOUGHTS: Final = (
    *("reasoning", "reasoning_content", "thinking", "thought", "thoughts", "chain_of_thought", "cot", "complex_cot"),
    *("think", "model_reasoning", "reasoning_trace", "reasoning_process", "thought_process", "thinking_process"),
    *("thinking_trajectory", "long_cot"),
)
TEXT: Final = ("text", "chat", "prompt", "conversation")
TURNS: Final = (
    *("messages", "conversations", "conversation", "dialog", "dialogue", "chat", "turns", "trajectory", "utterances"),
    *("traj", "items", "transcript_object", "transcript", "conversation_input", "user_input"),
)
ALTERNATING: Final = (
    *("data", "dialog", "dialogue", "conversations", "conversation", "messages", "utterances", "interactions"),
)
"""The columns of texts by turns."""
COMPARED: Final = ("response", "answer", "output", "completion", "human_ref", "generation", "reply", "continuation")
"""The first word of the names of columns with compared answers, before a number or letter."""
SIDES: Final = "012ab"
"""The numbers and letters of compared answers."""


_PREFERRED: Final = ("chosen", "preferred", "better", "winning", "win", "w", "selected", "accepted", "accept")
_DISPREFERRED: Final = ("rejected", "dispreferred", "non_preferred", "worse", "losing", "lose", "l", "reject")
"""Words for the better and the worse one of two answers, alone or next to a word for an answer."""


def _names_of_side(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the column of an answer with some words for its side; a letter is no name alone."""
    names: list[str] = []
    for word in words:
        names += [word] if len(word) > 1 else []
        names += [name for answer in COMPARED for name in (f"{word}_{answer}", f"{answer}_{word}")]
    return tuple(names)


_LISTS: Final = ("conversations", "conversation", "messages")
CHOSEN: Final = (*_names_of_side(_PREFERRED), *(f"chosen_{word}" for word in _LISTS))
REJECTED: Final = (*_names_of_side(_DISPREFERRED), *(f"rejected_{word}" for word in _LISTS))


def names_of_answer(side: str) -> tuple[str, ...]:
    """Return the names that the column of the answer with a number or letter may have."""
    return tuple([f"{word}{between}{side}" for word in COMPARED for between in ("_", "", "-", " ")])


CHOICES: Final = frozenset({"choices", "options", "opa", "B", "b", "option_b", "option2"})
"""Columns of choices; their question cannot be answered without them. Next to `b`, `a` is no answer alone."""
INCOMPLETE: Final = CHOICES | {"message_3"}
"""Columns without which a question and its answer are not the whole row: choices, and further messages (CAMEL)."""
SEVERAL: Final = (
    *("responses", "generations", "completions", "candidates", "choices"),
    *(name for side in SIDES for name in names_of_answer(side)),
)
"""Columns of several answers; no layout decides which of them is the answer."""
SESSION: Final = "session"
"""The column of all lines of a session, and for what they hold besides messages."""
