"""Dropping the reasoning of turns that ended in a final answer (OpenChatML 2.2 §12.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ocml_bridge import BridgeError, LossCode, Message, Severity, Transcript, convert, write
from ocml_bridge.chat.transform import drop_analysis

USER = Message("user", "?")
FINAL = Message("assistant", "4", channel="final", end="return", continues=True)
CALL = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call", continues=True)
REPLY = Message("tool", "1", name="functions.f", channel="commentary", recipient="assistant")
SEARCH = Message("assistant", "{}", channel="analysis", recipient="browser.search", end="call", continues=True)
FOUND = Message("tool", "1", name="browser.search", channel="analysis", recipient="assistant")


def thought(text: str) -> Message:
    return Message("assistant", text, channel="analysis")


def kept(*messages: Message) -> list[str]:
    """The thoughts that are kept."""
    left, _ = drop_analysis(Transcript(messages))
    return [str(m.content) for m in left.messages if m.channel == "analysis" and m.recipient is None]


def test_a_turn_that_ended_in_final() -> None:
    assert kept(USER, thought("a"), FINAL) == []
    assert kept(USER, thought("a"), CALL, REPLY, thought("b"), FINAL) == []


def test_every_finished_turn_and_not_only_the_first() -> None:
    assert kept(USER, thought("a"), FINAL, USER, thought("b"), FINAL, USER) == []


def test_a_turn_whose_call_is_unanswered_or_whose_reply_is_not_yet_used() -> None:
    assert kept(USER, thought("a"), FINAL, USER, thought("b"), CALL) == ["b"]
    assert kept(USER, thought("a"), FINAL, USER, thought("b"), CALL, REPLY) == ["b"]
    assert kept(USER, thought("a"), FINAL, USER, thought("b"), CALL, REPLY, thought("c")) == ["b", "c"]


def test_a_turn_that_was_left_without_an_answer_keeps_its_thoughts() -> None:
    assert kept(USER, thought("a"), CALL, USER, thought("b"), FINAL) == ["a"]


def test_an_incomplete_final_answer_does_not_end_a_turn() -> None:
    assert kept(USER, thought("a"), replace(FINAL, end=None)) == ["a"]


def test_calls_of_built_in_tools_on_analysis_stay_with_their_replies() -> None:
    transcript = Transcript((USER, thought("a"), SEARCH, FOUND, FINAL))
    left, losses = drop_analysis(transcript)
    assert left.messages == (USER, replace(SEARCH, continues=False), FOUND, FINAL)
    assert [(loss.code, loss.severity, loss.path) for loss in losses] == [
        (LossCode.THOUGHT, Severity.LOST, "/messages/1"),
        (LossCode.GROUPING, Severity.LAYOUT, "/messages/2/continues"),
    ]


def test_a_users_message_on_analysis_is_not_a_thought() -> None:
    odd = Message("user", "?", channel="analysis")
    assert drop_analysis(Transcript((odd, FINAL))) == (Transcript((odd, FINAL)), ())


def test_nothing_to_drop_changes_nothing() -> None:
    transcript = Transcript((USER, FINAL))
    assert drop_analysis(transcript) == (transcript, ())
    assert drop_analysis(transcript)[0] is transcript


def test_all_reasoning_may_be_dropped_whether_it_was_answered_or_not() -> None:
    thought = Message("assistant", "Hm.", channel="analysis")
    left, losses = drop_analysis(Transcript((Message("user", "Hi"), thought)), "all")
    assert left.messages == (Message("user", "Hi"),)
    assert [loss.path for loss in losses] == ["/messages/1"]


def test_an_unknown_value_of_the_option_is_refused() -> None:
    with pytest.raises(BridgeError, match="drop_analysis cannot be True; it is one of final, all"):
        write(Transcript(), "harmony", drop_analysis=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("of", ["final", "all"])
def test_a_conversion_drops_what_a_writer_drops(of: Any) -> None:
    transcript = Transcript((USER, thought("Hm."), FINAL, USER, thought("Well.")))
    written = write(transcript, "harmony", drop_analysis=of)
    converted = convert(write(transcript, "canonical").data, target="harmony", drop_analysis=of)
    assert (converted.output, converted.losses) == (written.output, written.losses)
    assert [loss.path for loss in converted.losses if loss.code is LossCode.THOUGHT] == [
        "/messages/1",
        *(["/messages/4"] if of == "all" else []),
    ]
