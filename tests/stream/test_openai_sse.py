"""`openai-sse`, written: the chunks that clients of Chat Completions need, and what they make of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Transcript, read, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, Encoder, End, Reason, RefusalDelta, Start, Stop, numbered
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Severity
from ocml_bridge.model import Citation, Message, Refusal, Settings, Signature, Text, Usage
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import Filter, replay
from ocml_bridge.stream.sse import Reader
from ocml_bridge.testing import strategies
from ocml_bridge.testing.encoding import in_pieces
from ocml_bridge.testing.streams import bare, events_of
from turns import ANSWERS, call, final, preamble, thought, turn

REASONS: list[Reason] = ["stop", "tool_calls", "length", "content_filter", "truncated", "error", "cancelled"]
ANSWER = Answer("chatcmpl-7", "gpt", 1700000000, call_id=numbered)


def encoded(document: Transcript, reason: Reason | None = None, answer: Answer = ANSWER) -> tuple[list[bytes], Encoder]:
    made = encoder("openai-sse", answer=answer, visibility=DEBUG)
    return [*made.encode(replay(document, reason)), *made.finish()], made


def data_of(chunks: list[bytes]) -> list[str]:
    """The data of each chunk; each is one whole event of ASCII."""
    out: list[str] = []
    for chunk in chunks:
        (event,) = Reader().feed(chunk)
        assert event.name is None
        assert chunk.isascii()
        out.append(event.data)
    return out


def deltas(chunks: list[bytes]) -> list[Any]:
    """The delta of each chunk, or the finish reason if it has one."""
    out: list[Any] = []
    for data in data_of(chunks):
        if data == "[DONE]":
            out.append(data)
            continue
        value = json.loads(data)
        choices = value.get("choices")
        out += [choice["finish_reason"] or choice["delta"] for choice in choices] if choices else [value]
    return out


def client(chunks: list[bytes]) -> Any:
    """What the official client puts together."""
    openai_chat = pytest.importorskip("openai.lib.streaming.chat")
    types = pytest.importorskip("openai.types.chat")
    state = openai_chat.ChatCompletionStreamState()
    for data in data_of(chunks):
        if data != "[DONE]":
            list(state.handle_chunk(types.ChatCompletionChunk.model_validate(json.loads(data))))
    return state.get_final_completion().model_dump()


# --- the sequence -----------------------------------------------------------------------------------------------------


def test_an_answer_is_the_sequence_that_clients_need() -> None:
    document = turn(thought("Hm."), preamble("Let me see."), call("functions.f", '{"a": 1}'), call("functions.g", "{}"))
    chunks, made = encoded(document)
    assert deltas(chunks) == [
        {"role": "assistant", "content": None},
        {"reasoning": "Hm."},
        {"content": "Let me see."},
        {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": 1}'}}]},
        {"tool_calls": [{"index": 1, "id": "call_2", "type": "function", "function": {"name": "g", "arguments": ""}}]},
        {"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]},
        "tool_calls",
        "[DONE]",
    ]
    assert [loss.path for loss in made.losses] == ["/messages/2/call_id", "/messages/3/call_id"]


def test_every_chunk_has_the_names_of_the_answer_and_the_last_has_an_empty_delta() -> None:
    chunks, _ = encoded(Transcript((final("Hi"),)), answer=replace(ANSWER, index=2))
    values = [json.loads(data) for data in data_of(chunks)[:-1]]
    assert {(v["id"], v["object"], v["created"], v["model"]) for v in values} == {
        ("chatcmpl-7", "chat.completion.chunk", 1700000000, "gpt")
    }
    assert [value["choices"][0]["index"] for value in values] == [2, 2, 2]
    assert values[-1]["choices"] == [{"index": 2, "delta": {}, "finish_reason": "stop"}]
    assert all(value["choices"][0]["finish_reason"] is None for value in values[:-1])


def test_text_is_passed_on_piece_by_piece() -> None:
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    assert len(made.encode([Start(0, final(""))])) == 1
    for piece in ("Hel", "lo", "\u2028\ud83d\ude00", '"\\'):
        (chunk,) = made.encode([Delta(0, piece)])
        assert deltas([chunk]) == [{"content": json.loads(json.dumps(piece))}]


def test_the_numbers_of_tokens_come_behind_the_answer_where_they_are_given() -> None:
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    made.encode(replay(Transcript((final("Hi"),))))
    usage, done = made.finish({"total_tokens": 3})
    value = json.loads(data_of([usage])[0])
    assert (value["choices"], value["usage"], value["id"]) == ([], {"total_tokens": 3}, "chatcmpl-7")
    assert data_of([done]) == ["[DONE]"]


def test_the_key_of_reasoning_is_an_option() -> None:
    made = encoder("openai-sse", options=Options(format_options={"reasoning": "reasoning_content"}), visibility=DEBUG)
    assert {"reasoning_content": "Hm."} in deltas(made.encode(replay(Transcript((thought("Hm."), final("x"))))))


def test_several_thoughts_and_several_texts_are_joined_by_a_blank_line() -> None:
    document = turn(thought("a"), thought(""), thought("b"), preamble("c"), final("d"))
    chunks, made = encoded(document)
    assert deltas(chunks)[1:-2] == [{"reasoning": "a"}, {"reasoning": "\n\nb"}, {"content": "c"}, {"content": "\n\nd"}]
    changed = [(loss.path, loss.severity) for loss in made.losses if loss.severity is not Severity.LAYOUT]
    assert changed == [
        ("/messages/1", Severity.LOST),
        ("/messages/2", Severity.CHANGED),
        ("/messages/4", Severity.CHANGED),
        ("/messages/0/content", Severity.CHANGED),
        ("/messages/3/content", Severity.CHANGED),
        ("/messages/3/channel", Severity.CHANGED),
        ("/messages/3/intent", Severity.LOST),
    ]


def test_a_lost_order_of_messages_is_reported() -> None:
    _, made = encoded(turn(call("functions.f", "{}", "c"), final("a"), thought("b")))
    assert [(loss.path, loss.code) for loss in made.losses if loss.code == "message"] == [
        ("/messages/1", "message"),
        ("/messages/0", "message"),
        ("/messages/3", "message"),
    ]


def test_calls_without_the_form_of_a_function_are_written_as_one() -> None:
    document = turn(
        replace(call("python", "1+1", "a"), constraint=None),
        replace(call("browser.search", "x", "b"), constraint="code"),
        call("functions.python", "{}", "c"),
    )
    chunks, made = encoded(document)
    heads = [delta["tool_calls"][0] for delta in deltas(chunks)[1:-2] if "id" in delta["tool_calls"][0]]
    assert [(head["type"], head["function"]["name"]) for head in heads] == [
        ("function", "python"),
        ("function", "browser.search"),
        ("function", "functions.python"),
    ]
    assert [loss.path for loss in made.losses] == ["/messages/0/constraint", "/messages/1/constraint"]


def test_no_two_answers_have_an_id_of_a_call_in_common() -> None:
    """Unless somebody counts: two turns of one conversation would have a `call_1` each."""
    document = turn(call("functions.f", "{}"), call("functions.f", "{}"))
    ids: list[str] = []
    for answer in (Answer("chatcmpl-7"), Answer("chatcmpl-8"), Answer("chatcmpl-8", index=1)):
        chunks = b"".join(encoder("openai-sse", answer=answer).encode(replay(document, "stop"))).decode()
        ids += re.findall(r'"id":"(call_[^"]+)"', chunks)
    assert len(ids) == len(set(ids)) == 6
    assert [Answer().id_of_call(number) for number in (0, 1)] == ["call_1", "call_2"]


def test_ids_that_are_made_up_are_not_made_up_twice() -> None:
    document = turn(call("functions.f", "{}", "call_2"), call("functions.f", "{}"), call("functions.f", "{}", ""))
    heads = [item["tool_calls"][0] for item in deltas(encoded(document)[0])[1:-2]]
    assert [head["id"] for head in heads if "id" in head] == ["call_2", "call_2_1", "call_3"]


def test_a_refusal_has_a_delta_of_its_own() -> None:
    document = turn(replace(final(""), content=(Refusal("No."),)))
    chunks, made = encoded(document)
    assert deltas(chunks) == [{"role": "assistant", "content": ""}, {"refusal": "No."}, "stop", "[DONE]"]
    assert [loss.severity for loss in made.losses] == ["layout"]  # the content is an empty text, and no null
    chunks, made = encoded(Transcript((replace(thought(""), content=(Refusal("No."),)),)), "stop")
    assert {"reasoning": "No."} in deltas(chunks)


def test_messages_of_other_roles_are_reported_as_lost() -> None:
    chunks, made = encoded(
        Transcript((Message("user", "Hi"), final("Hello"), Message("tool", "x", "functions.f"))), "stop"
    )
    assert deltas(chunks)[1:-2] == [{"content": "Hello"}]
    assert [(loss.path, loss.severity) for loss in made.losses] == [
        ("/messages/0", Severity.LOST),
        ("/messages/2", Severity.LOST),
    ]


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_a_whole_answer_ends_once(reason: Reason) -> None:
    chunks, _ = encoded(Transcript((final("Hi"),)), reason)
    assert deltas(chunks)[-2:] == [reason, "[DONE]"]


def test_a_call_that_was_cut_stays_so_and_the_reason_stays_length() -> None:
    cut = replace(call("functions.f", '{"a', "c1"), end=None)
    chunks, made = encoded(Transcript((cut,)), "length")
    assert deltas(chunks)[-3:] == [{"tool_calls": [{"index": 0, "function": {"arguments": '{"a'}}]}, "length", "[DONE]"]
    assert made.losses == []
    stop = events_of(decoder("openai-sse"), chunks).stop
    assert isinstance(stop.document, Transcript)
    assert (stop.reason, *map(bare, stop.document.messages)) == ("length", cut)


def test_no_calls_are_promised_where_none_were_made() -> None:
    assert deltas(encoded(Transcript((final("Hi"),)), "tool_calls")[0])[-2:] == ["stop", "[DONE]"]


def test_an_answer_that_broke_off_ends_in_an_error_which_the_official_client_raises() -> None:
    for reason in ("truncated", "error"):
        chunks, _ = encoded(Transcript((final("Hi"),)), reason)
        (error,) = deltas(chunks)[2:]
        assert error["error"]["code"] == "E-STREAM-TRUNCATED"
        with pytest.raises(Exception, match="cut off"):
            list(official_stream(chunks))


def test_a_cancelled_answer_ends_without_a_reason() -> None:
    assert deltas(encoded(Transcript((final("Hi"),)), "cancelled")[0]) == [
        {"role": "assistant", "content": ""},
        {"content": "Hi"},
    ]


def test_a_failure_is_sent_once_and_nothing_follows_it() -> None:
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    made.encode([Start(0, final("")), Delta(0, "Hi")])
    (chunk,) = made.fail("OCB-JSON", "not JSON")
    assert deltas([chunk]) == [
        {"error": {"message": "not JSON", "type": "server_error", "param": None, "code": "OCB-JSON"}}
    ]
    events = [Delta(0, "!"), RefusalDelta(0, "!"), End(0, final("Hi!")), Start(1, final("")), Delta(1, "?")]
    assert made.encode([*events, Stop("error", Transcript((final("Hi!"),)))]) == []
    assert made.fail("OCB-JSON", "again") == made.finish({"total_tokens": 1}) == []
    assert [loss.path for loss in made.losses] == ["/messages/0/content", "/messages/0/end"]


def test_a_stream_without_a_stop_ends_in_an_error() -> None:
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    made.encode([Start(0, final("")), Delta(0, "Hi")])
    (error,) = deltas(made.finish())
    assert error["error"]["code"] == "E-STREAM-TRUNCATED"


def official_stream(chunks: list[bytes]) -> Any:
    """The official client's own reading of the bytes."""
    openai = pytest.importorskip("openai")
    httpx = pytest.importorskip("httpx")

    def answer(request: Any) -> Any:
        return httpx.Response(200, content=b"".join(chunks), headers={"content-type": "text/event-stream"})

    transport = httpx.MockTransport(answer)
    with openai.OpenAI(api_key="x", base_url="http://x", http_client=httpx.Client(transport=transport)) as asked:
        yield from asked.chat.completions.create(model="m", messages=[], stream=True)


