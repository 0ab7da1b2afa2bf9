"""`anthropic-sse`: events of the Messages API as they are streamed, read and written; judged by the official client."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from corpus import corpus_path
from ocml_bridge import BridgeError, Transcript, read, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, End, Event, Reason, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.stream.compacting import Compactor
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.sse import Reader
from ocml_bridge.testing import strategies
from ocml_bridge.testing.streams import check_cancel, check_copies, check_messages, check_order, cuts, events_of
from sampling import examples
from turns import ANSWERS, call, final, preamble, thought, turn

STREAM = "anthropic-sse"
START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    },
}
END: dict[str, Any] = {"type": "message_stop"}


def sse(*events: Any) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def block(index: int, raw: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a block."""
    more = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    start = {"type": "content_block_start", "index": index, "content_block": raw}
    return [start, *more, {"type": "content_block_stop", "index": index}]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, *pieces: str, signature: str = "s") -> list[dict[str, Any]]:
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def using(index: int, call_id: str, *pieces: str, kind: str = "tool_use", name: str = "f") -> list[dict[str, Any]]:
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block(index, {"type": kind, "id": call_id, "name": name, "input": {}}, *deltas)


def over(reason: str | None = "end_turn") -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}, END]


def played(*events: Any, reason: Reason | None = None) -> list[Event]:
    return events_of(decoder(STREAM), [sse(*events)], reason).events


def document_of(events: list[Event]) -> Transcript:
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    return stop.document


def put_together(events: list[Any]) -> Any:
    """The response as the official client puts it together."""
    streaming = pytest.importorskip("anthropic.lib.streaming._messages")
    types = pytest.importorskip("anthropic.types")
    event = TypeAdapter(types.RawMessageStreamEvent)
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for raw in events:
        if raw["type"] != "ping":
            snapshot = streaming.accumulate_event(
                event=event.validate_python(raw), current_snapshot=snapshot, json_bufs=buffers
            )
    return snapshot.model_dump(exclude_none=True)


def values_of(data: bytes) -> list[Any]:
    """The events of a stream; each has its name twice, and is a line of ASCII."""
    assert data.isascii()
    out: list[Any] = []
    for name, value in Reader().feed(data):
        out.append(json.loads(value))
        assert out[-1]["type"] == name
    return out


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_whole_message_is_the_answer() -> None:
    """braintrustdata/lingua, payloads/snapshots/toolCallRequest/vertex-anthropic/response-streaming.json."""
    message = {
        "model": "claude-haiku-4-5-20251001",
        "id": "msg_vrtx_1",
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"location": "San Francisco, CA"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 677, "output_tokens": 41},
    }
    for events in ([message], [{**message, "content": []}]):
        decoded = events_of(decoder(STREAM), [sse(*events)], None)
        assert [event for event in decoded.events if isinstance(event, Finding)] == []
        assert decoded.stop.document == read(json.dumps(events[0]), "anthropic").transcript
    assert events_of(decoder(STREAM), [json.dumps([message])], None).stop.reason == "tool_calls"


def test_a_message_behind_the_blocks_of_another_is_left_out() -> None:
    late = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}]}
    events = played(START, *text(0, "a"), late, *over())
    assert [event.detail for event in events if isinstance(event, Finding)] == [
        "an event is not understood; the event is left out"
    ]
    assert [message.content for message in document_of(events).messages] == ["a"]


KEPT = {"context_management"}
"""What the API streams, and the official client of today passes over."""


def test_a_recorded_stream_is_the_response_that_the_official_client_puts_together() -> None:
    types = pytest.importorskip("anthropic.types")
    paths = sorted(corpus_path("wires").glob("*/anthropic/*streaming.json"))
    assert len(paths) == 43
    for path in paths[::3]:
        raw = json.loads(path.read_text("utf-8"))
        whole = events_of(decoder(STREAM), [sse(*raw)])
        assert not [event for event in whole.events if isinstance(event, Finding)], path
        check_order(whole.events)
        check_messages(whole, None)
        response: Any = write(document_of(whole.events), "anthropic").output
        made = types.Message.model_validate(response).model_dump(exclude_none=True)
        assert {key: value for key, value in made.items() if key not in KEPT} == put_together(raw), path
        assert read(response, "anthropic").transcript == document_of(whole.events), path


