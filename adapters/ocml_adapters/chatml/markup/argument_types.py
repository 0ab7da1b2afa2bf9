"""Give types to the values of arguments that are texts, by the schema that the function declares.

The rules are in `docs/formats/chatml.md`, reading 11 of the dialects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.jsontext import Span, parse, spaced
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json
from ocml_bridge.text.repair import repair

from .python_literals import number_of
from .spelling import object_of

_TEXT: Final = frozenset({"string"})
_NULL: Final = "null"
_TEXT_OR_NULL: Final = frozenset({"string", _NULL})
_IMPLIED: Final = {"properties": "object", "additionalProperties": "object", "items": "array", "prefixItems": "array"}
"""Keyword of a schema → the type that it implies if the schema names none."""

_COMBINED: Final = ("anyOf", "oneOf", "allOf")
_OTHER_NAMES: Final = {
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "uint", "uint32", "uint64", "long", "short", "unsigned"), "integer"),
    **dict.fromkeys(("float", "float32", "float64", "double"), "number"),
    **dict.fromkeys(("dict", "map"), "object"),
    **dict.fromkeys(("list", "arr", "sequence", "tuple"), "array"),
    "bool": "boolean",
}
"""Name of a type that tools are declared with → the type of JSON Schema that it means."""


class Typed(NamedTuple):
    """Arguments with types, and what is uncertain in them.

    Attributes:
        arguments: a JSON object.
        undeclared: parameters that no schema declares; their values are strings.
        mistyped: parameters whose text is not a value of their declared type; their values are strings.
    """

    arguments: str
    undeclared: tuple[str, ...] = ()
    mistyped: tuple[str, ...] = ()


def typed(values: Mapping[str, str], schema: Json) -> Typed:
    """Return arguments as JSON.

    For a string, and for a string or null, the text is the value, except that `null` is null if it may be. For any
    other type the text is JSON, or a literal of Python, words in any case; if it is none of these, it is a string.

    Args:
        values: parameter → its text.
        schema: the parameters of the function; None if they are unknown.
    """
    members: list[str] = []
    undeclared: list[str] = []
    mistyped: list[str] = []
    for name, text in values.items():
        declared = _declared(name, schema)
        if declared is None:
            undeclared.append(name)
        value = spaced(text) if declared is None else _value(text, _allowed(declared))
        if value is None:
            mistyped.append(name)
            value = spaced(text)
        members.append(f"{spaced(name)}: {value}")
    return Typed(f"{{{', '.join(members)}}}", tuple(undeclared), tuple(mistyped))


def values_of(arguments: str) -> dict[str, str] | None:
    """Return the strings of an object of strings, which have no types yet; None for any other text."""
    members = object_of(arguments)
    if members is None or not all(isinstance(span.value, str) for span in members.values()):
        return None
    return {name: cast("str", span.value) for name, span in members.items()}


def declares(schema: Json, name: str) -> bool:
    """Return whether the schema of a function declares a parameter."""
    return _declared(name, schema) is not None


def reads_back(arguments: str, texts: Mapping[str, str], schema: Json) -> bool:
    """Return whether arguments are read unchanged, with the declared schema and with one of their own types.

    Args:
        arguments: a JSON object.
        texts: parameter → its text.
        schema: the parameters of the function; None if they are unknown.
    """
    for name in texts:
        declared = _declared(name, schema)
        if declared is not None and _names_no_type(_allowed(declared)):
            return False
    return typed(texts, schema).arguments == arguments


def add_types(arguments: str, types: dict[str, set[str]]) -> None:
    """Add the types of the values of arguments to `types`, by the name of the parameter."""
    for name, span in (object_of(arguments) or {}).items():
        types.setdefault(name, set()).update(_TYPE_NAMES[cast("type[object]", type(span.value))])


class _Allowed(NamedTuple):
    """The values that a schema allows.

    Attributes:
        types: the names of types; empty if it names none.
        entries: the values of `enum` or `const` in a schema without a type.
    """

    types: frozenset[str] = frozenset()
    entries: tuple[Json, ...] | None = None


def _declared(name: str, schema: Json) -> tuple[Json, Json] | None:
    """Return the schema of a parameter, and the whole schema that its references point into, or None."""
    whole = members_of(schema)
    is_simple = "properties" in whole and not any(key in whole for key in (*_COMBINED, "$ref"))
    parts = [whole] if is_simple else [*_alternatives(whole, whole)]
    found: list[Json] = []
    for part in parts:
        properties = members_of(part.get("properties"))
        found += [properties[name]] if name in properties else []
    if not found:
        found = [part["additionalProperties"] for part in parts if isinstance(part.get("additionalProperties"), dict)]
    if not found:
        return None
    return (found[0] if len(found) == 1 else {_COMBINED[0]: found}), whole


def _allowed(declared: tuple[Json, Json]) -> _Allowed:
    """Return the values that the schema of a parameter allows."""
    types: set[str] = set()
    entries: list[Json] | None = None
    for schema in _alternatives(*declared):
        named = schema.get("type")
        if isinstance(named, str):
            types.add(_type(named))
        elif isinstance(named, list):
            types.update(_type(name) for name in items_of(named) if isinstance(name, str))
        elif "enum" in schema or "const" in schema:
            entries = [*(entries or ()), *items_of(schema.get("enum", [schema.get("const")]))]
        else:
            types.update(kind for key, kind in _IMPLIED.items() if key in schema)
    return _Allowed(frozenset(types), None if entries is None else tuple(entries))


def _type(name: str) -> str:
    """Return the type of JSON Schema that a name means, in any case."""
    lower = name.strip().lower()
    return _OTHER_NAMES.get(lower, lower)


def _names_no_type(allowed: _Allowed) -> bool:
    """Return whether a value is one of some entries, whatever their types."""
    return allowed.entries is not None and not allowed.types


def _alternatives(schema: Json, whole: Json) -> Iterator[dict[str, Json]]:
    """Yield a schema, and the schemas that it combines or refers to in the same document, each once."""
    pending: list[Json] = [schema]
    seen: set[int] = set()
    while pending:
        part = pending.pop()
        if not isinstance(part, dict) or id(part) in seen:  # pyright: ignore[reportUnknownArgumentType]
            continue
        fields = cast("dict[str, Json]", part)
        seen.add(id(fields))
        yield fields
        pending += [other for key in _COMBINED for other in items_of(fields.get(key))]
        pending.append(_referred(fields.get("$ref"), whole))


def _referred(reference: Json, whole: Json) -> Json:
    """Return the schema that a `$ref` into the same document refers to, or None."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    target: Json = whole
    for step in reference[2:].split("/"):
        target = members_of(target).get(step.replace("~1", "/").replace("~0", "~"))
    return target


