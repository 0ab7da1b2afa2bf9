"""The body of one call ↔ recipient and arguments ("Function Call", "Code Interpreter")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ocml_bridge.jsontext import Span, members, parse, spaced
from ocml_bridge.text.repair import repair
from ocml_bridge.turns import name_of, recipient_of

from .syntax import PYTHON

_SPACE: Final = " \t\r\n"
_FENCED: Final = re.compile(r"(?P<fence>`{3,})[^`\n]*\n(?P<code>.*)\n(?P=fence)", re.S)
_FENCE: Final = re.compile(r"^`{3,}", re.M)
_KEYS: Final = ("parameters", "arguments")


@dataclass(slots=True)
class Call:
    """What one call says.

    Attributes:
        recipient: the tool, with its namespace.
        content: the arguments' text, or code.
        constraint: `json` where the arguments are JSON.
        repaired: whether the body had to be mended.
        remark: what of the body is kept as spelling only, or None.
    """

    recipient: str
    content: str
    constraint: str | None
    repaired: bool = False
    remark: str | None = None


def read_plugin(body: str) -> Call | None:
    """The call that a JSON object describes; None where the body is not one."""
    found, repaired = _object(body), False
    if found is None:
        mended = repair(body)
        found, repaired = _object(mended) if mended is not None else None, True
    name = found.get("name") if found is not None else None
    if found is None or name is None or not isinstance(name.value, str):
        return None
    given = [found[key] for key in _KEYS if key in found]
    content = _arguments(given[0]) if given else "{}"
    constraint = "json" if given and not isinstance(given[0].value, str) else constraint_of(content)
    return Call(recipient_of(name.value), content, constraint, repaired, _remark(found, given))


def _object(text: str) -> dict[str, Span] | None:
    found = members(text)
    return found[0] if found is not None and not text[found[1] :].strip(_SPACE) else None


def _arguments(given: Span) -> str:
    """The arguments' text: an encoded string is what it encodes."""
    return given.value if isinstance(given.value, str) else given.raw


def _remark(found: dict[str, Span], given: list[Span]) -> str | None:
    if not given:
        return "the call has no parameters; the call is read without arguments"
    if len(given) > 1 and given[0].value != given[1].value:
        return "'parameters' and 'arguments' differ; 'parameters' is read"
    others = [key for key in found if key not in {"name", *_KEYS}]
    return f"the call has further keys ({', '.join(others)}); only the same format keeps them" if others else None


def write_plugin(recipient: str, content: str, key: str) -> str:
    """The JSON object of a call with its arguments under a key, so that `read_plugin` gives both back."""
    return f'{{"name": {spaced(name_of(recipient))}, "{key}": {_embedded(content)}}}'


def _embedded(content: str) -> str:
    """JSON as it is; what is not JSON, or would be read as an encoded string, as a string."""
    return content if is_embedded(content) else spaced(content)


def is_embedded(content: str) -> bool:
    """Whether arguments stand in a call as they are."""
    span = parse(content)
    return span is not None and not isinstance(span.value, str) and content.strip(_SPACE) == content


def constraint_of(content: str) -> str | None:
    """`json` where arguments are JSON."""
    return "json" if parse(content) is not None else None


def read_code(body: str) -> Call:
    """Code, without its fence where exactly one wraps it."""
    found = _FENCED.fullmatch(body.rstrip(_SPACE))
    if found is None or any(len(line[0]) >= len(found["fence"]) for line in _FENCE.finditer(found["code"])):
        return Call(PYTHON, body, None)
    return Call(PYTHON, found["code"], None)


def write_code(code: str) -> str:
    """Code in a fence that is longer than any in it."""
    fence = "`" * max((len(line[0]) + 1 for line in _FENCE.finditer(code)), default=3)
    return f"{fence}python\n{code}\n{fence}"
