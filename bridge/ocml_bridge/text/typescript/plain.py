"""Write an ordinary tool as TypeScript, and predict what reading it gives: the fast path of `declare`.

TypeScript loses part of a schema, so `declare` must write a tool and parse it again to know what is declared. For tools
with one-line descriptions and schemas of simple types, this module computes both at once, with the same result. It
returns None for any other tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ocml_bridge.model import Tool

from .defaults import is_object, spell_json

if TYPE_CHECKING:
    from collections.abc import Set

    from ocml_bridge.model import Json

_Type = tuple[str, dict[str, "Json"]]
"""The TypeScript of a type, and the schema that is read from it."""

_ODD: Final = frozenset({"oneOf", "nullable", "title", "examples"})
"""Keys of a schema that change how its type is written."""
_NUMBER: Final[_Type] = ("number", {"type": "number"})
_SIMPLE: Final[dict[str, _Type]] = {
    "string": ("string", {"type": "string"}),
    "boolean": ("boolean", {"type": "boolean"}),
    "number": _NUMBER,
    "integer": _NUMBER,
}
_LEVELS: Final = 20
"""The depth of nested types that this module handles."""
_PLAIN_NUMBER: Final = 1 << 53
"""Only defaults below this number are predicted."""


def plain_tool(tool: Tool) -> tuple[str, Tool] | None:
    """Return the text of a tool, and the tool that is read from it; None if it is in a namespace or is not ordinary."""
    name, description = tool.name, tool.description
    if tool.namespace is not None or not _is_word(name.replace("-", "_")) or (description and "\n" in description):
        return None
    comment = f"// {description}\n" if description else ""
    if tool.parameters is None:
        return f"{comment}type {name} = () => any;\n", Tool(name, description or None)
    parameters = _type(tool.parameters, "", 0)
    if parameters is None:
        return None
    text, read_parameters = parameters
    return f"{comment}type {name} = (_: {text}) => any;\n", Tool(name, description or None, read_parameters)


def _is_word(name: str) -> bool:
    """Return whether a name is an ASCII identifier, so that it cannot be read as anything else."""
    return name.isidentifier() and name.isascii()


def _type(schema: Json, indent: str, depth: int) -> _Type | None:
    if not is_object(schema) or depth > _LEVELS or not _ODD.isdisjoint(schema):
        return None
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, indent, depth)
    if kind == "array":
        items = _type(schema.get("items"), indent, depth + 1)
        return None if items is None else (f"{items[0]}[]", {"type": "array", "items": items[1]})
    if "enum" in schema:
        return _enum(schema["enum"]) if kind == "string" else None
    simple = _SIMPLE.get(kind) if isinstance(kind, str) else None
    return None if simple is None else (simple[0], {**simple[1]})


def _enum(values: Json) -> _Type | None:
    if not isinstance(values, list) or not values:
        return None
    listed = cast("list[Json]", values)
    if not all(isinstance(value, str) and '"' not in value and "\n" not in value for value in listed):
        return None
    return " | ".join([f'"{value}"' for value in listed]), {"type": "string", "enum": [*listed]}


def _object(schema: dict[str, Json], indent: str, depth: int) -> _Type | None:
    properties, names = schema.get("properties", {}), schema.get("required", [])
    if "description" in schema or not is_object(properties) or not isinstance(names, list):
        return None
    required = {name for name in cast("list[Json]", names) if isinstance(name, str)}
    out = ["{\n"]
    members: dict[str, Json] = {}
    for name, value in properties.items():
        read_schema = _member(out, name, value, required, indent, depth) if _is_word(name) else None
        if read_schema is None:
            return None
        members[name] = read_schema
    out.append(f"{indent}}}")
    result: dict[str, Json] = {"type": "object", "properties": members}
    if read_required := [name for name in members if name in required]:
        result["required"] = read_required
    return "".join(out), result


def _member(
    out: list[str], name: str, schema: Json, required: Set[str], indent: str, depth: int
) -> dict[str, Json] | None:
    """Append a property to `out`; return the schema that is read from it, with its keys in the order of reading."""
    typed = _type(schema, f"{indent}    ", depth + 1)
    if typed is None:
        return None
    text, read_schema = typed
    description = schema.get("description")
    if description is not None:
        if not isinstance(description, str) or not description or "\n" in description:
            return None
        out.append(f"{indent}// {description}\n")
        kind = read_schema.pop("type")
        read_schema = {"type": kind, "description": description, **read_schema}
    default = ""
    if "default" in schema:
        spelled = _default(schema["default"], read_schema)
        if spelled is None:
            return None
        default, read_schema["default"] = f" // default: {spelled}", schema["default"]
    out.append(f"{indent}{name}{'' if name in required else '?'}: {text},{default}\n")
    return read_schema


def _default(value: Json, read_schema: dict[str, Json]) -> str | None:
    """Return the text of a default's comment; None if it might be read as another value."""
    if isinstance(value, str):
        if read_schema["type"] != "string" or "\n" in value:
            return None
        values = read_schema.get("enum")
        if values is None:
            return f'"{value}"'
        return value if value in values else None
    if not (value is None or isinstance(value, bool) or (type(value) is int and abs(value) < _PLAIN_NUMBER)):
        return None
    spelled = spell_json(value)
    # The text would be read as the enum's value of the same spelling.
    return None if spelled in read_schema.get("enum", ()) else spelled