def _value(text: str, allowed: _Allowed) -> str | None:
    """Return the JSON of a text; None if it is not one of the allowed values."""
    if allowed.entries is not None and _names_no_type(allowed):
        return _entry(text, allowed.entries)
    if allowed.types in (_TEXT, _TEXT_OR_NULL):
        return text if text == _NULL and _NULL in allowed.types else spaced(text)
    span = _literal(text)
    if "string" in allowed.types:
        return span.raw if span is not None and _TYPES[type(span.value)] & allowed.types else spaced(text)
    if span is None:
        return _as_python(text, allowed.types) if allowed.types else spaced(text)
    return span.raw


_WORDS: Final = {"true": "true", "false": "false", "null": _NULL, "none": _NULL}


def _as_python(text: str, types: frozenset[str]) -> str | None:
    """Return the JSON of a number as Python reads it, or of a word in any case, if its type is allowed, else None."""
    bare = text.strip(" \t\r\n")
    value = _WORDS.get(bare.lower()) or number_of(bare)
    span = None if value is None else parse(value)
    return value if span is not None and _TYPES[type(span.value)] & types else None


def _entry(text: str, entries: tuple[Json, ...]) -> str:
    """Return the JSON of the entry that a text spells: a string, unless only an entry of another type is spelled so."""
    span = _literal(text)
    if span is None or text in entries or not any(_equal(span.value, entry) for entry in entries):
        return spaced(text)
    return span.raw


def _equal(value: Json, entry: Json) -> bool:
    return value == entry and isinstance(value, bool) == isinstance(entry, bool)


def _literal(text: str) -> Span | None:
    """Return a text as JSON, or as a literal of Python; None if it is neither, or a string in quotes."""
    bare = text.strip(" \t\r\n")
    if not bare or bare[0] in "\"'":
        return None
    return parse(bare) or parse(repair(bare) or "")


_TYPES: Final[dict[type[object], frozenset[str]]] = {
    type(None): frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    str: frozenset(),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}
"""Python type → the types of JSON Schema that a value of it has."""
_TYPE_NAMES: Final[dict[type[object], tuple[str, ...]]] = {
    type(None): ("null", "none"),
    bool: ("boolean",),
    int: ("integer",),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}
"""Python type → names of JSON Schema that allow this type alone. `none` is not a type of JSON Schema: with it, a value
that may also be null is not taken for a string or null."""
