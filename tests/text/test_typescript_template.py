"""Parameters as the chat template of gpt-oss renders them (openai-gpt-oss-120b.jinja, sha256 a4c9919c…), read back.

The texts are what that template renders for the schemas beside them, with the options that Transformers sets.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ocml_bridge.text.typescript import read_template_signature, template_signature
from sampling import examples
from strategies_schema import schemas

RENDERED: dict[str, tuple[dict[str, Any], str]] = {
    "no member": ({}, "() => any;"),
    "simple types": (
        {"a": {"type": "string"}, "n": {"type": "number"}, "b": {"type": "boolean"}, "o": {"type": "object"}, "x": {}},
        "(_: {\na?: string,\nn?: number,\nb?: boolean,\no?: object,\nx?: any,\n}) => any;",
    ),
    "a default behind a comment, and a comma behind it": (
        {"n": {"type": "number", "default": 5}, "s": {"type": "string", "default": 'a "b"'}},
        '(_: {\nn?: number, // default: 5,\ns?: string, // default: "a \\"b\\"",\n}) => any;',
    ),
    "an enum, whose default is not quoted": (
        {"u": {"type": "string", "enum": ["c", "f"], "default": "c"}},
        '(_: {\nu?: "c" | "f", // default: c,\n}) => any;',
    ),
    "a description of several lines": (
        {"q": {"type": "string", "description": "What to look for:\n- words\n- a phrase: in quotes"}},
        "(_: {\n// What to look for:\n- words\n- a phrase: in quotes\nq?: string,\n}) => any;",
    ),
    "a description with lines that are empty": (
        {"q": {"type": "string", "description": "What\n\nto look for\n"}},
        "(_: {\n// What\n\nto look for\n\nq?: string,\n}) => any;",
    ),
    "lists of types": (
        {"s": {"type": ["string", "null"]}, "i": {"type": ["integer", "string"], "default": None}},
        "(_: {\ns?: string | null,\ni?: integer | string, // default: null,\n}) => any;",
    ),
    "arrays": (
        {
            "s": {"type": "array", "items": {"type": "string"}, "nullable": True},
            "n": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "a": {"type": "array"},
        },
        "(_: {\ns?: string[] | null,\nn?: number[][],\na?: any[],\n}) => any;",
    ),
    "an object in an object": (
        {
            "o": {
                "type": "object",
                "properties": {
                    "q": {"type": "string"},
                    "r": {"type": "object", "properties": {"s": {"type": "string", "enum": ["x", "y"]}}},
                },
                "required": ["q"],
                "description": "where to look",
            }
        },
        (
            "(_: {\n// where to look\no?: {\nq: \n                string, r?: \n                {\n"
            's?: \n                "x" | "y"}},\n}) => any;'
        ),
    ),
    "variants": (
        {
            "p": {
                "oneOf": [
                    {"type": "string", "description": "as text, plain"},
                    {"type": "number", "default": 3},
                    {"type": "object", "properties": {"a": {"type": "string"}}},
                ],
                "description": "the place",
                "default": "x",
            }
        },
        (
            "(_: {\n// the place\np?: string// as text, plain | \nnumber                    // default: 3 | \n"
            "{\na?: \n                string}// default: x,\n}) => any;"
        ),
    ),
    "variants that several lines describe": (
        {
            "p": {
                "oneOf": [
                    {"type": "string", "description": "one,\ntwo |\nthree"},
                    {"type": "number", "description": "four\nfive,\nsix", "default": 3},
                ],
            },
            "q": {"type": "string"},
        },
        (
            "(_: {\np?: string// one,\ntwo |\nthree | \nnumber// four\nfive,\nsix                    // default: 3,\n"
            "q?: string,\n}) => any;"
        ),
    ),
}


@pytest.mark.parametrize(("properties", "text"), RENDERED.values(), ids=list(RENDERED))
def test_rendered_templates_are_read(properties: dict[str, Any], text: str) -> None:
    schema = {"type": "object", "properties": properties}
    assert template_signature(schema) == text
    assert read_template_signature(text) == (True, schema if properties else None)


def test_required_members_have_no_question_mark() -> None:
    properties = {"a": {"type": "string"}, "b": {"type": "string", "description": "the other"}}
    schema = {"type": "object", "properties": properties, "required": ["b"]}
    assert read_template_signature("(_: {\na?: string,\n// the other\nb: string,\n}) => any;") == (True, schema)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("string", "string"), ("number", "number"), ("integer", "number"), ("boolean", "boolean")],
)
def test_items_of_a_simple_type_are_rendered_as_that_type_alone(kind: str, name: str) -> None:
    items = {"type": kind, "enum": ["a", "b"], "nullable": True}
    schema = {"type": "object", "properties": {"p": {"type": "array", "items": items}}}
    assert template_signature(schema) == f"(_: {{\np?: {name}[],\n}}) => any;"


def test_items_with_long_types_are_any() -> None:
    for kinds, name in ((["string", "null"], "string | null"), (["string"] * 6, "any")):
        schema = {"type": "object", "properties": {"p": {"type": "array", "items": {"type": kinds}}}}
        assert template_signature(schema) == f"(_: {{\np?: {name}[],\n}}) => any;"


@pytest.mark.parametrize(
    "parameters", [None, True, [], {}, {"properties": 5}, {"properties": ["a"]}, {"properties": {}}]
)
def test_what_has_no_members_is_no_parameters(parameters: Any) -> None:
    assert template_signature(parameters) == "() => any;"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(_: {",
        "(_: {\na: a string,\n}) => any;",
        "(_: {\na: string\n}) => any;",
        "(_: {\na: string,\na: string,\n}) => any;",
        "(_: {\na: {\nb: string},\n}) => any;",
        "(_: {\n// nothing follows\n}) => any;",
        '(_: {\nn: number, // default: "x,\n}) => any;',
        "(_: " + "{\na: \n                " * 300 + "}) => any;",
    ],
)
def test_text_that_it_does_not_render_is_not_read(text: str) -> None:
    assert read_template_signature(text) == (False, None)


@examples(300)
@given(schemas)
def test_what_is_read_gives_the_text_again(schema: Any) -> None:
    text = template_signature(schema)
    is_read, parameters = read_template_signature(text)
    assert template_signature(parameters) == text or not is_read


def test_a_text_that_may_be_null_is_rendered_as_one_of_two_types() -> None:
    properties = {"s": {"type": "string", "nullable": True}, "t": {"type": "string", "nullable": False}}
    text = "(_: {\ns?: string | null,\nt?: string,\n}) => any;"
    assert template_signature({"type": "object", "properties": properties}) == text
    either: dict[str, Any] = {"s": {"type": ["string", "null"]}, "t": {"type": "string"}}
    assert read_template_signature(text) == (True, {"type": "object", "properties": either})
