"""Calls checked against what their tools declare (E-CALL-SCHEMA), whoever wrote the schema."""

from __future__ import annotations

import json
import sys
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Json, Message, Text, Tool
from ocml_bridge.stream.effort import effort, size
from ocml_bridge.stream.schema import Schemas, check

pytest.importorskip("jsonschema_rs")

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "array", "items": {"type": "integer"}},
        "a/b~c": {"type": "null"},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def calling(arguments: Json, name: str = "functions.f") -> Message:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Message("assistant", text, channel="commentary", recipient=name, end="call")


def fault(parameters: Json, arguments: Json) -> tuple[str, str | None] | None:
    """Code and path of the fault that a check reports."""
    try:
        check(calling(arguments), [Tool("f", parameters=parameters)])
    except BridgeError as error:
        return str(error.code), error.path
    return None


class TestArguments:
    def test_arguments_that_fit_pass(self) -> None:
        assert fault(WEATHER, {"city": "Tokyo", "days": [1, 2], "a/b~c": None}) is None

    @pytest.mark.parametrize(
        ("arguments", "path"),
        [
            ({}, ""),
            ({"city": 1}, "/city"),
            ({"city": "x", "days": [1, 2, "3"]}, "/days/2"),
            ({"city": "x", "a/b~c": 0}, "/a~1b~0c"),
            ({"city": "x", "more": 1}, ""),
            ([], ""),
            ("", ""),
            ('{"city": "x"', ""),
            ('{"city": "x", "city": "y"}', ""),
            ("[" * 500 + "]" * 500, ""),
        ],
    )
    def test_arguments_that_do_not_fit_are_reported_with_their_path(self, arguments: Json, path: str) -> None:
        assert fault(WEATHER, arguments) == ("E-CALL-SCHEMA", path)

    def test_text_that_is_no_unicode(self) -> None:
        assert fault({"pattern": "a"}, '"\\ud800"') == ("E-CALL-SCHEMA", "")

    def test_no_arguments_are_an_object_without_members(self) -> None:
        assert fault({"type": "object"}, "  ") is None

    def test_the_deadline_is_no_argument_unless_it_is_declared(self) -> None:
        """§8.2 puts it beside the arguments."""
        assert fault(WEATHER, {"city": "x", "deadline_ms": 100}) is None
        declared = {"properties": {"deadline_ms": {"maximum": 50}}}
        assert fault(declared, {"deadline_ms": 100}) == ("E-CALL-SCHEMA", "/deadline_ms")

    def test_the_message_does_not_repeat_the_arguments(self) -> None:
        with pytest.raises(BridgeError, match="the value is not of type") as caught:
            check(calling({"city": ["my secret"]}), [Tool("f", parameters=WEATHER)])
        assert "secret" not in caught.value.message

    def test_parts_are_no_arguments(self) -> None:
        message = Message("assistant", (Text("{}"), Text("{}")), recipient="functions.f", end="call")
        with pytest.raises(BridgeError, match="E-CALL-SCHEMA"):
            check(message, [Tool("f", parameters={})])