def test_a_recorded_stream_is_the_same_however_it_is_framed_and_cut() -> None:
    for path in sorted(corpus_path("wires").glob("*/anthropic/*streaming.json"))[::6]:
        raw = json.loads(path.read_text("utf-8"))
        whole = events_of(decoder(STREAM), [sse(*raw)])
        for framed in (sse(*raw).replace("\n", "\r\n"), json.dumps(raw), "".join(map(json.dumps, raw))):
            for size in (1, 64):
                assert (
                    events_of(decoder(STREAM), [framed[at : at + size] for at in range(0, len(framed), size)]) == whole
                )


def test_a_stream_is_what_the_reader_reads_of_the_whole_answer() -> None:
    events = [
        *(START, {"type": "ping"}, *thinking(0, "So", "."), *text(1, "I ", "look."), *thinking(2, signature="sealed")),
        *(*using(3, "a", "", '{"city": "Par', 'is\\u00e9", "n": 1.50}'), *using(4, "b"), *over("tool_use")),
    ]
    document = document_of(played(*events))
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "So.", "signature": "s"},
        {"type": "text", "text": "I look."},
        {"type": "thinking", "thinking": "", "signature": "sealed"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"city": "Parisé", "n": 1.5}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ]
    around = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
    usage = {"input_tokens": 9, "output_tokens": 5}
    response = {**around, "content": content, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
    assert document == read(response, "anthropic").transcript
    check_messages(events_of(decoder(STREAM), [sse(*events)]), None)


def test_messages_end_where_it_is_certain_what_they_are() -> None:
    events = played(START, *thinking(0, "So."), *text(1, "I look."), *using(2, "a", "{}"), *text(3, "Done."), *over())
    boundaries = [(type(event).__name__, event[0]) for event in events if isinstance(event, (Start, End))]
    assert boundaries == [
        *(("Start", 0), ("End", 0), ("Start", 1), ("End", 1), ("Start", 2), ("End", 2)),
        *(("Start", 3), ("End", 3)),
    ]
    first = events[: events.index(next(event for event in events if isinstance(event, Start) and event.number == 2))]
    assert [event.message.intent for event in first if isinstance(event, End)] == [None, "preamble"]


def test_deltas_of_text_arrive_as_written_and_those_of_arguments_without_white_space() -> None:
    made = decoder(STREAM)
    made.feed(sse(START, *text(0, "Oh ")[:2]))
    for piece in ("Hel", "lo"):
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        assert made.feed(sse(delta)) == [Delta(0, piece)]
    made.feed(sse({"type": "content_block_stop", "index": 0}, *using(1, "a")[:1]))
    delta = {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"a": [1, '},
    }
    assert made.feed(sse(delta)) == [Delta(1, '{"a":[1,')]


def test_tools_of_the_server_call_and_reply_inside_of_the_answer() -> None:
    found = [{"type": "web_search_result", "url": "https://e.test", "title": "t", "encrypted_content": "e"}]
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": found}
    citation = {"type": "web_search_result_location", "url": "https://e.test", "cited_text": "c"}
    cited = block(
        3,
        {"type": "text", "text": "", "citations": []},
        {"type": "text_delta", "text": "It is."},
        {"type": "citations_delta", "citation": citation},
    )
    events = [
        *(START, *text(0, "I search."), *using(1, "s", '{"query": "q"}', kind="server_tool_use", name="web_search")),
        *(*block(2, result), *cited, *text(4, " So it is."), *over()),
    ]
    whole = events_of(decoder(STREAM), [sse(*events)])
    check_order(whole.events)
    check_messages(whole, None)
    response: Any = write(document_of(whole.events), "anthropic").output
    assert [part["type"] for part in response["content"]] == [
        *("text", "server_tool_use", "web_search_tool_result", "text", "text")
    ]
    assert response["content"][3] == {"type": "text", "text": "It is.", "citations": [citation]}


def test_citations_come_behind_those_that_a_block_began_with() -> None:
    one, other = ({"type": "char_location", "cited_text": each, "document_index": 0} for each in "ab")
    cited = block(
        0,
        {"type": "text", "text": "", "citations": [one]},
        {"type": "text_delta", "text": "It is."},
        {"type": "citations_delta", "citation": other},
    )
    response: Any = write(
        document_of(events_of(decoder(STREAM), [sse(START, *cited, *over())]).events), "anthropic"
    ).output
    assert response["content"] == [{"type": "text", "text": "It is.", "citations": [one, other]}]


def test_a_block_that_is_whole_as_a_call_and_began_as_none_is_a_call() -> None:
    late = block(0, {"type": "tool_use", "id": "a", "name": "f"}, {"type": "input_json_delta", "partial_json": "{}"})
    whole = events_of(decoder(STREAM), [sse(START, *late, *block(1, {"type": "odd"}), *using(2, "b", "{}"), *over())])
    check_order(whole.events)
    document = document_of(whole.events)
    assert [message.call_id for message in document.messages] == ["a", None, "b"]


@pytest.mark.parametrize(
    ("reason", "known"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("something_new", "stop"),
    ],
)
def test_the_stop_reason_of_the_api_is_the_reason_of_the_end(reason: str, known: Reason) -> None:
    events = played(START, *text(0, "Hi"), *over(reason))
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == known
    assert (document_of(events).messages[-1].end is None) is (known == "length")


@pytest.mark.parametrize("events", [[START, *text(0, "Hi")], [START, *text(0, "Hi"), over()[0]]])
def test_a_stream_without_its_last_event_broke_off(events: list[Any]) -> None:
    got = played(*events)
    stop = got[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == "truncated"
    assert document_of(got).messages[-1].end is None
    assert [str(event.code) for event in got if isinstance(event, Finding)] == ["E-STREAM-TRUNCATED"]


def test_arguments_that_broke_off_are_kept_as_text() -> None:
    got = played(START, *using(0, "a", '{"city": "Par')[:-1])
    (message,) = document_of(got).messages
    assert (message.content, message.end) == ('{"city":"Par', None)
    assert "json-opaque" in [str(event.code) for event in got if isinstance(event, Finding)]


def test_an_error_in_the_stream_ends_it() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    got = played(START, *text(0, "Hi")[:-1], error)
    stop = got[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == "error"
    assert [event.detail for event in got if isinstance(event, Finding)] == [
        "the server cut the stream off: Overloaded"
    ]


def test_unknown_events_are_reported_and_the_rest_is_read() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "hologram_delta", "data": 1}}
    unknown = block(1, {"type": "hologram", "data": 1})
    got = played(START, *text(0, "Hi")[:-1], delta, {"type": "content_block_stop", "index": 0}, *unknown, *over())
    assert [str(event.code) for event in got if isinstance(event, Finding)] == ["shape", "shape"]
    response: Any = write(document_of(got), "anthropic").output
    assert response["content"] == [{"type": "text", "text": "Hi"}, {"type": "hologram", "data": 1}]


@pytest.mark.parametrize(
    ("at", "member", "reason"),
    [
        ("message", {"type": "response"}, "another type than 'message'"),
        ("message", {"role": 5}, "another role than 'assistant'"),
        ("message", {"content": "No."}, "content, which comes block by block"),
        ("delta", {"type": "message_delta"}, "another type than 'message'"),
        ("delta", {"role": "user"}, "another role than 'assistant'"),
        ("end", {"role": "user"}, "another role than 'assistant'"),
        ("end", {"content": "No."}, "content, which comes block by block"),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", ["anthropic-sse", "openai-sse", "gemini-sse"])
def test_no_event_makes_the_answer_another_message(at: str, member: Any, reason: str, target: str) -> None:
    start: dict[str, Any] = {**START, "message": {**START["message"], **(member if at == "message" else {})}}
    [last, stop] = over()
    end: dict[str, Any] = {
        **last,
        "delta": {**last["delta"], **(member if at == "delta" else {})},
        **(member if at == "end" else {}),
    }
    events = played(start, *text(0, "Yes."), end, stop)
    [message] = document_of(events).messages
    assert (message.role, message.content) == ("assistant", "Yes.")
    [finding] = [event for event in events if isinstance(event, Finding)]
    assert reason in finding.detail
    assert b"Yes." in b"".join(encoder(target).encode(events))


def test_invalid_json_is_refused() -> None:
    made = decoder(STREAM)
    with pytest.raises(BridgeError) as raised:
        made.feed("data: {oops\n\n")
    assert raised.value.code is ErrorCode.JSON
    assert isinstance(made.finish()[-1], Stop)


SAMPLE = sse(START, *thinking(0, "So."), *text(1, "Hel", "lo"), *using(2, "a", '{"a": 1}'), *over())


@examples(30)
@given(cuts(SAMPLE), cuts(SAMPLE))
def test_copies_go_on_by_themselves(first: Any, rest: Any) -> None:
    check_copies(lambda: decoder(STREAM), first, rest, rest)


def test_a_cancelled_stream_just_ends() -> None:
    assert check_cancel(lambda: decoder(STREAM), [SAMPLE[:300]]).reason == "cancelled"


EVENTS = st.lists(
    st.sampled_from(
        [START, *text(0, "a", "b"), *thinking(1, "t"), *using(2, "c", '{"a"', ": 1}"), *over(), {"type": "ping"}]
    ),
    max_size=14,
)


@given(EVENTS)
def test_events_in_any_order_give_a_document(events: list[Any]) -> None:
    whole = events_of(decoder(STREAM), [sse(*events)])
    check_order(whole.events)
    check_messages(whole, None)


JSON_TEXTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
)


@given(st.dictionaries(st.text(), JSON_TEXTS, max_size=3), st.booleans(), st.data())
def test_arguments_come_out_as_the_reader_has_them(value: Any, ascii_only: bool, data: st.DataObject) -> None:
    source = json.dumps(value, ensure_ascii=ascii_only, indent=data.draw(st.sampled_from([None, 2])))
    made = Compactor()
    pieces = data.draw(cuts(source))
    compact = "".join([*(made.feed(str(piece)) for piece in pieces), made.finish()])
    response = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "f", "input": json.loads(source)}],
    }
    transcript = read(response, "anthropic").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[0].content == compact


