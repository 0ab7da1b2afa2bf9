"""Turn literals of Python, token by token, into JSON: nothing is evaluated, and the time is linear."""

from __future__ import annotations

import json
import re
from typing import Final

from ocml_bridge.json_values.jsontext import parse, spaced

from .spelling import JSON_WORDS, is_writable

_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|(.))", re.S
)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": ""}
_ITSELF: Final = "\\'\"/"
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
TRIPLE: Final = re.compile(r"""(?P<quotes>'{3}|"{3})(?:[^\\]|\\.)*?(?P=quotes)""", re.S)
"""A string in three quotes."""
_NUMBER: Final = re.compile(r"\+?(-?)(?=\.?[0-9])0*([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+)?")


class BrokenError(Exception):
    """The text is not a literal, or not a list of calls."""


def json_of(kind: str, raw: str) -> str:
    """Return a token as JSON.

    Raises:
        BrokenError: for a mark that JSON does not have.
    """
    match kind:
        case "triple":
            return quoted(_unescaped(raw[3:-3]))
        case "single":
            return quoted(_unescaped(raw[1:-1]))
        case "double":
            span = parse(raw)
            return raw if span is not None else quoted(_unescaped(raw[1:-1]))
        case "mark" if raw in "()=":
            raise BrokenError
        case "mark":
            return {",": ", ", ":": ": "}.get(raw, raw)
        case _:
            return JSON_WORDS.get(raw, raw)


def number_of(text: str) -> str | None:
    """Return a number as JSON: without a plus sign and zeros before it, with digits around its point; else None."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, whole, fraction, exponent = found.groups()
    point = "" if fraction is None else f".{fraction or '0'}"
    return f"{sign}{whole or '0'}{point}{exponent or ''}"


def quoted(value: str) -> str:
    """Return a string as JSON."""
    return spaced(value) if is_writable(value) else json.dumps(value)


def _unescaped(text: str) -> str:
    """Return the text of a string, without the escapes of Python and JSON; other backslashes stay, as in Python."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_character, text)
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    if digits:
        return chr(int(digits, 16))
    return escape[4] if escape[4] in _ITSELF else _SHORT.get(escape[4], escape[0])
