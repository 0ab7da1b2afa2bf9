"""Read and write declared tools as JSON, as Chat Completions declares them: one on each line, or in a list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, cast

from ocml_bridge.json_values.jsontext import parse, spaced, value_at
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.calls import after_space
from ocml_bridge.text.functions import read_function, write_function

from ..syntax import NOTES
from .spelling import escape

_FUNCTION: Final = "function"


def read_lines(text: str) -> tuple[Tool, ...] | None:
    """Return the tools of JSON objects that follow one another; None if the text has anything else."""
    return _listed(_values(text))


def write_lines(tools: Sequence[Tool]) -> str:
    """Return tools as JSON objects, each after a line break."""
    return "".join(f"\n{write_tool(tool)}" for tool in tools)


def read_list(text: str) -> tuple[Tool, ...] | None:
    """Return the tools of a JSON list; None for any other text."""
    span = parse(text)
    return None if span is None else _listed(span.value)


def read_lists(text: str) -> tuple[Tool, ...] | None:
    """Return the tools of JSON lists that follow one another; None if the text has anything else."""
    lists = _values(text)
    flat = None if lists is None or not all(isinstance(each, list) for each in lists) else [*chain.from_iterable(lists)]
    return _listed(flat)


def _values(text: str) -> list[Json] | None:
    """Return the JSON values that follow one another in a text; None if it has anything else."""
    values: list[Json] = []
    at = 0
    while after_space(text, at) < len(text):
        parsed = value_at(text, at)
        if parsed is None:
            return None
        values.append(parsed[0])
        at = parsed[1]
    return values


def _listed(value: Json) -> tuple[Tool, ...] | None:
    """Return the tools of a list; None for any other value."""
    if not isinstance(value, list):
        return None
    tools = [read_tool(item) for item in cast("list[Json]", value)]
    return None if None in tools else cast("tuple[Tool, ...]", tuple(tools))


def write_list(tools: Sequence[Tool]) -> str:
    """Return tools as a JSON list."""
    return f"[{', '.join(map(write_tool, tools))}]"


def write_rows(tools: Sequence[Tool]) -> str:
    """Return tools as a JSON list with a tool on each line."""
    rows = ",\n".join(map(write_tool, tools))
    return f"[{rows}]"


def write_functions(tools: Sequence[Tool]) -> str:
    """Return tools as a JSON list of function objects, without the objects around these; "" for no tools."""
    functions = (write_function(tool, members_of(NOTES.of(tool.extras).get(_FUNCTION))) for tool in tools)
    return f"[{', '.join(escape(spaced(function)) for function in functions)}]" if tools else ""


def read_tool(value: Json) -> Tool | None:
    """Return the tool that a JSON value declares; None if it declares none."""
    item = members_of(value)
    inner = members_of(item.get(_FUNCTION)) if _FUNCTION in item else item
    declared = read_function(inner)
    if declared is None:
        return None
    tool, others = declared
    extras: dict[str, Json] = {_FUNCTION: others} if others else {}
    if inner is not item and (around := {key: other for key, other in item.items() if key not in ("type", _FUNCTION)}):
        extras["around"] = around
    tool.extras = NOTES.by_format(extras)
    return tool


def write_tool(tool: Tool) -> str:
    """Return the JSON object that declares a tool."""
    extras = NOTES.of(tool.extras)
    around = members_of(extras.get("around"))
    function = write_function(tool, members_of(extras.get(_FUNCTION)))
    others = {key: value for key, value in around.items() if key not in ("type", _FUNCTION)}
    item = {"type": _FUNCTION, _FUNCTION: function, **others}
    return escape(spaced(item))
