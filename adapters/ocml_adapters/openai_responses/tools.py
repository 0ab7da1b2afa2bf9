"""Read and write declared tools: functions and custom tools, alone or in a namespace."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import cast

from ocml_bridge.chat.tool_cache import cached_reader, cached_writer
from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.form import (
    ARRAY,
    OBJECT,
    Object,
    add,
    form_of,
    rest,
    set_apart,
    shape,
    with_apart,
    without,
)
from ocml_bridge.model import Json, Tool
from ocml_bridge.wires.freeform import FORMAT, read_freeform, write_freeform

from .syntax import NOTES, TOOL_KEYS, TOOL_ORDER

CUSTOM = "custom"
FUNCTION = "function"
NAMESPACE = "namespace"
OWN = "own"
"""The layout of a function alone that the API declares in a namespace of its own name, after a search loaded it."""
_NAMESPACE_KEYS = ("type", "name", "tools")
_IMPLIED = ("strict",)
"""Keys that a form may omit although they are written."""


def read_tools(raws: list[Json]) -> tuple[tuple[Tool, ...], list[Object]]:
    """Return the declared tools, and the tools that the server runs, each with its index."""
    lists, others = set_apart(raws, _read_tools)
    return tuple(tool for tools in lists for tool in tools), others


def are_of_server(raws: Sequence[Json]) -> bool:
    """Return whether a list has tools that the server runs, and no others."""
    return bool(raws) and not any(_is_tool(raw) or _read_namespace(raw) is not None for raw in raws)


@cached_reader
def _read_tools(raw: Json) -> list[Tool] | None:
    """Return a tool, or the tools of a namespace; None for a tool that the server runs."""
    tools = _read_namespace(raw)
    if tools is None and (tool := _read_tool(raw, None)) is not None:
        tools = [tool]
    return tools


def _is_tool(raw: Json) -> bool:
    """Return whether a value is a function or a custom tool."""
    if not isinstance(raw, OBJECT) or raw.get("type") not in (FUNCTION, CUSTOM) or not isinstance(raw.get("name"), str):
        return False
    description: Json = raw.get("description")
    return description is None or isinstance(description, str)


def _read_tool(raw: Json, namespace: str | None) -> Tool | None:
    """Return a function or a custom tool; None for any other."""
    if not _is_tool(raw):
        return None
    item = cast("Object", raw)
    kind, name, description = item["type"], item["name"], item.get("description")
    parameters = item.get("parameters") if kind == FUNCTION else None
    known = ["type", "name", *([] if description is None else ["description"])]
    known += ["parameters"] if kind == FUNCTION and "parameters" in item else []
    strict = item.get("strict") if kind == FUNCTION else None
    strict = strict if isinstance(strict, bool) else None
    known += [] if strict is None else ["strict"]
    freeform, spelled = read_freeform(item.get(FORMAT), nested=False) if kind == CUSTOM else (None, None)
    known += [] if spelled is None else [FORMAT]
    layout: Object = {FORMAT: spelled} if spelled else {}
    extras = rest(item, known)
    if (form := form_of(item, TOOL_ORDER, TOOL_KEYS[kind], known)) is not None:
        layout["form"] = form
    if namespace is None or namespace == name:
        layout |= {OWN: True} if namespace else {}
        prefix, bare = split_name(name)
        if full_name(Tool(bare, namespace=prefix)) != name:
            prefix, bare = None, name
        if prefix is not None:
            layout["whole"] = True
    else:
        prefix, bare = namespace, name
    return Tool(
        bare, description, parameters, prefix, NOTES.by_format(extras), NOTES.by_format(layout), strict, freeform
    )


def _read_namespace(raw: Json) -> list[Tool] | None:
    """Return the tools of a namespace; None for anything else, and if one of its tools is not understood."""
    if not isinstance(raw, OBJECT) or raw.get("type") != NAMESPACE:
        return None
    item: Object = raw
    name, inner = item.get("name"), item.get("tools")
    if not isinstance(name, str) or not name or not isinstance(inner, ARRAY) or not inner:
        return None
    tools = [_read_tool(tool, name) for tool in cast("list[Json]", inner)]
    known = [tool for tool in tools if tool is not None]
    if len(known) != len(tools) or NAMESPACE in inner[0]:
        return None
    more = rest(item, _NAMESPACE_KEYS)
    form = form_of(item, TOOL_ORDER, TOOL_KEYS[NAMESPACE], _NAMESPACE_KEYS)
    first = known[0]
    first.extras = NOTES.adding(first.extras, {NAMESPACE: more} if more else {})
    first.layout = NOTES.adding(first.layout, {"opens": True if form is None else form})
    return known


# --- writing ----------------------------------------------------------------------------------------------------------


def write_tools(tools: Sequence[Tool], others: Json) -> list[Json]:
    """Return the declared tools, with the tools that the server runs at their indices."""
    return with_apart(_write_all(tools), others)


def _write_all(tools: Sequence[Tool]) -> list[Object]:
    """Return the tools; adjacent tools of one namespace become one object, unless they were read from two."""
    numbers: list[int] = []
    for at, tool in enumerate(tools):
        before = tools[at - 1] if at else None
        joined = before is not None and _namespace(tool) is not None and _namespace(before) == _namespace(tool)
        begins = not joined or "opens" in NOTES.of(tool.layout)
        numbers.append(at if begins else numbers[-1])
    out: list[Object] = []
    for _, group in groupby(zip(numbers, tools, strict=True), key=lambda pair: pair[0]):
        out.append(_write_group([tool for _, tool in group]))
    return out


def _namespace(tool: Tool) -> str | None:
    """Return the namespace in which a tool is declared; None if it is declared alone, by its full name."""
    layout = NOTES.of(tool.layout)
    if layout.get(OWN) is True:
        return full_name(tool)
    is_alone = layout.get("whole") is True or tool.namespace == tool.name
    return None if is_alone else tool.namespace or None


def _write_group(tools: Sequence[Tool]) -> Object:
    """Return a tool, or the tools of one namespace."""
    first, namespace = tools[0], _namespace(tools[0])
    if namespace is None:
        return _write_tool(first)
    out: Object = {"type": NAMESPACE, "name": namespace, "description": ""}
    out["tools"] = [_write_tool(tool) for tool in tools]
    form = NOTES.of(first.layout).get("opens")
    more = None if form is None else NOTES.of(first.extras).get(NAMESPACE)
    if isinstance(more, dict):
        members = cast("Object", more)
        out = add({key: value for key, value in out.items() if key not in members}, members, TOOL_ORDER)
        out = {**out, "type": NAMESPACE, "name": namespace}
    return shape(out, form, fixed=_NAMESPACE_KEYS)


@cached_writer
def _write_tool(tool: Tool) -> Object:
    extras = NOTES.of(tool.extras)
    if "opens" in NOTES.of(tool.layout):  # it has the members of its namespace, too
        extras = without(extras, NAMESPACE)
    kind = FUNCTION if tool.freeform is None else CUSTOM
    out: Object = {"type": kind, "name": tool.name if _namespace(tool) == tool.namespace else full_name(tool)}
    if tool.description is not None:
        out["description"] = tool.description
    if tool.freeform is not None:
        out |= write_freeform(tool.freeform, NOTES.of(tool.layout).get(FORMAT), nested=False)
    fixed = list(out)
    if kind == FUNCTION:
        out["parameters"] = tool.parameters
        if tool.strict is not None or "strict" not in extras:
            out["strict"] = tool.strict or False
        fixed += [key for key, value in (("parameters", tool.parameters), ("strict", tool.strict)) if value is not None]
    return shape(add(out, extras, TOOL_ORDER), NOTES.of(tool.layout).get("form"), fixed=fixed, implied=_IMPLIED)
