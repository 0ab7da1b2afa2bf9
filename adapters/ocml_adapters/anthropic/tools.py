"""Read and write declared tools: functions, and tools of the API that the client runs.

Tools that the server runs are stored in the extras, with their positions in the list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.freeform_arguments import parameters_of
from ocml_bridge.chat.tool_cache import cached_reader, cached_writer
from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, rest, set_apart, shape, with_apart
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Tool
from ocml_bridge.wires.object_schemas import object_schema, untyped
from ocml_bridge.wires.tool_alphabet import Alphabet, ToolAlphabet

from .syntax import CACHE, NOTES, TOOL_ORDER

# --- tools of the server ----------------------------------------------------------------------------------------------


def type_note(kind: str, default: str) -> Object:
    """Return the extras for the type of a block, if it is not the default one: the block of a tool of the server."""
    return {} if kind == default else {"type": kind}


def type_of(message: Message) -> str | None:
    """Return the type of the block from which a server tool's call or reply was read; None for any other message."""
    kind = NOTES.of(message.extras).get("type")
    ending = "_tool_result" if message.role == "tool" else "_tool_use"
    return kind if isinstance(kind, str) and kind.endswith(ending) else None


# --- names ------------------------------------------------------------------------------------------------------------

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_-", 128), lambda message: type_of(message) is not None)
"""The names of tools that the API accepts. Its error message for other names contains this pattern."""


# --- declarations -----------------------------------------------------------------------------------------------------

CUSTOM: Final = "custom"
"""The type of a function, which it needs not have."""
_PLAIN: Final = ("name", "description", "input_schema")
_REQUIRED: Final = frozenset({"name", "input_schema"})
_TYPED: Final = frozenset({"name"})


_RUN_BY_CLIENT: Final = re.compile(r"(?:bash|computer|memory|text_editor)_\d+")
"""The types of tools whose schemas the API knows, and which the client runs."""


def _is_hosted(item: Object) -> bool:
    """Return whether the server runs a declared tool, so that a client cannot call it."""
    kind = item.get("type")
    is_known = isinstance(kind, str) and _RUN_BY_CLIENT.fullmatch(kind) is not None
    return _is_typed(item) and not is_known and item.get("input_schema") is None


def chooses_hosted(document: Object) -> bool:
    """Return whether the tool choice of a request names a tool that the server runs."""
    raws: Any = document.get("tools")
    tools = [members_of(raw) for raw in raws] if isinstance(raws, ARRAY) else []
    name: Json = members_of(document.get("tool_choice")).get("name")
    of_client = [tool.get("name") for tool in tools if not _is_hosted(tool)]
    of_server = [tool.get("name") for tool in tools if _is_hosted(tool)]
    return name is not None and name in of_server and name not in of_client


def read_tools(raws: list[Json]) -> tuple[tuple[Tool, ...], list[Object]]:
    """Return the declared tools of the client, and the other items of the list with their positions."""
    tools, others = set_apart(raws, _read_tool)
    return tuple(tools), others


@cached_reader
def _read_tool(value: Json) -> Tool | None:
    if not isinstance(value, OBJECT) or _is_hosted(value):
        return None
    item: Object = value
    name, description, schema = item.get("name"), item.get("description"), item.get("input_schema")
    if not isinstance(name, str) or not name or not (description is None or isinstance(description, str)):
        return None
    if not (schema is None or isinstance(schema, OBJECT)):
        return None
    namespace, bare = split_name(name)
    layout: Object = NAMES.note(name) | untyped(schema)
    if item.get("type") == CUSTOM:
        layout["type"] = CUSTOM
    if not layout and tuple(item) == _PLAIN and description is not None and schema is not None:
        return Tool(bare, description, schema, namespace)
    known = [*(["type"] if "type" in layout else []), *(key for key in _PLAIN if item.get(key) is not None)]
    strict = item.get("strict")
    if isinstance(strict, bool):
        known.append("strict")
    mark = CONTROL.read(item)
    if mark is not None:
        known.append(CACHE)
    form = form_of(item, TOOL_ORDER, _TYPED if _is_typed(item) else _REQUIRED, known)
    extras = rest(item, known)
    if form is not None:
        layout["form"] = form
    is_strict = strict if isinstance(strict, bool) else None
    return Tool(
        bare,
        description,
        schema,
        namespace,
        strict=is_strict,
        extras=NOTES.by_format(extras),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _is_typed(extras: Object) -> bool:
    """Return whether a tool has a type that the API defines, so that it needs no schema."""
    return extras.get("type") not in (None, CUSTOM)


def write_tools(tools: Sequence[Tool], others: Json) -> list[Json]:
    """Return the list of declared tools, with the other items at their positions.

    Args:
        tools: the tools of the client.
        others: the other items, as `read_tools` returns them; None if there are none.
    """
    written: list[Json] = [_write_tool(tool) for tool in tools]
    return written if others is None else with_apart(written, others)


@cached_writer
def _write_tool(tool: Tool) -> Object:
    extras, layout = NOTES.of(tool.extras), NOTES.of(tool.layout)
    out: Object = {"type": CUSTOM} if layout.get("type") == CUSTOM and "type" not in extras else {}
    out["name"] = full_name(tool)
    if tool.description is not None:
        out["description"] = tool.description
    schema: Json = parameters_of(tool)
    if not _is_typed(extras):
        out["input_schema"] = object_schema(schema, layout)
    elif isinstance(schema, dict):  # the API accepts objects only; the engine reports the loss
        out["input_schema"] = schema
    if tool.strict is not None:
        out["strict"] = tool.strict
    out |= CONTROL.write(tool.cache)
    if not extras and not layout:
        return out
    fixed = [key for key in out if key != "input_schema" or tool.parameters is not None]
    return shape(add(out, extras, TOOL_ORDER), layout.get("form"), fixed=fixed, implied=("input_schema",))
