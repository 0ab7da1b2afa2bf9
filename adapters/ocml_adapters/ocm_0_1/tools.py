"""Read and write declared tools (§8.1): their JSON, and their place in the first system message."""

from __future__ import annotations

from typing import NamedTuple, cast

from ocml_bridge.chat.turns import content_of
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.functions import read_function, write_function
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of

from .syntax import HOME, NOTES


def tools_from(value: Json) -> list[Tool] | None:
    """Return the tools that a JSON value declares, one object or an array of them; None for any other value."""
    if isinstance(value, list):
        tools = [_tool_from(item) for item in cast("list[Json]", value)]
        return None if None in tools else cast("list[Tool]", tools)
    tool = _tool_from(value)
    return None if tool is None else [tool]


def _tool_from(value: Json) -> Tool | None:
    """Read a tool as §8.1 defines it, or a function object alone."""
    if not isinstance(value, dict):
        return None
    outer = cast("dict[str, Json]", value)
    inner = outer.get("function")
    if not isinstance(inner, dict):
        if "function" in outer or not ("parameters" in outer or "description" in outer):
            return None
        inner, outer = outer, {}
    declared = read_function(inner)
    if declared is None:
        return None
    tool, others = declared
    around = {key: item for key, item in outer.items() if key != "function" and (key, item) != ("type", "function")}
    tool.extras = NOTES.by_format({place: more for place, more in (("tool", around), ("function", others)) if more})
    return tool


def tool_json(tool: Tool) -> dict[str, Json]:
    """Return a tool as §8.1 defines it."""
    return {"type": "function", **_extra(tool, "tool"), "function": write_function(tool, _extra(tool, "function"))}


def _extra(tool: Tool, place: str) -> dict[str, Json]:
    return members_of(NOTES.of(tool.extras).get(place))


def fit_tools(tools: Tools) -> Tools:
    """Return declared tools as they are read back."""
    return Tools(tuple(tool for each in tools.tools for tool in tools_from(tool_json(each)) or ()))


# --- their place ------------------------------------------------------------------------------------------------------


class ExtractedTools(NamedTuple):
    """The messages without the tools of the transcript.

    Attributes:
        messages: the messages.
        tools: the tools; None if none are declared there.
        declaration: the message that was removed, because it had nothing else; None if none was.
    """

    messages: list[Message]
    tools: tuple[Tool, ...] | None = None
    declaration: Message | None = None


def extract_tools(messages: list[Message]) -> ExtractedTools:
    """Take the tools at the end of the first message, if it is a system message: they are those of the transcript."""
    first = messages[0] if messages else None
    if first is None or first.role != "system" or isinstance(first.content, str):
        return ExtractedTools(messages)
    declared = first.content[-1]
    if not isinstance(declared, Tools):
        return ExtractedTools(messages)
    rest = replace(first, content=content_of(first.content[:-1]))
    # Before another system message it is kept, or the tools would be written in that one.
    alone = len(messages) == 1 or messages[1].role != "system"
    if alone and replace(rest, layout=None) == Message("system", ""):
        return ExtractedTools(messages[1:], declared.tools, rest)
    return ExtractedTools([rest, *messages[1:]], declared.tools)


def with_tools_apart(items: list[Item], around: Transcript) -> Conversation:
    """Return the conversation, with the tools that its first item declares as those of the document.

    Args:
        items: the messages; the list may be changed.
        around: the transcript around them.
    """
    if not items or items[0][0].role != "system" or isinstance(items[0][1], str):
        return Conversation(items, around)
    messages, tools, declaration = extract_tools(list(messages_of(items[:2])))
    items[:2] = map(item_of, messages)
    around = replace(around, tools=tools)
    if declaration is not None and declaration.layout is not None:
        around.layout = NOTES.by_format({**NOTES.together(around.layout), "tools": declaration.layout[HOME]})
    return Conversation(items, around, declaration_at=None if declaration is None else 0)
