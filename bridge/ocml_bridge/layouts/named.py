"""Guess by the words in the names of columns which of them hold a question, the thought before its answer, and it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .layout import Object, Wording
from .messages import are_messages, is_message

_QUESTION: Final = (
    *("question", "query", "instruction", "prompt", "ask", "problem", "request", "message", "utterance"),
    *("user", "human", "patient", "customer", "client", "student", "post", "input", "title", "context"),
)
_ANSWER: Final = (
    *("answer", "response", "reply", "completion", "assistant", "bot", "doctor", "agent", "solution", "output"),
    *("prediction", "predict", "generated", "generation", "expected", "expectation", "gold", "reference", "target"),
    *("resolution",),
)
_LONG: Final = ("document", "article", "dialogue", "dialog", "transcript", "text", "content", "passage", "body")
_SUMMARY: Final = ("summary", "highlights", "abstract", "headline", "tldr")
"""Words in the names of columns of a text and its summary, which are a question and its answer if nothing else is."""
_THOUGHT: Final = ("thinking", "reasoning", "thought", "thoughts", "cot", "think")
"""Words in the names of columns, the most certain first."""
_PLAIN_TEXT: Final = frozenset({"body", "description"})
"""Last words in the names of columns of a text, as of a ticket, which is a question if there is no other one."""
_ABOUT: Final = frozenset(
    (
        *("id", "ids", "uuid", "hash", "type", "kind", "category", "topic", "date", "time", "timestamp", "url", "lang"),
        *("language", "model", "score", "rating", "label", "count", "length", "len", "tokens", "token", "format"),
        *("source", "name", "role", "status", "level", "difficulty", "index", "idx", "version", "path", "file"),
        *("gender", "age", "phone", "country", "persona", "personas"),
    )
)
"""Last words in the names of columns that say something about a question or an answer."""
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def named_fields(row: Object) -> dict[str, str]:
    """Return the columns of a question and its answer by their fields, and that of the thought; none if one is missing.

    A name with words for several fields, as `answer_prompt`, is of the last one.
    """
    words = _words_of_texts(row)
    columns = {"instruction": _named(words, _QUESTION) or _of_plain_text(words), "output": _named(words, _ANSWER)}
    if None in columns.values():
        columns = {"instruction": _named(words, _LONG, _LONG), "output": _named(words, _SUMMARY, _SUMMARY)}
        return {} if None in columns.values() else {name: str(each) for name, each in columns.items()}
    thought = _named({name: each for name, each in words.items() if name not in columns.values()}, _THOUGHT)
    return {field: name for field, name in (*columns.items(), ("thought", thought)) if name is not None}


def _of_plain_text(words: dict[str, list[str]]) -> str | None:
    """Return the column of a text whose name has no word for an answer or a thought; None if there is none."""
    named = (name for name, each in words.items() if each[-1] in _PLAIN_TEXT)
    return next((name for name in named if _named({name: words[name]}, (*_ANSWER, *_THOUGHT)) is None), None)


def named_answer(row: Object) -> str | None:
    """Return the column of an answer; None if there is none."""
    return _named(_words_of_texts(row), _ANSWER)


def has_answer(name: str) -> bool:
    """Return whether the name of a column may be that of an answer."""
    words = _words(name)
    return bool(words) and words[-1] not in _ABOUT and _named({name: words}, _ANSWER) is not None


def role_of_name(name: str) -> str | None:
    """Return whose text a column holds, by the last word in its name for a question or an answer; None without one."""
    words = _words(name)
    if not words or words[-1] in _ABOUT or not _is_one_side(words):
        return None
    last = next((word for word in reversed(words) if word in (*_QUESTION, *_ANSWER)), None)
    return None if last is None else "user" if last in _QUESTION else "assistant"


def named_preference(row: Object) -> dict[str, str]:
    """Return the columns of a question, of the better and of the worse answer by their fields; none if one is missing.

    Texts that match a query in other words may have such names, too.
    """
    messages = {
        name: _words(name) for name, value in row.items() if are_messages(value, _ANY) or is_message(value, _ANY)
    }
    words = {
        **_words_of_texts(row),
        **{name: each for name, each in messages.items() if each and each[-1] not in _ABOUT},
    }
    sides = {field: _named(words, of_side, of_side) for field, of_side in (("chosen", _BETTER), ("rejected", _WORSE))}
    others = {name: each for name, each in words.items() if name not in sides.values()}
    columns = {"instruction": _named(others, _QUESTION), **sides}
    return {field: name for field, name in columns.items() if name is not None} if None not in columns.values() else {}


_ANY: Final = Wording()
_COMPARED: Final = (
    ("chosen", "preferred", "better", "best", "winner", "accept", "accepted"),
    ("rejected", "dispreferred", "worse", "worst", "loser", "reject"),
)
"""Words for the better and the worse one of two answers, which are said of nothing else."""
_BETTER: Final = (*_COMPARED[0], "positive", "good")
_WORSE: Final = (*_COMPARED[1], "negative", "bad")
"""Words in the names of the columns of two answers."""


def _words_of_texts(row: Object) -> dict[str, list[str]]:
    """Return the words in the names of columns that may hold a question or an answer, but not an e-mail address."""
    texts = {name: value.strip() for name, value in row.items() if isinstance(value, str)}
    words = {name: _words(name) for name, text in texts.items() if text and ("@" not in text or " " in text)}
    return {name: each for name, each in words.items() if each and each[-1] not in _ABOUT and _is_one_side(each)}


def _is_one_side(words: Sequence[str]) -> bool:
    """Return whether the words in a name are of a question or an answer, and not of a system prompt or of tests."""
    return "system" not in words and (*words,) != ("input", "output")


def names_an_answer(name: str) -> bool:
    """Return whether the name of a column ends with a word for an answer, or has one for either of two."""
    words = [word for word in _words(name) if len(word) > 1]
    return bool(words) and (words[-1] in _ANSWERS or (words[-1] not in _ABOUT and not _SIDES.isdisjoint(words)))


def conversation_id(row: Object) -> str | None:
    """Return the column that says which conversation a message is of; None if there is none."""
    return next(iter(conversation_ids(row)), None)


def conversation_ids(row: Object) -> list[str]:
    """Return the columns that say which conversation a message is of."""
    return [name for name in row if name.lower().replace("_", "") in _CONVERSATION_IDS]


_CONVERSATION_IDS: Final = frozenset(
    (
        *("conversationid", "sessionid", "threadid", "chatid", "dialogueid", "dialogid"),
        *("convid", "convoid", "dialogueuuid", "ticketid", "topicid"),
    )
)
"""Names of columns in small letters and without underscores."""
_SIDES: Final = frozenset((*_BETTER, *_WORSE))
_SPEAKERS: Final = frozenset({"assistant", "bot", "doctor", "agent"})
_ANSWERS: Final = frozenset((*_ANSWER, *_COMPARED[0], *_COMPARED[1], "answers", "win", "lose")) - _SPEAKERS


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _named(words: dict[str, list[str]], of_field: Sequence[str], known: Sequence[str] = ()) -> str | None:
    """Return the column whose name has the first of some words as its last word of any field.

    Args:
        words: the words in the names of columns.
        of_field: the words for a field, the most certain first.
        known: the words for fields; those for questions, answers and thoughts if there are none.
    """
    known = known or (*_QUESTION, *_ANSWER, *_THOUGHT)
    last = {name: next((word for word in reversed(each) if word in known), "") for name, each in words.items()}
    return next((name for word in of_field for name, found in last.items() if found == word), None)
