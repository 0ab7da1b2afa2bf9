"""Any sequence of messages in an answer: its stream keeps their order, or reports what it loses."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ocml_bridge import Message, Transcript
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, End, Reason
from ocml_bridge.model import Citation, Media, Refusal, Signature, Text, replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.testing.streams import check_order, events_of
from sampling import sweep

STREAMS = ("openai-sse", "openai-responses-sse", "anthropic-sse", "gemini-sse", "bedrock-converse")
SEARCH = {"openai-responses": {"type": "web_search_call"}}
THERE = {"anthropic": {"type": "server_tool_use"}}
FOUND = {"anthropic": {"type": "web_search_tool_result"}}


def call(recipient: str, arguments: str, constraint: str | None = "json", **more: Any) -> Message:
    return Message("assistant", arguments, None, "commentary", recipient, constraint=constraint, end="call", **more)


def thought(content: Any, **more: Any) -> Message:
    return Message("assistant", content, channel="analysis", **more)


def final(*content: Any, **more: Any) -> Message:
    return Message("assistant", content[0] if isinstance(content[0], str) else content, channel="final", **more)


MESSAGES: dict[str, Message] = {
    "thought": thought("w1 w2"),
    "summary": thought("w3 w4", content_type="summary"),
    "signed thought": thought("w5", signature=Signature("w6", "anthropic")),
    "sealed thought": thought("", signature=Signature("w7", "openai", sealed=True)),
    "text": final("w8 w9"),
    "nothing": final(""),
    "cited text": final(Text("w10", citations=(Citation("https://e.org/w11", "w12", start=0, end=3),))),
    "image": final(Text("w13"), Media("image", data="aGVsbG8=", format="image/png")),
    "refusal": final(Refusal("w14")),
    "text and refusal": final(Text("w15"), Refusal("w16")),
    "preamble": Message("assistant", "w17", channel="commentary", intent="preamble"),
    "call": call("functions.w18", '{"a":"w19"}', call_id="w20"),
    "call without id": call("functions.w21", '{"a": "w22"}'),
    "call of no object": call("functions.w23", '["w24"]', call_id="w25"),
    "custom call": call("functions.w26", "w27", None, call_id="w28"),
    "code": call("python", "w29", None),
    "what it printed": Message("tool", "w30", "python", "commentary", "assistant"),
    "search of Responses": call("openai.web_search", '{"type":"search","query":"w31"}', call_id="w32", extras=SEARCH),
    "search of Anthropic": call("anthropic.web_search", '{"query":"w33"}', call_id="w34", extras=THERE),
    "what it found": Message("tool", "w35", "anthropic.web_search", "commentary", "assistant", "w34", extras=FOUND),
    "cut off": final("w36", end=None),
}
"""What an answer may have: messages as decoders of all streams make them."""


def bare(document: Transcript) -> Transcript:
    messages = tuple(replace(message, layout=None) for message in document.messages)
    return replace(document, messages=messages, settings=None, layout=None, extras=None)


@pytest.mark.sweep
@pytest.mark.parametrize("first", MESSAGES)
@pytest.mark.parametrize("stream", STREAMS)
def test_an_answer_is_kept_or_its_losses_are_reported(stream: str, first: str) -> None:
    for second, reason in sweep(product(MESSAGES, ("stop", "length", "truncated")), 7):
        check(stream, (MESSAGES[first], MESSAGES[second]), reason)


def check(stream: str, messages: tuple[Message, ...], reason: Reason) -> None:
    document = Transcript(messages)
    made = encoder(stream, answer=Answer("a", "m", 7), visibility=DEBUG)
    chunks = [chunk for event in replay(document, reason) for chunk in made.encode([event])]
    chunks += made.finish()
    result = events_of(decoder(stream), chunks)
    check_order(result.events)
    back = result.stop.document
    assert isinstance(back, Transcript)
    if stream != "openai-sse":  # there thoughts and texts interleave, and end together
        ended = [replace(event.message, layout=None) for event in result.events if isinstance(event, End)]
        assert ended == list(bare(back).messages)
    assert unnamed(bare(document), bare(back), made.losses) == [], (messages[1], reason)
    assert [loss.detail for loss in made.losses if stream not in loss.detail] == []
    assert (result.stop.reason in ("error", "truncated")) is (reason == "truncated"), (messages[1], reason)
