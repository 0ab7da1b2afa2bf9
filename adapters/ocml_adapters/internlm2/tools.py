"""The tools of `system name=<|plugin|>` ↔ declared tools ("Function Call", 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, cast

from ocml_bridge.jsontext import parse, spaced
from ocml_bridge.model import Json, Message, Tool, Tools
from ocml_bridge.text.edges import by_format
from ocml_bridge.text.repair import repair
from ocml_bridge.turns import full_name, split_name

from .syntax import HOME

_FIELDS: Final = frozenset({"name", "description", "parameters"})


class Declared(NamedTuple):
    """Tools, and whether their JSON had to be mended."""

    tools: tuple[Tool, ...]
    repaired: bool


def read_tools(text: str) -> Declared | None:
    """The tools that a text declares, as a list or one alone, bare or as OpenAI wraps them; None where it does not."""
    span, repaired = parse(text), False
    if span is None:
        mended = repair(text)
        span, repaired = parse(mended) if mended is not None else None, True
    if span is None:
        return None
    value: Json = span.value
    items = cast("list[Json]", value) if isinstance(value, list) else [value]
    tools = [_tool(item) for item in items]
    return None if None in tools else Declared(tuple(tool for tool in tools if tool is not None), repaired)


def _tool(value: Json) -> Tool | None:
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Json]", value)
    if fields.get("type") == "function" and fields.keys() == {"type", "function"}:
        inner = fields["function"]
        if not isinstance(inner, dict):
            return None
        fields = cast("dict[str, Json]", inner)
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not isinstance(description, (str, type(None))):
        return None
    namespace, bare = split_name(name)
    others = {key: item for key, item in fields.items() if key not in _FIELDS}
    return Tool(bare, description, fields.get("parameters"), namespace, by_format(HOME, others))


def write_tools(tools: Iterable[Tool]) -> str:
    """Tools as a list of bare function objects on one line; what was not said of a tool is not said."""
    return spaced([_fields(tool) for tool in tools])


def _fields(tool: Tool) -> dict[str, Json]:
    said: dict[str, Json] = {"name": full_name(tool)}
    if tool.description is not None:
        said["description"] = tool.description
    if tool.parameters is not None:
        said["parameters"] = tool.parameters
    return said | _others(tool)


def _others(tool: Tool) -> dict[str, Json]:
    kept = (tool.extras or {}).get(HOME, {})
    return {key: item for key, item in kept.items() if key not in _FIELDS}


def normal(tool: Tool) -> Tool:
    """A tool as it is read back."""
    namespace, name = split_name(full_name(tool))
    return Tool(name, tool.description, tool.parameters, namespace, by_format(HOME, _others(tool)))


def declares(message: Message) -> bool:
    """Whether a message is one that holds tools and nothing else, as the format has them."""
    return (
        message.role == "system"
        and message.name is None
        and not isinstance(message.content, str)
        and len(message.content) == 1
        and isinstance(message.content[0], Tools)
    )


def tools_of(message: Message) -> tuple[Tool, ...]:
    """The tools of a message that `declares` them."""
    return tuple(tool for part in message.content if isinstance(part, Tools) for tool in part.tools)
