"""What nobody knows among the events of an answer is found if it may be of the answer, and passed over if it is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge.loss import Finding
from ocml_bridge.pipe import decoder
from ocml_bridge.testing.streams import events_of

CUT_OFF = "the stream ends before the answer ends"
LIMITS: Any = {"plan_type": "plus", "rate_limits": {"allowed": True, "primary": {"used_percent": 5}}, "promo": None}


def found(stream: str, *events: Any) -> list[str]:
    if stream == "bedrock-converse":
        pieces = [f"{json.dumps({event.pop('type'): event})}\n" for event in events]
    else:
        pieces = [f"data: {json.dumps(event)}\n\n" for event in events]
    decoded = events_of(decoder(stream), pieces)
    return [each.detail for each in decoded.events if isinstance(each, Finding) and each.detail != CUT_OFF]


@pytest.mark.parametrize("stream", ["openai-responses-sse", "anthropic-sse", "bedrock-converse"])
@pytest.mark.parametrize(
    ("members", "is_reported"),
    [
        (LIMITS, False),
        ({}, False),
        ({"percent": 50, "stage": "searching"}, False),
        ({"delta": "Hi"}, True),
        ({"delta": {"a": 1}}, True),
        ({"item": {"kind": "x"}}, True),
        ({"part": {"kind": "x"}}, True),
        ({"more": {"text": "Hi"}}, True),
        ({"note": "I have found it."}, True),
        ({"delta": {}, "item": None, "text": ""}, False),
    ],
)
def test_an_unknown_event_with_contents_is_reported(stream: str, members: dict[str, Any], is_reported: bool) -> None:
    assert len(found(stream, {"type": "acme.event", **members})) == is_reported


def test_chunks_with_another_id_or_model_are_reported() -> None:
    chunk: Any = {"id": "r", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
    assert found("openai-sse", chunk, chunk, {**chunk, "id": None}, {**chunk, "model": ""}) == []
    assert found("openai-sse", {**chunk, "id": ""}, chunk) == []
    assert found("openai-sse", chunk, {**chunk, "id": "s"}, {**chunk, "model": "n"}) == [
        "the id changes inside an answer; the first one is kept",
        "the model changes inside an answer; the first one is kept",
    ]
