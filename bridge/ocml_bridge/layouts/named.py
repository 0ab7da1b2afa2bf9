"""Guess by the words in the names of columns which of them hold a question, the thought before its answer, and it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .layout import Object

_QUESTION: Final = (
    *("question", "query", "instruction", "prompt", "ask", "problem", "request", "message", "utterance"),
    *("user", "human", "patient", "customer", "client", "student", "post", "input", "title", "context"),
)
_ANSWER: Final = (
    *("answer", "response", "reply", "completion", "assistant", "bot", "doctor", "agent", "solution", "output"),
    *("prediction", "predict", "generated", "generation", "expected", "expectation", "gold", "reference", "target"),
)
_THOUGHT: Final = ("thinking", "reasoning", "thought", "thoughts", "cot", "think")
"""Words in the names of columns, the most certain first."""
_ABOUT: Final = frozenset(
    (
        *("id", "ids", "uuid", "hash", "type", "kind", "category", "topic", "date", "time", "timestamp", "url", "lang"),
        *("language", "model", "score", "rating", "label", "count", "length", "len", "tokens", "token", "format"),
        *("source", "name", "role", "status", "level", "difficulty", "index", "idx", "version", "path", "file"),
    )
)
"""Words in the names of columns that say something about a question or an answer."""
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def named_fields(row: Object) -> dict[str, str]:
    """Return the columns of a question and its answer by their fields, and that of the thought; none if one is missing.

    A name with words for several fields, as `answer_prompt`, is of the last one.
    """
    words = {name: _words(name) for name, value in row.items() if isinstance(value, str) and value.strip()}
    words = {name: each for name, each in words.items() if each and _ABOUT.isdisjoint(each)}
    columns = {"instruction": _named(words, _QUESTION), "output": _named(words, _ANSWER)}
    if None in columns.values():
        return {}
    thought = _named({name: each for name, each in words.items() if name not in columns.values()}, _THOUGHT)
    return {field: name for field, name in (*columns.items(), ("thought", thought)) if name is not None}


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _named(words: dict[str, list[str]], of_field: Sequence[str]) -> str | None:
    """Return the column whose name has the first of some words as its last word of any field."""
    known = frozenset((*_QUESTION, *_ANSWER, *_THOUGHT))
    last = {name: next((word for word in reversed(each) if word in known), "") for name, each in words.items()}
    return next((name for word in of_field for name, found in last.items() if found == word), None)
