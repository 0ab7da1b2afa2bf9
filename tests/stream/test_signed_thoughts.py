"""Signatures of thoughts in streams: each comes to its thought, and to other APIs in time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltas import texts_of
from ocml_bridge import Severity, Transcript, read
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, End, Signed, Start
from ocml_bridge.model import Json, Message, Signature, replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.stream import Filter, replay
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.streams import all_cuts, check_copies, check_messages, check_order, events_of

CLAUDE = {"type": "reasoning.text", "format": "anthropic-claude-v1"}
TEXT = {"content": "Rain."}
CALL = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}


def stream(*deltas: Json) -> str:
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)


def openrouter(text: str, signature: str, index: int = 0) -> list[Json]:
    """A thought as OpenRouter sends it: in pieces under two keys, the signature in the last of them."""
    pieces: list[Json] = [
        {"reasoning": piece, "reasoning_details": [{**CLAUDE, "text": piece, "index": index}]} for piece in text
    ]
    return [*pieces, {"reasoning_details": [{**CLAUDE, "signature": signature, "index": index}]}]


def litellm(text: str, signature: str) -> list[Json]:
    """The same of LiteLLM: blocks without an index, each with a signature, which is empty but for the last."""
    pieces: list[Json] = [
        {"reasoning_content": piece, "thinking_blocks": [{"type": "thinking", "thinking": piece, "signature": ""}]}
        for piece in text
    ]
    last = {"type": "thinking", "thinking": "", "signature": signature}
    return [*pieces, {"reasoning_content": "", "thinking_blocks": [last]}]


def beside(text: str, signature: str) -> list[Json]:
    """A signature of a text that is not in the list."""
    return [
        *({"reasoning": piece} for piece in text),
        {"reasoning_details": [{**CLAUDE, "signature": signature, "index": 0}]},
    ]


def sealed(data: str, key: str) -> Json:
    """A thought that nobody can read."""
    if key == "thinking_blocks":
        return {key: [{"type": "redacted_thinking", "data": data}]}
    return {key: [{"type": "reasoning.encrypted", "data": data, "format": "anthropic-claude-v1"}]}


def document_of(source: str) -> Transcript:
    """What is decoded of a stream, however it is cut."""
    played = events_of(decoder("openai-sse"), [source])
    for chunks in all_cuts(source):
        assert events_of(decoder("openai-sse"), chunks) == played
    check_order(played.events)
    document = played.stop.document
    assert isinstance(document, Transcript)
    return document


def signed_texts(messages: Any) -> list[tuple[str, Signature | None]]:
    return [(text_of(message), message.signature) for message in messages if message.channel == "analysis"]


STREAMS: dict[str, tuple[list[Json], list[tuple[str, str]]]] = {
    "OpenRouter": (openrouter("ab", "x"), [("ab", "x")]),
    "OpenRouter, two thoughts": ([*openrouter("ab", "x"), *openrouter("cd", "y", 1)], [("ab", "x"), ("cd", "y")]),
    "two thoughts of one index": ([*openrouter("ab", "x"), *openrouter("cd", "y")], [("ab", "x"), ("cd", "y")]),
    "LiteLLM": (litellm("ab", "x"), [("ab", "x")]),
    "LiteLLM, two thoughts": ([*litellm("ab", "x"), *litellm("cd", "y")], [("ab", "x"), ("cd", "y")]),
    "LiteLLM, one sealed": ([*litellm("ab", "x"), sealed("y", "thinking_blocks")], [("ab", "x"), ("", "y")]),
    "LiteLLM, two sealed": ([sealed("x", "thinking_blocks"), sealed("y", "thinking_blocks")], [("", "x"), ("", "y")]),
    "OpenRouter, one sealed first": (
        [sealed("x", "reasoning_details"), *openrouter("ab", "y", 1)],
        [("", "x"), ("ab", "y")],
    ),
    "a signature beside": (beside("ab", "x"), [("ab", "x")]),
}


def signature(text: str, value: str) -> Signature:
    return Signature(value, "anthropic", sealed=not text)


@pytest.mark.parametrize("name", STREAMS)
def test_each_signature_is_that_of_its_thought(name: str) -> None:
    deltas, thoughts = STREAMS[name]
    expected = [(text, signature(text, value)) for text, value in thoughts]
    assert signed_texts(document_of(stream(*deltas, TEXT)).messages) == expected


def test_a_response_reads_as_its_stream_does() -> None:
    """As LiteLLM has it whole: the blocks put together, each up to its signature."""
    blocks = [
        {"type": "thinking", "thinking": "ab", "signature": "x"},
        {"type": "thinking", "thinking": "cd", "signature": "y"},
    ]
    whole = {"role": "assistant", "reasoning_content": "ab\n\ncd", "thinking_blocks": blocks, "content": "Rain."}
    document = read([whole], "openai").transcript
    assert isinstance(document, Transcript)
    deltas, _ = STREAMS["LiteLLM, two thoughts"]
    assert signed_texts(document.messages) == signed_texts(document_of(stream(*deltas, TEXT)).messages)


@pytest.mark.parametrize("last", [TEXT, CALL], ids=["a text", "a call"])
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse"])
def test_a_signature_is_passed_on_whatever_follows_its_thought(target: str, name: str, last: Json) -> None:
    deltas, thoughts = STREAMS[name]
    made = encoder(target, answer=Answer("a", "m"), visibility=DEBUG)
    events = events_of(decoder("openai-sse"), [stream(*deltas, last)]).events
    chunks = [*made.encode(events), *made.finish()]
    back = events_of(decoder(target), chunks).stop.document
    assert isinstance(back, Transcript)
    assert signed_texts(back.messages) == [(text, signature(text, value)) for text, value in thoughts]
    assert [loss for loss in made.losses if loss.code in ("signature", "message", "content")] == []


# --- behind a text ----------------------------------------------------------------------------------------------------
# A text is a preamble if calls follow it, so it ends late, and so does a thought behind it; its signature must not.

THINKING = st.none() | st.builds(Signature, st.just("x"), st.just("anthropic"))
SEALED = st.builds(Signature, st.just("y"), st.just("anthropic"), st.just(True))


def thought(text: str, made: Signature | None) -> Message:
    return Message("assistant", text, channel="analysis", signature=made)


TURNS = st.lists(
    st.one_of(
        st.builds(thought, st.sampled_from(("a", "b")), THINKING),
        st.builds(thought, st.just(""), SEALED),
        st.sampled_from("TU").map(lambda text: Message("assistant", text, channel="final")),
    ),
    min_size=1,
    max_size=5,
)
"""Turns of Claude that think in between (interleaved thinking, `formats/anthropic.md`)."""


@given(TURNS)
@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse"])
@pytest.mark.parametrize("source", ["anthropic-sse", "bedrock-converse"])
def test_thoughts_between_texts_keep_their_signatures(source: str, target: str, turn: list[Message]) -> None:
    """Law 4 for a stream written from another: both read as the same answer."""
    messages = tuple(replace(message, continues=at > 0) for at, message in enumerate(turn))
    written = encoder(source, answer=Answer("a", "m"), visibility=DEBUG)
    first = [*written.encode(replay(Transcript(messages), "stop")), *written.finish()]
    events = events_of(decoder(source), first)
    check_order(events.events)
    check_messages(events, None)
    made = encoder(target, answer=Answer("a", "m"), visibility=DEBUG)
    last = [*made.encode(events.events), *made.finish()]
    expected, back = (each.stop.document for each in (events, events_of(decoder(target), last)))
    assert isinstance(expected, Transcript)
    assert isinstance(back, Transcript)
    assert [(text_of(each), each.channel, each.signature) for each in back.messages] == [
        (text_of(each), each.channel, each.signature) for each in expected.messages
    ]
    assert [loss for loss in made.losses if loss.code in ("signature", "message")] == []


@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse"])
def test_a_signature_behind_a_text_that_goes_on_is_passed_on_at_once(target: str) -> None:
    """As OpenRouter gives Claude's answers: the text goes on behind the second thought."""
    events = events_of(decoder("openai-sse"), [stream(*openrouter("ab", "x"), TEXT, *openrouter("cd", "y", 1), TEXT)])
    *before, delta = (event for event in events.events if isinstance(event, (Signed, Delta)))
    assert before[-1] == Signed(2, Signature("y", "anthropic"))
    assert delta == Delta(1, "Rain.")
    made = encoder(target, answer=Answer("a", "m"), visibility=DEBUG)
    back = events_of(decoder(target), [*made.encode(events.events), *made.finish()]).stop.document
    assert isinstance(back, Transcript)
    assert signed_texts(back.messages) == [("ab", Signature("x", "anthropic")), ("cd", Signature("y", "anthropic"))]


