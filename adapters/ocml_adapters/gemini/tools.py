"""Read and write declared tools: lists of functions, and entries for Google's own tools; also names and schemas."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from ocml_bridge.chat.freeform_arguments import parameters_of
from ocml_bridge.chat.tool_cache import cached_reader, cached_writer
from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.form import Object, add
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Tool
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.skeletons import (
    A_FILLED_TEXT,
    A_TEXT,
    A_WORD,
    AN_ADDRESS,
    AN_IMAGE,
    AN_OBJECT,
    Shape,
    a_text,
    an_object,
    blocks,
    one_of,
)
from ocml_bridge.wires.blocks.spelling import FORM, is_same, keep_form, respelled
from ocml_bridge.wires.tool_alphabet import Alphabet, ToolAlphabet

from . import syntax
from .hosted import is_hosted
from .syntax import CALL, DECLARATIONS, FILE, INLINE, NOTES, RESPONSE, SIGNATURE, with_lone_objects

# --- names ------------------------------------------------------------------------------------------------------------

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_.:-", 64, first="a-zA-Z_"), is_hosted)
"""The names that every version of the API accepts (`FunctionDeclaration.name`); some accept longer ones."""


# --- declarations -----------------------------------------------------------------------------------------------------

AS_IT_IS: Final = "as it is"
"""The key of an entry of the extras that contains a raw one which could be mistaken for an entry with functions."""
_SCHEMA: Final = "parametersJsonSchema"
"""The member with the parameters as JSON Schema."""
_KEY: Final = "parameters"
"""The member with the parameters as OpenAPI schema; in the layout, the key that was read, if it is not the default."""


_LENGTHS: Final = "tools"
"""The key of the layout with the number of functions in each list of declared tools."""
_ALONE: Final = "functions alone"
"""The key of the layout with the indices of the entries in which one function takes the place of a list of it."""


def read_tools(raws: list[Json], layout: Object) -> tuple[tuple[Tool, ...] | None, list[Json] | None]:
    """Read the entries of `tools`.

    Args:
        raws: the entries.
        layout: receives how the lists of functions are spelled.

    Returns:
        The functions; None if there is no list of them. The entries with the number of functions in place of each list,
        for the extras; None if they contain nothing but functions.
    """
    tools: list[Tool] = []
    entries: list[Json] = []
    alone: list[int] = []
    for at, raw in enumerate(raws):
        entry = syntax.keys(cast("Object", raw)) if isinstance(raw, dict) else {}
        declared = syntax.listed(entry.get(DECLARATIONS))
        if not isinstance(declared, list) or not all(read := list(map(_read_tool, cast("list[Json]", declared)))):
            entries.append({AS_IT_IS: raw} if _is_mistakable(entry) else raw)
            continue
        tools += cast("list[Tool]", read)
        if declared is not entry[DECLARATIONS]:
            alone.append(at)
        entries.append({key: len(read) if key == DECLARATIONS else value for key, value in entry.items()})
    counts = [_count(entry) for entry in entries]
    objects = [cast("Object", entry) for entry in entries if isinstance(entry, dict)]
    only_functions = None not in counts and all(list(entry) == [DECLARATIONS] for entry in objects)
    functions = tuple(tools) if tools or not entries or any(count is not None for count in counts) else None
    if alone:
        layout[_ALONE] = alone
    if only_functions and (len(entries) > 1 or counts == [0]):
        layout[_LENGTHS] = counts
    return functions, None if only_functions else entries


def _is_mistakable(entry: Object) -> bool:
    """Return whether a raw entry could be mistaken for one whose functions were read."""
    return type(entry.get(DECLARATIONS)) is int or AS_IT_IS in entry


def _count(entry: Json) -> int | None:
    count: Json = cast("Object", entry).get(DECLARATIONS) if isinstance(entry, dict) else None
    return count if type(count) is int else None


@cached_reader
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
    named = with_types(schema, _NAMES) if key == _KEY else schema
    parameters = from_openapi(named) if key == _KEY else schema
    extras = more_of(item, ("name", "description", key))
    namespace, bare = split_name(name)
    tool = Tool(bare, description, parameters, namespace, NOTES.by_format(extras))
    layout: Object = NAMES.note(name)
    if schema is not None and _schema_key(parameters) != key:
        layout[_KEY] = key
    if named != schema:
        layout[_NUMBERED] = True
    tool.layout = NOTES.by_format(layout)
    if not keep_form(layout, _write_tool(tool), raw, syntax.alias):
        return None
    tool.layout = NOTES.by_format(layout)
    return tool


def _schema_key(parameters: Json) -> str:
    return _SCHEMA if to_openapi(parameters) is None else _KEY


@cached_writer
def _write_tool(tool: Tool) -> Object:
    extras, layout = NOTES.of(tool.extras), NOTES.of(tool.layout)
    out: Object = {"name": full_name(tool)}
    if tool.description is not None:
        out["description"] = tool.description
    if (parameters := parameters_of(tool)) is not None:
        out.update(_schema(parameters, layout.get(_KEY)))
    if _KEY in out and layout.get(_NUMBERED) is True:
        out[_KEY] = with_types(out[_KEY], _NUMBERS)
    return add(out, extras)


def _schema(parameters: Json, key: Json) -> Object:
    if key == _SCHEMA:
        return {_SCHEMA: parameters}
    written = to_openapi(parameters)
    if written is None and key == _KEY and is_same(from_openapi(parameters), parameters):
        return {_KEY: parameters}
    return {_SCHEMA: parameters} if written is None else {_KEY: written}


def write_tools(tools: Sequence[Tool], entries: Json, layout: Object) -> list[Json]:
    """Return the entries of `tools`; functions for which no entry has a place become another list.

    Args:
        tools: the functions.
        entries: the entries of the extras, as `read_tools` returns them.
        layout: the layout of the document, as `read_tools` leaves it.
    """
    counts, alone = layout.get(_LENGTHS), layout.get(_ALONE)
    written = iter([respelled(_write_tool(tool), NOTES.of(tool.layout).get(FORM)) for tool in tools])
    if isinstance(entries, list):
        out = [_with_functions(entry, written) for entry in cast("list[Json]", entries)]
    elif isinstance(counts, list) and all(type(count) is int for count in cast("list[Json]", counts)):
        out = [{DECLARATIONS: list(islice(written, max(0, count)))} for count in cast("list[int]", counts)]
    else:
        out = list[Json]()
    if rest := list(written):
        out.append({DECLARATIONS: rest})
    if not isinstance(alone, list):
        return out
    return [with_lone_objects(members_of(each), [DECLARATIONS]) if at in alone else each for at, each in enumerate(out)]


def _with_functions(entry: Json, written: Iterator[Json]) -> Json:
    count = _count(entry)
    if count is None:
        members = members_of(entry)
        return members[AS_IT_IS] if list(members) == [AS_IT_IS] else entry
    functions = list(islice(written, max(0, count)))
    return {key: functions if key == DECLARATIONS else value for key, value in cast("Object", entry).items()}


# --- OpenAPI schemas --------------------------------------------------------------------------------------------------

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_NAMES: Final[dict[str | int, str | int]] = {
    1: "STRING",
    2: "NUMBER",
    3: "INTEGER",
    4: "BOOLEAN",
    5: "ARRAY",
    6: "OBJECT",
}
"""The types by their numbers, which clients send with `enum-encoding=int`."""
_NUMBERS: Final[dict[str | int, str | int]] = {name: number for number, name in _NAMES.items()}
_NUMBERED: Final = "numbers"
"""The key of the layout that marks a tool whose schema has types as numbers."""
_COUNTS: Final = frozenset({"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"})
_KNOWN: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "enum", "properties", "required", "items", "anyOf"),
        *("pattern", "example", "default", "minimum", "maximum", "propertyOrdering", *_COUNTS),
    }
)
"""The members that an OpenAPI schema can have."""


def from_openapi(schema: Json) -> Json:
    """Return an OpenAPI schema as JSON Schema: with types in lower case, `null` as a type, and counts as numbers."""
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


def with_types(schema: Json, types: Mapping[str | int, str | int]) -> Json:
    """Return an OpenAPI schema with other types, by the present ones: names instead of numbers, or the reverse."""
    if not isinstance(schema, dict):
        return schema
    return {
        key: types.get(value, value)
        if key == "type" and type(value) in (str, int)
        else _inside(key, value, lambda inner: with_types(inner, types))
        for key, value in cast("Object", schema).items()
    }


def _inside(key: str, value: Json, convert: Callable[[Json], Json]) -> Json:
    """Return the value of a schema's member in which each schema is replaced by the result of a function."""
    if key == "properties" and isinstance(value, dict):
        return {name: convert(each) for name, each in cast("Object", value).items()}
    if key == "anyOf" and isinstance(value, list):
        return [convert(each) for each in cast("list[Json]", value)]
    return convert(value) if key == "items" else value


