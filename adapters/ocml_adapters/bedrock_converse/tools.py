"""Read and write declared tools (`toolConfig.tools`) with the other items among them; also names and ids of calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Final, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.freeform_arguments import parameters_of
from ocml_bridge.chat.tool_cache import cached_reader, cached_writer
from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.form import Object, add
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import CacheMark, Json, Message, Tool, replace
from ocml_bridge.units.heads import Item
from ocml_bridge.wires.blocks.grammar import block_with, more_of, with_inner
from ocml_bridge.wires.blocks.skeletons import (
    A_FILLED_TEXT,
    A_TEXT,
    A_WORD,
    AN_IMAGE,
    AN_OBJECT,
    Shape,
    a_text,
    an_object,
    blocks,
    items,
)
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.object_schemas import object_schema, untyped
from ocml_bridge.wires.tool_alphabet import Alphabet, Spelling, ToolAlphabet

from .syntax import (
    CACHE_POINT,
    CONTENT,
    MARK,
    NOTES,
    REASONING,
    REASONING_TEXT,
    REDACTED,
    TOOL_RESULT,
    TOOL_SPEC,
    TOOL_USE,
)

# --- names and ids ----------------------------------------------------------------------------------------------------

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_-", 64))
"""The names of tools that `ToolSpecification` and `ToolUseBlock` accept."""
_IDS: Final = Alphabet("a-zA-Z0-9_.:-", 64)
"""The ids of calls that the API accepts."""


def is_invalid_id(call_id: str) -> bool:
    """Return whether the API refuses the id of a call."""
    return not _IDS.takes(call_id)


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items with ids that the API accepts; ids that were read from this format are unchanged."""
    ids = {call_id for _, _, call_id in items if call_id}
    if all(map(_IDS.takes, ids)):
        return items
    spelling = Spelling(_IDS, ids)
    return [
        (head, content, spelling(call_id))
        if call_id and not NAMES.is_unchanged(head.layout)
        else (head, content, call_id)
        for head, content, call_id in items
    ]


OF_SERVER: Final = "server_tool_use"
"""The type of a call that the server runs itself."""


def is_of_server(call: Message) -> bool:
    """Return whether the server runs a call, according to the block that it was read from."""
    return members_of(NOTES.of(call.extras).get(TOOL_USE)).get("type") == OF_SERVER


# --- cache points -----------------------------------------------------------------------------------------------------


def read_point(value: Json) -> CacheMark | None:
    """Return the cache mark of a block or an item, which marks what is before it; None for any other value."""
    members = members_of(value)
    return read_mark(members[CACHE_POINT], MARK) if list(members) == [CACHE_POINT] else None


def write_point(mark: CacheMark) -> Object:
    """Return the block or the item of a cache mark."""
    return {CACHE_POINT: write_mark(mark, MARK)}


# --- declarations -----------------------------------------------------------------------------------------------------

AS_IT_IS: Final = "as it is"
"""The key of an entry of the extras that contains a raw item which could be mistaken for a number of tools."""


def read_tools(raws: list[Json]) -> tuple[tuple[Tool, ...], list[Json] | None]:
    """Return the declared tools, and the entries for the extras; None if there are no other items.

    The entries are the other items, with the number of tools in place of each run of tools.
    """
    tools: list[Tool] = []
    entries: list[Json] = []
    for raw in raws:
        tool = _read_tool(raw)
        mark = read_point(raw) if tool is None else None
        if mark is not None and tools and tools[-1].cache is None and type(entries[-1]) is int:
            tools[-1] = replace(tools[-1], cache=mark)
            continue
        if tool is None:
            is_mistakable = type(raw) is int or (isinstance(raw, dict) and AS_IT_IS in raw)
            entries.append({AS_IT_IS: raw} if is_mistakable else raw)
            continue
        tools.append(tool)
        if entries and type(entries[-1]) is int:
            entries[-1] += 1
        else:
            entries.append(1)
    return tuple(tools), entries if any(type(entry) is not int for entry in entries) else None


@cached_reader
def _read_tool(value: Json) -> Tool | None:
    raw = members_of(value)
    inner = members_of(raw.get(TOOL_SPEC))
    name, description, strict = inner.get("name"), inner.get("description"), inner.get("strict")
    schema = members_of(inner.get("inputSchema"))
    if not isinstance(name, str) or not (description is None or isinstance(description, str)) or "json" not in schema:
        return None
    known = ("name", "description", "inputSchema", *(["strict"] if isinstance(strict, bool) else []))
    inner_extras = with_inner(more_of(inner, known), "inputSchema", more_of(schema, ("json",)))
    extras = with_inner(more_of(raw, (TOOL_SPEC,)), TOOL_SPEC, inner_extras)
    namespace, bare = split_name(name)
    tool = Tool(bare, description, schema["json"], namespace, extras=NOTES.by_format(extras))
    tool.strict = strict if isinstance(strict, bool) else None
    schema_layout = untyped(schema["json"])
    layout: Object = NAMES.note(name) | schema_layout
    tool.layout = NOTES.by_format(schema_layout)
    if not keep_form(layout, _write_tool(tool), raw):
        return None
    tool.layout = NOTES.by_format(layout)
    return tool


@cached_writer
def _write_tool(tool: Tool) -> Object:
    extras = NOTES.of(tool.extras)
    inner: Object = {"name": full_name(tool)}
    if tool.description:  # the API refuses an empty one
        inner["description"] = tool.description
    schema = object_schema(parameters_of(tool), NOTES.of(tool.layout))
    inner["inputSchema"] = add({"json": schema}, members_of(extras.get(TOOL_SPEC)).get("inputSchema"))
    if tool.strict is not None:
        inner["strict"] = tool.strict
    return block_with(TOOL_SPEC, inner, extras)


def write_tools(tools: Sequence[Tool], entries: Json) -> list[Json]:
    """Return the items of `tools`; tools for which no entry has a place are the last items.

    Args:
        tools: the tools.
        entries: the entries of the extras, as `read_tools` returns them.
    """
    written = iter([_with_mark(tool) for tool in tools])
    out: list[Json] = []
    for entry in items_of(entries):
        if type(entry) is int:
            out += chain.from_iterable(islice(written, max(0, entry)))
        else:
            is_raw = isinstance(entry, dict) and list(cast("Object", entry)) == [AS_IT_IS]
            out.append(cast("Object", entry)[AS_IT_IS] if is_raw else entry)
    return [*out, *chain.from_iterable(written)]


def _with_mark(tool: Tool) -> list[Json]:
    """Return the items of a tool: itself, and its cache mark, if it has one."""
    written = respelled(_write_tool(tool), NOTES.of(tool.layout).get(FORM))
    return [written] if tool.cache is None else [written, write_point(tool.cache)]


# --- skeletons --------------------------------------------------------------------------------------------------------


_ID: Final = a_text(_IDS.fits)
_RESULT: Final = an_object(Shape({"text": A_TEXT}), Shape({"json": AN_OBJECT}))
SLOT: Final = blocks(
    {
        TOOL_USE: {"toolUseId": _ID, "name": A_WORD, "input": AN_OBJECT},
        TOOL_RESULT: {"toolUseId": _ID, CONTENT: items(_RESULT), "status": A_WORD},
        REASONING: {
            REASONING_TEXT: an_object(Shape({"text": a_text()}, {"signature": A_FILLED_TEXT})),
            REDACTED: A_FILLED_TEXT,
        },
        CACHE_POINT: dict.fromkeys(("type", "ttl"), A_WORD),
        "image": {"format": A_WORD, "source": an_object(Shape({"bytes": AN_IMAGE}))},
    }
)
