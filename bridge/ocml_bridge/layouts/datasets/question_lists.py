"""Read rows with a list of questions, and a list of their answers, about a text (CoQA, QuAC, DoQA)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..exchange import INPUT
from ..fitting import as_object, items_of
from ..layout import Document, Object, Wording
from ..messages import message, request, system_of

QUESTIONS: Final = "questions"
ANSWERS: Final = "answers"
SYSTEM: Final = "system"
_MEMBERS: Final = ("input_text", "texts", "text", "question", "answer")
"""Members of a list, or of its items, that hold the texts."""


def are_question_lists(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold as many questions as answers."""
    questions, answers = _texts(fields.get(QUESTIONS)), _texts(fields.get(ANSWERS))
    is_text = INPUT not in fields or isinstance(fields[INPUT], str)
    return is_text and len(questions) == len(answers) > 0 and None not in (*questions, *answers)


def _texts(value: Json) -> Sequence[str | None]:
    """Return the texts of a list, each its item, a member of it, or the first of several; None for other items."""
    found = as_object(value)
    return list(map(_text, items_of(value if found is None else _member(found))))


def _text(item: Json) -> str | None:
    """Return the text of an item: the first of several that answer the same question."""
    found = as_object(item)
    value = item if found is None else _member(found)
    first = next(iter(items_of(value)), value)
    return first if isinstance(first, str) else None


def _member(found: Object) -> Json:
    return next((found[name] for name in _MEMBERS if name in found), None)


def read_question_lists(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the questions, the first one with the text that all are about, each with its answer."""
    questions, answers = _texts(fields[QUESTIONS]), _texts(fields[ANSWERS])
    pairs = zip(questions, answers, strict=True)
    turns = [message(*each) for pair in pairs for each in zip(("user", "assistant"), map(str, pair), strict=True)]
    if fields.get(INPUT):
        turns[0]["content"] = wording.separator.join([turns[0]["content"], fields[INPUT]])
    more = {} if questions == fields[QUESTIONS] else {QUESTIONS: fields[QUESTIONS]}
    return [Document(request([*system_of(fields.get(SYSTEM), f"/{SYSTEM}"), *turns], None), extra_columns=more)]
