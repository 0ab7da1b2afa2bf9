"""Declared tools, both ways: lists of functions, and tools of Google's own beside them; their names and schemas."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.jsontext import text_of
from ocml_bridge.model import Json, Tool
from ocml_bridge.wires.blocks.grammar import added, more_of
from ocml_bridge.wires.blocks.skeletons import A_TEXT, A_WORD, AN_ADDRESS, AN_IMAGE, AN_OBJECT, Slot, Slots, object_with
from ocml_bridge.wires.blocks.spelling import FORM, is_same, keep_form, respelled
from ocml_bridge.wires.freeform import parameters_of
from ocml_bridge.wires.tool_alphabet import Alphabet, ToolAlphabet

from . import syntax
from .syntax import CALL, DECLARATIONS, FILE, INLINE, NOTES, RESPONSE

# --- names ------------------------------------------------------------------------------------------------------------

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_.:-", 64, first="a-zA-Z_"))
"""The names that every version of the API takes (`FunctionDeclaration.name`); some take longer ones."""


# --- declarations -----------------------------------------------------------------------------------------------------

AS_IT_IS: Final = "as it is"
"""The key of an entry in the extras that holds one as it was read."""
_SCHEMA: Final = "parametersJsonSchema"
_KEY: Final = "parameters"
"""The key of the layout that names the member with the schema, where it is not the one that we would choose."""


def read_tools(raws: list[Json]) -> tuple[tuple[Tool, ...] | None, list[Json] | None, list[int] | None]:
    """Declared functions; the entries without them where there is more to say; how many each list has.

    Returns:
        The functions; None where there is no list of them. What the entries say beside functions, which stand in them
        as their number; None where they say nothing. The lengths of the lists; None where it is one list.
    """
    tools: list[Tool] = []
    entries: list[Json] = []
    for raw in raws:
        entry = syntax.keys(cast("Object", raw)) if isinstance(raw, dict) else {}
        declared: Json = entry.get(DECLARATIONS)
        if not isinstance(declared, list) or not all(read := list(map(_read_tool, cast("list[Json]", declared)))):
            entries.append({AS_IT_IS: raw} if _is_mistakable(entry) else raw)
            continue
        tools += cast("list[Tool]", read)
        entries.append({key: len(read) if key == DECLARATIONS else value for key, value in entry.items()})
    counts = [_count(entry) for entry in entries]
    objects = [cast("Object", entry) for entry in entries if isinstance(entry, dict)]
    bare = None not in counts and all(list(entry) == [DECLARATIONS] for entry in objects)
    known = tuple(tools) if tools or not entries or any(count is not None for count in counts) else None
    if not bare:
        return known, entries, None
    return known, None, None if len(entries) < 2 and counts != [0] else cast("list[int]", counts)


def _is_mistakable(entry: Object) -> bool:
    """Whether an entry that is kept as it is would be taken for one whose functions were read."""
    return type(entry.get(DECLARATIONS)) is int or AS_IT_IS in entry


def _count(entry: Json) -> int | None:
    count: Json = cast("Object", entry).get(DECLARATIONS) if isinstance(entry, dict) else None
    return count if type(count) is int else None


def _read_tool(value: Json) -> Tool | None:
    if not isinstance(value, dict):
        return None
    raw = cast("Object", value)
    item = syntax.keys(raw)
    name, description = item.get("name"), item.get("description")
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    key = _KEY if item.get(_KEY) is not None else _SCHEMA
    schema: Json = item.get(key)
    parameters = from_openapi(schema) if key == _KEY else schema
    extras = more_of(item, ("name", "description", key))
    namespace, bare = split_name(name)
    tool = Tool(bare, description, parameters, namespace, NOTES.by_format(extras))
    layout: Object = NAMES.note(name)
    if schema is not None and _schema_key(parameters) != key:
        layout[_KEY] = key
    tool.layout = NOTES.by_format(layout)
    if not keep_form(layout, _write_tool(tool), raw, syntax.alias, exactly=True):
        return None
    tool.layout = NOTES.by_format(layout)
    return tool


def _schema_key(parameters: Json) -> str:
    return _SCHEMA if to_openapi(parameters) is None else _KEY


def _write_tool(tool: Tool) -> Object:
    extras, layout = NOTES.of(tool.extras), NOTES.of(tool.layout)
    out: Object = {"name": full_name(tool)}
    if tool.description is not None:
        out["description"] = tool.description
    if (parameters := parameters_of(tool)) is not None:
        out.update(_schema(parameters, layout.get(_KEY)))
    return added(out, extras)


def _schema(parameters: Json, key: Json) -> Object:
    if key == _SCHEMA:
        return {_SCHEMA: parameters}
    written = to_openapi(parameters)
    if written is None and key == _KEY and is_same(from_openapi(parameters), parameters):
        return {_KEY: parameters}
    return {_SCHEMA: parameters} if written is None else {_KEY: written}


def write_tools(tools: Sequence[Tool], entries: Json, counts: Json) -> list[Json]:
    """The entries of `tools`, with functions in their places; those without a place stand in the last list.

    Args:
        tools: the functions.
        entries: what is said beside them, from the extras.
        counts: how many stand in one list, from the layout.
    """
    written = iter([respelled(_write_tool(tool), NOTES.of(tool.layout).get(FORM)) for tool in tools])
    if isinstance(entries, list):
        out = [_with_functions(entry, written) for entry in cast("list[Json]", entries)]
    elif isinstance(counts, list) and all(type(count) is int for count in cast("list[Json]", counts)):
        out = [{DECLARATIONS: list(islice(written, max(0, count)))} for count in cast("list[int]", counts)]
    else:
        out = []
    return [*out, {DECLARATIONS: rest}] if (rest := list(written)) else out


def _with_functions(entry: Json, written: Iterator[Json]) -> Json:
    count = _count(entry)
    if count is None:
        members = cast("Object", entry) if isinstance(entry, dict) else {}
        return members[AS_IT_IS] if list(members) == [AS_IT_IS] else cast("Json", entry)
    functions = list(islice(written, max(0, count)))
    return {key: functions if key == DECLARATIONS else value for key, value in cast("Object", entry).items()}


# --- schemas in OpenAPI's words ---------------------------------------------------------------------------------------

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_COUNTS: Final = frozenset({"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"})
_KNOWN: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "enum", "properties", "required", "items", "anyOf"),
        *("pattern", "example", "default", "minimum", "maximum", "propertyOrdering", *_COUNTS),
    }
)
"""The members of a schema that `parameters` may have."""


def from_openapi(schema: Json) -> Json:
    """A schema of OpenAPI as JSON Schema: types in small letters, null among them, counts as numbers."""
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    members = syntax.keys(cast("Object", schema))
    for key, value in members.items():
        if key == "type" and isinstance(value, str):
            name = value.lower() if value.lower() in _TYPES else value
            out[key] = [name, "null"] if members.get("nullable") is True else name
        elif key == "nullable" and isinstance(value, bool) and isinstance(members.get("type"), str):
            continue
        elif (
            key in _COUNTS
            and isinstance(value, str)
            and value.isascii()
            and value.isdecimal()
            and str(int(value[:18])) == value
        ):
            out[key] = int(value)
        else:
            out[key] = _inside(key, value, from_openapi)
    return out


def _inside(key: str, value: Json, change: object) -> Json:
    """A member of a schema, with the schemas in it changed."""
    turn = cast("type[Json]", change)
    if key == "properties" and isinstance(value, dict):
        return {name: turn(each) for name, each in cast("Object", value).items()}
    if key == "anyOf" and isinstance(value, list):
        return [turn(each) for each in cast("list[Json]", value)]
    return turn(value) if key == "items" else value


def to_openapi(schema: Json) -> Object | None:
    """JSON Schema as a schema of OpenAPI; None where that would not say all of it."""
    if not isinstance(schema, dict) or not _is_expressible(cast("Json", schema)):
        return None
    written = _written(cast("Json", schema))
    return cast("Object", written) if is_same(from_openapi(written), cast("Json", schema)) else None


def _is_expressible(schema: Json) -> bool:
    if not isinstance(schema, dict):
        return False
    members = cast("Object", schema)
    if not members.keys() <= _KNOWN or "type" not in members:
        return "anyOf" in members and members.keys() <= _KNOWN and _are_expressible(members)
    kind = members["type"]
    if isinstance(kind, list):
        kinds = cast("list[Json]", kind)
        kind = kinds[0] if len(kinds) == 2 and kinds[1] == "null" else None
    enum: Json = members.get("enum")
    texts = enum is None or (isinstance(enum, list) and all(isinstance(one, str) for one in cast("list[Json]", enum)))
    return isinstance(kind, str) and kind in _TYPES and texts and _are_expressible(members)


def _are_expressible(members: Object) -> bool:
    properties: Json = members.get("properties", {})
    several: Json = members.get("anyOf", [])
    if not isinstance(properties, dict) or not isinstance(several, list):
        return False
    inner = [*cast("Object", properties).values(), *cast("list[Json]", several)]
    return all(map(_is_expressible, [*inner, members["items"]] if "items" in members else inner))


def _written(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    for key, value in cast("Object", schema).items():
        if key == "type" and isinstance(value, str):
            out[key] = value.upper()
        elif key == "type":
            out[key], out["nullable"] = cast("list[str]", value)[0].upper(), True
        else:
            out[key] = _inside(key, value, _written)
    return out


# --- calls and replies that are read alike ----------------------------------------------------------------------------


def _add(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """An object with an output or an error is what that says; a text that looks like an object is another case."""
    if value.__class__ is not dict:
        return False
    inner: Any = next(iter(value.values())) if len(value) == 1 else None
    if "output" in value or "error" in value:
        key += (tuple(value), not inner)
        if inner:
            values.append(inner)
        return inner.__class__ is str and inner.lstrip()[:1] != "{"
    text = text_of(value)
    key.append(None)
    values.append(text or "")
    return text is not None


def _filled(value: Any, values: Iterator[str]) -> Any:
    keys = list(value)
    if keys not in (["output"], ["error"]):
        return object_with(next(values))
    return {keys[0]: next(values)} if value[keys[0]] else value


SLOTS: Final[Slots] = {
    CALL: {"id": A_TEXT, "name": A_WORD, "args": AN_OBJECT},
    RESPONSE: {"id": A_TEXT, "name": A_WORD, "response": Slot(_add, _filled)},
    INLINE: {"mimeType": A_WORD, "data": AN_IMAGE},
    FILE: {"mimeType": A_WORD, "fileUri": AN_ADDRESS},
}
