"""The column of declared tools: the JSON text of a list of functions, or the list itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge import jsontext
from ocml_bridge.form import ARRAY, OBJECT, Object
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.functions import read_function, write_function

from .syntax import HOME, NOTES

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