def test_hidden_messages_are_reported_as_lost() -> None:
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    document = turn(thought("Hm."), final("Hi"))
    made.encode(Filter().apply(replay(document)))
    made.finish()
    assert [(loss.path, loss.code) for loss in made.losses if loss.severity is Severity.LOST] == [
        ("/messages/0", "message")
    ]


# --- what clients make of it ------------------------------------------------------------------------------------------


@given(ANSWERS)
def test_the_official_client_puts_together_what_the_batch_writer_writes(document: Transcript) -> None:
    made = client(encoded(document, "stop")[0])["choices"][0]
    output: Any = write(document, "openai").output
    (wire,) = output["messages"]
    for key in ("content", "refusal", "reasoning"):
        assert (made["message"].get(key) or None) == (wire.get(key) or None)
    listed: list[Any] = made["message"]["tool_calls"] or []
    calls = [(item["id"], item["type"], item["function"]["name"], item["function"]["arguments"]) for item in listed]
    assert calls == [
        (item["id"], "function", item["function"]["name"], item["function"]["arguments"])
        for item in wire.get("tool_calls", [])
    ]
    assert made["finish_reason"] == "stop"


@given(ANSWERS)
def test_the_output_is_read_back(document: Transcript) -> None:
    chunks, made = encoded(document, "stop")
    back = events_of(decoder("openai-sse"), [b"".join(chunks)]).stop.document
    assert isinstance(back, Transcript)
    batch = read(write(document, "openai").encode(), "openai").transcript
    assert isinstance(batch, Transcript)
    one_thought = sum(message.channel == "analysis" for message in document.messages) < 2
    if one_thought:
        assert list(map(bare, back.messages)) == list(map(bare, batch.messages))
        assert all(loss.severity is Severity.LAYOUT for loss in made.losses)


