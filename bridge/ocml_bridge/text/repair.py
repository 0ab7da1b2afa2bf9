"""Repair almost-JSON, as people and Python's `repr` write it, if it can be read in only one way.

A comma before a closing bracket is removed; strings in single quotes and `True`, `False`, `None` are written as JSON.
Only single string tokens are evaluated as Python, so the text cannot run code, and the time is linear.
"""

from __future__ import annotations

import re
from typing import Final

from ..common.python_code import literal
from ..json_values.jsontext import parse, spaced

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)|(?P<comma>,)|(?P<mark>[\[\]{}:])|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")"""
    r"""|(?P<quoted>'[^'\\\n]*(?:\\.[^'\\\n]*)*')|(?P<word>[A-Za-z0-9+.-]+)""",
    re.S,
)
_ESCAPED: Final = re.compile(r"""(?:[^\\]|\\(?:['"\\nrtbfav]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*""")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def repair(text: str) -> str | None:
    """Return the repaired JSON text with its white space, or None if the text is JSON already or cannot be repaired."""
    out: list[str] = []
    comma: int | None = None
    previous, at = "[", 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at, kind, raw = token.end(), token.lastgroup, token[0]
        if kind == "quoted":
            value = _python_string(raw)
            if value is None:
                return None
            raw = spaced(value)
        elif kind == "word":
            raw = _WORDS.get(raw, raw)
        elif raw in ("]", "}") and comma is not None:
            out[comma] = ""
        elif raw == "," and previous in ("[", "{", ":", ","):
            return None
        if kind != "space":
            comma, previous = len(out) if kind == "comma" else None, raw
        out.append(raw)
    repaired = "".join(out)
    return repaired if repaired != text and parse(repaired) is not None else None


def _python_string(raw: str) -> str | None:
    if "\\" not in raw:
        return raw[1:-1]
    if _ESCAPED.fullmatch(raw) is None:
        return None
    value: object = literal(raw)
    return value if isinstance(value, str) else None
