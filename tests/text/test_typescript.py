"""JSON Schema as TypeScript: out as the official encoder writes it, in as far as that can be read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies_schema as some
from counting import calls_of
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.jsontext import MAX_DEPTH
from ocml_bridge.model import Tool
from ocml_bridge.text.typescript import (
    parse_schema,
    parse_tools,
    read_signature,
    render_schema,
    render_signature,
    render_tools,
)
from ocml_bridge.text.typescript.schema_in import PARSE_DEPTH
from official import official_signature
from sampling import examples
from schema_table import PARAMETERS, PROPERTIES

STRING = {"type": "string"}


def an_object(schema: Any, *, required: bool = False) -> dict[str, Any]:
    """Parameters with the one property `p`."""
    return {"type": "object", "properties": {"p": schema}, **({"required": ["p"]} if required else {})}


class TestASchemaIsWritten:
    """Byte for byte as openai-harmony 0.0.8 writes it."""

    @pytest.mark.parametrize("case", PARAMETERS)
    def test_as_parameters(self, case: str) -> None:
        parameters, expected = PARAMETERS[case]
        assert render_signature(parameters) == f"{expected} => any;" == official_signature(parameters)

    @pytest.mark.parametrize("case", PROPERTIES)
    def test_as_a_property(self, case: str) -> None:
        schema, lines = PROPERTIES[case]
        parameters = an_object(schema, required=re.search(r"^p:", lines, re.MULTILINE) is not None)
        assert render_signature(parameters) == f"(_: {{\n{lines}\n}}) => any;" == official_signature(parameters)

    @examples(300)
    @given(some.schemas)
    def test_whatever_it_is(self, schema: dict[str, Any]) -> None:
        assert render_signature(schema) == official_signature(schema)

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0, "0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.5, "0.5"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (1e21, "1e21"),
            (1.5e300, "1.5e300"),
            (1e-4, "0.0001"),
            (1e-5, "0.00001"),
            (-1.5e-5, "-0.000015"),
            (1e-6, "1e-6"),
            (5e-324, "5e-324"),
            (2**53 + 1, "9007199254740993"),
            (2**64 - 1, "18446744073709551615"),
            (2**64, "1.8446744073709552e19"),
            (-(2**63), "-9223372036854775808"),
            (-(2**63) - 1, "-9.223372036854776e18"),
        ],
    )
    def test_numbers_as_the_official_json_library_spells_them(self, value: float, text: str) -> None:
        schema = an_object({"type": "number", "default": value})
        assert f"p?: number, // default: {text}\n" in render_schema(schema)
        assert render_signature(schema) == official_signature(schema)

    def test_a_float_that_the_official_encoder_misreads_is_shown_as_it_is(self) -> None:
        assert "default: 1.1e30\n" in render_schema(an_object({"type": "number", "default": 1.1e30}))
        assert "default: 1.0999999999999999e30\n" in official_signature(an_object({"default": 1.1e30}))

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
    def test_a_number_that_no_float_represents_becomes_null(self, value: float) -> None:
        assert "p?: number, // default: null\n" in render_schema(an_object({"type": "number", "default": value}))

    def test_as_deep_as_json_is_read(self) -> None:
        schema = nested(MAX_DEPTH)
        assert render_schema(schema).count("{") == MAX_DEPTH + 1
        assert refusal(nested(MAX_DEPTH + 1)) is ErrorCode.LIMIT

    def test_lists_as_deep_as_json_is_read(self) -> None:
        lists: Any = STRING
        for _ in range(MAX_DEPTH + 9):
            lists = {"type": "array", "items": lists}
        assert refusal(an_object(lists)) is ErrorCode.LIMIT

    def test_not_a_default_that_nests_deeper(self) -> None:
        value: Any = []
        for _ in range(300):
            value = [value]
        assert refusal(an_object({"default": value})) is ErrorCode.LIMIT


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    for _ in range(levels):
        schema = an_object(schema)
    return schema


def refusal(schema: Any) -> ErrorCode:
    with pytest.raises(BridgeError) as caught:
        render_schema(schema)
    return caught.value.code


class TestASchemaIsRead:
    """What is read, written again, is the text that was read."""

    @examples(150)
    @given(some.kept_schemas)
    def test_exactly_where_typescript_keeps_everything(self, schema: dict[str, Any]) -> None:
        found = parse_schema(render_schema(schema))
        assert found == schema
        assert found is not None
        assert list(found["properties"]) == list(schema["properties"])

    @examples(200)
    @given(some.schemas)
    def test_as_another_that_looks_the_same_or_not_at_all(self, schema: dict[str, Any]) -> None:
        text = render_schema(schema)
        found = parse_schema(text)
        assert found is None or render_schema(found) == text

    @pytest.mark.parametrize("case", PROPERTIES)
    def test_in_every_case_of_the_table(self, case: str) -> None:
        schema, lines = PROPERTIES[case]
        text = render_schema(an_object(schema, required=lines.startswith("p:")))
        found = parse_schema(text)
        assert found is not None
        assert render_schema(found) == text

    @pytest.mark.parametrize(
        ("line", "schema"),
        [
            ("p?: number", {"type": "number"}),
            ("p?: any", {}),
            ("p?: string | null", {"type": ["string", "null"]}),
            ("p?: number | string", {"type": ["number", "string"]}),
            ("p?: number | number", {"type": ["integer", "number"]}),
            ("p?: object", {"type": ["object"]}),
            ("p?: any | null", {"nullable": True}),
            ('p?: "a" | "b" | null', {"type": "string", "enum": ["a", "b"], "nullable": True}),
            ('p?: "a" | "b"[]', {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
            ("p?: string | null[]", {"type": "array", "items": {"type": ["string", "null"]}}),
            ("p?: string[] | null", {"type": "array", "items": STRING, "nullable": True}),
            ("p?: Array<any>[]", {"type": "array", "items": {"type": "array"}}),
            ("p?: {\n    }", {"type": "object", "properties": {}}),
        ],
    )
    def test_as_the_plainest_schema(self, line: str, schema: dict[str, Any]) -> None:
        assert parse_schema(f"{{\n{line},\n}}") == an_object(schema)

    @pytest.mark.parametrize(
        ("comment", "notes"),
        [
            ("// D", {"description": "D"}),
            ("// ", {"description": ""}),
            ("// T\n//", {"title": "T"}),
            ("// T\n//\n// D", {"title": "T", "description": "D"}),
            ('// Examples:\n// - "x"\n// - ""', {"examples": ["x", ""]}),
            ("// Examples:", {"description": "Examples:"}),
            ("// two\nlines", {"description": "two\nlines"}),
            ("// Like\n{\n  q: any,\n}\n\nSo: that", {"description": "Like\n{\n  q: any,\n}\n\nSo: that"}),
        ],
    )
    def test_with_the_notes_of_its_comment(self, comment: str, notes: dict[str, Any]) -> None:
        assert parse_schema(f"{{\n{comment}\np?: string,\n}}") == an_object({**STRING, **notes})

    @pytest.mark.parametrize(
        ("line", "default"),
        [
            ('string, // default: "x"', "x"),
            ('string, // default: "a"b"', 'a"b'),
            ('string, // default: "two\nlines"', "two\nlines"),
            ("string, // default: null", None),
            ("number, // default: -1", -1),
            ("boolean, // default: false", False),
            ('any, // default: {"a":[1.5]}', {"a": [1.5]}),
            ('"a" | "b", // default: b', "b"),
            ('"a" | "b", // default: other', "other"),
            ('"null", // default: null', "null"),
        ],
    )
    def test_with_its_default(self, line: str, default: Any) -> None:
        found = parse_schema(f"{{\np?: {line}\n}}")
        assert found is not None
        assert found["properties"]["p"]["default"] == default

    @pytest.mark.parametrize(
        "text",
        [
            *("", " ", "{", "}", "{}", "{\n", "string ", "String", "string,", "integer", "[]", "any | string"),
            *("string | 5", '"a" | string', '"a', "{\np?: string\n}", "{\np?: string;\n}", "{\n p?: string,\n}"),
            *("{\np?: string,\np?: string,\n}", "{\n\n}", "{\n// only a comment\n}", "{\n//p\np?: any,\n}"),
            *("{\np?: Map<string, any>,\n}", "{\np?: () => any,\n}", "{\np?: string, // a comment\n}"),
            *("{\np?: number, // default: 01\n}", "{\np?: number, // default: NaN\n}", "// D\nstring"),
            # the default of an enum whose values are lost: no schema that is true would look like this
            *("{\np?: any, // default: a\n}", "{\np?: string | null, // default: a\n}"),
        ],
    )
    def test_only_where_it_is_what_the_official_encoder_writes(self, text: str) -> None:
        assert parse_schema(text) is None

    @pytest.mark.parametrize("text", ["{\n  p?: string,\n}", "{\np?:   string,\n}", "{\n\np?: string,\n}"])
    def test_in_other_white_space_where_that_is_allowed(self, text: str) -> None:
        assert parse_schema(text) is None
        assert parse_schema(text, lenient=True) == an_object(STRING)

    def test_only_between_its_brackets(self) -> None:
        signature = render_signature(an_object(STRING))
        assert read_signature(signature) == (True, an_object(STRING))
        for at in [*range(len("(_: {\n")), *range(len(signature) - len("\n}) => any;"), len(signature))]:
            assert read_signature(f"{signature[:at]}#{signature[at + 1 :]}") == (False, None)

    def test_of_variants_with_the_comment_of_each(self) -> None:
        variants = [
            {"type": "string", "enum": ["a", "b"], "default": "a"},
            {"type": "string", "enum": ["a"], "description": "One.", "default": "a"},
            {"type": "string", "default": "a"},
            {"type": "number", "description": "Two.", "default": 3},
        ]
        parameters = an_object({"oneOf": variants})
        assert read_signature(render_signature(parameters)) == (True, parameters)

    def test_to_a_depth_of_100(self) -> None:
        assert parse_schema(render_schema(nested(100))) == nested(100)
        assert parse_schema(render_schema(nested(101))) is None
        assert parse_schema("string" + "[]" * 10_000) is None
        assert parse_schema("{\np?: any, // default: " + "[" * 100_000 + "\n}") is None


_FRAGMENTS = (
    *(
        "# Tools\n\n",
        "## functions\n\n",
        "namespace functions {\n\n",
        "\n} // namespace functions",
        "// D\n",
        "//\n",
        "// ",
    ),
    *(
        "type t = (_: ",
        "type t = () => any;\n\n",
        ") => any;\n\n",
        "{\n",
        "}",
        "},\n",
        "p?: ",
        "p: ",
        "q:\n",
        "string",
        "any",
    ),
    *(
        "string,\n",
        '"a"',
        " | ",
        '"',
        "[]",
        " | null",
        ",",
        "\n",
        " ",
        "    ",
        "\n | ",
        " // default: ",
        "20",
        "x",
        ": ",
        "{",
    ),
)


class TestReadingIsSafe:
    """Any text gives an answer, in time that grows with its length and no faster."""

    @examples(300)
    @given(st.text() | st.lists(st.sampled_from(_FRAGMENTS), max_size=25).map("".join), st.booleans())
    def test_of_any_text(self, text: str, lenient: bool) -> None:
        found = parse_schema(text, lenient=lenient)
        assert lenient or found is None or render_schema(found) == text
        section = parse_tools(f"# Tools\n\n{text}", lenient=lenient)
        assert lenient or section is None or render_tools(section.tools, section.descriptions) == f"# Tools\n\n{text}"

    @examples(150)
    @given(some.schemas, st.data())
    def test_of_any_text_that_is_nearly_right(self, schema: dict[str, Any], data: st.DataObject) -> None:
        text = render_tools([Tool("t", "D", schema), Tool("u")])
        start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
        edited = text[:start] + data.draw(st.sampled_from(_FRAGMENTS)) + text[end:]
        found = parse_tools(edited)
        assert found is None or render_tools(found.tools, found.descriptions) == edited

    @pytest.mark.parametrize(
        ("head", "unit", "tail"),
        [
            ("{\n", "// d\na: {\n", "}"),
            ("{\n", "// d\n", ""),
            ("{\n// d\n", 'a: "\n', "p: any,\n}"),
            ("{\n", 'a: "', ",\n}"),
            ("{\np: ", '"a" | ', '"a",\n}'),
            ("{\np: ", "//", "\n}"),
            ("{\np:", "\n | string // x", "\n}"),
            ("{\np: ", "\n     | any // [],", "\n}"),
            ("", "\n | any // x", ""),
            ("", "\n | ", ""),
            ("{\n", " ", "}"),
            ("{", "\n", "}"),
            ("{\n", " \n", "}"),
            ("// d", "\n   ", "{"),
            ("{\np: any,", " ", "\n}"),
            ('{\np: any, // default: "', '\n"x', "\n}"),
            ("{\n", "a: any,\n", "}"),
        ],
    )
    def test_in_linear_time(self, head: str, unit: str, tail: str) -> None:
        def calls(times: int) -> int:
            text = f"# Tools\n\n## f\n\nnamespace f {{\n\ntype t = (_: {head}{unit * times}{tail}"
            return calls_of(lambda: parse_tools(text, lenient=True))

        # Quadratic work would be 16 times as much.
        assert calls(8_000) <= 4.4 * calls(2_000)


def test_a_schema_survives_json() -> None:
    schema = parse_schema(render_schema(an_object({"type": "number", "default": 1e16})))
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("more", [{}, {"description": "x"}])
def test_variants_of_items_that_several_lines_describe_are_read_again(more: dict[str, Any]) -> None:
    items = {"oneOf": [{"type": "string", "description": "one\ntwo"}, {"type": "number", **more}]}
    schema = an_object({"type": "array", "items": items})
    assert parse_schema(render_schema(schema)) == schema


def test_lists_of_lists_are_read_as_deep_as_objects() -> None:
    assert parse_schema("string" + "[]" * PARSE_DEPTH) is not None
    assert parse_schema("string" + "[]" * (PARSE_DEPTH + 1)) is None
