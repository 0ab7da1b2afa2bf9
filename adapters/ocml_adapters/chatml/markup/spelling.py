r"""JSON text as the templates spell it, token by token: `json.dumps`, Python's `repr`, Python's `str`.

Templates are given parsed JSON and write it anew. Here each token is written anew, so that keys keep their order, and
a number that a float does not hold keeps its digits.

A string may hold tokens escaped (`\u003ctool_call>`), so that they are none to anyone.
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
_SPACED: Final = {",": ", ", ":": ": "}


def as_json(raw: str) -> str:
    """JSON text in the spelling of `json.dumps(…, ensure_ascii=False)`."""
    known = respaced(raw)
    if known is not None:
        return known
    return "".join(_json_token(found[0]) for found in _TOKEN.finditer(raw))


def as_python(raw: str) -> str:
    """JSON text in the spelling of Python's `repr`."""
    return "".join(_python_token(found[0]) for found in _TOKEN.finditer(raw))


def word(raw: str) -> str:
    """A JSON scalar that is no string, as Python's `str` spells it."""
    return _WORDS.get(raw) or number(raw)


def number(raw: str) -> str:
    """A JSON number as Python spells it; as it stands where Python's float would be another number."""
    if raw.lstrip("-").isdigit():
        return raw
    value = float(raw)
    if isinf(value) or (value == 0 and re.search("[1-9]", re.split("[eE]", raw)[0])):
        return raw
    spelled = repr(value)
    return spelled if Decimal(spelled) == Decimal(raw) else raw


def object_of(arguments: str) -> dict[str, Span] | None:
    """The members of a JSON object and of nothing else, each with its text; None for other text."""
    span = parse(arguments)
    value: Json = None if span is None else span.value
    if not isinstance(value, dict):
        return None
    values = cast("dict[str, Json]", value)
    if spaced(values) == arguments:
        return {name: Span(each, spaced(each)) for name, each in values.items()}
    found = members(arguments)
    return found[0] if found is not None and not arguments[found[1] :].strip() else None


def same_json(one: str, other: str) -> bool:
    """Whether two texts are the same JSON, spaces and spelling aside."""
    first, second = parse(one), parse(other)
    return first is not None and second is not None and as_json(one) == as_json(other)


def is_writable(text: str) -> bool:
    """Whether a text can be written at all: no half of a surrogate pair stands in it."""
    return _SURROGATE.search(text) is None


def _json_token(raw: str) -> str:
    if raw[0] == '"':
        value = json.loads(raw, strict=False)
        return spaced(value) if is_writable(value) else raw
    return raw if raw in _WORDS else _mark(raw) or number(raw)


def _python_token(raw: str) -> str:
    if raw[0] == '"':
        return repr(json.loads(raw, strict=False))
    return _mark(raw) or word(raw)


def _mark(raw: str) -> str:
    """A mark of punctuation with the space behind it; "" for anything else."""
    return _SPACED.get(raw, raw if raw in "[]{}" else "")


# --- tokens inside JSON -----------------------------------------------------------------------------------------------

_ESCAPE: Final = "\\u003c"


@cache
def _escaped() -> re.Pattern[str]:
    """An escaped `<` that a token would begin with, behind any escaped backslashes."""
    return re.compile(rf"(?<!\\)((?:\\\\)*)\\u003c(?={'|'.join(re.escape(token[1:]) for token in MARKED)})")


def escape(text: str) -> str:
    """JSON text without tokens: outside of strings there are none."""
    return text if MARKS.is_free(text) else MARKS.plain.sub(lambda token: _ESCAPE + token[0][1:], text)


def unescape(text: str) -> str:
    """JSON text as it was before `escape`."""
    return _escaped().sub(r"\1<", text) if _ESCAPE in text else text
