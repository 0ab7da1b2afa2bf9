"""Declared tools (§8.1): their JSON, and their place in the first system message."""

from __future__ import annotations

from typing import NamedTuple, cast

from ocml_bridge.chat.turns import content_of
from ocml_bridge.model import Json, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.functions import read_function, write_function
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of

from .syntax import HOME, NOTES


def tools_from(value: Json) -> list[Tool] | None:
    """The tools that a JSON value declares: one object, or an array of them; None where it is something else."""
    if isinstance(value, list):
        found = [_tool_from(item) for item in cast("list[Json]", value)]
        return None if None in found else cast("list[Tool]", found)
    tool = _tool_from(value)
    return None if tool is None else [tool]


def _tool_from(value: Json) -> Tool | None:
    """A tool as §8.1 writes it, or the function object alone."""
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
    """A tool as §8.1 writes it."""
    return {"type": "function", **_extra(tool, "tool"), "function": write_function(tool, _extra(tool, "function"))}


def _extra(tool: Tool, place: str) -> dict[str, Json]:
    more: Json = NOTES.of(tool.extras).get(place)
    return cast("dict[str, Json]", more) if isinstance(more, dict) else {}


def fit_tools(tools: Tools) -> Tools:
    """Declared tools as they are read back."""
    return Tools(tuple(tool for each in tools.tools for tool in tools_from(tool_json(each)) or ()))


# --- their place ------------------------------------------------------------------------------------------------------


class Lifted(NamedTuple):
    """Messages without the transcript's tools; `declaration` is the message that held nothing else."""

    messages: list[Message]
    tools: tuple[Tool, ...] | None = None
    declaration: Message | None = None


def lift(messages: list[Message]) -> Lifted:
    """Tools at the end of the first message are the transcript's where it is the system's."""
    first = messages[0] if messages else None
    if first is None or first.role != "system" or isinstance(first.content, str):
        return Lifted(messages)
    declared = first.content[-1]
    if not isinstance(declared, Tools):
        return Lifted(messages)
    rest = replace(first, content=content_of(first.content[:-1]))
    # Before another system message it stays: the tools would be written in that one.
    alone = len(messages) == 1 or messages[1].role != "system"
    if alone and replace(rest, layout=None) == Message("system", ""):
        return Lifted(messages[1:], declared.tools, rest)
    return Lifted([rest, *messages[1:]], declared.tools)


def with_tools_apart(items: list[Item], around: Transcript) -> Conversation:
    """The conversation, with the tools that are declared in the first of its items.

    Args:
        items: its messages; the list may be changed.
        around: what stands around them.
    """
    if not items or items[0][0].role != "system" or isinstance(items[0][1], str):
        return Conversation(items, around)
    left, tools, declaration = lift(list(messages_of(items[:2])))
    items[:2] = map(item_of, left)
    around = replace(around, tools=tools)
    if declaration is not None and declaration.layout is not None:
        around.layout = NOTES.by_format({**NOTES.together(around.layout), "tools": declaration.layout[HOME]})
    return Conversation(items, around, lifted=None if declaration is None else 0)
