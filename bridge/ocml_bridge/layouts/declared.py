"""Read the tools that a row declares, with or without wrappers, as those of Chat Completions."""

from __future__ import annotations

from typing import Final

from ..model import Json
from .fitting import as_list, as_object, members_of, without_members
from .layout import Object, misshapen, parsed

TOOLS: Final = "tools"
"""The field of declared tools, in all layouts."""


def tools_of(value: Json, path: str) -> list[Json] | None:
    """Return declared tools as a list, each in its wrapper; None if there are none.

    Args:
        value: a list of tools, with or without wrappers, or its JSON text.
        path: its JSON pointer, for errors.

    Raises:
        BridgeError: OCB-JSON if a text is not JSON; OCB-SHAPE if the value is not a list of tools.
    """
    if isinstance(value, str) and not value.strip():
        return None
    items = parsed(value, path)
    if as_object(items) is not None:
        items = [items]
    listed = as_list(items)
    if listed is None:
        raise misshapen(path, "a list of tools, or its JSON text")
    return [
        _wrapped(tool, f"{path}/{at}")
        for at, item in enumerate(listed)
        for tool in _declarations(parsed(item, f"{path}/{at}"))
    ]


def _declarations(item: Json) -> list[Json]:
    """Return the tools that an item of a list declares: several ones in Gemini's, one in others."""
    found = members_of(item)
    listed = next((found[key] for key in ("functionDeclarations", "function_declarations") if key in found), None)
    return as_list(listed) or [found.get("toolSpec", item)]


def read_tools(fields: Object) -> list[Json] | None:
    """Return the tools that the field `tools` declares; None if there are none."""
    return tools_of(fields[TOOLS], f"/{TOOLS}") if TOOLS in fields else None


def _wrapped(tool: Json, path: str) -> Json:
    found = as_object(tool)
    if found is None:
        raise misshapen(path, "a tool, an object with 'name'")
    if "function" in found or ("type" in found and "name" not in found):
        return found if "type" in found else {"type": "function", **found}
    if not isinstance(found.get("name"), str):
        raise misshapen(path, "a tool with 'name'")
    if found.get("type") == "function":
        found = without_members(found, "type")
    return {"type": "function", "function": _schema(found)}


def _schema(tool: Object) -> Object:
    """Return a tool whose parameters are a JSON Schema: some datasets give only the properties, or other names."""
    name = next((each for each in _SCHEMAS if as_object(tool.get(each)) is not None), None)
    if name is not None and _PARAMETERS not in tool:
        schema = members_of(tool[name])
        schema = schema["json"] if schema.keys() == {"json"} else schema
        tool = {_PARAMETERS if key == name else key: schema if key == name else each for key, each in tool.items()}
    parameters = as_object(tool.get("parameters"))
    if not parameters or isinstance(parameters.get("type"), str) or "properties" in parameters:
        return tool
    if not all(as_object(each) for each in parameters.values()):
        return tool
    return {**tool, "parameters": {"type": "object", "properties": parameters}}


_PARAMETERS: Final = "parameters"
_SCHEMAS: Final = ("input_schema", "inputSchema")
"""Other names of the parameters of a tool, in Anthropic's API, MCP and Converse, next to messages of any format."""