@given(strategies.transcripts(), st.sampled_from([None, *REASONS]))
def test_nothing_is_lost_in_silence(document: Transcript, reason: Reason | None) -> None:
    chunks, made = encoded(document, reason)
    back = events_of(decoder("openai-sse"), [b"".join(chunks)]).stop.document
    assert isinstance(back, Transcript)
    usage = None if back.settings is None or back.settings.usage is None else Settings(usage=back.settings.usage)
    assert unnamed(document, Transcript(back.messages, settings=usage), made.losses) == []


def test_the_signature_of_a_thought_without_text_is_not_that_of_the_thought_before() -> None:
    thoughts = [Message("assistant", text, channel="analysis") for text in ("One.", "", "Two.")]
    thoughts[1].signature = Signature("c2ln", "anthropic")
    chunks, made = encoded(Transcript(tuple(thoughts)), "stop")
    back = events_of(decoder("openai-sse"), [b"".join(chunks)]).stop.document
    assert isinstance(back, Transcript)
    assert [(each.content, each.signature, each.extras) for each in back.messages] == [("One.\n\nTwo.", None, None)]
    assert "/messages/1" in [loss.path for loss in made.losses if loss.severity is Severity.LOST]


def test_the_usage_of_the_document_is_sent_if_the_caller_gives_none() -> None:
    document = Transcript((Message("assistant", "hi", channel="final"),), settings=Settings("m", usage=Usage(1, 2, 3)))
    chunks, made = encoded(document, "stop")
    usage = json.loads(data_of(chunks)[-2])["usage"]
    assert usage == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assert [loss.path for loss in made.losses if loss.severity is Severity.LOST] == ["/settings/model"]


