"""Grammars for llama.cpp restrict an answer to a guide."""

from __future__ import annotations

from typing import Any

import pytest

from gateway import gbnf
from ocml_bridge.formats.guidance import Frame, Step
from ocml_bridge.hosts.gateway.upstreams.drivers.gbnf import grammar


def allows(schema: Any, text: str) -> bool:
    guide = (Step((Frame("<T>", end="</T>"),), optional=True), Step((Frame("<A>", schema),)))
    return gbnf.allows(grammar(guide), text)


FLAT: Any = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", 'y"']}, "c": {"type": ["null", "boolean"]}},
    "required": ["b"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "text", ['{"b": "x"}', '{"a":-5,"b":"y\\""}', '{"b":"x","c":null}', '{"a":0,"b":"x","c":true}']
)
def test_an_object_has_what_it_must_and_may_have(text: str) -> None:
    assert allows(FLAT, f"<A>{text}")


@pytest.mark.parametrize(
    "text",
    ["{}", '{"a":1}', '{"b":"z"}', '{"b":"x","d":1}', '{"b":"x",}', '{"a":1.5,"b":"x"}', '{"a":01,"b":"x"}', "[]"],
)
def test_and_nothing_else(text: str) -> None:
    assert not allows(FLAT, f"<A>{text}")


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"const": {"a": 1}}, ['{"a":1}'], ['{"a":2}']),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, ["null", '"x"'], ["1"]),
        ({"type": "string", "minLength": 1, "maxLength": 2}, ['"a"', '"\\n"', '"ab"'], ['""', '"abc"']),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            ["[1]", "[1, 2]"],
            ["[]", "[1,2,3]"],
        ),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 0}, ["[]"], ["[1]"]),
        ({"type": "integer", "minimum": 1, "maximum": 3}, ["1", "3"], ["0", "4", "10"]),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}}, ["1.5e3", "-2"], ['"1"']),
        ({"type": "object"}, ["{}", '{"a": [1, {"b": null}]}'], ["[]", "1"]),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "null"}},
            ["{}", '{"a":[],"b":null}', '{"b":null}'],
            ['{"b":1}'],
        ),
        (True, ["1", "[]"], ["x"]),
    ],
)
def test_a_grammar_allows_what_the_schema_allows(schema: Any, good: list[str], bad: list[str]) -> None:
    assert all(allows(schema, f"<A>{text}") for text in good)
    assert not any(allows(schema, f"<A>{text}") for text in bad)


def test_a_length_that_the_server_would_refuse_is_not_in_the_grammar() -> None:
    assert "{2,}" in grammar((Step((Frame("", {"type": "string", "minLength": 2, "maxLength": 100_000}),)),))


def test_a_schema_may_be_recursive() -> None:
    tree: Any = {
        "type": "object",
        "properties": {"left": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "required": ["left"],
        "additionalProperties": False,
    }
    assert allows(tree, '<A>{"left":{"left":null}}')
    assert not allows(tree, '<A>{"left":{}}')


def test_steps_keep_their_order_and_no_text_begins_a_control_token() -> None:
    """A model could otherwise write a token inside of a text, and leave its frame."""
    assert allows({"type": "null"}, "<T>thinks < 5 << 7</T><A>null")
    assert not allows({"type": "null"}, "<T>a <|end|> b</T><A>null")
    assert not allows({"type": "string"}, '<A>"a <|end|> b"')
    assert allows({"type": "string"}, '<A>"a < b"')
    assert not allows({"type": "null"}, "<A>null<T></T>")
