"""An error that a server sends ends the answer: what arrived is the document, and a finding reports the error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.streams import all_cuts, events_of

ITEM: dict[str, Any] = {"type": "message", "id": "m", "role": "assistant", "content": []}
BEGUN: dict[str, list[Any]] = {
    "openai-sse": [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}}]}],
    "openai-responses-sse": [
        {"type": "response.output_item.added", "output_index": 0, "item": ITEM},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"},
    ],
    "anthropic-sse": [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    ],
    "gemini-sse": [{"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}],
    "bedrock-converse": [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
    ],
}
NO: dict[str, Any] = {"message": "no", "type": "x"}
FAILED: dict[str, Any] = {"id": "r", "object": "response", "status": "failed", "error": {"code": "x", "message": "no"}}
ERRORS: list[tuple[str, str | None, Any]] = [
    ("openai-sse", None, {"error": NO}),
    ("openai-sse", "error", {"error": NO}),
    ("openai-sse", "error", NO),
    ("openai-sse", None, {"object": "error", "message": "no", "type": "x", "code": 500}),
    ("openai-sse", None, {"text": "no", "error_code": 50001}),  # lm-sys/FastChat, openai_api_server.py
    ("openai-sse", None, {"error_code": 336003, "error_msg": "no"}),
    ("openai-responses-sse", None, {"type": "error", "code": "x", "message": "no", "param": None}),
    ("openai-responses-sse", None, {"type": "response.failed", "response": FAILED}),
    ("openai-responses-sse", None, {"type": "response.failed", "error": NO}),
    ("openai-responses-sse", None, {"type": "error", "error": NO}),
    ("openai-responses-sse", None, {"error": NO}),
    ("openai-responses-sse", "error", NO),
    ("anthropic-sse", None, {"type": "error", "error": NO}),
    ("anthropic-sse", "error", {"type": "error", "error": NO}),
    ("anthropic-sse", "error", NO),
    ("gemini-sse", None, {"error": {"code": 500, "message": "no", "status": "INTERNAL"}}),
    ("gemini-sse", "error", NO),
    ("bedrock-converse", None, {"throttlingException": {"message": "no"}}),
    ("bedrock-converse", None, {"internalServerException": {"message": "no"}}),
]


def sent(stream: str, name: str | None, value: Any) -> str:
    if stream == "bedrock-converse":
        return f"{json.dumps(value)}\n"
    named = "" if name is None else f"event: {name}\n"
    return f"{named}data: {json.dumps(value)}\n\n"


@pytest.mark.parametrize(("stream", "name", "error"), ERRORS)
def test_an_error_ends_the_answer(stream: str, name: str | None, error: Any) -> None:
    pieces = [sent(stream, None, value) for value in BEGUN[stream]]
    result = events_of(decoder(stream), [*pieces, sent(stream, name, error)])
    assert result.stop.reason == "error"
    document = result.stop.document
    assert isinstance(document, Transcript)
    assert [(text_of(message), message.end) for message in document.messages] == [("Hi", None)]
    found = [event for event in result.events if isinstance(event, Finding)]
    assert [(each.code, each.detail) for each in found if each.code != "shape"] == [
        ("E-STREAM-TRUNCATED", "the server cut the stream off: no")
    ]


@pytest.mark.parametrize("target", BEGUN)
@pytest.mark.parametrize(("stream", "name", "error"), ERRORS)
def test_a_client_of_another_api_gets_the_servers_error(stream: str, name: str | None, error: Any, target: str) -> None:
    pipe = Pipe(decoder(stream), encoder(target))
    pieces = [*(sent(stream, None, value) for value in BEGUN[stream]), sent(stream, name, error)]
    written = b"".join([*(pipe.feed(piece) for piece in pieces), pipe.finish()]).decode()
    read = events_of(decoder(target), [written])
    assert read.stop.reason == "error"
    details = [event.detail for event in read.events if isinstance(event, Finding)]
    assert any("the server cut the stream off: no" in detail for detail in details)


@pytest.mark.parametrize(
    "line",
    [
        f"error: {json.dumps(NO)}",  # ggml-org/llama.cpp, pull request 16109
        json.dumps({"error": NO}),  # lemonade-sdk/lemonade, issue 2826
    ],
)
@pytest.mark.parametrize("stream", [stream for stream in BEGUN if stream.endswith("-sse")])
def test_an_error_without_a_field_for_data_ends_the_answer(stream: str, line: str) -> None:
    """An answer does not look complete because the end of the stream is announced after the error."""
    text = "".join(sent(stream, None, value) for value in BEGUN[stream]) + f"{line}\n\ndata: [DONE]\n\n"
    played = events_of(decoder(stream), [text])
    found = [event.detail for event in played.events if isinstance(event, Finding) and event.code != "shape"]
    assert (played.stop.reason, found) == ("error", ["the server cut the stream off: no"])
    for pieces in all_cuts(text):
        assert events_of(decoder(stream), pieces) == played
