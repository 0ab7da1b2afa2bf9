"""Write JSON, and the JSON of a schema, as rules of a grammar.

Of a JSON Schema, types, properties, items, lengths up to 1,000, `enum`, `const`, `anyOf`, `oneOf`, `$ref` into the
schema itself, and ranges of few whole numbers are enforced; other ranges, patterns and formats of texts are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from .....json_values.parameters import items_of, members_of
from .....model import Json
from .gbnf_rules import NOTHING, Rules, literal, sequence

JSON: Final = {
    "ws": r'"" | " " | "\n" [ \t]{0,20}',
    "char": r'[^"\\<\x7F\x00-\x1F] | "<"+ [^"\\<|\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "string": r'"\"" char* "<"* "\""',
    "integer": r'"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": r'integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "pair": r'string ":" ws value',
    "object": r'"{" ws (pair ("," ws pair)*)? ws "}"',
    "array": r'"[" ws (value ("," ws value)*)? ws "]"',
    "value": "object | array | string | number | boolean | null",
}
"""JSON in whose texts no control token begins, so that a model cannot write one."""
TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
MANY: Final = 100
"""The number of numbers in a range from which on it is not enforced."""
LONGEST: Final = 1_000
"""The maximal length that is enforced: the server refuses rules that are repeated much more often."""
DEEPEST: Final = 64
"""The maximal depth of schemas; any value is allowed below it."""


class Schema:
    """Rules for values that follow a JSON Schema, or parts of it.

    Args:
        schema: the whole schema, which references point into.
        rules: the grammar that the rules are added to.
    """

    def __init__(self, schema: Json, rules: Rules) -> None:
        self._whole = schema
        self._rules: Final = rules
        self._references: dict[str, str] = {}

    def value(self, value: Json, depth: int = 0) -> str:
        """Return the rule for a value that follows a schema."""
        schema = members_of(value)
        if not schema or depth > DEEPEST:
            return "value"
        if "$ref" in schema:
            return self._reference(str(schema["$ref"]), depth)
        if "const" in schema:
            return self._rules.add(constant(schema["const"]))
        if choices := items_of(schema.get("enum")):
            return self._rules.either(map(constant, choices))
        if choices := items_of(schema.get("anyOf")) or items_of(schema.get("oneOf")):
            return self._rules.either(self.value(each, depth + 1) for each in choices)
        return self._rules.either(self.typed(kind, schema, depth) for kind in kinds_of(schema))

    def _reference(self, target: str, depth: int) -> str:
        if target not in self._references:
            name = self._references[target] = self._rules.name()
            self._rules.made[name] = self.value(self.found(target), depth + 1)
        return self._references[target]

    def found(self, target: str) -> Any:
        """Return the part of the schema that a reference names; None if there is none."""
        found: Any = self._whole if target.startswith("#") else None
        for step in filter(None, target.removeprefix("#").split("/")):
            found = members_of(found).get(step.replace("~1", "/").replace("~0", "~"))
        return found

    def typed(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        """Return the rule for a value of one type that follows a schema."""
        if kind == "object" and (properties := members_of(schema.get("properties"))):
            return self._object(properties, schema, depth)
        if kind == "array" and (set(schema) & {"items", "minItems", "maxItems"}):
            return self._array(schema, depth)
        if kind == "integer" and (choices := _few(schema.get("minimum"), schema.get("maximum"))):
            return self._rules.either(f'"{number}"' for number in choices)
        if kind == "string" and (set(schema) & {"minLength", "maxLength"}):
            return self._rules.add(f'"\\"" char{_times(schema, "Length")} "\\""')
        return kind if kind in TYPES else "value"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        item = self.value(schema.get("items"), depth + 1)
        least, most = _bounds(schema, "Items")
        if most == 0:
            return self._rules.add('"[" ws "]"')
        more = f'("," ws {item}){_range(max(least - 1, 0), None if most is None else most - 1)}'
        some = f"{item} {more}"
        return self._rules.add(f'"[" ws {some if least else f"({some})?"} ws "]"')

    def _object(self, properties: dict[str, Any], schema: Mapping[str, Any], depth: int) -> str:
        needed, others = items_of(schema.get("required")), schema.get("additionalProperties", False)
        pairs = [
            (f'{constant(name)} ":" ws {self.value(value, depth + 1)}', name in needed)
            for name, value in properties.items()
        ]
        other = "pair" if others is True else f'string ":" ws {self.value(others, depth + 1)}'
        inner = in_order(pairs, None if others is False else other, '"," ws', self._rules)
        return self._rules.add(f'"{{" ws {inner} ws "}}"')


def in_order(pairs: Sequence[tuple[str, bool]], other: str | None, between: str, rules: Rules) -> str:
    """Return the rule for the members of an object in the order of its schema; optional ones may be left out.

    Args:
        pairs: the rule of each member, and whether it is required.
        other: the rule of a member that the schema does not name; None if there are none.
        between: the text between two members.
        rules: the grammar that the rule is added to.
    """
    # From the last member back: the rules for the rest after another member, and as the first.
    behind = "" if other is None else rules.add(f"({sequence(between, other)})*")
    first = "" if other is None else rules.add(f"({other} {behind})?")
    for pair, needed in reversed(pairs):
        alone, after = sequence(pair, behind), sequence(between, pair, behind)
        if not needed:
            alone, after = f"({alone}) | {first or NOTHING}", f"({after}) | {behind or NOTHING}"
        first, behind = rules.add(alone), rules.add(after)
    return first or NOTHING


def constant(value: Json) -> str:
    """Return the rule for a fixed value."""
    return literal(orjson.dumps(value).decode())


def kinds_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the types that a value may have; "" for any."""
    kinds = items_of(schema.get("type")) or [schema.get("type", "object" if "properties" in schema else "")]
    return list(map(str, kinds))


def _few(least: object, most: object) -> range:
    """Return the whole numbers of a range, if there are few; otherwise none."""
    if isinstance(least, int) and isinstance(most, int) and 0 <= most - least < MANY:
        return range(least, most + 1)
    return range(0)


def _bounds(schema: Mapping[str, Any], what: str) -> tuple[int, int | None]:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    return (least if isinstance(least, int) else 0, most if isinstance(most, int) else None)


def _times(schema: Mapping[str, Any], what: str) -> str:
    return _range(*_bounds(schema, what))


def _range(least: int, most: int | None) -> str:
    least, most = min(least, LONGEST), None if most is None or most > LONGEST else most
    return f"{{{least},{'' if most is None else max(least, most)}}}"
