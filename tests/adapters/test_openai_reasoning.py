"""Reasoning that servers write as lists of parts: thoughts to every other format, and back as it stood."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ocml_adapters.openai.thought_lists import signed
from ocml_bridge import Message, Transcript, convert, read, verify, write
from ocml_bridge.model import Signature
from ocml_bridge.report.policy import LENIENT

Wire = dict[str, Any]


def part(text: str, **more: Any) -> Wire:
    return {"type": "text", "text": text, **more}


def thinking(value: Any, **more: Any) -> Wire:
    return {"type": "thinking", "thinking": value, **more}


def reasoning(*items: tuple[str, Any], **more: Any) -> Wire:
    """A part as Databricks has it, of texts and their signatures."""
    texts = [{"type": "summary_text", "text": text, "signature": signature} for text, signature in items]
    return {"type": "reasoning", "summary": texts, **more}


def messages_of(wire: Wire) -> tuple[Message, ...]:
    transcript = read([{"role": "assistant", **wire}], "openai").transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TEXTS = ["One.", "Two.", "Three."]
UNDERSTOOD: list[tuple[Wire, list[str], list[str]]] = [
    ({"content": [thinking("Hm.", closed=True), part("Yes.")]}, ["Hm."], ["Yes."]),
    (
        {"content": [thinking("One."), thinking([part("Two."), part("Three.")]), part("Yes.")]},
        ["One.", "Two.", "Three."],
        ["Yes."],
    ),
    ({"content": [thinking("Hm.")]}, ["Hm."], []),
    ({"content": [thinking("Hm."), part("")]}, ["Hm."], []),
    ({"content": [reasoning(("Hm.", "c2ln")), part("Yes.")]}, ["Hm."], ["Yes."]),
    ({"content": [thinking("Hm.", signature="c2ln"), thinking("So."), part("Yes.")]}, ["Hm.", "So."], ["Yes."]),
    ({"content": [reasoning(("One.", "c2ln"), ("Two.", ""), ("Three.", None)), part("Yes.")]}, TEXTS, ["Yes."]),
    ({"content": [reasoning(("One.", "c2ln")), thinking("Two."), reasoning(("Three.", "c2n"))]}, TEXTS, []),
    ({"content": [thinking("Hm.")], "tool_calls": [CALL]}, ["Hm."], ["{}"]),
    # MoonshotAI/kimi-cli (Apache-2.0), packages/kosong/src/kosong/message.py
    ({"content": [{"type": "think", "think": "Hm.", "encrypted": None}, part("Yes.")]}, ["Hm."], ["Yes."]),
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
    assert not any(text in layouts for text in [*thoughts, "c2ln"])


def test_the_signature_of_a_part_is_that_of_its_thought() -> None:
    source = [{"role": "assistant", "content": [thinking("One.", signature="c2ln"), part("Yes.")]}]
    first, _ = messages_of(source[0])
    assert first.signature == Signature("c2ln", "anthropic")
    blocks = convert(source, source="openai", target="anthropic").output
    assert blocks["messages"][0]["content"][0] == {"type": "thinking", "thinking": "One.", "signature": "c2ln"}


def test_the_signature_of_an_item_is_that_of_its_thought() -> None:
    first, second, _ = messages_of({"content": [reasoning(("One.", "c2ln"), ("Two.", "")), part("Yes.")]})
    assert first.signature == Signature("c2ln", "anthropic")
    assert second.signature is None
    blocks = convert(
        [{"role": "assistant", "content": [reasoning(("One.", "c2ln")), part("Yes.")]}],
        source="openai",
        target="anthropic",
    ).output
    assert blocks["messages"][0]["content"][0] == {"type": "thinking", "thinking": "One.", "signature": "c2ln"}


OTHERS = {"of another vendor": Signature("x", "google"), "of which the part has none": Signature("x", "anthropic")}


@pytest.mark.parametrize("signature", OTHERS.values(), ids=list(OTHERS))
def test_a_signature_without_a_place_in_the_parts_is_written_in_details(signature: Signature) -> None:
    first, last = messages_of({"content": [reasoning(("Hm.", "")), part("Yes.")]})
    output: Any = write(Transcript((replace(first, signature=signature), last)), "openai").output
    assert [entry["signature"] for entry in output["messages"][0]["reasoning_details"]] == ["x"]


def test_a_signature_that_is_gone_leaves_its_item_without_one() -> None:
    first, last = messages_of({"content": [reasoning(("Hm.", "c2ln")), part("Yes.")]})
    output: Any = write(Transcript((replace(first, signature=None), last)), "openai").output
    assert output["messages"][0]["content"] == [reasoning(("Hm.", None)), part("Yes.")]


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
        [reasoning(), part("Yes.")],
        [{"type": "reasoning", "summary": [{"type": "summary_encrypted_text", "data": "x"}]}, part("Yes.")],
        [reasoning(("Hm.", "c2ln"), more=1), part("Yes.")],
        [thinking("Hm.", more=1), part("Yes.")],
        [thinking([part("Hm.", more=1)]), part("Yes.")],
        [{"type": "think", "think": "Hm.", "encrypted": "x"}, part("Yes.")],
        [{"type": ["reasoning"], "summary": []}, part("Yes.")],
        [thinking([part("Hm."), {"type": "image"}]), part("Yes.")],
    ],
)
def test_parts_that_cannot_be_understood_are_kept_and_found(content: list[Wire]) -> None:
    source = [{"role": "assistant", "content": content}]
    reading = read(source, "openai")
    assert [str(finding.code) for finding in reading.findings] == ["shape"]
    assert write(reading.transcript, "openai").output == source


@pytest.mark.parametrize("entry", [{}, {"signature": None}, {"id": "rs_1"}])
def test_an_entry_that_signs_nothing_is_no_signature_of_the_thought_beside_it(entry: dict[str, Any]) -> None:
    answer = {"role": "assistant", "reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", **entry}]}
    document = read({"messages": [{**answer, "content": "Yes."}]}, "openai").transcript
    assert isinstance(document, Transcript)
    assert [message.content for message in document.messages if message.channel == "analysis"].count("Hm.") == 1
    assert all(message.signature is None for message in document.messages)
    assert write(document, "openai").output["messages"] == [{**answer, "content": "Yes."}]


def test_a_text_is_signed_by_the_one_thought_that_has_a_signature() -> None:
    """As where a list and another key have one thought; without a signature it stays."""
    text, bare = Message("assistant", "Hm.", channel="analysis"), Message("assistant", "", channel="analysis")
    sealed = replace(bare, signature=Signature("s", "anthropic"))
    assert signed(text, [bare]) is None
    assert signed(text, [sealed, sealed]) is None
    found = signed(text, [bare, sealed])
    assert found is not None
    assert [(each.content, each.signature) for each in found] == [("", None), ("Hm.", sealed.signature)]


@pytest.mark.parametrize("key", ["reasoning_details", "thinking_blocks"])
@pytest.mark.parametrize("beside", ["reasoning", "reasoning_content", "content"])
@pytest.mark.parametrize(
    "value",
    [
        "a",
        [{"type": "text", "text": "a"}],
        [{"type": "reasoning.text", "text": "a"}],
        [{"type": "thinking", "thinking": "a"}],
    ],
)
def test_a_list_of_thoughts_that_is_none_comes_back_as_it_was(key: str, beside: str, value: object) -> None:
    for wire in ({"role": "assistant", beside: "a", key: value}, {key: value, beside: "a", "role": "assistant"}):
        output = write(read([wire], "openai").transcript, "openai").output
        assert json.dumps(output) == json.dumps([wire])


def test_a_thought_next_to_what_only_its_vendor_reads_is_kept_and_reported() -> None:
    wire = [{"role": "assistant", "content": [{"type": "think", "think": "Hm.", "encrypted": "e"}, part("Yes.")]}]
    result = write(read(wire, "openai").transcript, "harmony", policy=LENIENT)
    assert "foreign-part" in [loss.code for loss in result.losses]
    assert write(read(wire, "openai").transcript, "openai").output == wire


def test_a_text_with_tags_in_a_marked_message_stays_a_text() -> None:
    """Only what was read as a thought between tags is written so, whatever texts a plan was learned from."""
    extras: Any = {"openai": {"extra_content": {"google": {"thought": True}}}}
    for text in ("Plain.", "Plain again.", "<thought>No.</thought>Yes.", "a < b"):
        document = Transcript((Message("user", "Hi"), Message("assistant", text, channel="final", extras=extras)))
        result = write(document, "openai", policy=LENIENT)
        again = read(result.output, "openai").transcript
        assert isinstance(again, Transcript)
        assert [(each.channel, each.content) for each in again.messages] == [(None, "Hi"), ("final", text)]
        assert verify(document, result) == ()
