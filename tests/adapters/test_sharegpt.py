"""ShareGPT rows: public ones come back, and what they say is what a person reads in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from corpus import corpus_path
from ocml_bridge import BridgeError, convert, detect, read, write
from ocml_bridge.errors import ErrorCode
from ocml_bridge.model import Media, Message, Text, Tool, Transcript
from ocml_bridge.policy import LENIENT
from ocml_bridge.split import read_all


def human(text: str, **more: Any) -> dict[str, Any]:
    return {"from": "human", "value": text, **more}


def gpt(text: str, **more: Any) -> dict[str, Any]:
    return {"from": "gpt", "value": text, **more}


def call(text: str) -> dict[str, Any]:
    return {"from": "function_call", "value": text}


def row(*turns: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {"conversations": list(turns), **columns}


def transcript(document: Any) -> Transcript:
    found = read(document, "sharegpt").transcript
    assert isinstance(found, Transcript)
    return found


def comes_back(document: Any) -> bool:
    return json.dumps(convert(document, source="sharegpt", target="sharegpt").output) == json.dumps(document)


# --- public data ------------------------------------------------------------------------------------------------------


def public_rows() -> Iterator[dict[str, Any]]:
    for path in sorted(corpus_path("legacy").iterdir()):
        text = path.read_text("utf-8")
        if path.suffix == ".json":
            rows: list[Any] = json.loads(text) if text.lstrip().startswith("[") else [json.loads(text)]
        else:
            rows = [json.loads(line) for line in text.splitlines() if line] if path.suffix == ".jsonl" else []
        yield from (each for each in rows if isinstance(each, dict) and "conversations" in each)


def test_public_rows_come_back_without_a_finding() -> None:
    rows = list(public_rows())
    assert len(rows) >= 800
    for each in rows:
        assert detect(each) == "sharegpt"
        assert read(each, "sharegpt").findings == ()
        assert comes_back(each)


def test_what_public_rows_say_is_said_in_chat_completions() -> None:
    """Every turn is one message there, or one call, with the words of the turn."""
    for each in public_rows():
        request: Any = convert(each, source="sharegpt", target="openai", policy=LENIENT).output
        messages: list[Any] = request["messages"] if "messages" in request else request["input"]["messages"]
        turns = each["conversations"]
        assert len(messages) == len(turns)
        for turn, message in zip(turns, messages, strict=True):
            if turn["from"] == "function_call":
                wanted = json.loads(turn["value"])
                (made,) = message["tool_calls"]
                assert made["function"]["name"] == wanted["name"]
                assert json.loads(made["function"]["arguments"]) == wanted["arguments"]
            else:
                assert message["content"] == turn["value"]


# --- readings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        row({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}),
        {"conversation": [human("Hi")], "lang": "en"},
        [human("Hi"), gpt("Hello", loss=False)],
        row(human("Hi"), gpt("<think>\n\n</think>\n\nHello")),
        row(human("Hi"), gpt("  <think>a</think>Hello")),
        row(human("Hi"), gpt("<think>\na\n</think>\n\n")),
        row(human("Hi"), gpt("<think> never closed")),
        row(human("Hi"), call('[{"name":"f"}]'), {"from": "observation", "value": ""}),
        row(human("Hi"), call('{"arguments": {"a": 1}, "name": "f", "note": 2}')),
        row(human("Hi"), call("f(1)")),
        row(human("Hi"), tools="no JSON", system=""),
        row(human("Hi"), tools=[{"name": "f", "note": 1}]),
        row(human("<image> and <image>"), images=["only-one.png"]),
        row(human("Hi"), chosen="a", rejected="b"),
        row(human("Hi"), chosen=[gpt("a")], rejected=[gpt("b"), human("c")]),
        row(human("Hi"), chosen=gpt("a")),
        row(),
    ],
)
def test_1_everything_comes_back(document: Any) -> None:
    assert comes_back(document)


def test_2_a_thought_stands_before_what_it_leads_to() -> None:
    first, second = transcript(row(gpt("<think>\na\n</think>\n\nb"))).messages
    assert (first.channel, first.content, second.channel, second.content) == ("analysis", "a", "final", "b")
    thought, called = transcript(row(call('<think>x</think>{"name": "f", "arguments": {}}'))).messages
    assert (thought.content, called.recipient) == ("x", "functions.f")


def test_3_arguments_are_their_json_or_its_text() -> None:
    given = '[{"name": "f", "arguments": {"a": 1.50}}, {"name": "f", "arguments": "{\\"a\\":2}"}, {"name": "f"}]'
    assert [message.content for message in transcript(row(call(given))).messages] == ['{"a": 1.50}', '{"a":2}', "{}"]


def test_4_a_call_that_is_no_json_is_no_answer() -> None:
    reading = read(row(call("f(1)")), "sharegpt")
    (message,) = transcript(row(call("f(1)"))).messages
    assert (message.recipient, message.content) == ("functions.", "f(1)")
    assert [finding.code for finding in reading.findings] == ["shape"]


def test_5_results_answer_the_calls_in_order() -> None:
    both = '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'
    results = {"from": "observation", "value": "1\n</tool_response>\n<tool_response>\n2"}
    replies = transcript(row(call(both), results)).messages[2:]
    assert [(reply.name, reply.content) for reply in replies] == [("functions.f", "1"), ("functions.g", "2")]


def test_6_text_before_a_call_is_a_preamble() -> None:
    text, _ = transcript(row(gpt("I look."), call('{"name": "f", "arguments": {}}'))).messages
    assert (text.channel, text.intent) == ("commentary", "preamble")


def test_7_placeholders_stand_for_media() -> None:
    (message,) = transcript(row(human("a<image>b<video>"), videos=["v"], images=["i"])).messages
    assert message.content == (Text("a"), Media("image", url="i"), Text("b"), Media("video", url="v"))


def test_media_are_left_out_where_a_text_would_be_taken_for_their_place() -> None:
    document = Transcript((Message("user", (Text("is <image> a tag?"), Media("image", url="i"))),))
    result = write(document, "sharegpt", policy=LENIENT)
    assert result.output == row(human("is <image> a tag?"))
    assert [(loss.code, loss.path) for loss in result.losses] == [("media", "/messages/0/content/1")]


def test_tools_are_a_text_of_functions() -> None:
    tools = (Tool("f", "Does.", {"type": "object"}, strict=True),)
    written: Any = write(Transcript((Message("user", "Hi"),), tools), "sharegpt").output
    assert json.loads(written["tools"]) == [
        {"name": "f", "description": "Does.", "parameters": {"type": "object"}, "strict": True}
    ]
    assert transcript(written).tools == tools


@pytest.mark.parametrize(
    "message",
    [
        Message("assistant", "<think>a</think>b", channel="final"),
        Message("assistant", "a</think>b", channel="analysis"),
        Message("tool", "1\n</tool_response>\n<tool_response>\n2", channel="commentary", recipient="assistant"),
        Message("assistant", "<\u200bthink>a</think>b", channel="final"),
    ],
)
def test_12_what_would_be_misread_is_broken_and_comes_back(message: Message) -> None:
    result = write(Transcript((message,)), "sharegpt", policy=LENIENT)
    assert "control-token" in [loss.code for loss in result.losses]
    assert [each.content for each in transcript(result.output).messages] == [message.content]


def test_a_list_of_rows_is_several_conversations() -> None:
    rows = [row(human("a")), row(human("b"))]
    with pytest.raises(BridgeError) as error:
        read(rows, "sharegpt")
    assert error.value.code is ErrorCode.SEVERAL
    assert [reading.transcript for reading in read_all(rows, "sharegpt")] == [transcript(each) for each in rows]


NO_ROWS: list[Any] = [{}, row({"from": 1, "value": ""}), {"conversations": [[]]}, [], 3]


@pytest.mark.parametrize("document", NO_ROWS)
def test_what_is_no_row_is_refused(document: Any) -> None:
    with pytest.raises(BridgeError):
        read(document, "sharegpt")
