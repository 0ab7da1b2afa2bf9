"""`openai-sse`, read: what servers send, well-formed or not, is what the batch reader reads of the whole response."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import strategies_openai as wild
from counting import calls_of
from deltas import texts_of
from ocml_bridge import BridgeError, Transcript, read, write
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Decoder, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.model import Json, Message, Refusal, Signature, replace
from ocml_bridge.pipe import decoder
from ocml_bridge.stream import joined
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.streams import (
    Chunks,
    Decoded,
    all_cuts,
    bare,
    byte_cuts,
    check_copies,
    check_order,
    cuts,
    events_of,
)
from test_growth import ALLOWED, TIMES
from turns import call, final, preamble, thought

HEAD: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def sse(*values: Json) -> str:
    """Events with JSON; a text is written as it is."""
    return "".join(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n" for value in values)


def chunk(delta: Json, finish: Json = None, **more: Json) -> Json:
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def stream(*deltas: Json, finish: Json = "stop") -> str:
    return sse(*(chunk(delta) for delta in deltas), chunk({}, finish), "[DONE]")


def made() -> Decoder:
    return decoder("openai-sse")


def play(source: str, reason: Reason | None = None) -> Decoded:
    """What a decoder reads, which is the same for every cut, and in order."""
    played = events_of(made(), [source], reason)
    for chunks in all_cuts(source):
        assert events_of(made(), chunks, reason) == played
    check_order(played.events)
    return played


def messages_of(source: str) -> list[Message]:
    """The messages, without their layout; the deltas of each are its text."""
    played = play(source)
    check_deltas(played)
    document = played.stop.document
    assert isinstance(document, Transcript)
    return list(map(bare, document.messages))


def check_deltas(played: Decoded) -> None:
    """The deltas of each message are its text, and every message ended once; their order does not matter."""
    ended = {event.number: event.message for event in played.events if isinstance(event, End)}
    assert texts_of(played.events) == {number: text_of(message) for number, message in ended.items()}
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert sorted(map(repr, ended.values())) == sorted(map(repr, document.messages))


def findings(source: str) -> list[str]:
    return [event.detail for event in play(source).events if isinstance(event, Finding)]


def item(index: int | None, call_id: str | None = None, name: str | None = None, text: str | None = None) -> Json:
    function = {key: value for key, value in (("name", name), ("arguments", text)) if value is not None}
    members = (("index", index), ("id", call_id), ("function", function))
    return {key: value for key, value in members if value is not None}


def calls(*items: Json) -> Json:
    return {"tool_calls": list(items)}


F = call("functions.f", '{"a":1}', "c1")

# --- as it comes ------------------------------------------------------------------------------------------------------


def test_deltas_arrive_as_they_are_written() -> None:
    source = stream(
        {"role": "assistant", "content": ""},
        {"reasoning": "Hm."},
        {"content": "Let me "},
        {"content": "see."},
        calls({**item(0, "c1", "f", ""), "type": "function"}),  # type: ignore[dict-item]
        calls(item(0, text='{"a"')),
        calls(item(0, text=":1}")),
        finish="tool_calls",
    )
    begun: list[Event] = []
    live = made()
    for event in source.split("\n\n")[:7]:
        begun += live.feed(event + "\n\n")
    assert [type(event).__name__ for event in begun] == [
        "Named",
        "Start",
        "Delta",
        "Start",
        "Delta",
        "Delta",
        *["Start", "Delta"],
        "Delta",
    ]
    starts = [event.message for event in begun if isinstance(event, Start)]
    assert [(m.channel, m.recipient, m.call_id, m.constraint, m.end) for m in starts] == [
        ("analysis", None, None, None, None),
        ("final", None, None, None, None),
        ("commentary", "functions.f", "c1", "json", None),
    ]
    assert messages_of(source) == [thought("Hm."), preamble("Let me see."), F]
    assert play(source).stop.reason == "tool_calls"
    assert findings(source) == []


def test_the_document_is_what_the_batch_reader_reads_of_the_response() -> None:
    source = sse(
        {**chunk({"role": "assistant", "content": ""}, logprobs=None), "system_fingerprint": "fp", "usage": None},  # type: ignore[dict-item]
        {**HEAD, "choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [1]}}]},
        {**HEAD, "choices": [{"index": 0, "delta": {"content": "b"}, "logprobs": {"content": [2]}}]},
        chunk({"annotations": [{"type": "url_citation"}]}, "length", obfuscation="xxxx"),
        {**HEAD, "choices": [], "usage": {"total_tokens": 3}},
        "[DONE]",
    )
    response = {
        **HEAD,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "ab", "annotations": [{"type": "url_citation"}]},
                "logprobs": {"content": [1, 2]},
                "finish_reason": "length",
            }
        ],
        "logprobs": None,
        "system_fingerprint": "fp",
        "usage": {"total_tokens": 3},
    }
    played = play(source)
    assert played.stop == Stop("length", read(response, "openai").transcript)


_PIECE = st.lists(st.text(min_size=1, max_size=4), max_size=3)


@st.composite
def responses(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    """A response, and the deltas that it may come in."""
    message: dict[str, Any] = {"role": "assistant"}
    empty = draw(st.sampled_from(["", None]))
    deltas: list[Any] = [{"role": "assistant", "content": empty}]
    key = draw(st.sampled_from(["reasoning", "reasoning_content", "thinking", "reasoning_text"]))
    for member in (key, "content", "refusal"):
        pieces = draw(_PIECE)
        message[member] = "".join(pieces)
        deltas += [{member: piece} for piece in pieces]
    listed: list[Any] = []
    for index in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from(["function", "function", "custom"]))
        pieces, body = draw(_PIECE), {"function": "arguments", "custom": "input"}[kind]
        head: Any = {"id": f"c{index}", "type": kind, kind: {"name": f"f{index}", body: ""}}
        listed.append({**head, kind: {**head[kind], body: "".join(pieces)}})
        deltas.append(calls({"index": index, **head}))
        deltas += [calls({"index": index, kind: {body: piece}}) for piece in pieces]
    function = draw(st.one_of(st.none(), _PIECE))
    if function is not None:
        message["function_call"] = {"name": "g", "arguments": "".join(function)}
        deltas.append({"function_call": {"name": "g", "arguments": ""}})
        deltas += [{"function_call": {"arguments": piece}} for piece in function]
    message["tool_calls"] = listed
    if draw(st.booleans()):
        message["annotations"] = [1, 2]
        deltas += [{"annotations": [1]}, {"annotations": [2]}]
    order = (key, "content", "refusal", "tool_calls", "function_call", "annotations")
    kept = {name: message[name] for name in order if message.get(name)}
    kept.setdefault("content", empty)
    whole = {"role": "assistant", **{name: kept[name] for name in order if name in kept}}
    finish = draw(st.sampled_from(["stop", "length", "tool_calls", "content_filter"]))
    choice = {"index": 0, "message": whole, "finish_reason": finish}
    return {**HEAD, "object": "chat.completion", "choices": [choice]}, [*deltas, finish]


@given(responses(), st.data())
def test_any_response_in_pieces_is_read_as_the_whole(drawn: tuple[Any, list[Any]], data: st.DataObject) -> None:
    response, (*deltas, finish) = drawn
    source = stream(*deltas, finish=finish)
    played = events_of(made(), data.draw(byte_cuts(source)))
    assert played.stop.document == read(response, "openai").transcript
    check_order(played.events)
    check_deltas(played)
    assert not any(isinstance(event, Finding) for event in played.events)


@pytest.mark.parametrize("empty", [["", None], [None, ""], [""], [None], [None, None]])
def test_content_is_empty_if_an_empty_text_came_and_null_if_none_did(empty: list[str | None]) -> None:
    called = calls({**item(0, "c1", "f", "{}"), "type": "function"})  # type: ignore[dict-item]
    source = stream({"role": "assistant", "content": empty[0]}, called, *({"content": each} for each in empty[1:]))
    document = events_of(made(), [source.encode()]).stop.document
    assert isinstance(document, Transcript)
    written: Any = write(document, "openai").output
    assert written["choices"][0]["message"]["content"] == ("" if "" in empty else None)


# --- what servers do differently --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning": "Hm."},
        {"reasoning_content": "Hm."},
        {"thinking": "Hm."},
        {"reasoning": "Hm.", "reasoning_content": "Hm."},
        {"reasoning_content": "Hm.", "reasoning": None},
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm.", "index": 0}]},
        {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm.", "index": 0}]},
    ],
)
def test_every_key_of_reasoning_is_read_and_none_twice(delta: Any) -> None:
    kind = "summary" if "summary" in str(delta) else None
    assert messages_of(stream(delta, {"content": "a"})) == [replace(thought("Hm."), content_type=kind), final("a")]
    once = messages_of(stream(delta, delta, {"content": "a"}))
    assert once == [replace(thought("Hm.Hm."), content_type=kind), final("a")]


def test_a_signature_that_comes_behind_its_thought_is_its_own() -> None:
    """OpenRouter: the text comes in pieces under two keys, the signature in the last of them."""
    item = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    deltas = [{"reasoning": text, "reasoning_details": [{**item, "text": text}]} for text in ("H", "m.")]
    signed = {"reasoning_details": [{**item, "signature": "s"}]}
    messages = messages_of(stream(*deltas, signed, {"content": "a"}))
    assert messages == [replace(thought("Hm."), signature=Signature("s", "anthropic")), final("a")]


def _item(text: str, **more: Any) -> dict[str, Any]:
    return {"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0, **more}]}


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
@pytest.mark.parametrize(
    "deltas",
    [
        ["Hm, ", "so.", _item("Hm, "), _item("so.")],
        ["Hm, ", "so.", _item("Hm, so.")],
        ["Hm, ", _item("Hm, so.")],
        ["Hm, ", _item("Hm, "), "so.", _item("so.")],
        [_item("Hm, "), "Hm, ", _item("so."), "so."],
        [_item("Hm, so."), "Hm, ", "so."],
    ],
    ids=repr,
)
def test_reasoning_that_comes_twice_in_chunks_of_their_own_is_one_thought(key: str, deltas: list[Any]) -> None:
    chunks = [{key: delta} if isinstance(delta, str) else delta for delta in deltas]
    thought, text = messages_of(stream(*chunks, {"content": "Yes."}))
    assert (thought.channel, thought.content, text.content) == ("analysis", "Hm, so.", "Yes.")


def test_an_item_may_sign_reasoning_that_it_repeats() -> None:
    chunks = [{"reasoning": "Hm, "}, {"reasoning": "so."}, _item("Hm, so.", signature="s")]
    assert messages_of(stream(*chunks, {"content": "a"})) == [
        replace(thought("Hm, so."), signature=Signature("s")),
        final("a"),
    ]


def test_sealed_reasoning_after_a_thought_becomes_its_own_or_an_empty_one() -> None:
    sealed = {"type": "reasoning.encrypted", "data": "x", "format": "anthropic-claude-v1", "index": 1}
    messages = messages_of(stream({"reasoning": "Hm."}, {"reasoning_details": [sealed]}, {"content": "a"}))
    assert [message.content for message in messages] == ["Hm.", "a"]
    only = messages_of(stream({"reasoning_details": [sealed]}, {"content": "a"}))
    assert [message.signature for message in only] == [Signature("x", "anthropic", sealed=True), None]


def test_a_key_of_reasoning_may_take_over_from_another() -> None:
    assert messages_of(stream({"reasoning_content": "a"}, {"reasoning": "b"})) == [thought("ab")]


def test_blocks_of_reasoning_are_thoughts_of_their_own() -> None:
    blocks = [
        {"reasoning_details": [{"type": "reasoning.text", "text": text, "index": at}]}
        for at, text in ((0, "a"), (0, "b"), (1, "c"))
    ]
    played = play(stream(*blocks))
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert list(map(bare, document.messages)) == [
        thought("ab"),
        thought("c"),
    ]
    assert [*texts_of(played.events).values()] == ["ab", "c"]


def test_a_list_without_all_texts_of_the_reasoning_is_kept_in_extras() -> None:
    item = {"type": "reasoning.text", "text": "c", "signature": "s", "index": 0}
    more = {"annotations": [{"type": "unknown"}], "vendor": 1}
    played = play(stream({"reasoning": "ab", **more}, {"reasoning": "c", "reasoning_details": [item]}))
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert [message.content for message in document.messages] == [*texts_of(played.events).values()] == ["ab", "c"]
    assert document.messages[0].extras == {"openai": {"reasoning_details": [item], **more}}


def test_repeated_roles_ids_and_names_are_read_once() -> None:
    items = [item(0, "c1", "f", ""), item(0, "c1", "f", '{"a"'), item(0, "c1", "f", ":1}")]
    source = stream(*({"role": "assistant", **calls(one)} for one in items), finish="tool_calls")  # type: ignore[dict-item]
    assert messages_of(source) == [F]
    assert findings(source) == []


@pytest.mark.parametrize(
    "items",
    [
        [item(None, "c1", "f", '{"a"'), item(None, text=":1}"), item(None, "c2", "g", "{}")],
        [item(None, "c1", "f"), item(None, "c1", text='{"a":1}'), item(None, "c2", "g", "{}")],
        [item(0, "c1", "f", '{"a":1}'), item(2, "c2", "g", "{}")],
        [item(3, "c1", "f", '{"a":1}'), item(1, "c2", "g", "{}")],
        [item(0, "c1", "f", '{"a":1}'), item(0, "c2", "g", "{}")],
        [item(0, "c1", "f"), item(1, "c2", "g", "{}"), item(0, text='{"a":1}')],
    ],
)
def test_calls_are_distinguished_whatever_their_indices(items: list[Json]) -> None:
    expected = [F, call("functions.g", "{}", "c2")]
    assert messages_of(stream(*map(calls, items), finish="tool_calls")) == expected
    assert messages_of(stream(calls(*items), finish="tool_calls")) == expected


def test_arguments_may_be_no_text() -> None:
    source = stream(calls({"index": 0, "id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}))
    assert messages_of(source) == [F]
    assert findings(source) == ["the arguments of a call are not a text; they are written as JSON"]
    assert messages_of(stream(calls({"index": 0, "id": "c1", "function": {"name": "f", "arguments": None}}))) == [
        call("functions.f", "", "c1")
    ]


def test_a_name_may_come_in_pieces_before_the_arguments() -> None:
    source = stream(calls(item(0, "c1", "get_")), calls(item(0, name="weather")), calls(item(0, text="{}")))
    assert messages_of(source) == [call("functions.get_weather", "{}", "c1")]


def test_a_call_with_neither_name_nor_arguments_is_left_out_and_found() -> None:
    source = stream(calls(item(0, "c0"), item(1, "c1", "f", '{"a":1}')))
    assert messages_of(source) == [F]
    assert findings(source) == ["a call has neither a name nor arguments; it is left out"]


def test_a_deprecated_call_without_a_name_is_kept_and_found() -> None:
    source = stream({"function_call": {"arguments": "{}"}})
    assert messages_of(source) == [call("functions.", "{}", None)]
    assert findings(source) == ["a call has an empty name; it is read as a call to 'functions.', which is not a tool"]


def test_a_call_without_a_name_is_kept_behind_those_that_have_one_and_found() -> None:
    source = stream(calls(item(0, "c0", text="{}"), item(1, "c1", "f", '{"a":1}')))
    assert messages_of(source) == [F, call("functions.", "{}", "c0")]
    assert findings(source) == ["a call has an empty name; it is read as a call to 'functions.', which is not a tool"]


def test_custom_tools_and_the_deprecated_call_are_read() -> None:
    custom = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "x.y", "input": "1+"}}
    source = stream(calls(custom), calls({"index": 0, "custom": {"input": "1"}}), finish="tool_calls")
    (message,) = messages_of(source)
    assert (message.recipient, message.content, message.constraint) == ("x.y", "1+1", None)
    source = stream(
        {"function_call": {"name": "f"}}, {"function_call": {"arguments": '{"a":1}'}}, finish="function_call"
    )
    assert messages_of(source) == [call("functions.f", '{"a":1}')]
    assert play(source).stop.reason == "tool_calls"


def test_deltas_of_a_refusal_arrive_as_they_are_written() -> None:
    source = stream({"refusal": "N"}, {"refusal": "o."})
    assert RefusalDelta(0, "No.") in play(source).events
    assert messages_of(source) == [Message("assistant", (Refusal("No."),), channel="final")]


def test_deltas_and_members_may_be_null() -> None:
    empty = {"role": None, "content": None, "refusal": None, "tool_calls": None, "function_call": None}
    assert messages_of(stream(None, empty, {"content": "a", "tool_calls": []}, empty)) == [final("a")]


def test_an_empty_answer_is_an_empty_text() -> None:
    assert messages_of(stream({"role": "assistant", "content": ""})) == [final("")]


def test_text_after_calls_arrives_after_them_and_precedes_them_in_the_document() -> None:
    source = stream(calls(item(0, "c1", "f", '{"a":1}')), {"content": "x"}, {"reasoning": "Hm."}, finish="tool_calls")
    heads = [event.message for event in play(source).events if isinstance(event, Start)]
    assert [(head.channel, head.intent) for head in heads] == [
        *(("commentary", None), ("commentary", "preamble")),
        ("analysis", None),
    ]
    assert messages_of(source) == [thought("Hm."), preamble("x"), F]


def test_a_whole_message_in_place_of_a_delta_is_read() -> None:
    source = sse(
        {**HEAD, "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}
    )
    assert messages_of(source) == [final("a")]


def test_content_in_parts_is_part_of_the_text() -> None:
    source = stream({"content": "a"}, {"content": [{"type": "text", "text": "b"}]}, {"content": "c"})
    (message,) = messages_of(source)
    assert text_of(message) == "abc"


def test_a_signature_ends_the_thought_of_a_part() -> None:
    pieces = [{"thinking": "On"}, {"thinking": "e."}, {"thinking": "", "signature": "c2ln"}, {"thinking": "Two."}]
    source = stream(*({"content": [{"type": "thinking", **piece}]} for piece in pieces), {"content": "Yes."})
    document = play(source).stop.document
    assert isinstance(document, Transcript)
    first, second, answer = document.messages
    assert (text_of(first), first.signature) == ("One.", Signature("c2ln", "anthropic"))
    assert (text_of(second), second.signature, text_of(answer)) == ("Two.", None, "Yes.")


def test_of_several_answers_the_first_is_read_and_the_others_are_kept() -> None:
    both = [{"index": at, "delta": {"content": text}, "finish_reason": "stop"} for at, text in enumerate("ab")]
    source = sse(*({**HEAD, "choices": [one]} for one in both), "[DONE]")
    assert messages_of(source) == [final("a")]
    document = play(source).stop.document
    assert isinstance(document, Transcript)
    assert [(one.label, one.messages) for one in document.alternatives or ()] == [("choice", (final("b"),))]
    assert findings(source) == [
        "the stream has several answers; the first is read, and the others are kept as alternatives"
    ]


def test_of_ids_that_change_with_every_chunk_one_is_kept() -> None:
    source = sse(
        *({**HEAD, "id": str(at), "choices": [{"index": 0, "delta": {"content": "a"}}]} for at in range(3)), "[DONE]"
    )
    document = play(source).stop.document
    assert isinstance(document, Transcript)
    assert document.extras is not None
    assert document.extras["openai"]["id"] == "0"


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        *(("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "stop")),
        *(("error", "error"), ("abort", "cancelled"), ("eos", "stop"), ("function_call", "stop")),
    ],
)
def test_the_finish_reason_of_the_server_is_the_reason_of_the_end(finish: str, reason: Reason) -> None:
    assert play(stream({"content": "a"}, finish=finish)).stop.reason == reason
    assert bool(findings(stream({"content": "a"}, finish=finish))) is (finish == "eos")


def test_calls_make_tool_calls_of_stop() -> None:
    assert play(stream(calls(item(0, "c1", "f", "{}")))).stop.reason == "tool_calls"


@pytest.mark.parametrize(
    ("source", "given", "reason", "end"),
    [
        (sse(chunk({"content": "a"}, "stop")), None, "stop", "end"),
        (sse(chunk({"content": "a"}), "[DONE]"), None, "stop", "end"),
        (sse(chunk({"content": "a"}), chunk({}, "stop")).rstrip("\n"), None, "stop", "end"),
        (sse(chunk({"content": "a"})), None, "truncated", None),
        (sse(chunk({"content": "a"})), "stop", "stop", "end"),
        (sse(chunk({"content": "a"})), "length", "length", None),
        (sse(chunk({"content": "a"})), "cancelled", "cancelled", None),
        (sse(chunk({"content": "a"}, "length")), None, "length", None),
        (sse(chunk({"content": "a"}, "length")), "stop", "length", None),
        (sse(chunk({"content": "a"}), {"error": {"message": "overloaded"}}), None, "error", None),
        (sse(chunk({"content": "a"}), {"error": "overloaded"}), "stop", "error", None),
        ("event: error\n" + sse({"message": "overloaded"}), None, "error", None),
        (sse(chunk({"content": "a"}), chunk({"content": "b"}))[:-20], None, "truncated", None),
        (sse(), None, "truncated", None),
        (sse("[DONE]"), None, "truncated", None),
    ],
)
def test_a_reason_or_the_caller_ends_an_answer(
    source: str, given: Reason | None, reason: Reason, end: str | None
) -> None:
    played = play(source, given)
    assert played.stop.reason == reason
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert [message.end for message in document.messages] in ([end], [])
    found = [event.code for event in played.events if isinstance(event, Finding)]
    assert found == ["E-STREAM-TRUNCATED"] * (reason == "error" or reason == "truncated")


def test_an_error_of_the_server_is_a_finding_and_kept() -> None:
    source = sse(chunk({"content": "a"}), {"error": {"message": "overloaded", "code": 503}}, chunk({"content": "b"}))
    assert findings(source) == ["the server cut the stream off: overloaded"]
    assert messages_of(source)[0].content == "a"
    document = play(source).stop.document
    assert isinstance(document, Transcript)
    assert document.extras is not None
    assert document.extras["openai"]["error"] == {"message": "overloaded", "code": 503}


def test_nothing_is_read_behind_the_end() -> None:
    assert messages_of(stream({"content": "a"}) + sse(chunk({"content": "b"}))) == [final("a")]


def test_lines_may_end_in_any_way_and_comments_are_passed_over() -> None:
    source = ": ping\n\n" + stream({"content": "a\u2028b"})
    for end in ("\r\n", "\r"):
        assert messages_of(source.replace("\n", end)) == [final("a\u2028b")]


@pytest.mark.parametrize(
    ("data", "code"),
    [("{", ErrorCode.JSON), ('{"a": 1, "a": 2}', ErrorCode.JSON), ("[" * 300 + "]" * 300, ErrorCode.LIMIT)],
)
def test_invalid_json_is_an_error_and_earlier_text_is_kept(data: str, code: ErrorCode) -> None:
    played = play(sse(chunk({"content": "a"}), data, chunk({"content": "b"})))
    assert played.failed is code
    assert played.stop.reason == "error"
    document = played.stop.document
    assert isinstance(document, Transcript)
    assert [(message.content, message.end) for message in document.messages] == [("a", None)]


@pytest.mark.parametrize(
    "value",
    [
        *([], "null", 5),
        *(chunk({key: 5}) for key in ("role", "name", "refusal", "reasoning", "reasoning_details", "tool_calls")),
        *(chunk({"function_call": 5}), chunk(calls(5)), chunk({}, 5)),
        {**HEAD, "choices": 1},
        {**HEAD, "choices": [1]},
        {**HEAD, "choices": [{"delta": 1}]},
    ],
)
def test_an_event_that_is_no_chunk_is_left_out_and_reported(value: Any) -> None:
    source = sse(chunk({"content": "a"}), value, chunk({"content": "b"}, "stop"), "[DONE]")
    assert [message.content for message in messages_of(source)] == ["ab"]
    assert len(findings(source)) == 1


def test_token_ids_are_refused() -> None:
    with pytest.raises(BridgeError) as caught:
        made().feed_tokens([1])
    assert caught.value.code is ErrorCode.OPTION


# --- anything ---------------------------------------------------------------------------------------------------------

_ANY = wild.ANY
_TEXT = st.one_of(st.text(max_size=4), st.text(max_size=4), _ANY)
_INNER = st.fixed_dictionaries({}, optional={"name": _TEXT, "arguments": _TEXT, "input": _TEXT, "x": _ANY})
_ITEM: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "index": st.one_of(st.integers(0, 2), _ANY),
            "id": st.one_of(st.sampled_from(["c1", "c2"]), _ANY),
            "type": st.one_of(st.sampled_from(["function", "custom"]), _ANY),
            "function": st.one_of(_INNER, _INNER, _ANY),
            "custom": st.one_of(_INNER, _ANY),
            "x": _ANY,
        },
    ),
    _ANY,
)
_DELTA: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.one_of(st.just("assistant"), _ANY),
            "name": _ANY,
            "content": _TEXT,
            "reasoning": _TEXT,
            "reasoning_content": _TEXT,
            "reasoning_details": st.lists(_ANY, max_size=2),
            "tool_calls": st.one_of(st.lists(_ITEM, max_size=2), _ANY),
            "function_call": st.one_of(_INNER, _ANY),
            "x": _ANY,
        },
    ),
    st.fixed_dictionaries({"tool_calls": st.lists(_ITEM, max_size=2)}),
    _ANY,
)
_CHUNK: SearchStrategy[Any] = st.one_of(
    st.builds(chunk, _DELTA, st.one_of(st.none(), st.none(), st.none(), wild.EMPTY, st.just("stop"))),
    st.builds(chunk, _DELTA),
    st.fixed_dictionaries(
        {},
        optional={
            "id": _ANY,
            "choices": st.one_of(st.lists(st.fixed_dictionaries({"index": _ANY, "delta": _DELTA}), max_size=2), _ANY),
            "usage": _ANY,
            "error": _ANY,
        },
    ),
)
_DATA = st.one_of(_CHUNK.map(json.dumps), _CHUNK.map(json.dumps), st.sampled_from(["[DONE]", "{", "null", "x"]))
SOUP = st.lists(_CHUNK.map(json.dumps), max_size=8)
TAIL = st.lists(_DATA, max_size=2)


@given(SOUP, TAIL, st.data())
def test_any_chunks_read_the_same_for_every_cut_and_deltas_are_the_texts(
    first: list[str], then: list[str], data: st.DataObject
) -> None:
    source = sse(*first, *then)
    played = events_of(made(), [source])
    ways: list[Chunks] = [list(source), data.draw(cuts(source)), data.draw(byte_cuts(source))]
    for way in ways:
        assert events_of(made(), way) == played
    check_order(played.events)
    check_deltas(played)


@given(SOUP, SOUP, SOUP)
def test_a_copy_goes_on_on_its_own(first: list[str], one: list[str], other: list[str]) -> None:
    check_copies(made, [sse(*first)], [sse(*one)], [sse(*other)])


def test_work_grows_with_the_number_of_calls_and_pieces() -> None:
    def messages(count: int) -> int:
        live = made()
        for at in range(count):
            live.feed(sse(chunk(calls(item(at, f"c{at}", "f", "{}")))))
            live.feed(sse(chunk({"reasoning": "a", "x": "b"})))
        stop = live.finish("stop")[-1]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        return len(stop.document.messages)

    assert messages(250) == 251
    assert calls_of(lambda: messages(250 * TIMES)) <= calls_of(lambda: messages(250)) * ALLOWED


def test_events_are_joined_as_other_streams_are() -> None:
    live = made()
    events = [event for text in ("a", "b") for event in live.feed(sse(chunk({"content": text})))]
    assert joined(events)[2:] == [Delta(0, "ab")]


def test_calls_without_index_and_id_are_distinguished_by_their_names() -> None:
    """A piece with a name begins a call; one without continues the last."""
    pieces = [item(None, name="f", text="{"), item(None, text="}"), item(None, name="g", text="{}")]
    messages = messages_of(stream(*(calls(piece) for piece in pieces), finish="tool_calls"))
    assert [(call.recipient, call.content) for call in messages] == [("functions.f", "{}"), ("functions.g", "{}")]


def test_a_thought_may_begin_with_a_blank_line() -> None:
    """Between two thoughts it is what joins them."""
    assert messages_of(stream({"reasoning": "\n\nHm."}, {"content": "a"}))[0].content == "\n\nHm."
