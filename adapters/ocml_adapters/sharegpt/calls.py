"""Read and write the value of a turn with calls, and the column with the declared tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, without
from ocml_bridge.json_values.jsontext import Span
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Tool
from ocml_bridge.text.functions import read_function, write_function

from .syntax import HOME, NOTES

_ARGUMENTS: Final = ("arguments", "parameters")
_CALL: Final = "call"
"""The key of a call's extras for the other members of its object."""


class Call(NamedTuple):
    """A call in a value.

    Attributes:
        recipient: the tool.
        arguments: the text of its arguments.
        others: the other members of its object.
    """

    recipient: str
    arguments: str
    others: Object


def read_calls(text: str) -> list[Call] | None:
    """Return the calls of a value; None if it has none, or one is not understood."""
    span = jsontext.parse(text)
    if span is None:
        return None
    texts = _elements(text) if isinstance(span.value, ARRAY) else [text]
    calls = [_read_call(each) for each in texts or ()] or [None]
    return None if None in calls else [call for call in calls if call is not None]


def _elements(text: str) -> list[str] | None:
    """Return the texts of the elements of a JSON list."""
    out: list[str] = []
    at = text.index("[") + 1
    while (element := jsontext.value_at(text, at)) is not None:
        end = element[1]
        out.append(text[at:end].strip())
        at = cast("re.Match[str]", _SPACE.match(text, end)).end()
        if not text.startswith(",", at):
            return out
        at += 1
    return None


_SPACE: Final = re.compile(r"[ \t\r\n]*")


def _read_call(text: str) -> Call | None:
    parsed = jsontext.members(text)
    if parsed is None:
        return None
    members = parsed[0]
    name = members["name"].value if "name" in members else None
    key = next((key for key in _ARGUMENTS if key in members), None)
    if not isinstance(name, str):
        return None
    arguments = "{}" if key is None else _text_of(members[key])
    others = {other: span.value for other, span in members.items() if other not in ("name", key)}
    return Call(recipient_of(name), arguments, others)


def _text_of(span: Span) -> str:
    return span.value if isinstance(span.value, str) else span.raw


def write_calls(calls: Sequence[Message]) -> str:
    """Return the value of a turn with calls."""
    texts = list(map(_write_call, calls))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _write_call(call: Message) -> str:
    content = call.content if isinstance(call.content, str) else ""
    arguments = content if is_json(content) else jsontext.spaced(content)
    others = "".join(
        f", {jsontext.spaced(key)}: {jsontext.spaced(value)}"
        for key, value in others_of(call).items()
        if key not in ("name", *_ARGUMENTS)
    )
    return f'{{"name": {jsontext.spaced(name_of(call.recipient or ""))}, "arguments": {arguments}{others}}}'


def is_json(content: str) -> bool:
    """Return whether arguments are JSON, other than a string, which is part of the value unchanged."""
    span = jsontext.parse(content) if content == content.strip() else None
    return span is not None and not isinstance(span.value, str)


def may_nest_deep(content: str) -> bool:
    """Return whether arguments may be nested too deep to be part of a value."""
    return content.count("{") + content.count("[") > _DEEP


_DEEP: Final = 100
"""The number of brackets from which the depth of arguments is not certain without parsing them."""


def others_of(call: Message) -> Object:
    """Return the other members of a call's object."""
    return members_of(NOTES.of(call.extras).get(_CALL))


def extras_of(call: Call) -> Object:
    """Return the extras of a call's message."""
    return {_CALL: call.others} if call.others else {}


# --- plans ------------------------------------------------------------------------------------------------------------

_DEFAULT: Final = re.compile(r'\{"name": "([\w.-]{1,100})", "arguments": (\{.*\})\}', re.DOTALL | re.ASCII)


class Skeleton(NamedTuple):
    """A value with one call, as the writer writes it.

    Attributes:
        name: the name of the function.
        arguments: the arguments, an object as text.
    """

    name: str
    arguments: str


def skeleton_of(value: str) -> Skeleton | None:
    """Return the name and the arguments of a value that is one call as the writer writes it; None for any other."""
    match = _DEFAULT.fullmatch(value)
    if match is None or may_nest_deep(match[2]) or not is_json(match[2]):
        return None
    return Skeleton(match[1], match[2])


def with_arguments(value: str, text: str) -> str:
    """Return a value that has a skeleton, with a text inside an object as its arguments."""
    skeleton = skeleton_of(value)
    assert skeleton is not None
    return f'{{"name": "{skeleton.name}", "arguments": {{{jsontext.spaced(text)}: 0}}}}'


# --- declared tools ---------------------------------------------------------------------------------------------------

_FUNCTION: Final = "function"
_AROUND: Final = "around"
"""Keys of a tool's extras: other members of its function, and members of the object around that."""


class Declared(NamedTuple):
    """The tools of a column, and the value of the column if the writer would write it otherwise, else None."""

    tools: tuple[Tool, ...]
    stored: Json


def read_column(value: Json) -> Declared | None:
    """Return the tools of a column; None if its value is no list of functions."""
    tools = _read(value)
    if tools is None:
        return None
    return Declared(tools, None if write_column(tools, None) == value else value)


def _read(value: Json) -> tuple[Tool, ...] | None:
    if isinstance(value, str):
        span = jsontext.parse(value)
        value = None if span is None else span.value
    if not isinstance(value, ARRAY):
        return None
    tools = [_read_tool(item) for item in cast("list[Json]", value)]
    return None if None in tools else tuple(tool for tool in tools if tool is not None)


def _read_tool(item: Json) -> Tool | None:
    if not isinstance(item, OBJECT):
        return None
    outer = cast("Object", item)
    wrapped = outer.get("type") == _FUNCTION and isinstance(outer.get(_FUNCTION), OBJECT)
    function = read_function(outer[_FUNCTION] if wrapped else outer)
    if function is None:
        return None
    tool, others = function
    around = without(outer, "type", _FUNCTION) if wrapped else {}
    extras: dict[str, Any] = {key: members for key, members in ((_FUNCTION, others), (_AROUND, around)) if members}
    tool.extras = {HOME: extras} if extras else None
    return tool


def write_column(tools: Sequence[Tool], stored: Json) -> Json:
    """Return the column of tools.

    Args:
        tools: the tools.
        stored: the stored value of the column, which is used if it still has these tools; None if none is stored.
    """
    if stored is not None and _read(stored) == _as_read(tools):
        return stored
    return jsontext.spaced([_write_tool(tool) for tool in tools])


def _as_read(tools: Sequence[Tool]) -> tuple[Tool, ...] | None:
    return _read([_write_tool(tool) for tool in tools])


def _write_tool(tool: Tool) -> Object:
    extras = NOTES.of(tool.extras)
    others, around = (extras.get(key) for key in (_FUNCTION, _AROUND))
    function = write_function(tool, members_of(others))
    if not isinstance(around, dict) or not around:
        return function
    outer = without(cast("Object", around), "type", _FUNCTION)
    return {"type": _FUNCTION, _FUNCTION: function, **outer}
