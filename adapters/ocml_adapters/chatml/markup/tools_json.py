"""Declared tools as JSON: each as Chat Completions declares it, on a line of its own or in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.jsontext import parse, spaced, value_at
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.edges import by_format
from ocml_bridge.text.functions import read_function, write_function

from ..syntax import HOME
from .escape import escape

_FUNCTION: Final = "function"


def read_lines(text: str) -> tuple[Tool, ...] | None:
    """The tools of a text with one JSON object behind the other; None where anything else stands in it."""
    tools: list[Tool] = []
    at = 0
    while text[at:].strip():
        found = value_at(text, at)
        tool = None if found is None else read_tool(found[0])
        if found is None or tool is None:
            return None
        tools.append(tool)
        at = found[1]
    return tuple(tools)


def write_lines(tools: Sequence[Tool]) -> str:
    """Tools as JSON objects, each behind a line break."""
    return "".join(f"\n{write_tool(tool)}" for tool in tools)


def read_list(text: str) -> tuple[Tool, ...] | None:
    """The tools of a JSON list; None for anything else."""
    span = parse(text)
    value: Json = None if span is None else span.value
    if not isinstance(value, list):
        return None
    tools = [read_tool(item) for item in cast("list[Json]", value)]
    return None if None in tools else cast("tuple[Tool, ...]", tuple(tools))


def write_list(tools: Sequence[Tool]) -> str:
    """Tools as a JSON list."""
    return f"[{', '.join(map(write_tool, tools))}]"


def read_tool(value: Json) -> Tool | None:
    """The tool that a JSON value declares; None where it declares none."""
    item = _as_object(value)
    inner = _as_object(item.get(_FUNCTION)) if _FUNCTION in item else item
    declared = read_function(inner)
    if declared is None:
        return None
    tool, others = declared
    extras: dict[str, Json] = {_FUNCTION: others} if others else {}
    if inner is not item and (around := {key: other for key, other in item.items() if key not in ("type", _FUNCTION)}):
        extras["around"] = around
    tool.extras = by_format(HOME, extras)
    return tool


def _as_object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def write_tool(tool: Tool) -> str:
    """The JSON object that declares a tool; what a tool does not say is left out."""
    extras = (tool.extras or {}).get(HOME, {})
    around = _as_object(extras.get("around"))
    function = write_function(tool, _as_object(extras.get(_FUNCTION)))
    others = {key: value for key, value in around.items() if key not in ("type", _FUNCTION)}
    item = {"type": _FUNCTION, _FUNCTION: function, **others}
    return escape(spaced(item))
