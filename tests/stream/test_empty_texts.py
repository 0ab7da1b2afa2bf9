"""Empty texts beside other blocks say nothing: they are in the layout of their neighbours, batch and stream alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import convert, decoder, read
from ocml_bridge.events import Start
from ocml_bridge.model import Message, Transcript
from ocml_bridge.testing.streams import check_messages, check_order, cuts, events_of

EMPTY, TEXT, THOUGHT, CALL = "", "text", "thought", "call"
Kinds = Sequence[str]


def anthropic(kinds: Kinds) -> list[Any]:
    """The blocks of Anthropic."""
    blocks = {
        EMPTY: {"type": "text", "text": ""},
        TEXT: {"type": "text", "text": "Hi"},
        THOUGHT: {"type": "thinking", "thinking": "hm", "signature": "s"},
        CALL: {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
    }
    return [blocks[kind] for kind in kinds]


def converse(kinds: Kinds) -> list[Any]:
    """The blocks of Converse."""
    blocks = {
        EMPTY: {"text": ""},
        TEXT: {"text": "Hi"},
        THOUGHT: {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
        CALL: {"toolUse": {"toolUseId": "a", "name": "f", "input": {"x": 1}}},
    }
    return [blocks[kind] for kind in kinds]


def gemini(kinds: Kinds) -> list[Any]:
    """The parts of Gemini."""
    parts = {
        EMPTY: {"text": ""},
        TEXT: {"text": "Hi"},
        THOUGHT: {"text": "hm", "thought": True},
        CALL: {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}},
    }
    return [parts[kind] for kind in kinds]


BLOCKS: dict[str, Callable[[Kinds], list[Any]]] = {
    "anthropic": anthropic,
    "bedrock-converse": converse,
    "gemini": gemini,
}


def document(name: str, blocks: list[Any]) -> bytes:
    """A conversation whose second message has these blocks."""
    if name == "gemini":
        contents = [{"role": "user", "parts": [{"text": "Go"}]}, {"role": "model", "parts": blocks}]
        return json.dumps({"contents": contents}).encode()
    question = "Go" if name == "anthropic" else [{"text": "Go"}]
    messages = [{"role": "user", "content": question}, {"role": "assistant", "content": blocks}]
    more = {"model": "m", "max_tokens": 9} if name == "anthropic" else {}
    return json.dumps({**more, "messages": messages}).encode()


def messages_of(name: str, kinds: Kinds) -> list[Message]:
    """The messages of the assistant."""
    conversation = read(document(name, BLOCKS[name](kinds)), name).transcript
    assert isinstance(conversation, Transcript)
    return [*conversation.messages[1:]]


@pytest.mark.parametrize("name", BLOCKS)
def test_an_empty_text_beside_other_blocks_is_no_message(name: str) -> None:
    calls = messages_of(name, [EMPTY, THOUGHT, EMPTY, CALL, EMPTY])
    assert [message.content for message in calls] == ["hm", '{"x":1}']
    assert [message.content for message in messages_of(name, [EMPTY, TEXT, EMPTY])] == ["Hi"]
    assert [message.content for message in messages_of(name, [CALL, EMPTY, TEXT])] == ['{"x":1}', "Hi"]


@pytest.mark.parametrize("name", BLOCKS)
def test_an_empty_text_is_a_message_if_there_is_nothing_else(name: str) -> None:
    assert [message.content for message in messages_of(name, [EMPTY])] == [""]


@pytest.mark.parametrize("name", BLOCKS)
def test_no_frame_of_a_text_format_is_empty(name: str) -> None:
    output = convert(document(name, BLOCKS[name]([EMPTY, CALL, EMPTY])), source=name, target="chatml").data
    assert b"assistant\n<|im_end|>" not in output


@pytest.mark.parametrize("name", BLOCKS)
@given(kinds=st.lists(st.sampled_from((EMPTY, EMPTY, TEXT, THOUGHT, CALL)), min_size=1, max_size=7))
def test_empty_texts_are_written_where_they_were_read(name: str, kinds: Kinds) -> None:
    source = document(name, BLOCKS[name](kinds))
    result = convert(source, source=name, target=name)
    assert json.loads(result.data) == json.loads(source)
    assert not result.losses


# --- streams ----------------------------------------------------------------------------------------------------------


def _anthropic_events(blocks: list[Any]) -> Iterator[Any]:
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
    yield {"type": "message_start", "message": message}
    for index, block in enumerate(blocks):
        first: dict[str, Any] = {}
        deltas: list[Any] = []
        if block["type"] == "text" and block["text"]:
            first, deltas = {"text": ""}, [{"type": "text_delta", "text": piece} for piece in ("H", "i")]
        elif block["type"] == "tool_use":
            first, deltas = {"input": {}}, [{"type": "input_json_delta", "partial_json": '{"x":1}'}]
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **first}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


def _converse_events(blocks: list[Any]) -> Iterator[Any]:
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(blocks):
        ((kind, value),) = block.items()
        deltas: list[Any] = [{"text": piece} for piece in (value or [""])] if kind == "text" else []
        if kind == "toolUse":
            start = {"toolUse": {"toolUseId": "a", "name": "f"}}
            yield {"contentBlockStart": {"start": start, "contentBlockIndex": index}}
            deltas = [{"toolUse": {"input": '{"x":1}'}}]
        if kind == "reasoningContent":
            deltas = [{kind: {"text": "hm"}}, {kind: {"signature": "s"}}]
        for delta in deltas:
            yield {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}
        yield {"contentBlockStop": {"contentBlockIndex": index}}
    yield {"messageStop": {"stopReason": "end_turn"}}


def _gemini_events(parts: list[Any]) -> Iterator[Any]:
    for part in parts:
        yield {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}]}
    yield {"candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0}]}


STREAMS: dict[str, Callable[[list[Any]], Iterator[Any]]] = {
    "anthropic-sse": _anthropic_events,
    "bedrock-converse": _converse_events,
    "gemini-sse": _gemini_events,
}


def stream_of(stream: str, kinds: Kinds) -> str:
    """A stream whose answer has these blocks."""
    blocks = BLOCKS[stream.removesuffix("-sse")](kinds)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in STREAMS[stream](blocks))


@pytest.mark.parametrize("stream", STREAMS)
@given(data=st.data(), kinds=st.lists(st.sampled_from((EMPTY, EMPTY, TEXT, THOUGHT, CALL)), min_size=1, max_size=7))
def test_streams_read_empty_texts_as_documents_do(stream: str, data: st.DataObject, kinds: Kinds) -> None:
    source = stream_of(stream, kinds)
    decoded = events_of(decoder(stream), [source])
    assert events_of(decoder(stream), data.draw(cuts(source))) == decoded
    check_order(decoded.events)
    check_messages(decoded, None)


@pytest.mark.parametrize("stream", STREAMS)
def test_no_message_begins_with_an_empty_text_beside_other_blocks(stream: str) -> None:
    made = decoder(stream)
    events = made.feed(stream_of(stream, [EMPTY, THOUGHT, EMPTY, CALL])) + made.finish()
    assert [event.message.channel for event in events if isinstance(event, Start)] == ["analysis", "commentary"]


@pytest.mark.parametrize(
    ("stream", "block"),
    [
        ("anthropic-sse", {"text": "", "type": "text"}),
        ("anthropic-sse", {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}),
        ("gemini-sse", {"text": "", "thought": False}),
        ("gemini-sse", {"text": "", "inlineData": None}),
    ],
    ids=["other order", "cache mark", "flag", "null"],
)
def test_an_empty_text_with_anything_of_its_own_is_a_message_in_streams_as_well(stream: str, block: Any) -> None:
    call = BLOCKS[stream.removesuffix("-sse")]([CALL])[0]
    source = "".join(f"data: {json.dumps(event)}\n\n" for event in STREAMS[stream]([block, call]))
    decoded = events_of(decoder(stream), [source])
    check_order(decoded.events)
    check_messages(decoded, None)
    assert isinstance(decoded.stop.document, Transcript)
    assert [message.recipient for message in decoded.stop.document.messages] == [None, "functions.f"]
