"""Write objects whose members follow one another as rules: `<parameter=k>⏎V⏎</parameter>`, `k='v', n=2`."""

from __future__ import annotations

from typing import Any, Final

from .....formats.guidance import Members
from .....json_values.parameters import items_of, members_of
from .....model import Json
from .gbnf_json import DEEPEST, Schema, constant, in_order, kinds_of
from .gbnf_rules import TOKEN, Rules, literal, sequence

_WORDS: Final = {"boolean": '"true" | "false" | "True" | "False"', "null": '"null" | "None"'}
"""The constants of JSON and of Python, as models write both."""
_NAME: Final = r"[a-zA-Z0-9_.-]+"


class MemberRules:
    """Rules for an object.

    Args:
        schema: the schema of the object.
        spelling: how its members are written.
        rules: the grammar that the rules are added to.

    Attributes:
        rule: the rule for its members.
    """

    def __init__(self, schema: Json, spelling: Members, rules: Rules) -> None:
        self._json: Final = Schema(schema, rules)
        self._spelling: Final = spelling
        self._rules: Final = rules
        self._text: Final = self._any_text()
        found = members_of(schema)
        found = members_of(self._json.found(str(found["$ref"]))) if "$ref" in found else found
        properties, others = members_of(found.get("properties")), found.get("additionalProperties", False)
        pairs = [
            (self._member(literal(name), self._value(value, 0)), name in items_of(found.get("required")))
            for name, value in properties.items()
        ]
        if not properties:
            others = True
        other = None if others is False else self._member(_NAME, self._value({} if others is True else others, 0))
        self.rule: Final = in_order(pairs, other, literal(spelling.between), rules)

    def _member(self, name: str, value: str) -> str:
        spelling = self._spelling
        return sequence(literal(spelling.before), name, literal(spelling.behind), value, literal(spelling.end))

    def _any_text(self) -> str:
        quote = self._spelling.quote
        if not quote:
            return self._rules.text(TOKEN, *self._spelling.forbidden)
        if quote == '"':
            return "string"
        inner = rf'[^{quote}\\<\x7F\x00-\x1F] | "<"+ [^{quote}\\<|\x7F\x00-\x1F] | "\\" [{quote}"\\/bfnrt]'
        return self._rules.either([self._rules.add(f'"{quote}" ({inner})* "<"* "{quote}"'), "string"])

    def _value(self, value: Json, depth: int) -> str:
        """Return the rule for a value: JSON, or a text if the value may be one."""
        schema = members_of(value)
        if "$ref" in schema and depth < DEEPEST:
            return self._value(self._json.found(str(schema["$ref"])), depth + 1)
        if "const" in schema:
            return self._constants([schema["const"]])
        if choices := items_of(schema.get("enum")):
            return self._constants(choices)
        if choices := items_of(schema.get("anyOf")) or items_of(schema.get("oneOf")):
            return self._rules.either(self._value(each, depth + 1) for each in choices)
        return self._rules.either(self._typed(kind, schema, depth) for kind in kinds_of(schema))

    def _constants(self, values: list[Any]) -> str:
        return self._rules.either(map(self._constant, values))

    def _constant(self, value: Any) -> str:
        quote = self._spelling.quote
        if not isinstance(value, str) or not (quote or value):
            return constant(value)
        if not quote:
            return literal(value)
        plain = "\\" not in value and quote not in value and value.isprintable()
        return literal(f"{quote}{value}{quote}") if plain else constant(value)

    def _typed(self, kind: str, schema: dict[str, Any], depth: int) -> str:
        if kind in _WORDS:
            return self._rules.add(_WORDS[kind])
        if kind == "string":
            return self._text
        if kind == "array" and self._spelling.quote and "items" in schema and depth < DEEPEST:
            item = self._value(schema["items"], depth + 1)
            return self._rules.add(f'"[" ws ({item} ("," ws {item})*)? ws "]"')
        if kind:
            return self._json.typed(kind, schema, depth)
        # Any value can be written as a bare text.
        values = ("value", *map(self._rules.add, _WORDS.values())) if self._spelling.quote else ()
        return self._rules.either([self._text, *values])
