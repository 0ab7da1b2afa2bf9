"""Declared tools as JSON: each as Chat Completions declares it, on a line of its own or in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.jsontext import parse, spaced, value_at
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.functions import read_function, write_function

from ..syntax import NOTES
from .spelling import escape

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
    tool.extras = NOTES.by_format(extras)
    return tool


def _as_object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def write_tool(tool: Tool) -> str:
    """The JSON object that declares a tool; what a tool does not say is left out."""
    extras = NOTES.of(tool.extras)
    around = _as_object(extras.get("around"))
    function = write_function(tool, _as_object(extras.get(_FUNCTION)))
    others = {key: value for key, value in around.items() if key not in ("type", _FUNCTION)}
    item = {"type": _FUNCTION, _FUNCTION: function, **others}
    return escape(spaced(item))


# --- with docstrings for descriptions ---------------------------------------------------------------------------------
#
# Hermes 2 Pro and Hermes 3 are told of tools as JSON whose descriptions are docstrings of Python functions. Their
# template writes neither escapes nor the last brace of a tool; both are part of what these models were trained on.

_BEGIN: Final = '{"type": "function", "function": {"name": "'
_DESCRIPTION: Final = '", "description": "'
_SAYS: Final = ") - "
_ARGUMENTS: Final = "\n\n    Args:\n"
_NO_ARGUMENTS: Final = "\n\n"
_PARAMETERS: Final = '", "parameters": '
_TYPES: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "object": "dict"}
_ARRAY: Final = "list[Union[]]"
"""Any list: the template looks for the type of its items in the wrong place."""
_DEPTH: Final = 64


class NousTools(NamedTuple):
    """The grammar of tools as docstrings in JSON."""

    def write(self, tools: Sequence[Tool]) -> str:
        """The list of tools."""
        return "\n".join(map(_written, tools))

    def read(self, text: str) -> tuple[Tool, ...] | None:
        """The tools of a text that is exactly what writing them gives; None for any other."""
        tools: list[Tool] = []
        at = 0
        while text.startswith(_BEGIN, at):
            found = _read(text, at)
            if found is None:
                return None
            tools.append(found[0])
            at = found[1] + len("\n")
        return tuple(tools) if tools and self.write(tools) == text else None


def _written(tool: Tool) -> str:
    name, properties = full_name(tool), _properties(tool.parameters)
    parameters = spaced(tool.parameters) if properties else "{}"
    return f"{_BEGIN}{name}{_DESCRIPTION}{name}{_docstring(tool, properties)}{_PARAMETERS}{parameters}}}"


def _docstring(tool: Tool, properties: dict[str, Json]) -> str:
    types = {name: _type(schema, _DEPTH) for name, schema in properties.items()}
    signature = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    lines = "".join(f"        {name}({types[name]}): {_words(schema)}" for name, schema in properties.items())
    return f"({signature}{_SAYS}{tool.description or ''}{_ARGUMENTS if lines else _NO_ARGUMENTS}{lines}"


def _properties(parameters: Json) -> dict[str, Json]:
    found = cast("dict[str, Json]", parameters).get("properties") if isinstance(parameters, dict) else None
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


def _words(schema: Json) -> str:
    description = cast("dict[str, Json]", schema).get("description") if isinstance(schema, dict) else None
    return description.strip() if isinstance(description, str) else ""


def _type(schema: Json, depth: int) -> str:
    """The Python type of a parameter, as the template finds it; what it does not know is `Any`."""
    fields = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    kind = fields.get("type")
    if kind == "array":
        return _ARRAY
    if kind == "object" and "additionalProperties" in fields and depth:
        return f"dict[str, {_type(fields['additionalProperties'], depth - 1)}]"
    if isinstance(kind, str):
        return _TYPES.get(kind, "Any")
    if isinstance(kind, list):
        return f"Union[{','.join(_type({'type': one}, 0) for one in cast('list[Json]', kind))}]"
    return "Any" if "type" in fields else "Union[]"


def _read(text: str, at: int) -> tuple[Tool, int] | None:
    """The tool that begins at an offset, and the offset behind it."""
    name_at = at + len(_BEGIN)
    name_end = text.find(_DESCRIPTION, name_at)
    parameters_at = text.find(_PARAMETERS, name_end)
    found = value_at(text, parameters_at + len(_PARAMETERS)) if 0 <= name_end < parameters_at else None
    if found is None:
        return None
    name, docstring = text[name_at:name_end], text[name_end + len(_DESCRIPTION) : parameters_at]
    parameters: Json = found[0] or {"type": "object", "properties": {}}
    empty = _docstring(Tool(name), _properties(parameters))
    signature, _, arguments = empty.partition(_SAYS)
    before, behind = f"{name}{signature}{_SAYS}", arguments
    if len(docstring) < len(before) + len(behind):
        return None
    description = docstring[len(before) : len(docstring) - len(behind)]
    namespace, bare = split_name(name)
    return Tool(bare, description or None, parameters, namespace), found[1] + len("}")
