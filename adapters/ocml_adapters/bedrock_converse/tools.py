"""Declared tools, both ways, and the names and ids of calls: `toolConfig.tools`, with what stands between its tools."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.turns import full_name, is_blank, split_name
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import CacheMark, Json, Message, Tool
from ocml_bridge.units.heads import Item
from ocml_bridge.wires.blocks.grammar import added, more_of
from ocml_bridge.wires.blocks.skeletons import A_WORD, AN_IMAGE, AN_OBJECT, Slot, Slots, next_text
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.freeform import parameters_of
from ocml_bridge.wires.tool_alphabet import Alphabet, Spelling, ToolAlphabet

from .syntax import CACHE_POINT, CONTENT, MARK, NOTES, REASONING, REASONING_TEXT, TOOL_RESULT, TOOL_SPEC, TOOL_USE

# --- names and ids ----------------------------------------------------------------------------------------------------

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_-", 64))
"""The names that `ToolSpecification` and `ToolUseBlock` take."""
_IDS: Final = Alphabet("a-zA-Z0-9_.:-", 64)


def is_odd_id(call_id: str) -> bool:
    """Whether the API would not take the id of a call."""
    return not _IDS.takes(call_id)


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """Calls and replies with ids that the API takes, but for those that were read with others."""
    ids = {call_id for _, _, call_id in items if call_id}
    if all(map(_IDS.takes, ids)):
        return items
    spelling = Spelling(_IDS, ids)
    return [
        (head, content, spelling(call_id))
        if call_id and (head.bare or not NAMES.is_unchanged(head.message("", None).layout))
        else (head, content, call_id)
        for head, content, call_id in items
    ]


OF_SERVER: Final = "server_tool_use"
"""The type of a call that the server runs itself."""


def is_of_server(call: Message) -> bool:
    """Whether the block of a call says that the server runs it."""
    return members_of(NOTES.of(call.extras).get(TOOL_USE)).get("type") == OF_SERVER


# --- declarations -----------------------------------------------------------------------------------------------------

AS_IT_IS: Final = "as it is"
"""The key of an entry in the extras that holds one as it was read."""
_NO_PARAMETERS: Final[Object] = {"type": "object", "properties": {}}
"""The schema of a tool that says nothing of its parameters, or that nothing is one: the API takes objects only."""


def read_tools(raws: list[Json]) -> tuple[tuple[Tool, ...], list[Json] | None]:
    """Declared tools; and what stands between them, where anything does: each run of tools is its length there."""
    tools: list[Tool] = []
    entries: list[Json] = []
    for raw in raws:
        tool = _read_tool(raw)
        mark = _read_mark(raw) if tool is None else None
        if mark is not None and tools and tools[-1].cache is None and type(entries[-1]) is int:
            tools[-1].cache = mark
            continue
        if tool is None:
            mistakable = type(raw) is int or (isinstance(raw, dict) and AS_IT_IS in raw)
            entries.append({AS_IT_IS: raw} if mistakable else raw)
            continue
        tools.append(tool)
        if entries and type(entries[-1]) is int:
            entries[-1] += 1
        else:
            entries.append(1)
    return tuple(tools), entries if any(type(entry) is not int for entry in entries) else None


def _read_mark(value: Json) -> CacheMark | None:
    """The mark of a cache that an item is, behind the tool before it."""
    members = cast("Object", value) if isinstance(value, dict) else {}
    return read_mark(members[CACHE_POINT], MARK) if list(members) == [CACHE_POINT] else None


def _read_tool(value: Json) -> Tool | None:
    raw = cast("Object", value) if isinstance(value, dict) else {}
    spec: Json = raw.get(TOOL_SPEC)
    if not isinstance(spec, dict):
        return None
    inner = cast("Object", spec)
    name, description, strict = inner.get("name"), inner.get("description"), inner.get("strict")
    schema: Json = inner.get("inputSchema")
    members = cast("Object", schema) if isinstance(schema, dict) else {}
    if not isinstance(name, str) or not (description is None or isinstance(description, str)) or "json" not in members:
        return None
    extras = more_of(raw, (TOOL_SPEC,))
    known = ("name", "description", "inputSchema", *(["strict"] if isinstance(strict, bool) else []))
    within = more_of(inner, known)
    if beside := more_of(members, ("json",)):
        within["inputSchema"] = beside
    if within:
        extras[TOOL_SPEC] = within
    namespace, bare = split_name(name)
    tool = Tool(bare, description, members["json"], namespace, extras=NOTES.by_format(extras))
    tool.strict = strict if isinstance(strict, bool) else None
    layout: Object = NAMES.note(name)
    if not keep_form(layout, _write_tool(tool), raw, exactly=True):
        return None
    tool.layout = NOTES.by_format(layout)
    return tool


def _write_tool(tool: Tool) -> Object:
    extras = NOTES.of(tool.extras)
    within: Json = extras.get(TOOL_SPEC)
    inside = cast("Object", within) if isinstance(within, dict) else {}
    inner: Object = {"name": full_name(tool)}
    if tool.description:  # the API takes no empty one
        inner["description"] = tool.description
    schema: Json = parameters_of(tool)
    if not isinstance(schema, dict):
        schema = _NO_PARAMETERS
    inner["inputSchema"] = added({"json": schema}, inside.get("inputSchema"))
    if tool.strict is not None:
        inner["strict"] = tool.strict
    own = {key: value for key, value in extras.items() if key != TOOL_SPEC}
    return added({TOOL_SPEC: added(inner, inside)}, own)


def write_tools(tools: Sequence[Tool], entries: Json) -> list[Json]:
    """The items of `tools`, with what stands between them; tools without a place stand behind all."""
    written = iter([_with_mark(tool) for tool in tools])
    out: list[Json] = []
    for entry in cast("list[Json]", entries) if isinstance(entries, list) else []:
        if type(entry) is int:
            out += chain.from_iterable(islice(written, max(0, entry)))
        else:
            is_raw = isinstance(entry, dict) and list(cast("Object", entry)) == [AS_IT_IS]
            out.append(cast("Object", entry)[AS_IT_IS] if is_raw else entry)
    return [*out, *chain.from_iterable(written)]


def _with_mark(tool: Tool) -> list[Json]:
    """A tool, and the mark of the cache behind it."""
    written = respelled(_write_tool(tool), NOTES.of(tool.layout).get(FORM))
    return [written] if tool.cache is None else [written, {CACHE_POINT: write_mark(tool.cache, MARK)}]


# --- calls and replies that are read alike ----------------------------------------------------------------------------


def _add_id(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """An id that the API takes."""
    values.append(value)
    return value.__class__ is str and not is_odd_id(value)


def _add_content(value: Any, key: list[Hashable], values: list[str]) -> bool:
    key.append(value == [])
    if value == []:
        return True
    block: Any = value[0] if value.__class__ is list and len(value) == 1 else None
    return _add_text(block, key, values)


def _add_text(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """An object that is a text and nothing else."""
    text: Any = value.get("text") if value.__class__ is dict and len(value) == 1 else None
    values.append(text or "")
    return text.__class__ is str and not is_blank(text)


_AN_ID: Final = Slot(_add_id, next_text)


def _with_texts(value: Any, values: Iterator[str]) -> Any:
    return [_with_text(block, values) for block in value]


def _with_text(_value: Any, values: Iterator[str]) -> Any:
    return {"text": next(values)}


def _add_image(value: Any, key: list[Hashable], values: list[str]) -> bool:
    return value.__class__ is dict and value.keys() == {_BYTES} and AN_IMAGE.add(value[_BYTES], key, values)


def _with_image(value: Any, values: Iterator[str]) -> Any:
    return {_BYTES: AN_IMAGE.filled(value[_BYTES], values)}


_BYTES: Final = "bytes"


SLOTS: Final[Slots] = {
    TOOL_USE: {"toolUseId": _AN_ID, "name": A_WORD, "input": AN_OBJECT},
    TOOL_RESULT: {"toolUseId": _AN_ID, CONTENT: Slot(_add_content, _with_texts), "status": A_WORD},
    REASONING: {REASONING_TEXT: Slot(_add_text, _with_text)},
    "image": {"format": A_WORD, "source": Slot(_add_image, _with_image)},
}