class TestTools:
    def test_a_function_that_is_not_declared(self) -> None:
        with pytest.raises(BridgeError, match=r"E-CALL-SCHEMA: no tool 'functions\.g' is declared"):
            check(calling({}, "functions.g"), [Tool("f")])

    @pytest.mark.parametrize("name", ["python", "browser.search"])
    def test_built_in_tools_take_anything(self, name: str) -> None:
        check(calling("print(1)", name), [Tool("f", parameters=WEATHER)])

    def test_a_tool_of_another_namespace(self) -> None:
        with pytest.raises(BridgeError, match="/city"):
            check(calling({"city": 1}, "maps.find"), [Tool("find", parameters=WEATHER, namespace="maps")])

    def test_a_tool_without_parameters_takes_any_arguments(self) -> None:
        assert fault(None, "anything") is None

    def test_the_schema_names_its_draft(self) -> None:
        old = {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True}
        assert fault(old, 3) == ("E-CALL-SCHEMA", "")
        assert fault({"prefixItems": [{"type": "string"}]}, [1]) == ("E-CALL-SCHEMA", "/0")

    def test_references_into_the_schema(self) -> None:
        tree = {"properties": {"children": {"items": {"$ref": "#"}}, "n": {"$ref": "#/$defs/n~1m"}}}
        tree["$defs"] = {"n/m": {"type": "integer"}}
        assert fault(tree, {"children": [{"children": [{"n": 1}]}]}) is None
        assert fault(tree, {"children": [{"children": [{"n": "x"}]}]}) == ("E-CALL-SCHEMA", "/children/0/children/0/n")

    @pytest.mark.parametrize(
        ("parameters", "path"),
        [
            ({"type": "text"}, "/type"),
            ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern"),
            ({"$ref": "#/nowhere"}, ""),
            ({"$schema": "https://example.com/own"}, ""),
            ("{}", ""),
            (7, ""),
            ({"properties": {"\ud800": {}}}, ""),
        ],
    )
    def test_an_invalid_schema_is_refused_before_any_call(self, parameters: Json, path: str) -> None:
        with pytest.raises(BridgeError) as caught:
            Schemas([Tool("ok"), Tool("f", parameters=parameters)])
        assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, f"/tools/1/parameters{path}")

    def test_without_the_library_the_error_names_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
        with pytest.raises(BridgeError, match=r"OCB-DEPENDENCY: .*pip install 'ocml-convert\[schema\]'"):
            Schemas([Tool("f", parameters={})])


class TestHostileSchemas:
    @pytest.mark.parametrize(
        ("parameters", "place"),
        [
            ({"$ref": "http://127.0.0.1:9/schema"}, "/$ref"),
            ({"items": {"$ref": "file:///etc/passwd"}}, "/items/$ref"),
            ({"items": {"$ref": "other.json#/a"}}, "/items/$ref"),
            ({"$id": "http://example.com/", "items": {"$id": "inner", "$ref": "#/x"}}, "/items/$id"),
            ({"$dynamicRef": "#node"}, "/$dynamicRef"),
        ],
    )
    def test_nothing_is_fetched(self, parameters: Json, place: str) -> None:
        with pytest.raises(BridgeError, match="refers to another document") as caught:
            Schemas([Tool("f", parameters=parameters)])
        assert caught.value.path == f"/tools/0/parameters{place}"

    def test_properties_of_these_names_are_properties(self) -> None:
        named = {"properties": {"$ref": {"type": "string"}, "id": {"type": "string"}, "$id": {}}}
        assert fault(named, {"$ref": "http://example.com", "id": "x"}) is None

    def test_deep_nesting(self) -> None:
        deep: Json = {}
        for _ in range(5_000):
            deep = {"not": deep}
        assert fault(deep, 1) == ("OCB-LIMIT", "/tools/0/parameters")
        with pytest.raises(BridgeError) as caught:
            check(calling(1), [Tool("g", parameters=True), Tool("f", parameters=deep)])
        assert caught.value.path == "/tools/1/parameters"

    @pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
    @pytest.mark.parametrize("depth", [8, 13, 40])
    def test_references_that_double(self, keyword: str, depth: int) -> None:
        """2⁴⁰ steps in a schema of forty lines."""
        doubling: Json = {f"d{i}": {keyword: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(depth)}
        doubling[f"d{depth}"] = {"type": "string"}
        found = fault({"$defs": doubling, "$ref": "#/$defs/d0"}, 1)
        assert found == ("OCB-LIMIT" if depth == 40 else "E-CALL-SCHEMA", "")

    def test_recursion_that_doubles_with_the_depth_of_the_arguments(self) -> None:
        arguments: Json = 1
        for _ in range(60):
            arguments = {"a": arguments}
        again = {"properties": {"a": {"$ref": "#"}}, "required": ["a"]}
        assert fault({"anyOf": [again, again]}, arguments) == ("OCB-LIMIT", "")

    def test_what_was_not_evaluated(self) -> None:
        chain: Json = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}]} for i in range(40)}
        for each in chain.values():
            each["unevaluatedProperties"] = False
        chain["d40"] = {"properties": {"x": True}}
        assert fault({"$defs": chain, "$ref": "#/$defs/d0"}, {"x": 1}) == ("OCB-LIMIT", "")

    def test_a_schema_that_is_itself(self) -> None:
        assert fault({"$ref": "#"}, 1) == ("OCB-LIMIT", "")

    @pytest.mark.parametrize(
        ("pattern", "code"),
        [
            ("^(a+)+$", "E-CALL-SCHEMA"),
            ("(a?){500}a{500}$", "E-CALL-SCHEMA"),
            ("((((a{100}){100}){100}){100})", "OCB-SHAPE"),
            ("(?=.*x)(?=.*y).*", "OCB-LIMIT"),
            ("(.*)*\\1x$", "OCB-LIMIT"),
        ],
    )
    def test_patterns(self, pattern: str, code: str) -> None:
        """Those that look around are matched with short strings only."""
        found = fault({"pattern": pattern}, json.dumps("a" * 100_000 + "b"))
        assert found is not None
        assert found[0] == code

    def test_patterns_that_look_around(self) -> None:
        assert fault({"pattern": "^(?!x)"}, '"abc"') is None
        assert fault({"pattern": "^(?!x)"}, '"xyz"') == ("E-CALL-SCHEMA", "")
        assert fault({"pattern": "(.*)*\\1x$"}, '"' + "a" * 900 + '"') == ("OCB-LIMIT", "")