def to_openapi(schema: Json) -> Object | None:
    """Return a JSON Schema as OpenAPI schema; None if this could not express all of it."""
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
    is_of_texts = enum is None or (
        isinstance(enum, list) and all(isinstance(each, str) for each in cast("list[Json]", enum))
    )
    return isinstance(kind, str) and kind in _TYPES and is_of_texts and _are_expressible(members)


def _are_expressible(members: Object) -> bool:
    """Return whether the schemas within a schema can be expressed as OpenAPI schemas."""
    properties: Json = members.get("properties", {})
    choices: Json = members.get("anyOf", [])
    if not isinstance(properties, dict) or not isinstance(choices, list):
        return False
    inner = [*cast("Object", properties).values(), *cast("list[Json]", choices)]
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


# --- skeletons --------------------------------------------------------------------------------------------------------


def _wrapper_of(response: Any) -> Hashable:
    """Return the keys of a response's object if one of them is that of the reply; None if the reply is the object."""
    is_wrapped = response.__class__ is dict and ("output" in response or "error" in response)
    return tuple(response) if is_wrapped else None


_PLAIN: Final = a_text(lambda text: text.lstrip()[:1] != "{")
"""A text that could not be an object, which is read and written in another way."""
_WRAPPED: Final = {(key,): an_object(Shape({key: _PLAIN})) for key in ("output", "error")}
_RESPONSE: Final = one_of(_wrapper_of, {None: AN_OBJECT, **_WRAPPED})
SLOT: Final = blocks(
    syntax.in_all_spellings(
        {
            CALL: {"id": A_TEXT, "name": A_WORD, "args": AN_OBJECT},
            RESPONSE: {"id": A_TEXT, "name": A_WORD, "response": _RESPONSE},
            INLINE: syntax.in_all_spellings({"mimeType": A_WORD, "data": AN_IMAGE}),
            FILE: syntax.in_all_spellings({"mimeType": A_WORD, "fileUri": AN_ADDRESS}),
        }
    ),
    beside=syntax.in_all_spellings({SIGNATURE: A_FILLED_TEXT}),
)
