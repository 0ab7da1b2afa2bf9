"""Reasoning that servers write as lists of parts: thoughts to every other format, and back as it stood."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ocml_bridge import Message, Transcript, convert, read, write

Wire = dict[str, Any]


def part(text: str, **more: Any) -> Wire:
    return {"type": "text", "text": text, **more}


def thinking(value: Any, **more: Any) -> Wire:
    return {"type": "thinking", "thinking": value, **more}


def messages_of(wire: Wire) -> tuple[Message, ...]:
    transcript = read([{"role": "assistant", **wire}], "openai").transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
UNDERSTOOD: list[tuple[Wire, list[str], list[str]]] = [
    ({"content": [thinking("Hm.", closed=True), part("Yes.")]}, ["Hm."], ["Yes."]),
    (
        {"content": [thinking("One."), thinking([part("Two."), part("Three.")]), part("Yes.")]},
        ["One.", "Two.", "Three."],
        ["Yes."],
    ),
    ({"content": [thinking("Hm.")]}, ["Hm."], []),
    ({"content": [thinking("Hm.")], "tool_calls": [CALL]}, ["Hm."], ["{}"]),
    ({"reasoning_content": [part("Hm.", train=False)], "content": "Yes."}, ["Hm."], ["Yes."]),
    ({"reasoning": [part("One."), part("Two.", train=True)], "content": None}, ["One.", "Two."], []),
]


@pytest.mark.parametrize(("wire", "thoughts", "rest"), UNDERSTOOD)
def test_each_text_is_a_thought_and_comes_back_in_its_part(wire: Wire, thoughts: list[str], rest: list[str]) -> None:
    source = [{"role": "assistant", **wire}]
    reading = read(source, "openai")
    messages = messages_of(wire)
    assert reading.findings == ()
    assert [message.content for message in messages if message.channel == "analysis"] == thoughts
    assert [message.content for message in messages if message.channel != "analysis"] == rest
    assert write(reading.transcript, "openai").output == source


@pytest.mark.parametrize(("wire", "thoughts", "rest"), UNDERSTOOD)
def test_no_text_stays_in_the_layout(wire: Wire, thoughts: list[str], rest: list[str]) -> None:
    layouts = repr([message.layout for message in messages_of(wire)])
    assert not any(text in layouts for text in thoughts)


def test_a_thought_that_was_edited_is_written_in_the_part_of_the_old_one() -> None:
    first, *rest = messages_of({"content": [thinking("Hm.", closed=True), part("Yes.")]})
    edited = Transcript((replace(first, content="Well."), *rest))
    output: Any = write(edited, "openai").output
    assert output["messages"][0]["content"] == [thinking("Well.", closed=True), part("Yes.")]


def test_where_a_thought_is_missing_the_parts_are_made_anew() -> None:
    first, _, last = messages_of({"content": [thinking("One."), thinking("Two."), part("Yes.")]})
    output: Any = write(Transcript((first, last)), "openai").output
    assert output["messages"][0]["reasoning"] == "One."
    assert "Two." not in repr(output)


def test_the_option_chooses_the_key_in_place_of_parts() -> None:
    from ocml_bridge import Options

    source = [{"role": "assistant", "content": [thinking("Hm."), part("Yes.")]}]
    options = Options(format_options={"reasoning": "reasoning_content"})
    result = convert(source, source="openai", target="openai", options=options)
    output: Any = result.output
    assert output[0]["reasoning_content"] == "Hm."


@pytest.mark.parametrize(
    "content",
    [
        [part("Yes."), thinking("Hm.")],
        [thinking(""), part("Yes.")],
        [thinking([part("Hm."), {"type": "image"}]), part("Yes.")],
    ],
)
def test_parts_that_cannot_be_understood_are_kept_and_found(content: list[Wire]) -> None:
    source = [{"role": "assistant", "content": content}]
    reading = read(source, "openai")
    assert [str(finding.code) for finding in reading.findings] == ["shape"]
    assert write(reading.transcript, "openai").output == source
