"""JSON Schema, and the subset of OpenAPI's schemas that Gemini's `parameters` are written in."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.blocks.spelling import is_same
from ocml_bridge.form import Object
from ocml_bridge.model import Json

from . import syntax

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
