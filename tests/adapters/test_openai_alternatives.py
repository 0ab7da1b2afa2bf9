"""Other answers of a response or preference line are alternatives of the conversation, and come back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, FindingCode, LossCode, Message, Severity, Transcript, read, write
from ocml_bridge.chat.transform import drop_analysis
from ocml_bridge.detection import detect
from ocml_bridge.model import Alternative, replace
from ocml_bridge.report.policy import LENIENT

HI: dict[str, Any] = {"role": "user", "content": "hi"}
A: dict[str, Any] = {"role": "assistant", "content": "a"}
B: dict[str, Any] = {"role": "assistant", "content": "b"}
CALL: dict[str, Any] = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def choice(index: int, message: Any, **more: Any) -> dict[str, Any]:
    return {"index": index, "message": message, "finish_reason": "stop", "logprobs": None, **more}


def transcript_of(document: Any) -> Transcript:
    transcript = read(document, "openai").transcript
    assert isinstance(transcript, Transcript)
    return transcript


def only(transcript: Transcript) -> Alternative:
    """The one alternative of a transcript."""
    assert transcript.alternatives is not None
    (other,) = transcript.alternatives
    return other


def line(**more: Any) -> dict[str, Any]:
    return {"input": {"messages": [HI]}, "preferred_output": [A], "non_preferred_output": [B], **more}


DOCUMENTS: dict[str, Any] = {
    "two choices": {"choices": [choice(0, A), choice(1, B)]},
    "a choice cut off": {"choices": [choice(0, A), choice(1, B, finish_reason="length")]},
    "keys in another order": {"model": "m", "choices": [choice(0, A), {"message": B, "index": 1}], "id": "r"},
    "a choice that thinks and calls": {
        "choices": [
            choice(0, A),
            choice(1, {"role": "assistant", "reasoning": "r", "content": "t", "tool_calls": [CALL]}),
        ]
    },
    "a preference": line(),
    "a preference with its keys in another order": {"non_preferred_output": [B], **line(), "id": 7},
    "a preference of several messages": line(
        preferred_output=[A, HI, B], non_preferred_output=[{"role": "assistant", "tool_calls": [CALL]}, B]
    ),
    "a preference without the other": line(non_preferred_output=[]),
    "a preference that is none": line(non_preferred_output=["x"]),
    "an input with parameters of its own": line(input={"messages": [HI], "temperature": 0, "x": 1}, x=2),
    "a choice that is none": {"choices": [choice(0, A), {"index": 1}]},
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_other_answers_come_back_as_they_were(document: Any) -> None:
    result = write(transcript_of(document), "openai")
    assert json.dumps(result.output) == json.dumps(document)
    assert result.losses == ()


def test_a_choice_is_an_alternative_from_the_beginning() -> None:
    transcript = transcript_of({"choices": [choice(0, A), choice(1, B, finish_reason="length")]})
    assert [message.content for message in transcript.messages] == ["a"]
    other = only(transcript)
    assert (other.label, other.at) == ("choice", 0)
    assert other.messages == (Message("assistant", "b", channel="final", end=None),)


def test_the_rejected_answer_is_an_alternative_to_the_preferred_one() -> None:
    transcript = transcript_of(line())
    assert transcript.alternatives == (Alternative((Message("assistant", "b", channel="final"),), 1, "rejected"),)
    assert transcript.extras is None


def test_where_an_alternative_begins_counts_messages_and_not_those_of_the_wire() -> None:
    thought = {"role": "assistant", "reasoning": "r", "content": "t"}
    other = only(transcript_of(line(input={"messages": [HI, thought, HI]})))
    assert other.at == 4


def test_a_reply_in_an_alternative_is_named_after_the_call_before_it() -> None:
    called = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    reply = {"role": "tool", "tool_call_id": "c1", "content": "1"}
    document = line(input={"messages": [HI, called]}, preferred_output=[reply], non_preferred_output=[reply])
    other = only(transcript_of(document))
    assert other.messages[0].name == "functions.f"


def test_a_reply_in_an_alternative_with_an_id_that_no_call_has_answers_the_call_that_is_open() -> None:
    given = {"messages": [HI, {"role": "assistant", "content": None, "tool_calls": [CALL]}]}
    replies = [{"role": "tool", "tool_call_id": call_id, "content": "1"} for call_id in ("c1", "c2")]
    reading = read(line(input=given, preferred_output=replies[:1], non_preferred_output=replies[1:]), "openai")
    assert isinstance(reading.transcript, Transcript)
    assert only(reading.transcript).messages[0].name == "functions.f"
    (finding,) = reading.findings
    assert (finding.code, finding.path) == (FindingCode.REPLY_UNPAIRED, "/alternatives/0/messages/0/call_id")


def test_a_finding_in_an_alternative_names_its_place_there() -> None:
    reply = {"role": "tool", "tool_call_id": "c9", "content": "1"}
    findings = read(line(non_preferred_output=[B, reply]), "openai").findings
    assert [(one.code, one.path) for one in findings] == [(FindingCode.REPLY_UNPAIRED, "/alternatives/0/messages/1")]


def test_a_rejected_answer_of_any_source_makes_a_preference_line() -> None:
    answer = Message("assistant", "a", channel="final")
    transcript = Transcript((Message("user", "hi"), answer), alternatives=(Alternative((answer,), 1, "rejected"),))
    result = write(transcript, "openai")
    assert json.dumps(result.output) == json.dumps(line(non_preferred_output=[A]))
    assert [loss.severity for loss in result.losses] == [Severity.LAYOUT]


@pytest.mark.parametrize("target", ["harmony", "ocm-2.2", "chatml", "internlm2", "ocm-0.1", "ocm-2.2-json"])
def test_where_alternatives_have_no_place_they_are_refused_and_each_is_reported(target: str) -> None:
    document = transcript_of({"choices": [choice(0, A), choice(1, B), choice(2, B)]})
    with pytest.raises(BridgeError, match="--allow alternatives writes the rest") as refused:
        write(document, target)
    assert (refused.value.code, refused.value.path) == (ErrorCode.LOSS, "/alternatives/0")
    lost = [
        (loss.code, loss.severity, loss.path)
        for loss in write(document, target, policy=LENIENT).losses
        if loss.code is LossCode.ALTERNATIVES
    ]
    assert lost == [(LossCode.ALTERNATIVES, Severity.LOST, f"/alternatives/{index}") for index in range(2)]


def test_an_alternative_stays_where_it_was_when_reasoning_before_it_is_dropped() -> None:
    thought, answer = Message("assistant", "r", channel="analysis"), Message("assistant", "a", channel="final")
    messages = (Message("user", "hi"), thought, answer, Message("user", "and?"), answer)
    transcript = Transcript(messages, alternatives=(Alternative((answer,), 4, "rejected"),))
    shortened, _ = drop_analysis(transcript)
    assert [one.at for one in shortened.alternatives or ()] == [3]


def withheld(index: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "content_filter_results": {"hate": {"filtered": True}},
        "finish_reason": "content_filter",
        "index": index,
        **more,
    }


@pytest.mark.parametrize("choices", [[withheld()], [withheld(), withheld(1)]])
def test_a_response_whose_answer_a_filter_withheld_has_no_message(choices: list[Any]) -> None:
    document = {"choices": choices, "id": "chatcmpl-1", "model": "gpt-35-turbo", "object": "chat.completion"}
    assert detect(document) == "openai"
    reading = read(document, "openai")
    assert isinstance(reading.transcript, Transcript)
    assert (reading.transcript.messages, reading.transcript.alternatives, reading.findings) == ((), None, ())
    assert json.dumps(write(reading.transcript, "openai").output) == json.dumps(document)
    lost = [loss.path for loss in write(reading.transcript, "anthropic").losses if loss.severity is Severity.LOST]
    assert "/extras/openai/choices" in lost


@pytest.mark.parametrize(
    "choices",
    [
        [withheld(finish_reason="stop")],
        [withheld(delta={})],
        [withheld(text="a")],
        [withheld(), choice(1, A)],
        [],
    ],
    ids=["ended otherwise", "a chunk", "the older API's", "another answer beside it", "no choice"],
)
def test_any_other_response_without_a_message_is_refused(choices: list[Any]) -> None:
    with pytest.raises(BridgeError) as caught:
        read({"choices": choices, "object": "chat.completion"}, "openai")
    assert caught.value.code is ErrorCode.SHAPE


def test_a_message_that_is_added_where_the_answer_was_withheld_is_written() -> None:
    document = transcript_of({"choices": [withheld()], "object": "chat.completion"})
    answered = replace(document, messages=(Message("assistant", "a", channel="final"),))
    back = read(write(answered, "openai").data, "openai").transcript
    assert isinstance(back, Transcript)
    assert [message.content for message in back.messages] == ["a"]
