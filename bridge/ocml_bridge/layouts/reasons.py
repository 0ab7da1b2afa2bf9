"""Say why a row is of no layout, and what to do with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .. import registry
from ..detection import looks
from ..model import Json
from ..recognise import recognise
from ..recognise.marks import PLANNED
from ..recognise.prompts import ROWS
from ..report.wording import shown
from .agents.previews import PREVIEWS
from .columns import ANSWERS, QUESTIONS, TURNS
from .fitting import members_of
from .layout import Object
from .table import LAYOUTS

AUTO: Final = "auto"
"""The name of the plan that detects the layout of each row."""


def why_not(row: Object, names: Sequence[str], *, preview: bool) -> str:
    """Return the reason why a row is of none of a plan's layouts, with advice.

    Args:
        row: the row.
        names: the names of the layouts, or of the plan that detects them.
        preview: whether the plan reads previews.
    """
    named = [f"{shown(name)}{' (null)' if row[name] is None else ''}" for name in list(row)[:_MOST_NAMED]]
    has = f"the row has {', '.join(named) or 'no columns'}"
    title = None if preview else next((each.title for each in PREVIEWS if each.has(row)), None)
    if title is not None:
        return f"this looks like {title}, whose reading may change with any release; add --preview to read it"
    other = None if names == (AUTO,) else next((each.name for each in LAYOUTS if each.has(row)), None)
    if other is not None:
        return f"this is not a row of the layout {' or '.join(names)}: {has}; it looks like {other}"
    if (empty := _empty_answer(row)) is not None:
        return f"there is no answer in this row: {empty!r} is empty; leave the row out, or repair it"
    if (empty := empty_column(row)) is not None:
        return f"there is no conversation in this row: {empty!r} is empty; leave the row out, or repair it"
    if (what := likeness(row)) is not None:
        return f"this {what}: {has}"
    wanted = "any layout" if names == (AUTO,) else " or ".join(names)
    advice = "`ocml-convert plan DATA -o plan.yaml` proposes one"
    return f"this is not a row of {wanted}: {has}; a plan with 'columns' says which hold the conversation: {advice}"


def empty_column(row: Object) -> str | None:
    """Return the column in which a row would have a conversation, but has none; None if there is no such column."""
    empty = next((name for name in _HOLDERS if name in row and row[name] in ([], {}, "[]", None)), None)
    if empty is not None and row[empty] is None and any(isinstance(each, (list, dict)) for each in row.values()):
        return None  # the conversation may be in another column
    return empty


def _empty_answer(row: Object) -> str | None:
    """Return the column of an answer that is empty, next to a text that it would answer; None if there is none."""
    is_asked = any(isinstance(row.get(name), str) for name in QUESTIONS)
    return next((name for name in _ANSWERS if is_asked and name in row and _is_empty(row[name])), None)


def _is_empty(value: Json) -> bool:
    """Return whether a value is null or an empty list, or has only such members (SQuAD 2)."""
    return value in (None, [], {}) or (bool(found := members_of(value)) and all(map(_is_empty, found.values())))


_ANSWERS: Final = (*ANSWERS[:5], "answers", "chosen", "rejected")
_HOLDERS: Final = (*TURNS, "chat_messages", "mapping")
"""Columns that are empty in rows without a conversation."""
_MOST_NAMED: Final = 8
"""The number of columns that an error names."""


def likeness(row: Object) -> str | None:
    """Return a sentence without its subject on the certain kind of a row of no layout, or of its text; else None."""
    text = row.get("text")
    for found in (recognise(row), recognise(text) if isinstance(text, str) else None):
        if found is not None and found.certain and found.kind.advice == ROWS:
            return f"looks like {found.kind.name} ({found.cited}), but some of its tokens or turns are not known"
        if found is not None and found.certain and found.kind.advice == PLANNED:
            what = f"looks like {found.kind.name} ({found.cited})"
            return f"{what}, but it is a part of a conversation, or not known in full"
        if found is not None and found.certain and found.kind.format not in registry.formats():
            return looks(found)
    return None
