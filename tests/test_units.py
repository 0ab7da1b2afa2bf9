"""Messages as heads, contents and ids: messages that differ in content and id alone have one head, and so one plan."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import Message, Tool
from ocml_bridge.model import Text, Tools
from ocml_bridge.units.grouping import with_grouping, with_preambles
from ocml_bridge.units.heads import head_of, item_of, message_of
from ocml_bridge.units.relations import declares_tools, paired_by_id, paired_in_order

CALL: dict[str, Any] = {"recipient": "functions.f"}
REPLY: dict[str, Any] = {"name": "functions.f", "recipient": "assistant"}


def call(call_id: str | None) -> Message:
    return Message("assistant", "{}", call_id=call_id, **CALL)


def reply(call_id: str | None) -> Message:
    return Message("tool", "1", call_id=call_id, **REPLY)


def test_messages_that_differ_only_in_content_and_id_have_one_head() -> None:
    head = head_of(call("a"))
    assert head_of(call("b")) is head
    assert head.shared
    assert head_of(call(None)) is not head
    assert head_of(Message("assistant", "", call_id="a", **CALL)) is not head


@pytest.mark.parametrize(
    "message",
    [
        Message("user", "Hi", extras={"openai": {"x": 1}}),
        Message("user", "Hi", layout={"openai": {"x": object()}}),  # type: ignore[dict-item]
        Message("user", "Hi", name=["a"]),  # type: ignore[arg-type]
        Message("u" * 5000, "Hi"),
        call(""),
    ],
)
def test_a_message_that_is_rarely_repeated_has_a_head_of_its_own(message: Message) -> None:
    head = head_of(message)
    assert not head.shared
    assert head_of(message) is not head
    assert message_of(item_of(message)) == message


def test_a_head_without_the_notes_of_other_formats_is_made_once() -> None:
    mine, other = {"openai": {"x": 1}}, {"anthropic": {"y": 2}}
    head = head_of(Message("user", "Hi", layout={**mine, **other}))
    assert head.local("openai") is head.local("openai") is head_of(Message("user", "Hi", layout=mine))
    assert head_of(Message("user", "Hi", layout=mine)).local("openai") is head_of(Message("user", "Hi", layout=mine))
    assert head.local("gemini") is head_of(Message("user", "Hi"))
    assert head.local(None) is head


def test_tools_are_declared_in_messages_with_and_without_an_id() -> None:
    declared = (Text("See."), Tools((Tool("look"),)))
    assert declares_tools([item_of(Message("user", declared))])
    assert declares_tools([item_of(Message("tool", declared, call_id="a"))])
    assert not declares_tools([item_of(Message("user", (Text("See."),))), item_of(call("a"))])


@pytest.mark.parametrize(
    ("messages", "pairs"),
    [
        ((call("a"), call("b"), reply("b"), reply("a")), {2: 1, 3: 0}),
        ((call("a"), call("b"), reply("b")), {2: 1}),
        ((reply("a"),), {0: None}),
        ((call("a"), reply("b")), None),
        ((call("a"), call("a"), reply("a")), None),
        ((call(None), reply(None)), None),
        ((Message("user", "Hi"),), {}),
    ],
)
def test_ids_determine_the_call_that_a_reply_answers(messages: tuple[Message, ...], pairs: Any) -> None:
    assert paired_by_id([item_of(message) for message in messages]) == pairs


@pytest.mark.parametrize(
    ("messages", "pairs"),
    [
        ((call("a"), call("b"), reply("a"), reply("b")), {2: 0, 3: 1}),
        ((call(None), reply(None), call(None), reply(None)), {1: 0, 3: 2}),
        ((call("a"), reply("a"), reply("c")), {1: 0}),
        ((call("a"), call("b"), reply("b"), reply("a")), None),
        ((call("a"), call("b"), reply("a"), call("c"), reply("c")), None),
        ((call("a"), Message("user", "Hi"), reply("a")), None),
        ((call("a"), reply("a"), call("b")), None),
        ((call("a"),), {}),
    ],
)
def test_the_order_determines_it_if_every_call_of_a_turn_is_answered(messages: tuple[Message, ...], pairs: Any) -> None:
    assert paired_in_order([item_of(message) for message in messages]) == pairs


# --- fields that follow from neighbouring messages --------------------------------------------------------------------

FINAL: dict[str, Any] = {"channel": "final"}


def test_only_an_assistants_message_after_another_continues_its_turn() -> None:
    thought = Message("assistant", "Hm.", channel="analysis", continues=True)
    answer = Message("assistant", "Yes.", channel="final")
    items = with_grouping([item_of(each) for each in (thought, answer, Message("user", "So?", continues=True))])
    assert [message_of(item).continues for item in items] == [False, True, False]


@pytest.mark.parametrize(
    ("across", "continued", "channel"),
    [(False, True, "commentary"), (False, False, "final"), (True, True, "commentary"), (True, False, "commentary")],
)
def test_a_text_before_a_call_in_one_wire_message_is_a_preamble(across: bool, continued: bool, channel: str) -> None:
    called = Message("assistant", "{}", call_id="a", continues=continued, **CALL)
    items = [item_of(Message("assistant", "I look.", **FINAL)), item_of(called)]
    with_preambles(items, across=across)
    text, _ = map(message_of, items)
    assert (text.channel, text.intent) == (channel, "preamble" if channel == "commentary" else None)


def test_a_text_before_two_calls_of_its_wire_message_is_a_preamble() -> None:
    first, second = (Message("assistant", "{}", call_id=each, continues=True, **CALL) for each in "ab")
    items = [item_of(Message("assistant", "I look.", **FINAL)), item_of(first), item_of(second)]
    with_preambles(items)
    assert message_of(items[0]).intent == "preamble"


def test_a_text_after_a_call_is_final() -> None:
    behind = Message("assistant", "Done.", channel="commentary", intent="preamble", continues=True)
    items = [item_of(call("a")), item_of(behind)]
    with_preambles(items)
    assert (message_of(items[1]).channel, message_of(items[1]).intent) == ("final", None)


def test_all_texts_among_thoughts_before_a_call_are_preambles() -> None:
    text = Message("assistant", "One.", **FINAL)
    more = Message("assistant", "Two.", continues=True, **FINAL)
    called = Message("assistant", "{}", call_id="a", continues=True, **CALL)
    items = [item_of(each) for each in (text, more, called)]
    with_preambles(items)
    assert [message_of(item).channel for item in items] == ["commentary", "commentary", None]
