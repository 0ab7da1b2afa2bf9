"""`bedrock-converse` as it arrives: the events of `ConverseStream`, read and written."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, Transcript, read
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, End, Reason, Signed, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.model import Citation, Media, Message, Signature, Text, replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.testing import strategies
from ocml_bridge.testing.streams import check_cancel, check_copies, check_messages, check_order, cuts, events_of
from sampling import examples
from turns import ANSWERS, call, final, preamble, thought, turn
from wire_facts import recorded, spoiled

STREAM = "bedrock-converse"


def lines(*events: Any) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events)


def delta(index: int, **more: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"delta": more, "contentBlockIndex": index}}


def use(index: int, call_id: str, name: str) -> dict[str, Any]:
    return {
        "contentBlockStart": {"start": {"toolUse": {"toolUseId": call_id, "name": name}}, "contentBlockIndex": index}
    }


def stop(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


START = {"messageStart": {"role": "assistant"}}


def end(reason: str) -> dict[str, Any]:
    return {"messageStop": {"stopReason": reason}}


def addressed_contents(document: Any) -> list[tuple[str | None, str | None, Any]]:
    return [(message.channel, message.recipient, message.content) for message in document.messages]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_what_the_service_adds_to_events_is_in_the_answer() -> None:
    """openinference-instrumentation-bedrock, a stream of Nova by `InvokeModel`; the guardrail is of openllmetry's."""
    guard, metrics = {"amazon-bedrock-guardrailAction": "NONE"}, {"amazon-bedrock-invocationMetrics": {"latency": 7}}
    usage = {"inputTokens": 12, "outputTokens": 1, "totalTokens": 13}
    source = lines(
        START, {**delta(0, text="4"), **guard}, stop(0), end("end_turn"), {"metadata": {"usage": usage}, **metrics}
    )
    made = events_of(decoder(STREAM), [source.encode()])
    assert not [event for event in made.events if isinstance(event, Finding)]
    message = {"role": "assistant", "content": [{"text": "4"}]}
    response = {"output": {"message": message}, **guard, "stopReason": "end_turn", "usage": usage, **metrics}
    assert made.stop.document == read(response, STREAM).transcript


@pytest.mark.parametrize("response", [each.value for each in recorded("bedrock") if each.kind.endswith("response")])
def test_a_whole_answer_is_the_answer(response: Any) -> None:
    for source in (lines(response), json.dumps(response, indent=2), json.dumps([response])):
        made = events_of(decoder(STREAM), [source.encode()])
        assert made.stop.document == read(response, STREAM).transcript
        assert made.stop.reason != "truncated"
        assert not [event for event in made.events if isinstance(event, Finding)]
    made = events_of(decoder(STREAM), [lines(response, START, response).encode()])
    assert made.stop.document == read(response, STREAM).transcript
    assert [event.detail for event in made.events if isinstance(event, Finding)] == [
        "an event follows the whole answer; the event is left out"
    ]


def test_recorded_streams_are_the_same_however_they_are_framed_and_cut() -> None:
    for case in recorded("bedrock", streams=True):
        framed = [lines(*case.value), json.dumps(case.value, indent=1)]
        framed.append("".join(f"data: {json.dumps(event)}\n\n" for event in case.value))
        whole = events_of(decoder(STREAM), [framed[0]])
        for text in framed:
            for size in (1, 4096) if len(text) < 20_000 else (4096,):
                pieces = [text[at : at + size] for at in range(0, len(text), size)]
                assert events_of(decoder(STREAM), pieces) == whole, case
        check_order(whole.events)
        assert not [event for event in whole.events if isinstance(event, Finding)]
        text = "".join(
            event["contentBlockDelta"]["delta"]["text"] for event in case.value if "contentBlockDelta" in event
        )
        assert addressed_contents(whole.stop.document) == [("final", None, text)]


