"""The JSON interchange of OpenChatML 2.2: objects of several messages, what an edited document keeps, what is lost."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, FindingCode, LossCode, Message, Transcript, read, write
from ocml_bridge.adapter import Options
from ocml_bridge.model import Document, Tool, replace
from ocml_bridge.policy import LENIENT
from ocml_bridge.result import Result

ID = "ocm-2.2-json"
FORCED = Options(force_format=True)


@pytest.fixture(params=[True, False], ids=["plans", "plain"])
def options(request: pytest.FixtureRequest) -> Options:
    return Options(plans=request.param)


def written(document: Document, options: Options) -> Result:
    result = write(document, ID, options=options, policy=LENIENT)
    assert read(result.output, ID).transcript == result.image
    return result


def output_of(document: Document, options: Options) -> Any:
    return written(document, options).output


def messages_of(source: Any) -> tuple[Message, ...]:
    transcript = read(source, ID).transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


def places(result: Result) -> list[tuple[str, str]]:
    """What is lost or changed, and where."""
    return [(loss.code, loss.path) for loss in result.losses if loss.severity != "layout"]


CALL: dict[str, Any] = {"id": "c1", "recipient": "functions.f", "arguments": "{}"}
OBJECT: dict[str, Any] = {
    "mood": "calm",
    "role": "assistant",
    "thinking": "Hm.",
    "content": "Wait.",
    "name": None,
    "channel": "commentary",
    "tool_call": CALL,
}


class TestAnObjectOfSeveralMessages:
    def test_is_written_as_it_was_read(self, options: Options) -> None:
        assert [message.content for message in messages_of(OBJECT)] == ["Hm.", "Wait.", "{}"]
        output = output_of(read(OBJECT, ID).transcript, options)
        assert output == OBJECT
        assert list(output) == list(OBJECT)

    def test_is_written_with_the_words_of_today(self, options: Options) -> None:
        first, second, call = messages_of(OBJECT)
        edited = Transcript((first, replace(second, content="Go."), call))
        assert output_of(edited, options) == [{**OBJECT, "content": "Go."}]

    def test_becomes_several_where_one_does_not_say_them(self, options: Options) -> None:
        first, second, call = messages_of(OBJECT)
        result = written(Transcript((call, replace(second, layout={ID: {"merged": True}}), first)), options)
        assert result.output == [
            {"role": "assistant", "channel": "commentary", "tool_call": CALL},
            {"role": "assistant", "channel": "commentary", "content": "Wait."},
            {"role": "assistant", "channel": "analysis", "content": "Hm.", "mood": "calm"},
        ]
        assert places(result) == []

    @pytest.mark.parametrize("layout", [{"order": ["role"]}, {"nulls": 1}, {"object": {"role": 1}}, {"order": [1]}])
    def test_is_not_spelled_by_a_layout_that_does_not_fit(self, layout: Any, options: Options) -> None:
        document = Transcript((Message("user", "Hi", layout={ID: layout}),))
        assert output_of(document, options) == [{"role": "user", "content": "Hi"}]


class TestWhatOnlyTheWholeTells:
    def test_a_role_that_names_a_tool_reads_as_the_answer_to_a_call(self, options: Options) -> None:
        call = Message("assistant", "{}", channel="commentary", recipient="functions.f", call_id="c1", end="call")
        result = written(Transcript((call, Message("functions.f", "1"))), options)
        assert (LossCode.PAIRING, "/messages/1") in places(result)

    def test_calls_in_a_list_are_the_other_way_of_calling(self) -> None:
        reading = read(
            [{"role": "assistant", "content": "", "tool_call": CALL, "tool_calls": [{**CALL, "id": "c2"}]}], ID
        )
        assert [(finding.code, finding.path) for finding in reading.findings] == [("mixed-calls", "/messages/2")]

    def test_tools_stand_behind_what_the_developer_says(self, options: Options) -> None:
        document = Transcript((Message("system", "S"), Message("developer", "D")), tools=(Tool("f"),))
        assert [item["role"] for item in output_of(document, options)] == ["system", "developer"]
        assert places(written(document, options)) == []

    def test_a_message_that_becomes_the_place_of_the_tools_says_what_it_loses(self, options: Options) -> None:
        document = Transcript((Message("developer", "", weight=0.5),), tools=(Tool("f"),))
        assert places(written(document, options)) == [(LossCode.WEIGHT, "/messages/0/weight")]


class TestACallOfAnotherShape:
    def test_that_is_nested_is_read_and_found(self) -> None:
        nested = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        source = [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [nested]}]
        reading = read(source, ID, options=FORCED)
        assert isinstance(reading.transcript, Transcript)
        (_, call) = reading.transcript.messages
        assert (call.recipient, call.content, call.call_id, call.channel) == ("functions.f", "{}", "c", "commentary")
        (finding,) = reading.findings
        assert (finding.code, finding.path) == (FindingCode.SHAPE, "/messages/1")
        assert "nested as in Chat Completions" in finding.detail

    @pytest.mark.parametrize(
        ("members", "code", "path"),
        [
            ({"tool_calls": {}}, ErrorCode.SHAPE, "/1/tool_calls"),
            ({"tool_calls": [CALL, 1]}, ErrorCode.SHAPE, "/1/tool_calls/1"),
            ({"tool_call": 1}, ErrorCode.SHAPE, "/1/tool_call"),
            ({"tool_call": {"arguments": "{}"}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"type": "custom", "function": {"name": "f"}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": ""}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": "f", "more": 1}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": "f"}, "more": 1}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
        ],
    )
    def test_that_is_none_is_refused_at_its_place(self, members: Any, code: ErrorCode, path: str) -> None:
        with pytest.raises(BridgeError) as caught:
            read([{"role": "user", "content": "Hi."}, {"role": "assistant", **members}], ID, options=FORCED)
        assert (caught.value.code, caught.value.path) == (code, path)


def test_what_is_neither_a_message_nor_a_list_is_refused() -> None:
    with pytest.raises(BridgeError, match="a message object or a list of them") as caught:
        read(5, ID, options=FORCED)
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, "")
