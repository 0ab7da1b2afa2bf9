"""Choices of a response that are one answer: its text, and its calls in choices of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import convert, read, write
from ocml_bridge.model import Transcript, replace


def call(number: int) -> dict[str, Any]:
    """A call with an id of its own."""
    return {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def response(*messages: dict[str, Any], indices: tuple[int, ...] | None = None) -> bytes:
    """A response with a choice for each message, without indices or with these."""
    choices = [{"finish_reason": "tool_calls", "message": {"role": "assistant", **each}} for each in messages]
    numbered = choices if indices is None else [{"index": at, **one} for at, one in zip(indices, choices, strict=True)]
    return json.dumps({"choices": numbered}, separators=(",", ":")).encode()


def document(data: bytes) -> Transcript:
    """The document of a response."""
    transcript = read(data, "openai").transcript
    assert isinstance(transcript, Transcript)
    return transcript


ONE = response({"content": "I look."}, {"tool_calls": [call(1)]}, {"content": None, "tool_calls": [call(2), call(3)]})


def test_choices_without_an_index_of_their_own_are_one_message() -> None:
    messages = document(ONE).messages
    assert [message.call_id for message in messages] == [None, "c1", "c2", "c3"]
    assert document(ONE).alternatives is None
    assert convert(ONE, source="openai", target="openai").data.strip() == ONE


@pytest.mark.parametrize(
    "data",
    [
        response({"content": "A"}, {"tool_calls": [call(1)]}, indices=(0, 1)),
        response({"content": "A"}, {"content": "B"}),
        response({"content": "A"}, {"content": "B", "tool_calls": [call(1)]}),
    ],
    ids=["indices", "texts", "a text with calls"],
)
def test_other_choices_are_alternatives(data: bytes) -> None:
    assert len(document(data).alternatives or ()) == 1
    assert convert(data, source="openai", target="openai").data.strip() == data


def test_a_message_whose_calls_were_changed_is_in_one_choice() -> None:
    whole = document(ONE)
    written = json.loads(write(replace(whole, messages=whole.messages[:2]), "openai").data)
    (choice,) = written["choices"]
    assert choice["message"] == {"role": "assistant", "content": "I look.", "tool_calls": [call(1)]}
