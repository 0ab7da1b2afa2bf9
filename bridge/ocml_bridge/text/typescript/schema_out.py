"""Write JSON Schema as TypeScript types, as openai-harmony 0.0.8 writes the parameters of tools.

These are omitted: bounds, patterns, formats, `const`, `anyOf`, `allOf`, `$ref`, values of an enum that are not strings,
`additionalProperties`, the difference between integer and number. Nothing is escaped: the second line of a description
is outside the comment. The only deviation from the official encoder is in `defaults._spell_float`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .defaults import RENDER_DEPTH, is_array, is_object, spell_default, too_deep

if TYPE_CHECKING:
    from ocml_bridge.model import Json

_NESTED = "    "
"""The additional indentation of a nested object's members."""
_VARIANT = "   "
"""The additional indentation of a variant's members."""
_SIMPLE = {"number": "number", "integer": "number", "boolean": "boolean"}


def render_schema(schema: Json) -> str:
    """Return the TypeScript type of a JSON Schema: the text between `(_: ` and `) => any;`.

    Raises:
        BridgeError: LIMIT, if the schema nests more levels deep than the parser reads.
    """
    return _type(schema, "", 0)


def render_signature(parameters: Json) -> str:
    """Return the text after `type name = `: `(_: …) => any;`, or `() => any;` for a tool without parameters (None).

    Raises:
        BridgeError: LIMIT, if the schema nests more levels deep than the parser reads.
    """
    return "() => any;" if parameters is None else f"(_: {render_schema(parameters)}) => any;"


def _type(schema: Json, indent: str, depth: int) -> str:
    """Return the type without `| null`, which only members and variants have (`_or_null`)."""
    if not is_object(schema):
        return "any"
    if depth > RENDER_DEPTH:
        raise too_deep()
    variants = schema.get("oneOf")
    if is_array(variants):
        return _union(variants, indent, depth)
    kind = schema.get("type")
    if is_array(kind):
        words = ["number" if word == "integer" else word for word in kind if isinstance(word, str)]
        return " | ".join(words) if words else "any"
    if kind == "object":
        return _object(schema, indent, depth)
    if kind == "string":
        return _string(schema)
    if kind == "array":
        return f"{_type(schema['items'], indent, depth + 1)}[]" if "items" in schema else "Array<any>"
    return _SIMPLE.get(kind, "any") if isinstance(kind, str) else "any"


def _or_null(schema: Json, text: str) -> str:
    """Append `| null` to the type of a member or variant if it is nullable."""
    # The official encoder searches for the letters, so it writes no `| null` for an enum with the value "null_a".
    if is_object(schema) and schema.get("nullable") is True and "null" not in text:
        return f"{text} | null"
    return text


def _string(schema: dict[str, Json]) -> str:
    values = schema.get("enum")
    if is_array(values) and (quoted := [f'"{value}"' for value in values if isinstance(value, str)]):
        return " | ".join(quoted)
    return "string"


def _object(schema: dict[str, Json], indent: str, depth: int) -> str:
    out: list[str] = []
    if (description := _text(schema, "description")) is not None:
        out.append(f"{indent}// {description}\n")
    out.append("{\n")
    properties = schema.get("properties")
    if is_object(properties):
        names = schema.get("required")
        required = {name for name in names if isinstance(name, str)} if is_array(names) else ()
        for key, value in properties.items():
            _member(out, key if key in required else f"{key}?", value, indent, depth)
    out.append(f"{indent}}}")
    return "".join(out)


def _member(out: list[str], name: str, schema: Json, indent: str, depth: int) -> None:
    """Append a property with the comments above it to `out`; an optional `name` has its question mark already."""
    if not is_object(schema):
        out.append(f"{indent}{name}: any,\n")
        return
    if (title := _text(schema, "title")) is not None:
        out.append(f"{indent}// {title}\n{indent}//\n")
    is_plain = "oneOf" not in schema
    if is_plain and (description := _text(schema, "description")) is not None:
        out.append(f"{indent}// {description}\n")
    examples = schema.get("examples")
    if is_array(examples) and examples:
        out.append(f"{indent}// Examples:\n")
        out.extend([f'{indent}// - "{example}"\n' for example in examples if isinstance(example, str)])
    variants = schema.get("oneOf")
    if is_array(variants):
        _member_union(out, name, schema, variants, indent, depth)
        return
    text = _or_null(schema, _type(schema, indent + _NESTED, depth + 1))
    default = f" // default: {spell_default(schema)}" if is_plain and "default" in schema else ""
    out.append(f"{indent}{name}: {text},{default}\n")


def _member_union(
    out: list[str], name: str, schema: dict[str, Json], variants: list[Json], indent: str, depth: int
) -> None:
    """Append a property that is a `oneOf`; a variant with the same description gets no comment."""
    description = _text(schema, "description")
    is_described = description is not None and not (variants and _text(variants[0], "description") == description)
    if is_described:
        out.append(f"{indent}// {description}\n")
    if "default" in schema:
        out.append(f"{indent}// default: {spell_default(schema)}\n")
    out.append(f"{indent}{name}:\n")
    for index, variant in enumerate(variants):
        note = _text(variant, "description")
        if note == description or (is_described and index == 0):
            note = None
        default = spell_default(variant) if is_object(variant) and "default" in variant else None
        text = _or_null(variant, _type(variant, indent + _VARIANT, depth + 1))
        out.append(f"{indent} | {text}{_comment(note, default)}\n")
    out.append(f"{indent},\n")


def _union(variants: list[Json], indent: str, depth: int) -> str:
    """Return a `oneOf` that is not the type of a property."""
    out: list[str] = []
    for variant in variants:
        note = _text(variant, "description")
        default = spell_default(variant, bare_enum=False) if is_object(variant) and "default" in variant else None
        text = _or_null(variant, _type(variant, indent + _VARIANT, depth + 1))
        out.append(f"\n{indent} | {text}{_comment(note, default)}")
    return "".join(out)


def _comment(description: str | None, default: str | None) -> str:
    notes = [] if description is None else [description]
    if default is not None:
        notes.append(f"default: {default}")
    return f" // {' '.join(notes)}" if notes else ""


def _text(schema: Json, key: str) -> str | None:
    """Return the value of a key if it is a string; any other value is not rendered."""
    value = schema.get(key) if is_object(schema) else None
    return value if isinstance(value, str) else None