@given(strategies.transcripts())
def test_the_official_client_reads_any_stream(document: Transcript) -> None:
    client(encoded(document, "stop")[0])


# --- signatures and sources -------------------------------------------------------------------------------------------

SIGNED = Message("assistant", "So.", channel="analysis", signature=Signature("c2ln", "anthropic"))
SEALED = Message("assistant", "", channel="analysis", signature=Signature("c2Vh", "anthropic", sealed=True))
SUMMED_UP = replace(SIGNED, signature=Signature("Z0FB", "openai", sealed=True))
CITED = Message("assistant", (Text("It rains.", citations=(Citation("https://a/w", "Weather", start=3, end=8),)),))
CITED.channel = "final"
CALL = Message("assistant", "{}", channel="commentary", recipient="functions.f", call_id="c", constraint="json")
CALL.end, CALL.signature = "call", Signature("Z29v", "google")


def test_a_signature_is_sent_after_its_text_and_without_repeating_it() -> None:
    _, reasoning, signed, _, _ = deltas(encoded(Transcript((SIGNED,)), "stop")[0])
    item = {"type": "reasoning.text", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0}
    assert (reasoning, signed) == ({"reasoning": "So."}, {"reasoning_details": [item]})
    signed = deltas(encoded(Transcript((CALL,)), "stop")[0])[-3]
    member = {"function": {"arguments": ""}, "extra_content": {"google": {"thought_signature": "Z29v"}}}
    assert signed == {"tool_calls": [{"index": 0, **member}]}


