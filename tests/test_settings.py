"""Settings of plain JSON values: what is not one of a setting is not taken for it."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge.model import AnswerFormat, ToolChoice
from ocml_bridge.model.settings import answer_format, tool_choice


@pytest.mark.parametrize(
    ("value", "choice"),
    [
        ("auto", ToolChoice("auto")),
        ({"mode": "required", "names": ["f"]}, ToolChoice("required", ("f",))),
        ({"mode": "auto", "names": ["f"], "strict": True}, None),
        ({"mode": "auto", "names": "f"}, None),
        ({"mode": "any"}, None),
        (7, None),
    ],
)
def test_a_tool_choice_is_a_mode_with_names_and_nothing_else(value: Any, choice: ToolChoice | None) -> None:
    assert tool_choice(value) == choice


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"type": "text"}, AnswerFormat("text")),
        ({"type": "json_schema", "name": "n", "schema": {}}, AnswerFormat("json_schema", "n", {})),
        ({"type": "json_schema", "name": 7}, None),
        ({"type": "json_schema", "grammar": "x"}, None),
        ({"type": "grammar"}, None),
        ("json_object", None),
    ],
)
def test_a_form_of_answers_is_an_object_of_known_members(value: Any, form: AnswerFormat | None) -> None:
    assert answer_format(value) == form