# --- writing ----------------------------------------------------------------------------------------------------------


def written(document: Transcript, reason: Reason | None = None, stream: str = STREAM) -> tuple[bytes, Any]:
    made = encoder(stream, answer=Answer("msg_1", "claude-x"), visibility=DEBUG)
    return b"".join([*made.encode(replay(document, reason)), *made.finish()]), made


def test_an_answer_is_blocks_one_after_the_other() -> None:
    document = turn(thought("Hm."), preamble("I look."), call("functions.f", '{"a": 1}', "a"), call("functions.g", ""))
    data, _ = written(document)
    assert [(event["type"], event.get("index")) for event in values_of(data)] == [
        ("message_start", None),
        *(("content_block_start", 0), ("content_block_delta", 0), ("content_block_stop", 0)),
        *(("content_block_start", 1), ("content_block_delta", 1), ("content_block_stop", 1)),
        *(("content_block_start", 2), ("content_block_delta", 2), ("content_block_stop", 2)),
        *(("content_block_start", 3), ("content_block_stop", 3)),
        *(("message_delta", None), ("message_stop", None)),
    ]
    made = Answer("msg_1").id_of_call(1)
    assert put_together(values_of(data))["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": ""},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": made, "name": "g", "input": {}},
    ]


def test_text_is_passed_on_as_it_comes() -> None:
    made = encoder(STREAM, visibility=DEBUG)
    made.encode(list(replay(Transcript((final("Hello"),))))[:1])
    for piece in ("Hel", "lo\u2028"):
        event = values_of(b"".join(made.encode([Delta(0, piece)])))[-1]
        assert event["delta"] == {"type": "text_delta", "text": piece}