@pytest.mark.parametrize(
    "thoughts", [(SIGNED,), (SEALED,), (SUMMED_UP,), (SIGNED, SEALED), (SEALED, SIGNED)], ids=lambda one: str(len(one))
)
def test_signatures_and_sources_come_to_the_client(thoughts: tuple[Message, ...]) -> None:
    document = Transcript((*thoughts, CITED, CALL))
    chunks, made = encoded(document, "stop")
    back = events_of(decoder("openai-sse"), [b"".join(chunks)]).stop.document
    assert isinstance(back, Transcript)
    for one, other in zip(document.messages, back.messages, strict=True):
        assert (one.content, one.signature) == (other.content, other.signature)
    assert {loss.code for loss in made.losses}.isdisjoint({"signature", "citations", "content"})
    message = client(chunks)["choices"][0]["message"]
    assert message["annotations"][0]["url_citation"]["start_index"] == 3
    again = read(json.dumps([message]), "openai").transcript
    assert isinstance(again, Transcript)
    assert [each.signature for each in again.messages] == [each.signature for each in document.messages]


MORE = replace(SIGNED, content="And.", signature=Signature("bW9y", "anthropic"))
SUMMARY = replace(SIGNED, signature=None, content_type="summary")


@pytest.mark.parametrize(
    "thoughts",
    [
        (SIGNED, MORE),
        (SIGNED, MORE, replace(MORE, content="Then.")),
        (SIGNED, SEALED, MORE),
        (SEALED, SIGNED, MORE),
        (SIGNED, replace(MORE, signature=None)),
        (SUMMARY,),
        (replace(SUMMED_UP, content_type="summary"), replace(SUMMED_UP, content_type="summary", content="And.")),
    ],
)
def test_several_thoughts_keep_their_signatures(thoughts: tuple[Message, ...]) -> None:
    """As for OpenRouter, the list has the texts, too; a client gets what the whole answer has."""
    later = [replace(each, continues=True) for each in (*thoughts[1:], final("Hi"))]
    document = Transcript((thoughts[0], *later))
    chunks, made = encoded(document, "stop")
    message = client(chunks)["choices"][0]["message"]
    output: Any = write(document, "openai").output
    whole = output["messages"][0]
    assert message["reasoning"] == whole["reasoning"]
    items = [{key: value for key, value in item.items() if key != "index"} for item in message["reasoning_details"]]
    assert items == whole["reasoning_details"]
    assert [loss for loss in made.losses if loss.severity is not Severity.LAYOUT] == []
    back = events_of(decoder("openai-sse"), [b"".join(chunks)]).stop.document
    assert isinstance(back, Transcript)
    assert [(each.content, each.signature, each.content_type) for each in back.messages[:-1]] == [
        (each.content, each.signature, each.content_type) for each in thoughts
    ]


def test_a_signature_of_one_of_several_thoughts_loses_their_boundary() -> None:
    """The first of them is not in the list, and may have been long."""
    document = Transcript((replace(SIGNED, signature=None), MORE))
    losses = encoded(document, "stop")[1].losses
    assert [loss.path for loss in losses if loss.code == "message"] == ["/messages/1"]


def test_a_summary_of_a_thought_that_comes_in_pieces_loses_nothing() -> None:
    summary = Message("assistant", "It thought of rain.", channel="analysis", content_type="summary")
    made = encoder("openai-sse", answer=ANSWER, visibility=DEBUG)
    chunks = [*made.encode(in_pieces(replay(Transcript((summary, final("It rains.")))), 3)), *made.finish()]
    assert {loss.severity for loss in made.losses} <= {Severity.LAYOUT}
    [*_, stop] = events_of(decoder("openai-sse"), [b"".join(chunks).decode()]).events
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert [each.content_type for each in stop.document.messages] == ["summary", None]
    assert stop.document.messages[0].content == summary.content
