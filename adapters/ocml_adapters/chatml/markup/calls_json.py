"""Calls as JSON (Hermes, Qwen): `{"name": "f", "arguments": {…}}`."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.jsontext import Span, members, parse, spaced
from ocml_bridge.text.calls import SPACE, members_alone, remark_call
from ocml_bridge.text.repair import repair

from .calls import Call
from .spelling import escape, unescape

_KEYS: Final = ("arguments", "parameters")
_HEAD: Final = re.compile(
    r"""\s*\{\s*"name"\s*:\s*(?P<name>"(?:[^"\\]|\\.)*+")\s*,\s*"(?:arguments|parameters)"\s*:\s*""", re.S
)


def read_call(text: str) -> Call | None:
    """The call that a text describes; None where it does not say what is called."""
    found, repaired = members_alone(text), False
    if found is None:
        mended = _without_doubled(text) or repair(text.strip(SPACE))
        found, repaired = (None if mended is None else members_alone(mended)), True
    name = None if found is None else found.get("name")
    if found is None or name is None or not isinstance(name.value, str):
        return None
    given = [found[key] for key in _KEYS if key in found]
    arguments = _arguments(given[0]) if given else "{}"
    return Call(name.value, arguments, repaired=repaired, remark=remark_call(found, _KEYS))


def behind_object(text: str) -> tuple[str, str]:
    """A text as the JSON object that it begins with, and what stands behind; the latter is "" where it is none."""
    found = members(text)
    return (text, "") if found is None else (text[: found[1]], text[found[1] :])


def read_broken(text: str) -> Call | None:
    """The call that a text begins to describe; None where what is called is not there yet."""
    found = _HEAD.match(text)
    name = None if found is None else parse(found["name"])
    if found is None or name is None:
        return None
    return Call(name.value, unescape(text[found.end() :]), whole=False)


def _without_doubled(text: str) -> str | None:
    """An object without the braces that stand around it a second time."""
    text = text.strip(SPACE)
    return (
        text[1:-1] if text.startswith("{{") and text.endswith("}}") and members_alone(text[1:-1]) is not None else None
    )


def _arguments(given: Span) -> str:
    """The text of arguments: an encoded string is what it encodes."""
    return given.value if isinstance(given.value, str) else unescape(given.raw)


def write_call(call: Call) -> str:
    """The JSON object of a call, so that `read_call` gives it back; of one that broke off, what there is of it."""
    if not call.whole:
        return escape(f'{{"name": {spaced(call.name)}, "arguments": {call.arguments}')
    arguments = call.arguments if is_embedded(call.arguments) else spaced(call.arguments)
    return escape(f'{{"name": {spaced(call.name)}, "arguments": {arguments}}}')


def is_embedded(arguments: str) -> bool:
    """Whether arguments stand in a call as they are; others stand there as a string."""
    span = parse(arguments)
    return span is not None and not isinstance(span.value, str) and arguments.strip(SPACE) == arguments
