r"""Repair almost-JSON, as people, models and Python's `repr` write it, if it can be read in only one way.

A comma before a closing bracket is removed; strings in single quotes, `True`, `False`, `None` and keys without quotes
are written as JSON. In strings, control characters, quotes within the text and backslashes that escape nothing are
escaped. Closing brackets are mended on request only, because a text without them may also be cut off.

Only single string tokens are evaluated as Python, so the text cannot run code, and the time is linear.
"""

from __future__ import annotations

import re
from typing import Final

from ..common.python_code import literal
from ..json_values.jsontext import parse, spaced

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)|(?P<comma>,)|(?P<mark>[\[\]{}:])"""
    r"""|(?P<string>"(?:[^"\\]|\\.|"(?![ \t\r\n]*(?:[]},:"']|\Z)))*+")"""
    r"""|(?P<quoted>'[^'\\\n]*(?:\\.[^'\\\n]*)*')|(?P<word>[A-Za-z0-9_+.-]+)""",
    re.S,
)
"""A token. Within a string, a quote is text unless something follows it that may follow a string."""
_ESCAPED: Final = re.compile(r"""(?:[^\\]|\\(?:['"\\nrtbfav]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*""")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_UNESCAPED: Final = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|.)|["\x00-\x1f]""", re.S)
"""What may be wrong in a string of JSON: an escape, a quote, or a control character."""
_GOOD: Final = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})""")
_CLOSING: Final = {"{": "}", "[": "]"}


def repair(text: str, *, brackets: bool = False) -> str | None:
    """Return the repaired JSON text with its white space, or None if the text is JSON already or cannot be repaired.

    Args:
        text: the text.
        brackets: whether closing brackets that are missing are added, and those after the value are removed.
    """
    out: list[str] = []
    comma: int | None = None
    previous, at = "[", 0
    nesting = _Nesting() if brackets else None
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at, kind, raw = token.end(), token.lastgroup, token[0]
        if kind == "string":
            raw = f'"{_UNESCAPED.sub(_escape, raw[1:-1])}"'
        elif kind == "quoted":
            value = _python_string(raw)
            if value is None:
                return None
            raw = spaced(value)
        elif kind == "word":
            is_key = previous in ("{", ",") and text.startswith(":", _after_space(text, at))
            raw = f'"{raw}"' if is_key else _WORDS.get(raw, raw)
        elif raw in ("]", "}") and comma is not None:
            out[comma] = ""
        elif raw == "," and previous in ("[", "{", ":", ","):
            return None
        if kind != "space":
            comma, previous = len(out) if kind == "comma" else None, raw
        out.append(nesting.mended(raw) if nesting is not None and kind == "mark" else raw)
    repaired = "".join(out) + ("" if nesting is None else nesting.rest())
    return repaired if repaired != text and parse(repaired) is not None else None


class _Nesting:
    """The brackets that are open, of which those that are never closed are closed, and no others."""

    def __init__(self) -> None:
        self._open: list[str] = []
        """The closing brackets that are still to come."""
        self._count = dict.fromkeys(_CLOSING.values(), 0)
        """How many of each they are."""
        self._is_over = False

    def mended(self, mark: str) -> str:
        """Return a bracket or a colon, after the brackets that have to be closed before it; "" for a surplus one."""
        if mark in _CLOSING:
            self._open.append(_CLOSING[mark])
            self._count[_CLOSING[mark]] += 1
            return mark
        if mark == ":":
            return mark
        if not self._count[mark]:
            return "" if self._is_over else mark
        closed: list[str] = []
        while not closed or closed[-1] != mark:
            closed.append(self._open.pop())
            self._count[closed[-1]] -= 1
        self._is_over = not self._open
        return "".join(closed)

    def rest(self) -> str:
        """Return the brackets that are missing at the end."""
        return "".join(reversed(self._open))


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _escape(found: re.Match[str]) -> str:
    raw = found[0]
    if _GOOD.fullmatch(raw) is not None:
        return raw
    if raw == r"\'":
        return "'"
    return spaced(raw)[1:-1]


def _python_string(raw: str) -> str | None:
    if "\\" not in raw:
        return raw[1:-1]
    if _ESCAPED.fullmatch(raw) is None:
        return None
    value: object = literal(raw)
    return value if isinstance(value, str) else None
