r"""Spell JSON as the templates do, token by token: as `json.dumps`, Python's `repr` or Python's `str`.

Templates parse JSON and write it anew. Here each token is written anew, so that the order of keys stays, and so do the
digits of a number that a float does not hold. Tokens of a format inside strings are escaped (`\u003ctool_call>`).
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from math import isinf
from typing import Final, cast

from ocml_bridge.json_values.jsontext import Span, members, parse, respaced, spaced
from ocml_bridge.model import Json

from ..syntax import MARKED, MARKS

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.0-9eE]+|true|false|null|[\[\]{}:,]', re.S)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
JSON_WORDS: Final = {python: word for word, python in _WORDS.items()}
"""Literal of Python → the word of JSON."""
_SPACED: Final = {",": ", ", ":": ": "}


def as_json(raw: str) -> str:
    """Return JSON in the spelling of `json.dumps(…, ensure_ascii=False)`."""
    respelled = respaced(raw)
    if respelled is not None:
        return respelled
    return "".join(_json_token(token[0]) for token in _TOKEN.finditer(raw))


def as_python(raw: str) -> str:
    """Return JSON in the spelling of Python's `repr`."""
    return "".join(_python_token(token[0]) for token in _TOKEN.finditer(raw))


def word(raw: str) -> str:
    """Return a JSON scalar, but no string, in the spelling of Python's `str`."""
    return _WORDS.get(raw) or number(raw)


def number(raw: str) -> str:
    """Return a JSON number as Python spells it, or unchanged if it is not the same number as a float."""
    if raw.lstrip("-").isdigit():
        return raw
    value = float(raw)
    if isinf(value) or (value == 0 and re.search("[1-9]", re.split("[eE]", raw)[0])):
        return raw
    spelled = repr(value)
    return spelled if Decimal(spelled) == Decimal(raw) else raw


def object_of(arguments: str) -> dict[str, Span] | None:
    """Return the members of a JSON object, each with its raw text; None for any other text."""
    span = parse(arguments)
    value: Json = None if span is None else span.value
    if not isinstance(value, dict):
        return None
    values = cast("dict[str, Json]", value)
    if spaced(values) == arguments:
        return {name: Span(each, spaced(each)) for name, each in values.items()}
    parsed = members(arguments)
    return parsed[0] if parsed is not None and not arguments[parsed[1] :].strip() else None


def same_json(one: str, other: str) -> bool:
    """Return whether two texts are the same JSON, apart from white space and spelling."""
    first, second = parse(one), parse(other)
    return first is not None and second is not None and as_json(one) == as_json(other)


def is_writable(text: str) -> bool:
    """Return whether a text can be encoded: it has no half of a surrogate pair."""
    return _SURROGATE.search(text) is None


def _json_token(raw: str) -> str:
    if raw[0] == '"':
        value = json.loads(raw, strict=False)
        return spaced(value) if is_writable(value) else raw
    return raw if raw in _WORDS else _punctuation(raw) or number(raw)


def _python_token(raw: str) -> str:
    if raw[0] == '"':
        return repr(json.loads(raw, strict=False))
    return _punctuation(raw) or word(raw)


def _punctuation(raw: str) -> str:
    """Return a punctuation mark of JSON with the space after it; "" for any other token."""
    return _SPACED.get(raw, raw if raw in "[]{}" else "")


# --- tokens inside JSON -----------------------------------------------------------------------------------------------

_ESCAPE: Final = "\\u003c"


@cache
def _escaped_token() -> re.Pattern[str]:
    """Return the pattern of an escaped `<` that begins a token, after any number of escaped backslashes."""
    return re.compile(rf"(?<!\\)((?:\\\\)*)\\u003c(?={'|'.join(re.escape(token[1:]) for token in MARKED)})")


def escape(text: str) -> str:
    """Return JSON with the `<` of its tokens escaped; outside strings JSON has none."""
    return text if MARKS.is_free(text) else MARKS.plain.sub(lambda token: _ESCAPE + token[0][1:], text)


def unescape(text: str) -> str:
    """Return JSON as it was before `escape`."""
    return _escaped_token().sub(r"\1<", text) if _ESCAPE in text else text
