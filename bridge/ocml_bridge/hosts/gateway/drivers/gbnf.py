"""Guides as grammars of llama.cpp (GBNF): the frames of an answer, and the JSON of a schema in them.

Of a JSON Schema, types, properties, items, lengths up to 1,000, `enum`, `const`, `anyOf`, `oneOf` and `$ref` into the
schema itself are held to, and ranges of few whole numbers; other ranges, patterns and formats of texts are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import orjson

from ....guidance import Frame, Guide, Step
from ....model import Json
from ....stream.completions import members

BASE: Final = {
    "ws": r'| " " | "\n" [ \t]{0,20}',
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
    "free": '([^<] | "<"+ [^<|])* "<"*',
}
"""What all grammars are made of: JSON and text, in which no control token begins: a model could write one else."""
TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
MANY: Final = 100
"""From how many numbers on a range is not held to."""
LONGEST: Final = 1_000
"""The greatest length that is held to: the server refuses rules that are repeated much more often."""
DEEPEST: Final = 64
"""How deep schemas may be nested; what is deeper may be any value."""


def grammar(guide: Guide) -> str:
    """The grammar that holds an answer to a guide."""
    rules = Rules()
    root = " ".join(_step(step, rules) for step in guide)
    return "\n".join(f"{name} ::= {body}" for name, body in {"root": root, **rules.made, **BASE}.items())


def _step(step: Step, rules: Rules) -> str:
    either = " | ".join(_frame(frame, rules) for frame in step.frames)
    return f"({either}){'?' if step.optional else ''}"


def _frame(frame: Frame, rules: Rules) -> str:
    body = "free" if frame.schema is None else Schema(frame.schema, rules).rule
    return " ".join(filter(None, (literal(frame.begin), body, literal(frame.end))))


def literal(text: str) -> str:
    """A text as it is; "" for none."""
    if not text:
        return ""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'


class Rules:
    """The rules of a grammar, named as they are made.

    Attributes:
        made: name → what it stands for.
    """

    def __init__(self) -> None:
        self.made: dict[str, str] = {}

    def name(self) -> str:
        """A name for a rule whose body is not known yet."""
        name = f"r{len(self.made)}"
        self.made[name] = ""
        return name

    def add(self, body: str) -> str:
        """Make a rule; its name."""
        name = self.name()
        self.made[name] = body
        return name


class Schema:
    """A JSON Schema as rules.

    Attributes:
        rule: the one for a value that follows it.
    """

    def __init__(self, schema: Json, rules: Rules) -> None:
        self._whole = schema
        self._rules = rules
        self._references: dict[str, str] = {}
        self.rule = self._value(schema, 0)

    def _value(self, value: Json, depth: int) -> str:
        """The rule for a value."""
        schema = members(value)
        if not schema or depth > DEEPEST:
            return "value"
        if "$ref" in schema:
            return self._reference(str(schema["$ref"]), depth)
        if "const" in schema:
            return self._rules.add(self._constant(schema["const"]))
        if choices := items(schema, "enum"):
            return self._rules.add(" | ".join(map(self._constant, choices)))
        if choices := items(schema, "anyOf") or items(schema, "oneOf"):
            return self._either(self._value(each, depth + 1) for each in choices)
        if kinds := items(schema, "type"):
            return self._either(self._typed(str(each), schema, depth) for each in kinds)
        return self._typed(str(schema.get("type", "object" if "properties" in schema else None)), schema, depth)

    def _either(self, rules: Iterable[str]) -> str:
        return self._rules.add(" | ".join(dict.fromkeys(rules)))

    def _constant(self, value: Json) -> str:
        return literal(orjson.dumps(value).decode())

    def _reference(self, target: str, depth: int) -> str:
        if target in self._references:
            return self._references[target]
        found: Any = self._whole if target.startswith("#") else None
        for step in filter(None, target.removeprefix("#").split("/")):
            found = members(found).get(step.replace("~1", "/").replace("~0", "~"))
        name = self._references[target] = self._rules.name()
        self._rules.made[name] = self._value(found, depth + 1)
        return name

    def _typed(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "object" and (properties := members(schema.get("properties"))):
            return self._object(properties, schema, depth)
        if kind == "array" and (set(schema) & {"items", "minItems", "maxItems"}):
            return self._array(schema, depth)
        if kind == "integer" and (choices := _few(schema.get("minimum"), schema.get("maximum"))):
            return self._rules.add(" | ".join(f'"{number}"' for number in choices))
        if kind == "string" and (set(schema) & {"minLength", "maxLength"}):
            return self._rules.add(f'"\\"" char{_times(schema, "Length")} "\\""')
        return kind if kind in TYPES else "value"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        item = self._value(schema.get("items"), depth + 1)
        least, most = _bounds(schema, "Items")
        if most == 0:
            return self._rules.add('"[" ws "]"')
        more = f'("," ws {item}){_range(max(least - 1, 0), None if most is None else most - 1)}'
        some = f"{item} {more}"
        return self._rules.add(f'"[" ws {some if least else f"({some})?"} ws "]"')

    def _object(self, properties: dict[str, Any], schema: Mapping[str, Any], depth: int) -> str:
        """Properties in the order of the schema; of those that are not required, any."""
        needed = items(schema, "required")
        # From the last one on: what may follow where something stands before it, and where nothing does.
        others = schema.get("additionalProperties", False)
        pair = "pair" if others is True else f'string ":" ws {self._value(others, depth + 1)}'
        behind = "" if others is False else self._rules.add(f'("," ws {pair})*')
        first = "" if others is False else self._rules.add(f'({pair} ("," ws {pair})*)?')
        for name in reversed(properties):
            value = properties[name]
            this = f'{self._constant(name)} ":" ws {self._value(value, depth + 1)}'
            alone, after = f"{this} {behind}", f'"," ws {this} {behind}'
            if name not in needed:
                alone, after = f"({alone}) | {first or _NOTHING}", f"({after}) | {behind or _NOTHING}"
            first, behind = self._rules.add(alone), self._rules.add(after)
        return self._rules.add(f'"{{" ws {first} ws "}}"')


def items(schema: Mapping[str, Any], key: str) -> list[Any]:
    """The items of a list; none of anything else."""
    found = schema.get(key)
    return cast("list[Any]", found) if isinstance(found, list) else []


_NOTHING: Final = '""'


def _few(least: object, most: object) -> range:
    """The whole numbers of a range, where they are not many; else none."""
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
