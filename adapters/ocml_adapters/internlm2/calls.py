"""Read and write one call ("Function Call", "Code Interpreter")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values.jsontext import spaced
from ocml_bridge.text.calls import SPACE, constraint_of, is_embedded, may_have_arguments, members_alone, remark_call
from ocml_bridge.text.repair import repair

from .syntax import PYTHON

_FENCED: Final = re.compile(r"(?P<fence>`{3,})[^`\n]*\n(?P<code>.*)\n(?P=fence)", re.S)
_FENCE: Final = re.compile(r"^`{3,}", re.M)
_KEYS: Final = ("parameters", "arguments", "args")


@dataclass(slots=True)
class Call:
    """One call.

    Attributes:
        recipient: the tool, with its namespace.
        content: the text of the arguments, or the code.
        constraint: `json` if the arguments are JSON.
        repaired: whether its JSON was repaired.
        remark: the sentence about members that are only kept in the layout, or None.
    """

    recipient: str
    content: str
    constraint: str | None
    repaired: bool = False
    remark: str | None = None


def read_plugin(body: str, *, closed: bool = False) -> Call | None:
    """Read a call from its JSON object; None if the body is not one.

    Args:
        body: the raw text.
        closed: whether it has its end token, so that brackets that are missing were forgotten and not cut off.
    """
    members, repaired = members_alone(body), False
    if members is None:
        mended = repair(body, brackets=closed)
        members, repaired = members_alone(mended) if mended is not None else None, True
    name = members.get("name") if members is not None else None
    if members is None or name is None or not isinstance(name.value, str):
        return None
    span = next((members[key] for key in _KEYS if key in members), None)
    if span is None and may_have_arguments(members):
        return None
    if span is None or not isinstance(span.value, str):
        content, constraint = "{}" if span is None else span.raw, "json"
    else:
        content, constraint = span.value, constraint_of(span.value)
    return Call(recipient_of(name.value), content, constraint, repaired, remark_call(members, _KEYS))


def write_plugin(recipient: str, content: str, key: str) -> str:
    """Write the JSON object of a call, with its arguments under `key`; `read_plugin` reads it back."""
    arguments = content if is_embedded(content) else spaced(content)
    return f'{{"name": {spaced(name_of(recipient))}, "{key}": {arguments}}}'


def read_code(body: str) -> Call:
    """Read code; the fence is removed if exactly one fence wraps all of it."""
    match = _FENCED.fullmatch(body.rstrip(SPACE))
    if match is None or any(len(line[0]) >= len(match["fence"]) for line in _FENCE.finditer(match["code"])):
        return Call(PYTHON, body, None)
    return Call(PYTHON, match["code"], None)


def write_code(code: str) -> str:
    """Write code in a fence that is longer than any fence in it."""
    fence = "`" * max((len(line[0]) + 1 for line in _FENCE.finditer(code)), default=3)
    return f"{fence}python\n{code}\n{fence}"
