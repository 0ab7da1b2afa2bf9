"""A text of the assistant that a request ends in is to be continued; the API refuses one that ends in white space."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import LossCode, Message, Settings, Severity, Transcript, convert, write
from ocml_bridge.report.policy import LENIENT
from outcomes import PLAIN, PLANNED, outcome


def chat(text: Any, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Name it."}, {"role": "assistant", "content": text}]
    return {"model": "m", "max_tokens": 9, **more, "messages": messages}


def last(request: Any) -> Any:
    return request["messages"][-1]["content"]


@pytest.mark.parametrize(
    "text", ["It is ", "It is\n\n", "It is\t", "It is\u3000", [{"type": "text", "text": "It is "}]]
)
def test_a_request_is_written_without_white_space_at_its_end(text: Any) -> None:
    result = convert(chat(text), source="openai", target="anthropic")
    assert last(result.output) == "It is"
    assert [(loss.code, loss.severity) for loss in result.losses if loss.path.startswith("/messages/1/content")] == [
        (LossCode.CONTENT, Severity.CHANGED)
    ]


def test_of_several_texts_it_is_the_last() -> None:
    texts = [{"type": "text", "text": "It "}, {"type": "text", "text": "is "}]
    assert [part["text"] for part in last(convert(chat(texts), source="openai", target="anthropic").output)] == [
        "It ",
        "is",
    ]


@pytest.mark.parametrize(
    "text", ["It is ", "It is", " ", "", [{"type": "text", "text": "It is "}], [{"type": "text", "text": "\n"}]]
)
def test_documents_of_the_format_are_written_back_unchanged(text: Any) -> None:
    for request in (chat(text), chat(text, model=None), chat(text, max_tokens=None)):
        given = {key: value for key, value in request.items() if value is not None}
        assert json.dumps(convert(given, source="anthropic", target="anthropic").output) == json.dumps(given)


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": chat("It is ")["messages"]},
        {"model": "m", "messages": [*chat("It is ")["messages"], {"role": "user", "content": "What? "}]},
        {"model": "m", "messages": [{"role": "user", "content": "Name it. "}]},
    ],
    ids=["a list for no model", "another message behind it", "the user"],
)
def test_no_other_text_loses_its_white_space(request_: Any) -> None:
    written = convert(request_, source="openai", target="anthropic").output
    assert [message["content"] for message in written["messages"]] == [
        message["content"] for message in request_["messages"]
    ]


def test_the_loss_has_the_path_of_the_text_in_the_document() -> None:
    """Instructions are joined to one, so the text moves up."""
    instructions = Message("system", "Be."), Message("system", "Do.")
    messages = (*instructions, Message("user", "Name it."), Message("assistant", "It is ", end=None))
    result = write(Transcript(messages, settings=Settings(model="m")), "anthropic", policy=LENIENT)
    assert last(result.output) == "It is"
    assert "/messages/3/content" in {loss.path for loss in result.losses if loss.code is LossCode.CONTENT}


@given(st.text(st.characters(categories=["L", "Z", "Cc"])), st.text(st.characters(categories=["L", "Z", "Cc"])))
def test_a_plan_that_was_learned_of_another_text_trims_it_too(one: str, other: str) -> None:
    for _ in range(6):
        outcome(json.dumps(chat(one)).encode(), "openai", "anthropic", PLANNED)
    data = json.dumps(chat(other)).encode()
    assert outcome(data, "openai", "anthropic", PLANNED) == outcome(data, "openai", "anthropic", PLAIN)