@pytest.mark.parametrize("last", [[], [TEXT], [CALL]], ids=["nothing", "more text", "a call"])
@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse", "gemini-sse", "harmony", "ocm-0.1", "ocm-2.2"])
def test_messages_in_another_order_than_the_document_are_reported_as_that(target: str, last: list[Json]) -> None:
    """A message of Chat Completions has all thoughts first; the stream is written on as it comes."""
    source = stream(*openrouter("ab", "x"), TEXT, *openrouter("cd", "y", 1), *last)
    decoded = events_of(decoder("openai-sse"), [source])
    document = decoded.stop.document
    assert isinstance(document, Transcript)
    assert [decoded.stop.place(number) for number in range(len(document.messages))][:3] == [0, 2, 1]
    made = encoder(target, answer=Answer("a", "m"), visibility=DEBUG)
    back = events_of(decoder(target), [*made.encode(decoded.events), *made.finish()]).stop.document
    assert isinstance(back, Transcript)
    whole = "".join(text_of(message) for message in document.messages)
    assert sorted("".join(text_of(message) for message in back.messages)) == sorted(whole)
    changed = {(loss.code, loss.path) for loss in made.losses if loss.severity != Severity.LAYOUT}
    assert {path for code, path in changed if code == "order"} == {"/messages/1", "/messages/2"}
    assert not {code for code, _ in changed} & {"content", "message", "thought"}