SMALLEST: list[Json] = [True, False, {"type": "integer"}, {"type": "string"}, {"$ref": "#"}, {"enum": [1, "a"]}]
ONE = ("not", "items", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties")
MANY = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "dependentSchemas")


def members(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)


def larger_schemas(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    one = dict.fromkeys(ONE, inner)
    many = {keyword: st.lists(inner, min_size=1, max_size=3) for keyword in MANY}
    named = {keyword: members(inner) for keyword in NAMED}
    return st.fixed_dictionaries({}, optional={**one, **many, **named})


def larger_values(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | members(inner)


SCHEMAS: st.SearchStrategy[Json] = st.recursive(st.sampled_from(SMALLEST), larger_schemas, max_leaves=10)
VALUES: st.SearchStrategy[Json] = st.recursive(st.sampled_from([None, 1, -1, "", "a"]), larger_values, max_leaves=12)


def test_a_place_that_takes_long_to_find_is_not_looked_for() -> None:
    tree: Json = {"items": {"$ref": "#"}, "type": ["array", "null"], "maxItems": 100}
    every: Json = {"items": {}}
    tree: Json = {"type": ["array", "null"], "items": {"$ref": "#"}, "maxItems": 100, "allOf": [every] * 10}
    arguments: Json = [[None] * 50] * 4 + [1]
    with pytest.raises(BridgeError) as raised:
        check(calling(arguments), [Tool("f", parameters=tree)])
    assert (raised.value.code, raised.value.path) == (ErrorCode.CALL_SCHEMA, "")
    assert raised.value.message == "the arguments do not fit the schema; finding the place would take too long"


@given(SCHEMAS, VALUES)
def test_any_schema_and_any_arguments_come_to_a_verdict(parameters: Json, arguments: Json) -> None:
    found = fault(parameters, json.dumps(arguments))
    assert found is None or found[0] in ("E-CALL-SCHEMA", "OCB-LIMIT", "OCB-SHAPE")


@given(VALUES)
def test_a_check_stops_at_its_limit_of_steps(arguments: Json) -> None:
    tree: Json = {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}, "propertyNames": {"type": "string"}}
    steps = effort(tree, arguments, 10_000)
    assert steps is not None
    assert steps <= 2 * size(arguments)
    assert effort(tree, arguments, steps) == steps
    assert effort(tree, arguments, steps - 1) is None


def test_time_is_linear_in_the_arguments() -> None:
    schemas = Schemas([Tool("f", parameters={"items": {"properties": {"n": {"type": "integer"}}}})])
    schemas.check(calling([{"n": number} for number in range(30_000)]))
    with pytest.raises(BridgeError) as caught:
        schemas.check(calling([{"n": number} for number in range(30_000)] + [{"n": "x"}]))
    assert caught.value.path == "/30000/n"


COSTLY: Json = {"enum": [*range(1000)]}
"""A schema that takes a thousand steps for each value that it is asked of."""


ASKED: Final[list[tuple[Json, Json, int]]] = [
    (COSTLY, 1, 1),
    *(({key: COSTLY}, 1, 1) for key in ("not", "if", "then", "else")),
    *(({key: [COSTLY, COSTLY]}, 1, 2) for key in ("allOf", "anyOf", "oneOf")),
    *(({key: {"a": COSTLY}}, 1, 1) for key in ("dependentSchemas", "dependencies")),
    ({"properties": {"a": COSTLY}}, {"a": 1, "b": 2}, 1),
    ({"properties": {"a": COSTLY}}, {"b": 2}, 0),
    ({"properties": {"a": COSTLY}}, [1], 0),
    ({"patternProperties": {"^a": COSTLY}}, {"a": 1, "b": 2}, 2),
    ({"properties": {"a": {}}, "additionalProperties": COSTLY}, {"a": 1, "b": 2, "c": 3}, 2),
    ({"properties": {"a": {}}, "unevaluatedProperties": COSTLY}, {"a": 1, "b": 2, "c": 3}, 2),
    ({"propertyNames": COSTLY}, {"a": 1, "b": 2, "c": 3}, 3),
    ({"items": COSTLY}, [1, 2, 3], 3),
    ({"items": COSTLY}, {"a": 1}, 0),
    ({"items": [COSTLY, {}]}, [1, 2, 3], 1),
    ({"items": [{}], "additionalItems": COSTLY}, [1, 2, 3], 2),
    ({"prefixItems": [COSTLY, {}]}, [1, 2, 3], 1),
    ({"prefixItems": [{}], "items": COSTLY}, [1, 2, 3], 2),
    ({"prefixItems": [{}], "unevaluatedItems": COSTLY}, [1, 2, 3], 2),
    ({"contains": COSTLY}, [1, 2, 3], 3),
    ({"unevaluatedItems": {}, "allOf": [COSTLY]}, [1], 2),
    ({"$ref": "#/$defs/a", "$defs": {"a": COSTLY}}, 1, 1),
    ({"$ref": "#/$defs/a~1b~0c%20d", "$defs": {"a/b~c d": COSTLY}}, 1, 1),
    ({"$ref": "#/$defs/1", "$defs": [{}, COSTLY]}, 1, 1),
    ({"$ref": "#/$defs/2", "$defs": [{}, COSTLY]}, 1, 0),
    ({"$ref": "#/a", "$defs": {"a": COSTLY}}, 1, 0),
]
"""Schema, value, and how often the costly schema is asked of something."""


@pytest.mark.parametrize(("schema", "value", "times"), ASKED)
def test_each_value_is_counted_for_every_schema_that_it_is_asked_of(schema: Json, value: Json, times: int) -> None:
    steps = effort(schema, value, 1_000_000)
    assert steps is not None
    assert steps // 1000 == times
    assert effort(schema, value, 999) is None or not times


COSTS: Final[list[tuple[Json, Json, int]]] = [
    ({}, "x" * 640, 11),
    ({"uniqueItems": True}, [1] * 30, 31),
    ({}, [1] * 30, 1),
    ({"required": ["a", "b"], "dependentRequired": {"a": []}}, {}, 4),
    (True, "x" * 640, 1),
]
"""Schema, value, and the steps that looking at it costs."""


@pytest.mark.parametrize(("schema", "value", "steps"), COSTS)
def test_what_looking_at_one_value_costs(schema: Json, value: Json, steps: int) -> None:
    assert effort(schema, value, 1000) == steps