def test_a_text_ends_where_another_message_begins() -> None:
    """Some decoders end all messages together with the answer."""
    made = encoder(STREAM, visibility=DEBUG)
    made.encode([Start(0, thought("")), Delta(0, "Hm."), Start(1, final(""))])
    sent = values_of(b"".join(made.encode([Delta(1, "Hi")])))
    assert [event["type"] for event in sent] == ["content_block_start", "content_block_delta"]


def test_a_client_sees_no_private_reasoning_unless_it_is_asked_for() -> None:
    made = encoder(STREAM)
    data = b"".join([*made.encode(replay(turn(thought("secret"), final("Hi")))), *made.finish()])
    assert put_together(values_of(data))["content"] == [{"type": "text", "text": "Hi"}]


@pytest.mark.parametrize("reason", ["truncated", "error"])
def test_an_answer_that_broke_off_never_looks_whole(reason: Reason) -> None:
    data, _ = written(Transcript((final("Hi"),)), reason)
    kinds = [event["type"] for event in values_of(data)]
    assert kinds[-1] == "error"
    assert not {"message_delta", "message_stop"} & set(kinds)


def test_the_last_event_has_the_numbers_of_tokens() -> None:
    made = encoder(STREAM, visibility=DEBUG)
    made.encode(replay(Transcript((final("Hi"),))))
    end, _ = values_of(b"".join(made.finish({"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})))
    assert end["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_a_whole_answer_is_one_response() -> None:
    types = pytest.importorskip("anthropic.types")
    data, _ = written(turn(thought("Hm."), final("Hi")), stream="anthropic")
    response = json.loads(data)
    types.Message.model_validate(response)
    assert [part["type"] for part in response["content"]] == ["thinking", "text"]
    assert (response["id"], response["model"], response["stop_reason"]) == ("msg_1", "claude-x", "end_turn")


def test_recorded_streams_pass_through() -> None:
    for path in sorted(corpus_path("wires").glob("*/anthropic/*streaming.json"))[::4]:
        raw = json.loads(path.read_text("utf-8"))
        whole = put_together(raw)
        target = encoder(STREAM, answer=Answer(whole["id"], whole["model"]), visibility=DEBUG)
        pipe = Pipe(decoder(STREAM), target)
        back = put_together(values_of(pipe.feed(sse(*raw)) + pipe.finish()))
        assert {**back, "usage": None} == {**whole, "usage": None}, path
        assert back["usage"]["output_tokens"] == whole["usage"]["output_tokens"]


@pytest.mark.parametrize("stream", ["openai-sse"])
def test_recorded_streams_of_other_wires_give_the_blocks_of_the_converted_answer(stream: str) -> None:
    for path in sorted(corpus_path("wires").glob("*/chat-completions/*streaming.json")):
        chunks = json.loads(path.read_text("utf-8"))
        source = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        pipe = Pipe(decoder(stream), encoder(STREAM, answer=Answer("m", "x"), visibility=DEBUG))
        back = put_together(values_of(pipe.feed(source) + pipe.finish()))
        document = events_of(decoder(stream), [source]).stop.document
        whole: Any = write(document, "anthropic", policy=LENIENT).output
        if "content" in whole:  # several answers are no response
            blocks = [{key: part[key] for key in part if key != "citations"} for part in back["content"]]
            assert [part for part in blocks if part["type"] != "thinking"] == whole["content"], path


def check_written(document: Transcript) -> None:
    data, made = written(document)
    back = document_of(events_of(decoder(STREAM), [data.decode()]).events)
    mine = Transcript(back.messages)
    around = ("/extras", "/layout", "/settings")
    assert [each for each in unnamed(document, mine, made.losses) if not each.path.startswith(around)] == []


@given(ANSWERS)
def test_losses_of_any_answer_are_reported(document: Transcript) -> None:
    check_written(document)


@given(st.lists(strategies.messages(), max_size=5))
def test_losses_of_any_document_are_reported(messages: Any) -> None:
    check_written(Transcript(tuple(messages)))


@pytest.mark.parametrize("more", [{}, {"encrypted_content": None}, {"encrypted_content": "c2VhbGVk"}])
def test_a_compaction_has_its_summary_from_its_delta(more: dict[str, Any]) -> None:
    """It is put together as the official client does, and nobody sees it as a text of the answer."""
    delta = {"type": "compaction_delta", "content": "They talked of rain.", **more}
    events = [*block(0, {"type": "compaction", "content": None}, delta), *text(1, "Rain."), *over()]
    found = played(START, *events)
    assert not [event for event in found if isinstance(event, Finding)]
    assert "".join(event.text for event in found if isinstance(event, Delta)) == "Rain."
    whole = {"type": "compaction", "content": "They talked of rain.", **more}
    written = write(document_of(found), "anthropic").output
    assert written["content"] == [whole, {"type": "text", "text": "Rain."}]


@pytest.mark.parametrize(
    ("block", "delta"),
    [
        ({"type": "text", "text": "Hi"}, {"type": "thinking_delta", "thinking": "Hm."}),
        ({"type": "text", "text": "Hi"}, {"type": "input_json_delta", "partial_json": '{"key":1}'}),
        ({"type": "text", "text": "Hi", "thinking": "Hm."}, {"type": "text_delta", "text": ""}),
        ({"type": "thinking", "thinking": "", "signature": ""}, {"type": "text_delta", "text": "Hi"}),
        ({"typo": "text"}, {"type": "input_json_delta", "partial_json": '{"key":1}'}),
        ({"type": "tool_use", "id": "c"}, {"type": "input_json_delta", "partial_json": '{"key":1}'}),
        ({"type": "new_kind", "text": 1}, {"type": "text_delta", "text": "Hi"}),
    ],
)
def test_a_delta_of_another_kind_than_its_block_is_no_text_of_the_answer(block: Any, delta: Any) -> None:
    """No server may leak a thought, or arguments, into a text."""
    events: list[Any] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]
    played = events_of(decoder(STREAM), [sse(*events)])
    text_of_deltas = "".join(event.text for event in played.events if isinstance(event, Delta))
    assert text_of_deltas == (block.get("text") if block.get("type") == "text" else "")


def test_a_call_that_begins_without_its_input_is_one() -> None:
    """Some servers leave out the empty input, which the API always sends."""
    events: list[Any] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "f"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"key":1}'}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    played = events_of(decoder(STREAM), [sse(*events)])
    check_messages(played, None)
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert [(each.recipient, each.content) for each in document.messages] == [("functions.f", '{"key":1}')]


def test_blocks_of_the_first_event_are_read_once() -> None:
    blocks = [{"type": "text", "text": "Hi"}, {"type": "text", "text": " you"}]
    message = {"id": "m", "type": "message", "role": "assistant", "content": blocks}
    more = {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "!"}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    played = events_of(decoder(STREAM), [sse({"type": "message_start", "message": message}, more, end)])
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert "".join(event.text for event in played.events if isinstance(event, Delta)) == "Hi you!"
    assert [text_of(each) for each in document.messages] == ["Hi you!"]
    found = [event.detail for event in played.events if isinstance(event, Finding)]
    assert found == ["the stream ends before the answer ends"]


def test_a_preamble_that_ends_early_is_spelled_as_in_the_document() -> None:
    events: list[Any] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "", "citations": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I look."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "f"}},
    ]
    played = events_of(decoder(STREAM), [sse(*events)])
    ended = [event.message for event in played.events if isinstance(event, End)]
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert (
        ended[0].layout
        == document.messages[0].layout
        == {"anthropic": {"blocks": {"items": {"0": {"keys": ["type", "text", {"as": "citations", "value": None}]}}}}}
    )