EVENTS: list[Any] = [
    START,
    delta(0, reasoningContent={"text": "Two "}),
    delta(0, reasoningContent={"text": "cities."}),
    delta(0, reasoningContent={"signature": "cw=="}),
    stop(0),
    delta(1, text="I look"),
    delta(1, text="."),
    stop(1),
    use(2, "t1", "get_weather"),
    delta(2, toolUse={"input": ""}),
    delta(2, toolUse={"input": '{"city": '}),
    delta(2, toolUse={"input": '"Oslo"}'}),
    stop(2),
    use(3, "t2", "now"),
    stop(3),
    end("tool_use"),
    {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}, "metrics": {"latencyMs": 1}}},
]
RESPONSE: dict[str, Any] = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Two cities.", "signature": "cw=="}}},
                {"text": "I look."},
                {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": "Oslo"}}},
                {"toolUse": {"toolUseId": "t2", "name": "now", "input": {}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7},
    "metrics": {"latencyMs": 1},
}


def test_a_stream_is_what_the_reader_reads_of_the_whole_answer() -> None:
    played = events_of(decoder(STREAM), [lines(*EVENTS)])
    assert played.stop.document == read(RESPONSE, STREAM).transcript
    assert played.stop.reason == "tool_calls"
    check_order(played.events)


def test_citations_are_those_of_their_text() -> None:
    other = {"location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 2}}}
    cited = {"title": "a", **other}
    events = [
        START,
        delta(0, text="It says"),
        delta(0, citation=cited),
        delta(0, text=" so."),
        stop(0),
        end("end_turn"),
    ]
    document: Any = events_of(decoder(STREAM), [lines(*events)]).stop.document
    [message] = document.messages
    assert message.content == (Text("It says so.", citations=(Citation(title="a", extras={STREAM: other}),)),)


def test_a_call_that_is_cut_off_keeps_the_arguments_that_arrived() -> None:
    played = events_of(decoder(STREAM), [lines(START, use(0, "t", "f"), delta(0, toolUse={"input": '{"a": "b'}))])
    assert played.stop.reason == "truncated"
    assert addressed_contents(played.stop.document) == [("commentary", "functions.f", '{"a": "b')]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("guardrail_intervened", "content_filter"),
        ("malformed_tool_use", "truncated"),
        ("something_new", "stop"),
    ],
)
def test_the_stop_reason_of_the_api_is_the_reason_of_the_end(given: str, reason: Reason) -> None:
    assert events_of(decoder(STREAM), [lines(START, delta(0, text="Hi"), stop(0), end(given))]).stop.reason == reason


def test_an_exception_ends_the_stream() -> None:
    played = events_of(
        decoder(STREAM), [lines(START, delta(0, text="Hi"), {"throttlingException": {"message": "slow"}})]
    )
    assert played.stop.reason == "error"
    assert [event.detail for event in played.events if isinstance(event, Finding)] == [
        "the server cut the stream off: slow"
    ]


def test_events_are_no_document() -> None:
    with pytest.raises(BridgeError, match="stream -f bedrock-converse"):
        read([START, delta(0, text="Hi")], STREAM)


@examples(40)
@given(cuts(lines(*EVENTS)), cuts(lines(*EVENTS)))
def test_copies_go_on_by_themselves(first: Any, rest: Any) -> None:
    check_copies(lambda: decoder(STREAM), first, rest, rest)


def test_a_cancelled_stream_just_ends() -> None:
    assert check_cancel(lambda: decoder(STREAM), [lines(*EVENTS)[:200]]).reason == "cancelled"


# --- writing ----------------------------------------------------------------------------------------------------------


def written(document: Transcript, reason: Reason | None = None) -> tuple[list[Any], Any]:
    made = encoder(STREAM, answer=Answer(), visibility=DEBUG)
    out = [*made.encode(replay(document, reason)), *made.finish()]
    assert all(each.endswith(b"\n") and each.count(b"\n") == 1 for each in out)
    return [json.loads(each) for each in out], made


def test_an_answer_is_blocks_one_after_the_other() -> None:
    document = turn(thought("Hm."), preamble("Let me see."), call("functions.f", '{"a": 1}'), call("functions.g", "{}"))
    events, _ = written(document)
    assert events == [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        stop(0),
        delta(1, text="Let me see."),
        stop(1),
        use(2, "call_1", "f"),
        delta(2, toolUse={"input": '{"a": 1}'}),
        stop(2),
        use(3, "call_2", "g"),
        delta(3, toolUse={"input": "{}"}),
        stop(3),
        end("tool_use"),
    ]


def test_signatures_and_citations_come_behind_their_texts() -> None:
    """What was read of a stream is written as it was."""
    signed, cited = delta(0, reasoningContent={"signature": "cw=="}), delta(2, citation={"title": "a"})
    events = [
        START,
        *(delta(0, reasoningContent={"text": "Hm."}), signed, stop(0)),
        *(delta(1, reasoningContent={"redactedContent": "c2Vh"}), stop(1)),
        *(delta(2, text="It says so."), cited, stop(2)),
        end("end_turn"),
    ]
    played = events_of(decoder(STREAM), [lines(*events)])
    check_messages(played, None)
    made = encoder(STREAM, answer=Answer(), visibility=DEBUG)
    assert [json.loads(each) for each in made.encode(played.events)] == events
    assert not [loss for loss in made.losses if loss.severity != "layout"]


