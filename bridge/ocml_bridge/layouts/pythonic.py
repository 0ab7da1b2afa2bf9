"""Read what is written as Python: calls (`f(a="b"), g()`), and where a literal ends."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Final

from ..common.python_code import expression, literal, value_of
from ..errors import BridgeError
from ..json_values import jsontext, parsed
from ..model import Json
from .layout import Object

_WORDS: Final = {"true": True, "false": False, "null": None}
"""Words of JSON that are names in Python."""
_OPENING: Final = re.compile(r"\s*(\[)\s*")
"""Matches the bracket before the first call."""
_NEXT: Final = re.compile(r"\s*([,\]])\s*|\s*\n\s*")
"""Matches what follows a call: a comma or a line end before the next one, or the bracket after the last one."""
_NAME: Final = re.compile(r"[\w.-]+")
_QUOTES: Final = "\"'"
Call = tuple[str, Object]
"""The name of a function, and its arguments."""


def calls_in(text: str, names: Collection[str] | None) -> list[Call]:
    """Return the calls in brackets of a text that consists of nothing else; none for any other text.

    Args:
        text: the text.
        names: the names of functions; None for any names.
    """
    calls: list[Call] = []
    mark = _OPENING.match(text)
    while mark is not None and mark[1] != "]":
        name = text[mark.end() : text.find("(", mark.end())]
        start = mark.end() + len(name)
        is_name = _NAME.fullmatch(name) is not None if names is None else name in names
        end = closing(text, start) if is_name else -1
        arguments = _arguments(text[start:end]) if end >= 0 else None
        if arguments is None:
            return []
        calls.append((name, arguments))
        mark = _NEXT.match(text, end)
    return calls if mark is not None and mark.end() == len(text) else []


def _arguments(text: str) -> Object | None:
    """Return the arguments in parentheses, each with its name; None if one has none, or is not a literal."""
    call = expression(f"f{text}")
    if not isinstance(call, ast.Call) or call.args:
        return None
    found: Object = {}
    for each in call.keywords:
        value = value_of(each.value, _WORDS)
        if value is None or each.arg is None:
            return None
        found[each.arg] = value[0]
    return found if as_json(found) is not None else None


def literal_in(text: str) -> Json:
    """Return the value of a text that is a literal of Python; None for any other text, and for what JSON has not.

    Tuples become lists; a set, bytes and a complex number are not in JSON, and neither is a key that is no text.
    """
    try:
        return parsed.as_json(literal(text.strip()))
    except BridgeError:
        return None


def as_json(found: Object) -> Object | None:
    """Return an object of Python; None if JSON does not give it back, as it would not with a tuple or a set."""
    try:
        return found if jsontext.loads(jsontext.dumps(found)) == found else None
    except (BridgeError, TypeError, ValueError, RecursionError):
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
