"""Settings of plain JSON values: a value of another form is not read as a setting."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import convert
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


SERVICE: dict[str, Any] = {
    "metadata": {"team": "a"},
    "store": False,
    "service_tier": "flex",
    "safety_identifier": "u1",
    "prompt_cache_key": "k",
    "prompt_cache_retention": "24h",
    "user": "u",
    "stream": True,
}
"""Settings with the same members in both of OpenAI's APIs."""
SHARED: dict[str, dict[str, Any]] = {
    "safety_identifier": {"metadata": {"user_id": SERVICE["safety_identifier"]}},
    "stream": {"stream": True},
}
"""Settings that Anthropic's API has as well, in its own members."""


@pytest.mark.parametrize("name", SERVICE)
def test_settings_of_the_service_are_converted_between_openais_apis(name: str) -> None:
    chat = {"messages": [{"role": "user", "content": "Hi"}], name: SERVICE[name]}
    items = convert(chat, source="openai", target="openai-responses")
    assert items.output == {"input": [{"type": "message", "role": "user", "content": "Hi"}], name: SERVICE[name]}
    assert items.lossless
    assert convert(items.output, source="openai-responses", target="openai").output == chat


@pytest.mark.parametrize("name", SERVICE)
@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse", "ocm-2.2"])
def test_settings_of_the_service_are_lost_in_other_apis(name: str, target: str) -> None:
    if target == "anthropic" and name in (*SHARED, "user"):
        return
    chat = {"messages": [{"role": "user", "content": "Hi"}], name: SERVICE[name]}
    losses = convert(chat, source="openai", target=target).losses
    assert [(loss.code, loss.severity) for loss in losses if loss.path == f"/settings/{name}"] == [("settings", "lost")]


@pytest.mark.parametrize("source", ["openai", "openai-responses"])
@pytest.mark.parametrize("name", SHARED)
def test_the_user_and_the_service_tier_are_converted_to_anthropic_and_back(name: str, source: str) -> None:
    key = "messages" if source == "openai" else "input"
    request = {"model": "m", key: [{"role": "user", "content": "Hi"}], name: SERVICE[name]}
    written = convert(request, source=source, target="anthropic")
    assert {**written.output, **SHARED[name]} == written.output
    assert f"/settings/{name}" not in {loss.path for loss in written.losses}
    assert convert(written.output, source="anthropic", target=source).output[name] == SERVICE[name]


def test_the_older_member_for_the_user_is_converted_to_anthropic_without_the_newer_one() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "user": "old"}
    for more, user in (({}, "old"), ({"safety_identifier": "new"}, "new")):
        written = convert({**request, **more}, source="openai", target="anthropic")
        assert written.output["metadata"] == {"user_id": user}
        assert "/settings/user" in {loss.path for loss in written.losses}


@pytest.mark.parametrize(
    "metadata", [{}, {"user_id": None}, {"user_id": ""}, {"user_id": "u", "team": "a"}, {"team": 1}]
)
def test_other_metadata_of_anthropic_is_kept(metadata: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": "Hi"}]
    request = {"model": "m", "max_tokens": 9, "messages": messages, "metadata": metadata, "stream": False}
    assert convert(request, source="anthropic", target="anthropic").output == request
    lost = {loss.path for loss in convert(request, source="anthropic", target="openai").losses}
    assert "team" not in metadata or "/extras/anthropic/metadata" in {path.removesuffix("/team") for path in lost}


def test_a_tier_that_only_responses_has_is_lost_in_chat_completions() -> None:
    items = {"input": [{"role": "user", "content": "Hi"}], "service_tier": "ultrafast"}
    chat = convert(items, source="openai-responses", target="openai")
    assert chat.output == {"messages": [{"role": "user", "content": "Hi"}]}
    assert [loss.severity for loss in chat.losses if loss.path == "/settings/service_tier"] == ["lost"]
    again = {**chat.output, "service_tier": "ultrafast"}
    assert convert(again, source="openai", target="openai").output == again
