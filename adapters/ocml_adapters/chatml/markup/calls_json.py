"""Read and write a call as JSON: `{"name": "f", "arguments": {…}}`, which stands between `<tool_call>` tags.

JSON that is not quite right is repaired, and JSON that breaks off is read as far as it names its function.
"""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.json_values.jsontext import Span, parse, spaced
from ocml_bridge.text.calls import SPACE, is_embedded, may_have_arguments, members_alone, remark_call
from ocml_bridge.text.repair import repair

from .calls import Call
from .spelling import escape, unescape

_KEYS: Final = ("arguments", "parameters", "input", "args")
"""The keys that the arguments may have, in the order in which they count."""
_WRAPPER: Final = "function"
"""The key under which a call of the API has its name and its arguments."""
_HEAD: Final = re.compile(
    r"""\s*\{\s*"name"\s*:\s*(?P<name>"(?:[^"\\]|\\.)*+")\s*,\s*"(?:arguments|parameters|input|args)"\s*:\s*""", re.S
)


def read_call(text: str, *, brackets: bool = False) -> Call | None:
    """Return the call that a text describes; None if it does not name its function, or may have other arguments.

    Args:
        text: the text.
        brackets: whether closing brackets are mended; the text must be complete then.
    """
    fields, repaired = members_alone(text), False
    if fields is None:
        mended = _without_doubled(text) or repair(text.strip(SPACE), brackets=brackets)
        fields, repaired = (None if mended is None else members_alone(mended)), True
    inner = None if fields is None or "name" in fields else fields.get(_WRAPPER)
    if inner is not None and isinstance(inner.value, dict):
        fields, repaired = members_alone(inner.raw), True
    name = None if fields is None else fields.get("name")
    if fields is None or name is None or not isinstance(name.value, str):
        return None
    key = next((key for key in _KEYS if key in fields), None)
    if key is None and may_have_arguments(fields):
        return None
    arguments = "{}" if key is None else _arguments(fields[key])
    return Call(name.value, arguments, repaired=repaired, remark=remark_call(fields, _KEYS))


def read_unfinished(text: str) -> Call | None:
    """Return the call that a text begins to describe; None if it does not name its function yet."""
    head = _HEAD.match(text)
    name = None if head is None else parse(head["name"])
    if head is None or name is None:
        return None
    return Call(name.value, unescape(text[head.end() :]), whole=False)


def _without_doubled(text: str) -> str | None:
    """Return an object without doubled braces around it, or None if it has none."""
    text = text.strip(SPACE)
    doubled = text.startswith("{{") and text.endswith("}}") and members_alone(text[1:-1]) is not None
    return text[1:-1] if doubled else None


def _arguments(span: Span) -> str:
    """Return the text of arguments; of a JSON string, the text that it encodes."""
    return span.value if isinstance(span.value, str) else unescape(span.raw)


def write_call(call: Call) -> str:
    """Return the JSON object of a call, which `read_call` reads back; of an unfinished call, its beginning."""
    if not call.whole:
        return escape(f'{{"name": {spaced(call.name)}, "arguments": {call.arguments}')
    arguments = call.arguments if is_embedded(call.arguments) else spaced(call.arguments)
    return escape(f'{{"name": {spaced(call.name)}, "arguments": {arguments}}}')
