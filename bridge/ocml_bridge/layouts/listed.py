"""Read lists of messages that a column holds as text: as JSON, or as Python or numpy print them in tables."""

from __future__ import annotations

import ast
from typing import Any, Final

from ..errors import BridgeError
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Severity
from ..model import Json
from . import columns
from .fitting import as_list, as_object
from .layout import Object, Wording
from .messages import are_messages

_LISTS: Final = frozenset(columns.TURNS)
"""Columns whose JSON text the layouts read themselves."""
_ANSWERS: Final = frozenset(("prompt", "chosen", "rejected"))
_QUOTES: Final = "\"'"
_ANY: Final = Wording()


def with_lists(row: Object) -> tuple[Object, list[Finding]]:
    """Return a row whose texts that hold lists of messages are these lists, and findings about those that are not JSON.

    A text of JSON in a column of messages stays a text, because the layouts read it themselves.
    """
    found: Object = {}
    findings: list[Finding] = []
    for name, value in row.items():
        if value.__class__ is not str or value[:1] != "[" or name not in _LISTS | _ANSWERS:
            continue
        listed = _json(value)
        if listed is None:
            listed = python_list(value)
            if listed is not None and are_messages(listed, _ANY):
                detail = "the messages are written as Python prints them"
                findings.append(Finding(FindingCode.JSON_REPAIRED, Severity.CHANGED, f"/{name}", detail))
        elif name in _LISTS:
            continue
        if listed is not None and are_messages(listed, _ANY):
            found[name] = listed
    return ({**row, **found}, findings) if found else (row, findings)


def _json(text: str) -> list[Json] | None:
    try:
        return as_list(jsontext.loads(text))
    except BridgeError:
        return None


def python_list(text: str) -> list[Json] | None:
    """Return a list of objects that is written as Python or numpy prints it; None for any other text."""
    inner = text.strip()
    if not inner.startswith("[") or not inner.endswith("]"):
        return None
    items: list[Json] = []
    at, stop = 1, len(inner) - 1
    while at < stop:
        if inner[at].isspace() or (inner[at] == "," and items):
            at += 1
            continue
        end = closing(inner, at) if inner[at] == "{" else -1
        item = None if end < 0 else _literal(inner[at:end])
        if item is None:
            return None
        items.append(item)
        at = end
    return items


def _literal(text: str) -> Object | None:
    """Return an object that is written as a literal of Python, if JSON can hold it."""
    try:
        value: Any = ast.literal_eval(text)
        found = as_object(value)
        return found if found is not None and jsontext.loads(jsontext.dumps(found)) == found else None
    except Exception:  # anything else than a literal, or too much of it
        return None


def closing(text: str, start: int) -> int:
    """Return the index behind the bracket that closes the one at `start`, outside strings; -1 if there is none."""
    depth, quote, at = 0, "", start
    while at < len(text):
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0:
                return at + 1
        at += 1
    return -1