def test_a_signature_is_hidden_with_its_thought() -> None:
    events = [
        Start(0, thought("", None)),
        Delta(0, "a"),
        Signed(0, Signature("x")),
        End(0, thought("a", Signature("x"))),
    ]
    assert Filter().apply(events) == []


def test_a_thought_that_is_not_signed_may_go_on_behind_the_text() -> None:
    document = document_of(stream({"reasoning": "a"}, TEXT, {"reasoning": "b"}))
    assert signed_texts(document.messages) == [("ab", None)]


def test_a_signed_thought_does_not_go_on_behind_the_text() -> None:
    """Its signature is passed on by then: what comes is another thought."""
    document = document_of(stream(*openrouter("ab", "x"), TEXT, {"reasoning": "c"}))
    assert signed_texts(document.messages) == [("ab", Signature("x", "anthropic")), ("c", None)]


# --- any pieces -------------------------------------------------------------------------------------------------------

_TEXTS = st.sampled_from(("", "a", "b"))
_INDICES = st.sampled_from(({}, {"index": 0}, {"index": 1}))


@st.composite
def pieces(draw: st.DrawFn) -> Json:
    """A delta with reasoning, or with something else."""
    kind = draw(st.sampled_from(("text", "details", "details", "blocks", "blocks", "both", "content", "call")))
    text = draw(_TEXTS)
    if kind == "content":
        return {"content": text}
    if kind == "call":
        return CALL
    if kind == "text":
        return {draw(st.sampled_from(("reasoning", "reasoning_content"))): text}
    vouched = {key: "s" for key in ("signature",) if draw(st.booleans())}
    if kind == "blocks":
        block = draw(
            st.sampled_from(({"type": "thinking", "thinking": text, **vouched}, {"type": "redacted_thinking"}))
        )
        return {"thinking_blocks": [block if "thinking" in block else {**block, "data": "d"}]}
    item = draw(
        st.sampled_from(
            (
                {**CLAUDE, "text": text, **vouched},
                {"type": "reasoning.summary", "summary": text},
                {"type": "reasoning.encrypted", "data": "d", "format": "openai-responses-v1"},
            )
        )
    )
    listed: Any = {"reasoning_details": [{**item, **draw(_INDICES)}]}
    return {"reasoning": text, **listed} if kind == "both" else listed


@given(st.lists(pieces(), max_size=7))
def test_the_events_of_any_deltas_make_the_document(deltas: list[Json]) -> None:
    source = stream(*deltas)
    played = events_of(decoder("openai-sse"), [source])
    check_order(played.events)
    document = played.stop.document
    assert isinstance(document, Transcript)
    ended = {event.number: event.message for event in played.events if isinstance(event, End)}
    assert sorted(signed_texts([*ended.values()]), key=repr) == sorted(signed_texts(document.messages), key=repr)
    assert texts_of(played.events) == {number: text_of(message) for number, message in ended.items()}
    events = source.split("\n\n")
    first, rest = ("".join(f"{event}\n\n" for event in part) for part in (events[:2], events[2:-1]))
    check_copies(lambda: decoder("openai-sse"), [first], [rest], ["data: [DONE]\n\n"])
