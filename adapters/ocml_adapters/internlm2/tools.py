"""Read and write declared tools (`system name=<|plugin|>`, "Function Call" 1), and find the place of their frame."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.jsontext import parse, spaced
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.functions import read_function, write_function
from ocml_bridge.text.repair import repair
from ocml_bridge.units.heads import Item, message_of

from .syntax import HOME, NOTES, Dialect

# --- parameters of a function -----------------------------------------------------------------------------------------
#
# lagent's lists of parameters ↔ JSON Schema: `[{"name": "city", "type": "STRING", "description": "…"}]`, and
# `"required": ["city"]` beside it.

_TYPES: Final = {
    **{name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")},
    "FLOAT": "number",
    "INT": "integer",
    "BOOL": "boolean",
}
"""Type in a list → type in a schema."""


def schema_of(listed: Json, required: Json) -> Json:
    """Return the schema of a list of parameters; None if it is not such a list.

    Args:
        listed: the parameters.
        required: the names of the required ones; None if the tool does not say.
    """
    if not isinstance(listed, list):
        return None
    properties: dict[str, Json] = {}
    for item in cast("list[Json]", listed):
        fields = dict(cast("dict[str, Json]", item)) if isinstance(item, dict) else {}
        name, kind = fields.pop("name", None), fields.get("type")
        if not isinstance(name, str) or name in properties:
            return None
        if isinstance(kind, str):
            fields["type"] = _TYPES.get(kind, kind)
        properties[name] = fields
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    return schema if required is None else {**schema, "required": required}


def list_of(schema: Json) -> dict[str, Json] | None:
    """Return the list of parameters of a schema, and the required ones; None if a list cannot hold all of it."""
    members = members_of(schema)
    properties = members.get("properties")
    if not isinstance(properties, dict) or not all(isinstance(each, dict) for each in properties.values()):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return None
    listed: Json = [
        {"name": name, **fields, **_listed_type(fields)}
        for name, fields in cast("dict[str, dict[str, Json]]", properties).items()
    ]
    required = members.get("required")
    if schema_of(listed, required) != schema:
        return None
    return {"parameters": listed} | ({} if required is None else {"required": required})


def _listed_type(fields: dict[str, Json]) -> dict[str, Json]:
    kind = fields.get("type")
    return {"type": kind.upper()} if isinstance(kind, str) and kind.upper() in _TYPES else {}


_PLACE: Final = "tools_at"
"""Key in the layout: the number of messages before the declaration."""
_EDGES: Final = "tools"
"""Key in the layout: how the frame of the declaration is spelled."""
_BEFORE: Final = "你可以使用如下工具：\n"
_BEHIND: Final = (
    "\n如果你已经获得足够信息，请直接给出答案. 避免不必要的工具调用! 同时注意你可以使用的工具，不要随意捏造！"
)
"""lagent's prose around a list of tools."""


class Declared(NamedTuple):
    """Declared tools, and whether their JSON was repaired."""

    tools: tuple[Tool, ...]
    repaired: bool


def read_tools(text: str) -> Declared | None:
    """Read the tools that a text declares, as a list or one, bare or wrapped as OpenAI does; None if there are none."""
    prose = text.startswith(_BEFORE) and text.endswith(_BEHIND)
    if prose:
        text = text[len(_BEFORE) : -len(_BEHIND)]
    span, repaired = parse(text), False
    if span is None:
        mended = repair(text)
        span, repaired = parse(mended) if mended is not None else None, True
    if span is None:
        return None
    value: Json = span.value
    items = cast("list[Json]", value) if isinstance(value, list) else [value]
    tools = [_tool(item, prose=prose) for item in items]
    return None if None in tools else Declared(tuple(tool for tool in tools if tool is not None), repaired)


def _tool(value: Json, *, prose: bool) -> Tool | None:
    if isinstance(value, dict):
        item = cast("dict[str, Json]", value)
        value = item["function"] if item.get("type") == "function" and item.keys() == {"type", "function"} else item
    declared = read_function(value)
    if declared is None:
        return None
    tool, others = declared
    listed = schema_of(tool.parameters, others.get("required")) if prose else None
    if listed is not None:
        tool.parameters = listed
        others.pop("required", None)
    tool.extras = NOTES.by_format(others)
    return tool


def write_tools(tools: Sequence[Tool], dialect: Dialect) -> str:
    """Write tools as a list of bare function objects; in lagent's prose if the dialect has it and it reads back."""
    fields = [_fields(tool) for tool in tools]
    if dialect.prose:
        listed = [each | (list_of(each.get("parameters")) or {}) for each in fields]
        prose = f"{_BEFORE}{json.dumps(listed, ensure_ascii=False, indent=4)}{_BEHIND}"
        if read_tools(prose) == Declared(tuple(map(normal, tools)), repaired=False):
            return prose
    return spaced(fields)


def _fields(tool: Tool) -> dict[str, Json]:
    return write_function(tool, NOTES.together(tool.extras))


def normal(tool: Tool) -> Tool:
    """Return the tool that a written tool reads as."""
    read = _tool(_fields(tool), prose=False)
    assert read is not None
    return read


def declares(message: Message) -> bool:
    """Return whether a message is a tool declaration: it holds tools and nothing else."""
    return (
        message.role == "system"
        and message.name is None
        and not isinstance(message.content, str)
        and len(message.content) == 1
        and isinstance(message.content[0], Tools)
    )


def tools_of(message: Message) -> tuple[Tool, ...]:
    """Return the tools of a tool declaration."""
    return tuple(tool for part in message.content if isinstance(part, Tools) for tool in part.tools)


# --- their frame ------------------------------------------------------------------------------------------------------


def declared_in(around: Transcript) -> tuple[Tool, ...] | None:
    """Return the transcript's tools if they are written; an empty list only if it was read from this format."""
    return around.tools if around.tools or _PLACE in NOTES.together(around.layout) else None


def message_with_tools(tools: Sequence[Tool], around: Transcript) -> Message:
    """Return the tool declaration, with the layout of its frame in the transcript."""
    layout, extras = (NOTES.together(place).get(_EDGES) for place in (around.layout, around.extras))
    message = Message("system", (Tools(tuple(map(normal, tools))),))
    if isinstance(layout, dict):
        message.layout = {HOME: cast("dict[str, Json]", layout)}
    if isinstance(extras, dict):
        message.extras = {HOME: cast("dict[str, Json]", extras)}
    return message


def default_place(items: Sequence[Item]) -> int:
    """Return the default index of the declaration: after the leading system messages, before other declarations."""
    for at, item in enumerate(items):
        if item[0].role != "system" or (not isinstance(item[1], str) and declares(message_of(item))):
            return at
    return len(items)


def place_of(around: Transcript, most: int) -> int:
    """Return the number of messages before the declaration, from the layout or by default (`most`)."""
    at = NOTES.together(around.layout).get(_PLACE)
    return at if isinstance(at, int) and 0 <= at <= most else most


def with_tools(around: Transcript, declared: Message, at: int, most: int) -> Transcript:
    """Add the tools of a declaration, and the layout of its frame, to a transcript without messages.

    Args:
        around: the transcript.
        declared: the tool declaration.
        at: the number of messages before it.
        most: the default of that number.
    """
    tools, layout, extras = tools_of(declared), NOTES.together(around.layout), NOTES.together(around.extras)
    if at != most or not tools:
        layout[_PLACE] = at
    if declared.layout is not None:
        layout[_EDGES] = declared.layout[HOME]
    if declared.extras is not None:
        extras[_EDGES] = declared.extras[HOME]
    return replace(around, tools=tools, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))