def begins(index: int, **start: Any) -> dict[str, Any]:
    return {"contentBlockStart": {"start": start, "contentBlockIndex": index}}


IMAGE: Any = [begins(1, image={"format": "png"}), delta(1, image={"source": {"bytes": "iVBORw0KGgo="}}), stop(1)]
SEARCH: Any = [
    begins(1, toolUse={"toolUseId": "a", "name": "nova_grounding", "type": "server_tool_use"}),
    *(delta(1, toolUse={"input": '{"q":1}'}), stop(1)),
]


def found(content: list[Any], **more: Any) -> list[Any]:
    return [begins(2, toolResult={"toolUseId": "a", **more}), delta(2, toolResult=content), stop(2)]


@pytest.mark.parametrize(
    "blocks",
    [
        IMAGE,
        [*SEARCH, *found([{"text": "Warm."}], type="nova_grounding_result", status="success")],
        [*SEARCH, *found([{"json": {"degrees": 22}}, {"text": ""}], status="error")],
        [*SEARCH, *found([{"json": None}]), delta(3, text="Warm."), stop(3)],
    ],
    ids=["image", "text", "JSON", "nothing"],
)
def test_images_and_what_tools_of_the_server_gave_are_passed_on(blocks: list[Any]) -> None:
    """Three kinds of block have a start (`ContentBlockStart`), and a result's pieces are texts or JSON."""
    events = [START, delta(0, text="Let me see."), stop(0), *blocks, end("end_turn")]
    played = events_of(decoder(STREAM), [lines(*events)])
    made = encoder(STREAM, answer=Answer(), visibility=DEBUG)
    assert [json.loads(each) for each in made.encode(played.events)] == events
    assert not [loss for loss in made.losses if loss.severity != "layout"]


def test_an_image_keeps_its_place_and_other_media_do_not() -> None:
    picture = Media("image", data="iVBORw0KGgo=", format="image/png")
    file = Media("file", data="aGk=", format="text/plain", filename="note")
    document = Transcript((Message("assistant", (picture, Text("See?"), file), channel="final"),))
    events, made = written(document)
    assert events[1:-1] == [
        *(begins(0, image={"format": "png"}), delta(0, image={"source": {"bytes": "iVBORw0KGgo="}}), stop(0)),
        *(delta(1, text="See?"), stop(1)),
    ]
    assert {loss.path.split("/content")[0] for loss in made.losses} == {"/messages/0"}


def test_the_input_of_a_call_comes_in_one_piece_whatever_comes_between_its_pieces() -> None:
    """Other streams may have several calls at once; a block of Converse ends before the next one begins."""
    turns = turn(final("Hi."), call("functions.f", '{"a":1}', call_id="a"), call("functions.g", "{}", call_id="b"))
    first, one, other = (event for event in replay(turns) if isinstance(event, Start))
    pieces = [first, Delta(0, "Hi"), one, Delta(1, '{"a"'), other, Delta(2, "{"), Delta(0, "."), Delta(1, ":1}")]
    ends = [event for event in replay(turns) if isinstance(event, (End, Stop))]
    made = encoder(STREAM, visibility=DEBUG)
    events = [json.loads(each) for each in (*made.encode([*pieces, Delta(2, "}"), *ends]), *made.finish())]
    inputs: dict[int, str] = {}
    for event in events:
        if "toolUse" in (each := event.get("contentBlockDelta", {}).get("delta", {})):
            index = event["contentBlockDelta"]["contentBlockIndex"]
            inputs[index] = inputs.get(index, "") + each["toolUse"]["input"]
    assert list(inputs.values()) == ['{"a":1}', "{}"]
    assert [loss.path for loss in made.losses if loss.path.startswith(("/messages/1/", "/messages/2/"))] == []


def test_the_input_of_a_call_that_is_a_text_is_a_member_of_an_object() -> None:
    events, made = written(turn(replace(call("functions.f", "ls -l", call_id="a"), constraint=None)))
    assert events[1:3] == [use(0, "a", "f"), delta(0, toolUse={"input": '{"input":"ls -l"}'})]
    assert [loss.path for loss in made.losses if loss.code == "content"] == ["/messages/0/content"]


def test_of_a_call_with_a_picture_the_text_is_its_input() -> None:
    picture = Media("image", url="https://a.example/b.png")
    odd = replace(call("functions.f", "", call_id="a"), content=(Text("ls"), picture), constraint=None)
    events, made = written(turn(odd))
    assert events[2] == delta(0, toolUse={"input": '{"input":"ls"}'})
    assert {loss.path for loss in made.losses} >= {"/messages/0/content/1"}


