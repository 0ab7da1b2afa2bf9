"""JSON as people and Python's `repr` write it, made JSON: only what can be read in one way is mended.

Commas before a closing bracket go; strings in single quotes and `True`, `False`, `None` get JSON's spelling. What is
read as a Python string is one token each, so that nothing is evaluated and the time is linear.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from ..json_values.jsontext import parse, spaced

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)|(?P<comma>,)|(?P<mark>[\[\]{}:])|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")"""
    r"""|(?P<quoted>'[^'\\\n]*(?:\\.[^'\\\n]*)*')|(?P<word>[A-Za-z0-9+.-]+)""",
    re.S,
)
_ESCAPED: Final = re.compile(r"""(?:[^\\]|\\(?:['"\\nrtbfav]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*""")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def repair(text: str) -> str | None:
    """The JSON text that is meant, white space kept; None where it is JSON already or where that cannot be known."""
    out: list[str] = []
    comma: int | None = None
    before, at = "[", 0
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
        elif raw == "," and before in ("[", "{", ":", ","):
            return None
        if kind != "space":
            comma, before = len(out) if kind == "comma" else None, raw
        out.append(raw)
    mended = "".join(out)
    return mended if mended != text and parse(mended) is not None else None


def _python_string(raw: str) -> str | None:
    if "\\" not in raw:
        return raw[1:-1]
    if _ESCAPED.fullmatch(raw) is None:
        return None
    try:
        value: object = ast.literal_eval(raw)
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, str) else None
