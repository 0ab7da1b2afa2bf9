"""Read the messages before a question, and find out whether they have the question already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..model import Json
from . import columns, thoughts
from .fitting import as_list, as_object, members_of
from .layout import Object, Wording, misshapen, parsed
from .messages import are_messages, message, respelled_all


def is_asked_before(messages: Sequence[Object], *, answered: bool) -> bool:
    """Return whether the last message is a question that the messages before it have.

    Args:
        messages: the earlier messages, and the question.
        answered: whether an answer follows in another column; then only the message before the question may have it.
    """
    question = messages[-1:]
    before = [each for each in messages[:-1] if each.get("role") != "system"]
    if not question or question[0].get("role") != "user":
        return False
    return before[-1:] == question or (not answered and len(before) > 1 and before[:1] == question)


def read_history(value: Json, wording: Wording, path: str) -> list[Object]:
    """Return the earlier messages, given as pairs, as messages or as their JSON; a null in a pair is no message."""
    if isinstance(value, str) and not value.strip():
        return []
    items = as_list(parsed(value, path))
    if items is None:
        raise misshapen(path, "a list of pairs")
    if are_messages(items, wording):
        return respelled_all(items, wording, path)
    messages: list[Object] = []
    for at, item in enumerate(items):
        pair = pair_of(item)
        if pair is None or len(pair) != 2 or not all(each is None or isinstance(each, str) for each in pair):
            raise misshapen(f"{path}/{at}", "a pair of texts, what was asked and what was answered")
        question, answer = cast("list[str | None]", pair)
        messages += [message("user", question)] if question is not None else []
        messages += [thoughts.split(message("assistant", answer), wording)] if answer is not None else []
    return messages


def pair_of(value: Json) -> list[Json] | None:
    """Return a question and its answer; of two objects, as promptflow has them, the first members that are known."""
    found = members_of(value)
    sides = [as_object(found.get(key)) for key in ("inputs", "outputs")]
    if found.keys() != {"inputs", "outputs"} or None in sides:
        return as_list(value)
    names = zip(sides, (columns.QUESTIONS, columns.ANSWERS), strict=True)
    return [next((side[key] for key in keys if key in side), None) for side, keys in names if side is not None]