def test_a_block_ends_where_another_one_begins() -> None:
    """Some servers send no `contentBlockStop`."""
    events = [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        delta(0, reasoningContent={"signature": "c2ln"}),
        *(use(1, "a", "f"), delta(1, toolUse={"input": '{"a": 1}'})),
        *(use(2, "b", "g"), delta(2, toolUse={"input": "{}"})),
    ]
    made = decoder(STREAM)
    came = made.feed(lines(*events))
    assert [event for event in came if isinstance(event, Signed)] == [Signed(0, Signature("c2ln", "anthropic"))]
    assert [event for event in came if isinstance(event, Delta)] == [Delta(0, "Hm."), Delta(1, '{"a":1}')]
    document = events_of(decoder(STREAM), [lines(*events, end("tool_use"))]).stop.document
    assert [content for _, _, content in addressed_contents(document)] == ["Hm.", '{"a":1}', "{}"]


def test_a_result_of_a_clients_tool_is_no_part_of_an_answer() -> None:
    document = turn(call("functions.f", "{}"), Message("tool", "22", "functions.f", "commentary", "assistant"))
    events, made = written(document)
    assert "toolResult" not in json.dumps(events)
    assert "/messages/1" in {loss.path for loss in made.losses}


def test_text_is_passed_on_as_it_comes() -> None:
    made = encoder(STREAM, visibility=DEBUG)
    made.encode(list(replay(Transcript((final("Hello"),))))[:1])
    made.encode([Delta(0, "Hel")])
    (one,) = made.encode([Delta(0, "lo")])
    assert json.loads(one) == delta(0, text="lo")


@pytest.mark.parametrize("reason", ["truncated", "error"])
def test_an_answer_that_broke_off_never_looks_whole(reason: Reason) -> None:
    events, _ = written(Transcript((final("Hi"),)), reason)
    assert [next(iter(event)) for event in events] == [
        "messageStart",
        "contentBlockDelta",
        *(["contentBlockStop"] if "contentBlockStop" in events[2] else []),
        "modelStreamErrorException",
    ]


def check_written(document: Transcript) -> None:
    events, made = written(document)
    back: Any = events_of(decoder(STREAM), [lines(*events)]).stop.document
    others = unnamed(document, Transcript(back.messages), made.losses)
    assert [each for each in others if not each.path.startswith(("/extras", "/layout", "/settings"))] == []


@examples(80)
@given(ANSWERS)
def test_losses_of_any_answer_are_reported(document: Transcript) -> None:
    check_written(document)


@examples(80)
@given(st.lists(strategies.messages(), max_size=5))
def test_losses_of_any_document_are_reported(messages: Any) -> None:
    check_written(Transcript(tuple(messages)))


def test_the_service_model_takes_every_event() -> None:
    botocore = pytest.importorskip("botocore.session")
    validate = pytest.importorskip("botocore.validate")
    shape = botocore.Session().get_service_model("bedrock-runtime").operation_model("ConverseStream").output_shape
    stream = shape.members["stream"]
    for event in written(turn(thought("Hm."), final("Hi"), call("functions.f", "{}")))[0]:
        report = validate.ParamValidator().validate(event, stream)
        assert not report.has_errors(), report.generate_report()


@pytest.mark.parametrize(
    "odd",
    [
        {"contentBlockDelta": {"delta": {"text": "x"}}},
        {"contentBlockDelta": {"delta": {"text": "late"}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"text": 5}, "contentBlockIndex": 3}},
        {"contentBlockStart": {"start": {}, "contentBlockIndex": 0}},
        {"messageStart": {"role": "user"}},
        {"somethingNew": {"text": "x"}},
        {"messageStart": {"role": "assistant"}, "somethingNew": {}},
    ],
)
def test_an_invalid_event_is_left_out_and_reported(odd: Any) -> None:
    played = events_of(decoder(STREAM), [lines(START, delta(0, text="Hi"), stop(0), odd, end("end_turn"))])
    assert addressed_contents(played.stop.document) == [("final", None, "Hi")]
    assert [event.code for event in played.events if isinstance(event, Finding)] == ["shape"]
    check_messages(played, None)


def test_spoiled_streams_are_read_in_order() -> None:
    chance = Random(3)
    for _ in range(150):
        events: list[Any] = [event for event in spoiled(EVENTS, chance) if isinstance(event, dict)]
        played = events_of(decoder(STREAM), [lines(*events)])
        check_order(played.events)
        check_messages(played, None)
