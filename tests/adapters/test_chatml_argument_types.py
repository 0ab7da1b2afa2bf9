"""The types of arguments that a text has without types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_adapters.chatml.markup.argument_types import typed, values_of


def one(text: str, schema: object) -> Any:
    return json.loads(typed({"a": text}, {"type": "object", "properties": {"a": schema}}).arguments)["a"]


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("3", {"type": "string"}, "3"),
        ("None", {"type": "string"}, "None"),
        # vLLM, SGLang and llama.cpp (tests/test-chat.cpp, `set_nullable_str`) read null as well.
        ("null", {"type": ["string", "null"]}, None),
        ("null", {"type": "string"}, "null"),
        ("Null", {"type": ["string", "null"]}, "Null"),
        ("3", {"type": "integer"}, 3),
        ("3", {"type": ["integer", "null"]}, 3),
        ("None", {"type": ["integer", "null"]}, None),
        ("True", {"type": "boolean"}, True),
        ("false", {"type": "boolean"}, False),
        ("[1, 2]", {"type": "array"}, [1, 2]),
        ("['a', True]", {"type": "array"}, ["a", True]),
        (' {"b": null} ', {"type": "object"}, {"b": None}),
        ("{'b': None}", {"type": "object"}, {"b": None}),
        ("3", {"type": ["string", "integer"]}, 3),
        ("x", {"type": ["string", "integer"]}, "x"),
        ('{"b": 1}', {"type": ["string", "integer"]}, '{"b": 1}'),
        ("3", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, 3),
        ("x", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "x"),
        ("None", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "None"),
        ("3", {"enum": ["1", "3"]}, "3"),
        ("3", {"enum": [1, 3]}, 3),
        ("None", {"enum": ["x", None]}, None),
        ("7", {"enum": [1, 3]}, "7"),
        ("1", {"enum": [True]}, "1"),
        ("x", {"const": "x"}, "x"),
        ("3", {}, 3),
        ("three", {}, "three"),
        ('"x"', {}, '"x"'),
        ("3", True, 3),
        ('{"x": 1}', {"properties": {}}, {"x": 1}),
        ("[1]", {"items": {}}, [1]),
        # ollama/ollama, model/parsers/qwen3coder_test.go: zeros before a number, and words in any case.
        ("007", {"type": "integer"}, 7),
        ("FALSE", {"type": "boolean"}, False),
        ("NULL", {"type": ["integer", "null"]}, None),
        ("+.5", {"type": "number"}, 0.5),
        ("-5.", {"type": "number"}, -5.0),
        ("007", {"type": ["string", "integer"]}, "007"),
        ("007", {}, "007"),
        ("TRUE", {"type": "integer"}, "TRUE"),
        ("1_0", {"type": "integer"}, "1_0"),
        ("٣", {"type": "integer"}, "٣"),
        # vllm-project/vllm, tool_parsers/utils.py, `_TYPE_ALIASES`: types with the names of other languages.
        *(
            (text, {"type": name}, text)
            for name in ("str", "text", "varchar", "STRING")
            for text in ("3", "null", "[1]")
        ),
        *(("007", {"type": name}, 7) for name in ("int", "uint64", "long", "INTEGER", " Int ")),
        ("+.5", {"type": "float"}, 0.5),
        ("FALSE", {"type": "bool"}, False),
        ("3", {"type": ["str", "int"]}, 3),
        ("x", {"anyOf": [{"type": "str"}, {"type": "null"}]}, "x"),
    ],
)
def test_the_schema_defines_the_type_of_a_text(text: str, schema: object, value: object) -> None:
    read = one(text, schema)
    assert (read, type(read)) == (value, type(value))


def test_references_are_followed_and_may_be_endless() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/loop"}, "c": {"$ref": "elsewhere"}},
        "$defs": {"n": {"type": "integer"}, "loop": {"anyOf": [{"$ref": "#/$defs/loop"}, {"type": "boolean"}]}},
    }
    assert typed({"a": "1", "b": "True", "c": "1"}, schema).arguments == '{"a": 1, "b": true, "c": 1}'


@pytest.mark.parametrize("key", ["anyOf", "oneOf", "allOf"])
def test_parameters_are_declared_in_combined_schemas(key: str) -> None:
    """sgl-project/sglang, test/registered/unit/function_call/test_root_combinator_tool_parsers.py."""
    schema = {
        "type": "object",
        "$defs": {
            "Payload": {"type": "object", "properties": {"value": {"type": "string"}}},
            "Acme": {"properties": {"kind": {"const": "acme"}, "payload": {"$ref": "#/$defs/Payload"}}},
        },
        "properties": {"n": {"type": "integer"}},
        key: [{"$ref": "#/$defs/Acme"}, {"properties": {"kind": {"const": "other"}}}],
    }
    read = typed({"kind": "acme", "payload": '{"value": "1"}', "n": "1", "x": "1"}, schema)
    assert read == ('{"kind": "acme", "payload": {"value": "1"}, "n": 1, "x": "1"}', ("x",), ())
    assert typed({"n": "1"}, {"$ref": "#/$defs/f", "$defs": {"f": schema}}).arguments == '{"n": 1}'


def test_the_spelling_of_a_value_stays() -> None:
    schema = {"properties": {"a": {"type": "number"}, "b": {"type": "object"}}}
    assert typed({"a": "1.50", "b": '{"c":1}'}, schema).arguments == '{"a": 1.50, "b": {"c":1}}'


def test_an_argument_that_is_not_declared_is_a_string_and_reported() -> None:
    assert typed({"a": "1"}, None) == ('{"a": "1"}', ("a",), ())
    assert typed({"a": "1"}, {"properties": {"b": {}}}) == ('{"a": "1"}', ("a",), ())
    assert typed({"a": "1"}, {"additionalProperties": {"type": "integer"}}) == ('{"a": 1}', (), ())


def test_an_argument_of_another_type_is_a_string_and_reported() -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}
    assert typed({"a": "one", "b": ""}, schema) == ('{"a": "one", "b": ""}', (), ("a", "b"))


def test_only_strings_wait_for_their_types() -> None:
    assert values_of('{"a": "1", "b": ""}') == {"a": "1", "b": ""}
    assert values_of("{}") == {}
    assert values_of('{"a": 1}') is None
    assert values_of("[]") is None
    assert values_of('{"a": "1"') is None
