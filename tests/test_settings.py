"""Settings of plain JSON values: what is not one of a setting is not taken for it."""

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


TOLD: dict[str, Any] = {
    "metadata": {"team": "a"},
    "store": False,
    "service_tier": "flex",
    "safety_identifier": "u1",
    "prompt_cache_key": "k",
    "prompt_cache_retention": "24h",
    "user": "u",
    "stream": True,
}
"""What both of OpenAI's APIs are told in the same words."""
SHARED: dict[str, dict[str, Any]] = {
    "safety_identifier": {"metadata": {"user_id": TOLD["safety_identifier"]}},
    "stream": {"stream": True},
}
"""What Anthropic's is told, too, as it says that."""


@pytest.mark.parametrize("name", TOLD)
def test_what_the_service_is_told_passes_between_openais_apis(name: str) -> None:
    chat = {"messages": [{"role": "user", "content": "Hi"}], name: TOLD[name]}
    items = convert(chat, source="openai", target="openai-responses")
    assert items.output == {"input": [{"type": "message", "role": "user", "content": "Hi"}], name: TOLD[name]}
    assert items.lossless
    assert convert(items.output, source="openai-responses", target="openai").output == chat


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse", "ocm-2.2"])
def test_no_other_service_is_told_it(name: str, target: str) -> None:
    if target == "anthropic" and name in (*SHARED, "user"):
        return
    chat = {"messages": [{"role": "user", "content": "Hi"}], name: TOLD[name]}
    losses = convert(chat, source="openai", target=target).losses
    assert [(loss.code, loss.severity) for loss in losses if loss.path == f"/settings/{name}"] == [("settings", "lost")]


@pytest.mark.parametrize("source", ["openai", "openai-responses"])
@pytest.mark.parametrize("name", SHARED)
def test_who_asks_and_how_it_is_answered_pass_to_anthropic_and_back(name: str, source: str) -> None:
    key = "messages" if source == "openai" else "input"
    request = {"model": "m", key: [{"role": "user", "content": "Hi"}], name: TOLD[name]}
    written = convert(request, source=source, target="anthropic")
    assert {**written.output, **SHARED[name]} == written.output
    assert f"/settings/{name}" not in {loss.path for loss in written.losses}
    assert convert(written.output, source="anthropic", target=source).output[name] == TOLD[name]


def test_who_asks_as_it_was_said_before_passes_to_anthropic_where_nothing_newer_says_it() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "user": "old"}
    for more, user in (({}, "old"), ({"safety_identifier": "new"}, "new")):
        written = convert({**request, **more}, source="openai", target="anthropic")
        assert written.output["metadata"] == {"user_id": user}
        assert "/settings/user" in {loss.path for loss in written.losses}


@pytest.mark.parametrize(
    "metadata", [{}, {"user_id": None}, {"user_id": ""}, {"user_id": "u", "team": "a"}, {"team": 1}]
)
def test_what_else_anthropic_is_told_stays(metadata: dict[str, Any]) -> None:
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
