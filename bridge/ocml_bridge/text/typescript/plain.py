"""Tools as most are, written and read back in one step.

What a section says of a tool is less than its declaration does. The careful way to know how much is to write the
section and to read it. For tools with one-line descriptions and schemas of simple types both are known beforehand: this
is what the careful way would give, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ocml_bridge.model import Tool

from .defaults import is_object, spell_json

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from ocml_bridge.model import Json

_Type = tuple[str, dict[str, "Json"]]
"""A type as text, and the schema that is read from it."""

_ODD: Final = frozenset({"oneOf", "nullable", "title", "examples"})
"""Keys of a schema that are written in ways of their own."""
_NUMBER: Final[_Type] = ("number", {"type": "number"})
_SIMPLE: Final[dict[str, _Type]] = {
    "string": ("string", {"type": "string"}),
    "boolean": ("boolean", {"type": "boolean"}),
    "number": _NUMBER,
    "integer": _NUMBER,
}
_LEVELS: Final = 20
"""How deep types may nest here."""
_PLAIN_NUMBER: Final = 1 << 53


def plain_section(tools: Sequence[Tool]) -> tuple[str, tuple[Tool, ...]] | None:
    """The `# Tools` section of tools in the default namespace, and the tools that it says; None for any others."""
    out = ["# Tools\n\n## functions\n\nnamespace functions {\n\n"]
    declared: list[Tool] = []
    for tool in tools:
        name, about = tool.name, tool.description
        if tool.namespace is not None or not _is_word(name.replace("-", "_")):
            return None
        if about:
            if "\n" in about:
                return None
            out.append(f"// {about}\n")
        if tool.parameters is None:
            out.append(f"type {name} = () => any;\n\n")
            declared.append(Tool(name, about or None))
            continue
        found = _type(tool.parameters, "", 0)
        if found is None:
            return None
        out.append(f"type {name} = (_: {found[0]}) => any;\n\n")
        declared.append(Tool(name, about or None, found[1]))
    out.append("} // namespace functions")
    return ("".join(out), tuple(declared)) if declared else None


def _is_word(name: str) -> bool:
    """Whether a name cannot be taken for anything else."""
    return name.isidentifier() and name.isascii()


def _type(schema: Json, indent: str, depth: int) -> _Type | None:
    if not is_object(schema) or depth > _LEVELS or not _ODD.isdisjoint(schema):
        return None
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, indent, depth)
    if kind == "array":
        found = _type(schema.get("items"), indent, depth + 1)
        return None if found is None else (f"{found[0]}[]", {"type": "array", "items": found[1]})
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
        found = _member(out, name, value, required, indent, depth) if _is_word(name) else None
        if found is None:
            return None
        members[name] = found
    out.append(f"{indent}}}")
    back: dict[str, Json] = {"type": "object", "properties": members}
    if read := [name for name in members if name in required]:
        back["required"] = read
    return "".join(out), back


def _member(
    out: list[str], name: str, schema: Json, required: Set[str], indent: str, depth: int
) -> dict[str, Json] | None:
    """Append a property; what is read of it, its keys in the order in which they are read."""
    found = _type(schema, f"{indent}    ", depth + 1)
    if found is None:
        return None
    text, back = found
    about = schema.get("description")
    if about is not None:
        if not isinstance(about, str) or not about or "\n" in about:
            return None
        out.append(f"{indent}// {about}\n")
        kind = back.pop("type")
        back = {"type": kind, "description": about, **back}
    default = ""
    if "default" in schema:
        spelled = _default(schema["default"], back)
        if spelled is None:
            return None
        default, back["default"] = f" // default: {spelled}", schema["default"]
    out.append(f"{indent}{name}{'' if name in required else '?'}: {text},{default}\n")
    return back


def _default(value: Json, back: dict[str, Json]) -> str | None:
    """A default as its comment has it; None where it is not sure to be read as it is."""
    if isinstance(value, str):
        if back["type"] != "string" or "\n" in value:
            return None
        values = back.get("enum")
        if values is None:
            return f'"{value}"'
        return value if value in values else None
    if not (value is None or isinstance(value, bool) or (type(value) is int and abs(value) < _PLAIN_NUMBER)):
        return None
    spelled = spell_json(value)
    # Among the values of an enum, the letters are taken for one of them.
    return None if spelled in back.get("enum", ()) else spelled
