"""The value of a turn that calls, and the tools that a row declares: JSON, both ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object
from ocml_bridge.json_values.jsontext import Span
from ocml_bridge.model import Json, Message, Tool
from ocml_bridge.text.functions import read_function, write_function

from .syntax import HOME, NOTES

_ARGUMENTS: Final = ("arguments", "parameters")
_CALL: Final = "call"
"""The key of the extras of a call for what else its object says."""


class Call(NamedTuple):
    """A call as its object says it.

    Attributes:
        recipient: the tool.
        arguments: the text of its arguments.
        others: what else the object says.
    """

    recipient: str
    arguments: str
    others: Object


def read_calls(text: str) -> list[Call] | None:
    """The calls of a value; None for what is none, or cannot be understood."""
    span = jsontext.parse(text)
    if span is None:
        return None
    texts = _elements(text) if isinstance(span.value, ARRAY) else [text]
    calls = [_read_call(each) for each in texts or ()] or [None]
    return None if None in calls else [call for call in calls if call is not None]


def _elements(text: str) -> list[str] | None:
    """The texts of the elements of a JSON list."""
    out: list[str] = []
    at = text.index("[") + 1
    while (found := jsontext.value_at(text, at)) is not None:
        end = found[1]
        out.append(text[at:end].strip())
        at = cast("re.Match[str]", _SPACE.match(text, end)).end()
        if not text.startswith(",", at):
            return out
        at += 1
    return None


_SPACE: Final = re.compile(r"[ \t\r\n]*")


def _read_call(text: str) -> Call | None:
    found = jsontext.members(text)
    if found is None:
        return None
    members = found[0]
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
    """The value of calls."""
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
    """Whether arguments are JSON that stands in the value as it is: anything but a string."""
    span = jsontext.parse(content) if content == content.strip() else None
    return span is not None and not isinstance(span.value, str)


def may_nest_deep(content: str) -> bool:
    """Whether arguments may nest too deep for a value that they stand in."""
    return content.count("{") + content.count("[") > _DEEP


_DEEP: Final = 100


def others_of(call: Message) -> Object:
    """What else the object of a call says."""
    found: Json = NOTES.of(call.extras).get(_CALL)
    return cast("Object", found) if isinstance(found, dict) else {}


def extras_of(call: Call) -> Object:
    """The same as extras of the call's message."""
    return {_CALL: call.others} if call.others else {}


# --- plans ------------------------------------------------------------------------------------------------------------

_PLAIN: Final = re.compile(r'\{"name": "([\w.-]{1,100})", "arguments": (\{.*\})\}', re.DOTALL | re.ASCII)


class Skeleton(NamedTuple):
    """A value of one call as we write it.

    Attributes:
        name: of the function.
        arguments: the text of an object.
    """

    name: str
    arguments: str


def skeleton_of(value: str) -> Skeleton | None:
    """The name and the arguments of a value that is one call, spelled as we spell it; None for any other."""
    found = _PLAIN.fullmatch(value)
    if found is None or may_nest_deep(found[2]) or not is_json(found[2]):
        return None
    return Skeleton(found[1], found[2])


def with_arguments(value: str, text: str) -> str:
    """A value that has a skeleton, with a text in an object for its arguments."""
    found = skeleton_of(value)
    assert found is not None
    return f'{{"name": "{found.name}", "arguments": {{{jsontext.spaced(text)}: 0}}}}'


# --- declared tools ---------------------------------------------------------------------------------------------------

_FUNCTION: Final = "function"
_AROUND: Final = "around"
"""Keys of the extras of a tool: what else its function object says, and the object around that."""


class Declared(NamedTuple):
    """Tools, and the value of their column where we would spell it otherwise."""

    tools: tuple[Tool, ...]
    spelled: Json


def read_column(value: Json) -> Declared | None:
    """The tools of a column; None for what declares none."""
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
    found = read_function(outer[_FUNCTION] if wrapped else outer)
    if found is None:
        return None
    tool, others = found
    around = {key: value for key, value in outer.items() if key not in ("type", _FUNCTION)} if wrapped else {}
    extras: dict[str, Any] = {key: more for key, more in ((_FUNCTION, others), (_AROUND, around)) if more}
    tool.extras = {HOME: extras} if extras else None
    return tool


def write_column(tools: Sequence[Tool], spelled: Json) -> Json:
    """The column of tools.

    Args:
        tools: they.
        spelled: how the column was spelled, if it was; it is so again where it says the same tools.
    """
    if spelled is not None and _read(spelled) == _as_read(tools):
        return spelled
    return jsontext.spaced([_write_tool(tool) for tool in tools])


def _as_read(tools: Sequence[Tool]) -> tuple[Tool, ...] | None:
    return _read([_write_tool(tool) for tool in tools])


def _write_tool(tool: Tool) -> Object:
    extras = NOTES.of(tool.extras)
    others, around = (extras.get(key) for key in (_FUNCTION, _AROUND))
    function = write_function(tool, cast("Object", others) if isinstance(others, dict) else {})
    if not isinstance(around, dict) or not around:
        return function
    more = {key: value for key, value in cast("Object", around).items() if key not in ("type", _FUNCTION)}
    return {"type": _FUNCTION, _FUNCTION: function, **more}
