"""Calls are compared with the tools that their document declares (E-CALL-SCHEMA), whatever format it is in."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from ocml_bridge import FindingCode, Message, Severity, Tool, Transcript, formats, read, write
from ocml_bridge.checks.calls import check_calls
from ocml_bridge.model import Json, Text, Tools, replace

pytest.importorskip("jsonschema_rs")

WEATHER: dict[str, Json] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
CALL, CONTENT, RECIPIENT = FindingCode.CALL_SCHEMA, "/messages/0/content", "/messages/0/recipient"


def call(arguments: Json, name: str = "functions.weather", **fields: Any) -> Message:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    members: dict[str, Any] = {"channel": "commentary", "constraint": "json", "end": "call", **fields}
    return Message("assistant", text, recipient=name, **members)


def found(
    *messages: Message, tools: tuple[Tool, ...] | None = (Tool("weather", None, WEATHER),)
) -> list[tuple[str, str]]:
    return [(finding.code, finding.path) for finding in check_calls(Transcript(messages, tools))]


def test_a_valid_call_has_no_finding() -> None:
    assert found(call({"city": "Tokyo", "days": 2})) == []


@pytest.mark.parametrize(
    "arguments", [{}, {"days": 2}, {"city": 1}, {"city": "x", "days": "2"}, "", [1], "{", '"x"', "null"]
)
def test_arguments_that_the_parameters_do_not_allow_are_found(arguments: Json) -> None:
    assert found(call(arguments)) == [(CALL, CONTENT)]


def test_the_detail_has_the_path_and_no_value_of_the_arguments() -> None:
    (finding,) = check_calls(Transcript((call({"city": "x", "days": "secret"}),), (Tool("weather", None, WEATHER),)))
    assert finding.detail.startswith("/days: ")
    assert "secret" not in finding.detail


def test_the_detail_about_the_whole_arguments_begins_with_the_error() -> None:
    (finding,) = check_calls(Transcript((call({}),), (Tool("weather", None, WEATHER),)))
    assert finding.detail == '"city" is a required property'


def test_a_function_that_is_not_declared_is_found() -> None:
    assert found(call({}, "functions.whether")) == [(CALL, RECIPIENT)]


def test_calls_without_declared_tools_are_not_compared() -> None:
    assert found(call([1]), tools=None) == []
    assert found(call([1]), tools=()) == []


def test_built_in_tools_need_no_declaration() -> None:
    assert found(call("print(1)", "python"), call({}, "browser.search")) == []


def test_calls_are_compared_with_tools_that_a_message_declares() -> None:
    declaring = Message("system", (Text("Help."), Tools((Tool("other", None, WEATHER),))))
    assert found(declaring, call({}, "functions.other")) == [(CALL, "/messages/1/content")]
    assert found(declaring, call({}, "functions.other"), tools=None) == [(CALL, "/messages/1/content")]


def test_parameters_that_a_message_declares_are_found_where_they_are() -> None:
    declaring = Message("system", (Text("Help."), Tools((Tool("other", None, {"required": "city"}),))))
    path = "/messages/0/content/1/tools/0/parameters/required"
    assert found(declaring, call({}, "functions.other")) == [(FindingCode.CALL_UNCHECKED, path)]


def test_a_tool_of_another_namespace_is_compared_too() -> None:
    tools = (Tool("weather", None, WEATHER, "acme"),)
    assert found(call({}, "acme.weather"), tools=tools) == [(CALL, CONTENT)]


def test_a_tool_without_parameters_takes_text_from_a_call_without_a_constraint() -> None:
    free = (Tool("weather"),)
    assert found(call("some text", constraint=None), tools=free) == []
    assert found(call("{}"), tools=free) == []
    assert found(call("[1]"), tools=free) == [(CALL, CONTENT)]


def test_parameters_may_have_another_type_than_object() -> None:
    assert found(call('"x"'), tools=(Tool("weather", None, {"type": "string"}),)) == []


def test_an_unfinished_call_is_not_compared() -> None:
    assert found(call('{"ci', end=None)) == []


def test_each_call_is_compared() -> None:
    assert found(call({"city": "x"}), call({}), call({"city": 2})) == [
        (CALL, "/messages/1/content"),
        (CALL, "/messages/2/content"),
    ]


@pytest.mark.parametrize(
    ("parameters", "below"),
    [
        ({"properties": {"a": {"$ref": "https://example.org/schema.json"}}}, "/properties/a/$ref"),
        ({"required": "city"}, "/required"),
        ("text", ""),
    ],
)
def test_invalid_parameters_are_reported_once(parameters: Json, below: str) -> None:
    """References in a schema are never fetched."""
    tools = (Tool("other"), Tool("weather", None, parameters))
    assert found(call({}), call({}), tools=tools) == [(FindingCode.CALL_UNCHECKED, f"/tools/1/parameters{below}")]
    assert found(call([1]), tools=tools) == [(CALL, CONTENT)]


def test_tools_that_are_not_called_are_not_checked() -> None:
    assert found(tools=(Tool("weather", None, "text"),)) == []


def test_without_the_extra_only_names_and_objects_are_compared_and_a_finding_reports_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert found(call({}), call({}), call([1]), call({}, "functions.whether")) == [
        (FindingCode.CALL_UNCHECKED, "/tools"),
        (CALL, "/messages/2/content"),
        (CALL, "/messages/3/recipient"),
    ]
    assert found(call("x", constraint=None), tools=(Tool("weather"),)) == []
    (finding,) = check_calls(Transcript((call({}),), (Tool("weather", None, WEATHER),)))
    missing = "jsonschema-rs is missing: pip install 'ocml-convert[schema]'"
    assert finding.detail == f"calls are checked against the names of tools only: {missing}"
    assert finding.severity is Severity.LAYOUT


@pytest.mark.parametrize("name", [name for name in formats() if "chatml" not in name])
def test_calls_are_compared_in_every_format_that_declares_tools(name: str) -> None:
    document = Transcript((Message("user", "hi"), call({})), (Tool("weather", "Weather.", WEATHER),))
    back = read(write(document, name).encode(), name).transcript
    assert [(f.code, f.path) for f in check_calls(back)] == [(CALL, "/messages/1/content")]


def test_arguments_that_are_not_a_text_are_not_an_object() -> None:
    parts = replace(call({"city": "Oslo"}), content=(Text('{"city": "Oslo"}'), Text("")))
    assert found(parts) == [(CALL, CONTENT)]


def test_parameters_that_are_not_a_schema_are_reported_at_their_tool() -> None:
    document = Transcript((call({}),), tools=(Tool("g"), Tool("weather", parameters={"type": 1})))
    (unchecked,) = check_calls(document)
    assert (unchecked.code, unchecked.path) == (FindingCode.CALL_UNCHECKED, "/tools/1/parameters/type")


def test_arguments_in_parts_are_not_an_object() -> None:
    document = Transcript((replace(call({}), content=(Text("{}"),)),), tools=(Tool("weather", parameters=WEATHER),))
    assert [(each.code, each.path, each.detail) for each in check_calls(document)] == [
        (CALL, CONTENT, "the arguments are not a JSON object")
    ]
