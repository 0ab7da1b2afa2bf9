"""Streams of JSON values, in Server-Sent Events or without: the same events however their bytes are cut."""

from __future__ import annotations

import pytest

from ocml_bridge import ErrorCode, Transcript, decoder
from ocml_bridge.testing.streams import Decoded, events_of

DONE = "data: [DONE]\n\n"
FAILED = 'event: error\ndata: {"type":"error","error":{"message":"overloaded"}}\n\n'
ENDS = [
    ("openai-sse", DONE),
    ("openai-sse", FAILED),
    ("openai-responses-sse", DONE),
    ("openai-responses-sse", FAILED),
    ("gemini-sse", DONE),
    ("gemini-sse", FAILED),
    ("anthropic-sse", FAILED),
    ("bedrock-converse", DONE),
    ("bedrock-converse", '{"modelStreamErrorException":{"message":"overloaded"}}\n'),
]
SIZES = (1, 2, 7, 8, 30, 1000)


def however_cut(stream: str, text: str) -> Decoded:
    """What a stream decodes to, which is the same for pieces of any size."""
    ways = [events_of(decoder(stream), [text[at : at + size] for at in range(0, len(text), size)]) for size in SIZES]
    assert all(way == ways[0] for way in ways)
    return ways[0]


@pytest.mark.parametrize(("stream", "end"), ENDS)
@pytest.mark.parametrize("rest", ["data: {]}\n\n", "{]}", "data: 1\n\n", "}{\n"])
def test_input_after_the_end_of_the_stream_is_ignored(stream: str, end: str, rest: str) -> None:
    assert however_cut(stream, end + rest) == however_cut(stream, end)


@pytest.mark.parametrize("stream", sorted({stream for stream, _ in ENDS}))
def test_invalid_json_before_the_end_is_an_error(stream: str) -> None:
    assert however_cut(stream, f"data: {{]}}\n\n{DONE}").failed is ErrorCode.JSON


def test_a_call_of_another_role_than_the_assistant_is_no_call() -> None:
    text = (
        'data: {"type":"message_start","message":{"type":"message","role":"critic","content":[]}}\n\n'
        'data: {"type":"content_block_start","index":0,'
        '"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}\n\n'
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"[1"}}\n\n'
    )
    document = however_cut("anthropic-sse", text).stop.document
    assert isinstance(document, Transcript)
    assert [(message.role, message.recipient) for message in document.messages] == [("critic", None)]
