"""Values without types become arguments: the declared schema tells what a text is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values.jsontext import Span, parse, spaced
from ocml_bridge.model import Json
from ocml_bridge.text.repair import repair

from .spelling import object_of

_TEXT: Final = frozenset({"string"})
_TEXT_OR_NULL: Final = frozenset({"string", "null"})
_IMPLIED: Final = {"properties": "object", "additionalProperties": "object", "items": "array", "prefixItems": "array"}
"""Keywords of a schema that say a type where none is named."""

_COMBINED: Final = ("anyOf", "oneOf", "allOf")


class Typed(NamedTuple):
    """Arguments, and what is not sure in them.

    Attributes:
        arguments: a JSON object.
        undeclared: parameters that no schema declares; they are strings.
        mistyped: parameters whose text is nothing of their declared type; they are strings, too.
    """

    arguments: str
    undeclared: tuple[str, ...] = ()
    mistyped: tuple[str, ...] = ()


def typed(values: Mapping[str, str], schema: Json) -> Typed:
    """Arguments from texts.

    A string's text is taken as it stands, and so is that of a string or null; any other is JSON, or `True`, `False` or
    `None`, or else a string.

    Args:
        values: the text of each parameter.
        schema: the function's `parameters`; None where nothing is known of them.
    """
    members: list[str] = []
    undeclared: list[str] = []
    mistyped: list[str] = []
    for name, text in values.items():
        declared = _declared(name, schema)
        if declared is None:
            undeclared.append(name)
        value = spaced(text) if declared is None else _value(text, _kinds(declared))
        if value is None:
            mistyped.append(name)
            value = spaced(text)
        members.append(f"{spaced(name)}: {value}")
    return Typed(f"{{{', '.join(members)}}}", tuple(undeclared), tuple(mistyped))


def values_of(arguments: str) -> dict[str, str] | None:
    """The texts of arguments that have no types yet: the strings of an object of strings; None for anything else."""
    found = object_of(arguments)
    if found is None or not all(isinstance(span.value, str) for span in found.values()):
        return None
    return {name: cast("str", span.value) for name, span in found.items()}


def reads_back(arguments: str, texts: Mapping[str, str], schema: Json) -> bool:
    """Whether arguments are read as they are, by their function's schema and by the types that their values have.

    Args:
        arguments: a JSON object.
        texts: the text of each of them.
        schema: the function's `parameters`; None where nothing is known of them.
    """
    for name in texts:
        declared = _declared(name, schema)
        if declared is not None and _names_no_type(_kinds(declared)):
            return False
    return typed(texts, schema).arguments == arguments


def add_types(arguments: str, types: dict[str, set[str]]) -> None:
    """Add the types that the values of arguments have to those that are known, by name."""
    for name, span in (object_of(arguments) or {}).items():
        types.setdefault(name, set()).update(_GIVEN[cast("type[object]", type(span.value))])


class _Kinds(NamedTuple):
    """What a schema says that a value is.

    Attributes:
        types: names of types; none where it says nothing.
        entries: the values of an `enum` or a `const` without a type.
    """

    types: frozenset[str] = frozenset()
    entries: tuple[Json, ...] | None = None


def _declared(name: str, schema: Json) -> tuple[Json, Json] | None:
    """The schema of a parameter, and the schema that its references are into; None where it is not declared."""
    if not isinstance(schema, dict):
        return None
    whole = cast("dict[str, Json]", schema)
    properties = whole.get("properties")
    if isinstance(properties, dict) and name in properties:
        return cast("dict[str, Json]", properties)[name], whole
    others = whole.get("additionalProperties")
    return (cast("Json", others), whole) if isinstance(others, dict) else None


def _kinds(declared: tuple[Json, Json]) -> _Kinds:
    types: set[str] = set()
    entries: list[Json] | None = None
    for schema in _alternatives(*declared):
        named = schema.get("type")
        if isinstance(named, str):
            types.add(named)
        elif isinstance(named, list):
            types.update(name for name in cast("list[Json]", named) if isinstance(name, str))
        elif "enum" in schema or "const" in schema:
            entries = [*(entries or ()), *_list(schema.get("enum", [schema.get("const")]))]
        else:
            types.update(kind for key, kind in _IMPLIED.items() if key in schema)
    return _Kinds(frozenset(types), None if entries is None else tuple(entries))


def _names_no_type(kinds: _Kinds) -> bool:
    """Whether a value is one of some entries, of whatever type."""
    return kinds.entries is not None and not kinds.types


def _alternatives(schema: Json, whole: Json) -> Iterator[dict[str, Json]]:
    """A schema and those that it is made of, each once, as far as they stand in the same document."""
    waiting: list[Json] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:  # pyright: ignore[reportUnknownArgumentType]
            continue
        fields = cast("dict[str, Json]", part)
        seen.add(id(fields))
        yield fields
        waiting += [other for key in _COMBINED for other in _list(fields.get(key))]
        waiting.append(_referred(fields.get("$ref"), whole))


def _referred(reference: Json, whole: Json) -> Json:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    at: Json = whole
    for step in reference[2:].split("/"):
        if not isinstance(at, dict):
            return None
        at = cast("dict[str, Json]", at).get(step.replace("~1", "/").replace("~0", "~"))
    return at


def _list(value: Json) -> list[Json]:
    return cast("list[Json]", value) if isinstance(value, list) else []


def _value(text: str, kinds: _Kinds) -> str | None:
    """The JSON of a text; None where it is nothing of the kinds that are allowed."""
    if kinds.entries is not None and _names_no_type(kinds):
        return _entry(text, kinds.entries)
    if kinds.types in (_TEXT, _TEXT_OR_NULL):
        return spaced(text)
    span = _literal(text)
    if "string" in kinds.types:
        return span.raw if span is not None and _type_of(span.value) & kinds.types else spaced(text)
    if span is None:
        return None if kinds.types else spaced(text)
    return span.raw


def _entry(text: str, entries: tuple[Json, ...]) -> str:
    """One of the values that are allowed; a string, unless only another one is spelled so."""
    span = _literal(text)
    if span is None or text in entries or not any(_same(span.value, entry) for entry in entries):
        return spaced(text)
    return span.raw


def _same(value: Json, entry: Json) -> bool:
    return value == entry and isinstance(value, bool) == isinstance(entry, bool)


def _literal(text: str) -> Span | None:
    """A text as JSON, or as Python's words for it; None for what is neither, and for a string in quotes."""
    bare = text.strip(" \t\r\n")
    if not bare or bare[0] in "\"'":
        return None
    return parse(bare) or parse(repair(bare) or "")


def _type_of(value: Any) -> frozenset[str]:
    """The names of JSON Schema for what a value is."""
    return _TYPES[cast("type[object]", type(value))]


_TYPES: Final[dict[type[object], frozenset[str]]] = {
    type(None): frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    str: frozenset(),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}
_GIVEN: Final[dict[type[object], tuple[str, ...]]] = {
    type(None): ("null", "none"),
    bool: ("boolean",),
    int: ("integer",),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}
"""The same, each so that nothing else is one; `none` is no type: a text that may be null besides is taken as a text."""
