"""Breaking and compatible changes between two schemas of one form."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode
from ocml_bridge.json_values.schema_changes import schema_changes
from ocml_bridge.model.codec import json_schema

SCHEMA: Any = json_schema()
Change = Callable[[dict[str, Any]], object]
BREAKS: dict[str, Change] = {
    "/Message/name: removed": lambda kinds: kinds["Message"]["properties"].pop("name"),
    "/Message/who: new, and must be there": lambda kinds: (
        kinds["Message"]["properties"].update(who={"type": "string"}),
        kinds["Message"]["required"].append("who"),
    ),
    "/Message/role: need not be there any more": lambda kinds: kinds["Message"]["required"].remove("role"),
    "/Message/role: can no longer be string": lambda kinds: kinds["Message"]["properties"]["role"].update(
        type="integer"
    ),
    "/Message/weight: can also be string": lambda kinds: kinds["Message"]["properties"]["weight"]["anyOf"].append(
        {"type": "string"}
    ),
    "/Media/media: can no longer be 'video'": lambda kinds: kinds["Media"]["properties"]["media"]["enum"].remove(
        "video"
    ),
    "/Flags/type: can no longer be string 'flags'": lambda kinds: kinds["Flags"]["properties"]["type"].update(
        const="flag"
    ),
    "/Infill: this kind is gone": lambda kinds: kinds.pop("Infill"),
    "/Completion/content/*: can no longer be Refusal": lambda kinds: kinds["Completion"]["properties"]["content"][
        "anyOf"
    ][1]["items"]["anyOf"].remove({"$ref": "#/$defs/Refusal"}),
    "/Alternative/at: minimum is 0 now": lambda kinds: kinds["Alternative"]["properties"]["at"].update(minimum=0),
    "/Usage/input_tokens: default was None, and is 0 now": lambda kinds: kinds["Usage"]["properties"][
        "input_tokens"
    ].update(default=0),
    "/Alternative/messages/*: can no longer be Message": lambda kinds: kinds["Alternative"]["properties"][
        "messages"
    ].update(items={"$ref": "#/$defs/Tool"}),
}
DOES_NOT_BREAK: dict[str, Change] = {
    "/Message/mood: new": lambda kinds: kinds["Message"]["properties"].update(mood={"type": "string"}),
    "/Media/media: can also be 'scent'": lambda kinds: kinds["Media"]["properties"]["media"]["enum"].append("scent"),
    "/Completion/content/*: can also be Message": lambda kinds: kinds["Completion"]["properties"]["content"]["anyOf"][
        1
    ]["items"]["anyOf"].append({"$ref": "#/$defs/Message"}),
    "/Flags: further members were refused, and are allowed now": lambda kinds: kinds["Flags"].update(
        additionalProperties=True
    ),
}


def changed(change: Change) -> dict[str, Any]:
    schema = deepcopy(SCHEMA)
    change(schema["$defs"])
    return schema


@pytest.mark.parametrize("expected", BREAKS)
def test_breaking_changes(expected: str) -> None:
    assert f"breaking {expected}" in [str(change) for change in schema_changes(SCHEMA, changed(BREAKS[expected]))]


@pytest.mark.parametrize("expected", DOES_NOT_BREAK)
def test_compatible_changes(expected: str) -> None:
    assert [str(change) for change in schema_changes(SCHEMA, changed(DOES_NOT_BREAK[expected]))] == [
        f"compatible {expected}"
    ]


def test_a_schema_may_be_of_one_kind_without_a_name() -> None:
    old = {"type": "object", "additionalProperties": {"type": "string"}, "properties": {"a": {"type": "string"}}}
    assert schema_changes(old, old) == []
    assert [str(change) for change in schema_changes(old, {**old, "maxProperties": 3})] == [
        "breaking /: maxProperties is 3 now"
    ]
    assert [str(change) for change in schema_changes(old, {**old, "additionalProperties": False})] == [
        "breaking /: further members were of one kind, and are refused now"
    ]
    assert [str(change) for change in schema_changes(old, {**old, "additionalProperties": {"type": "null"}})] == [
        "breaking /*: can no longer be string",
        "breaking /*: can also be null",
    ]


def test_a_change_of_a_description_is_not_a_change() -> None:
    def reword(kinds: dict[str, Any]) -> None:
        kinds["Message"]["description"] = "Something else."
        kinds["Message"]["properties"]["role"]["title"] = "Who"

    assert schema_changes(SCHEMA, changed(reword)) == []


# --- the command ------------------------------------------------------------------------------------------------------


AGAINST: dict[str, Change] = {
    "": lambda _kinds: None,
    "compatible /Message/name: new\n": lambda kinds: kinds["Message"]["properties"].pop("name"),
    "breaking /Message/mood: removed\n": lambda kinds: kinds["Message"]["properties"].update(mood={"type": "string"}),
}


@pytest.mark.parametrize("output", AGAINST)
def test_the_exit_status_depends_on_whether_the_current_form_breaks_an_older_one(
    output: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.json").write_text(json.dumps(changed(AGAINST[output])))
    status = ExitCode.REFUSED if output.startswith("breaking") else ExitCode.OK
    assert main(["schema", "--against", str(tmp_path / "old.json")]) == status
    assert capfd.readouterr().out == output


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"$defs":1}', '{"$defs":{"Message":{"properties":[],"enum":3}}}'])
def test_a_document_that_is_not_a_schema_is_refused(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.json").write_text(text)
    assert main(["schema", "--against", str(tmp_path / "old.json")]) == ExitCode.INVALID
    assert "old.json: OCB-" in capfd.readouterr().err
