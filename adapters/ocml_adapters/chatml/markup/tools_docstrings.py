"""Declared tools as Hermes 2 Pro and Hermes 3 get them: as JSON whose descriptions are docstrings of Python functions.

Their template writes neither escapes nor the last brace of a tool, so this is not JSON; both are part of what these
models were trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.jsontext import spaced, value_at
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Tool

_BEGIN: Final = '{"type": "function", "function": {"name": "'
_DESCRIPTION: Final = '", "description": "'
_RETURNS: Final = ") - "
_ARGUMENTS: Final = "\n\n    Args:\n"
_NO_ARGUMENTS: Final = "\n\n"
_PARAMETERS: Final = '", "parameters": '
_TYPES: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "object": "dict"}
_ARRAY: Final = "list[Union[]]"
"""Any list: the template looks for the type of its items in the wrong place."""
_DEPTH: Final = 64


class DocstringTools(NamedTuple):
    """The list of tools as docstrings in JSON."""

    def write(self, tools: Sequence[Tool]) -> str:
        """Return the list of tools."""
        return "\n".join(map(_write_tool, tools))

    def read(self, text: str) -> tuple[Tool, ...] | None:
        """Return the tools of a text; None unless writing them gives exactly this text."""
        tools: list[Tool] = []
        at = 0
        while text.startswith(_BEGIN, at):
            parsed = _read_tool(text, at)
            if parsed is None:
                return None
            tools.append(parsed[0])
            at = parsed[1] + len("\n")
        return tuple(tools) if tools and self.write(tools) == text else None


def _write_tool(tool: Tool) -> str:
    name, properties = full_name(tool), _properties(tool.parameters)
    parameters = spaced(tool.parameters) if properties else "{}"
    return f"{_BEGIN}{name}{_DESCRIPTION}{name}{_docstring(tool, properties)}{_PARAMETERS}{parameters}}}"


def _docstring(tool: Tool, properties: dict[str, Json]) -> str:
    types = {name: _type(schema, _DEPTH) for name, schema in properties.items()}
    signature = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    lines = "".join(f"        {name}({types[name]}): {_description(schema)}" for name, schema in properties.items())
    return f"({signature}{_RETURNS}{tool.description or ''}{_ARGUMENTS if lines else _NO_ARGUMENTS}{lines}"


def _properties(parameters: Json) -> dict[str, Json]:
    return members_of(members_of(parameters).get("properties"))


def _description(schema: Json) -> str:
    description = members_of(schema).get("description")
    return description.strip() if isinstance(description, str) else ""


def _type(schema: Json, depth: int) -> str:
    """Return the Python type of a parameter that the template writes; `Any` for a type that it does not know."""
    fields = members_of(schema)
    kind = fields.get("type")
    if kind == "array":
        return _ARRAY
    if kind == "object" and "additionalProperties" in fields and depth:
        return f"dict[str, {_type(fields['additionalProperties'], depth - 1)}]"
    if isinstance(kind, str):
        return _TYPES.get(kind, "Any")
    if isinstance(kind, list):
        return f"Union[{','.join(_type({'type': each}, 0) for each in cast('list[Json]', kind))}]"
    return "Any" if "type" in fields else "Union[]"


def _read_tool(text: str, at: int) -> tuple[Tool, int] | None:
    """Return the tool that begins at an offset, and the offset after it; None if no tool does."""
    name_at = at + len(_BEGIN)
    name_end = text.find(_DESCRIPTION, name_at)
    parameters_at = text.find(_PARAMETERS, name_end)
    parsed = value_at(text, parameters_at + len(_PARAMETERS)) if 0 <= name_end < parameters_at else None
    if parsed is None:
        return None
    name, docstring = text[name_at:name_end], text[name_end + len(_DESCRIPTION) : parameters_at]
    parameters: Json = parsed[0] or {"type": "object", "properties": {}}
    empty = _docstring(Tool(name), _properties(parameters))
    signature, _, arguments = empty.partition(_RETURNS)
    before, after = f"{name}{signature}{_RETURNS}", arguments
    if len(docstring) < len(before) + len(after):
        return None
    description = docstring[len(before) : len(docstring) - len(after)]
    namespace, bare = split_name(name)
    return Tool(bare, description or None, parameters, namespace), parsed[1] + len("}")
