"""Why an answer is over: the reasons of all wires mean the same in documents, in streams and on the other wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript, convert, read, write
from ocml_bridge.events import Answer, Reason
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.streams import events_of

REASONS: dict[str, dict[Reason, tuple[str, ...]]] = {
    "openai": {
        "stop": ("stop", "tool_calls", "function_call"),
        "length": ("length", "model_length"),
        "content_filter": ("content_filter",),
        "truncated": ("insufficient_system_resource",),
        "error": ("error",),
        "cancelled": ("abort",),
    },
    "anthropic": {
        "stop": ("end_turn", "stop_sequence", "tool_use", "pause_turn"),
        "length": ("max_tokens", "model_context_window_exceeded"),
        "content_filter": ("refusal",),
    },
    "bedrock-converse": {
        "stop": ("end_turn", "stop_sequence", "tool_use"),
        "length": ("max_tokens", "model_context_window_exceeded"),
        "content_filter": ("guardrail_intervened", "content_filtered"),
        "truncated": ("malformed_model_output", "malformed_tool_use"),
    },
    "gemini": {
        "stop": ("STOP", "OTHER", "NO_IMAGE"),
        "length": ("MAX_TOKENS",),
        "content_filter": (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "truncated": (
            *("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"),
            *("UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
        ),
    },
    "openai-responses": {
        "stop": ("completed",),
        "length": ("max_output_tokens", "max_tokens"),
        "content_filter": ("content_filter",),
    },
}
"""The reasons of each wire by their meaning, from the references of the APIs (OpenAI, Mistral, DeepSeek, vLLM)."""
CASES = [(wire, reason, name) for wire, names in REASONS.items() for reason, all_ in names.items() for name in all_]
STREAMS = {wire: wire if wire == "bedrock-converse" else f"{wire}-sse" for wire in REASONS}
COMPLETE = ("stop", "content_filter")
USAGE: dict[str, Any] = {
    "openai": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    "anthropic": {"input_tokens": 1, "output_tokens": 1},
    "bedrock-converse": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "gemini": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    "openai-responses": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
}


def response_of(wire: str, name: str) -> dict[str, Any]:
    """Return a response that says "Hi", with a reason."""
    usage = USAGE[wire]
    if wire == "openai":
        choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": name}
        return {"model": "m", "choices": [choice], "usage": usage}
    if wire == "anthropic":
        content = [{"type": "text", "text": "Hi"}]
        message = {"type": "message", "role": "assistant", "model": "m", "content": content}
        return {**message, "stop_reason": name, "stop_sequence": None, "usage": usage}
    if wire == "bedrock-converse":
        message = {"role": "assistant", "content": [{"text": "Hi"}]}
        return {"output": {"message": message}, "stopReason": name, "usage": usage}
    if wire == "gemini":
        candidate = {"content": {"parts": [{"text": "Hi"}], "role": "model"}, "finishReason": name}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}
    status = "completed" if name == "completed" else "incomplete"
    text: Any = {"type": "output_text", "text": "Hi", "annotations": []}
    item: Any = {"type": "message", "status": status, "role": "assistant", "content": [text]}
    details = None if name == "completed" else {"reason": name}
    return {"object": "response", "status": status, "incomplete_details": details, "output": [item], "usage": usage}


def stream_of(wire: str, name: str) -> str:
    """Return the whole response as the only event, as a server that does not stream sends it."""
    response = response_of(wire, name)
    return json.dumps(response) + "\n" if wire == "bedrock-converse" else f"data: {json.dumps(response)}\n\n"


@pytest.mark.parametrize(("wire", "reason", "name"), CASES)
def test_a_document_says_whether_its_answer_was_cut_off_or_filtered(wire: str, reason: Reason, name: str) -> None:
    document = response_of(wire, name)
    transcript = read(document, wire).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.settings is not None
    assert transcript.settings.filtered is (True if reason == "content_filter" else None)
    # The items of Responses have a status of their own: one that a filter ended is incomplete, too.
    is_complete = reason in COMPLETE and not (wire == "openai-responses" and name != "completed")
    assert (transcript.messages[-1].end is not None) is is_complete
    assert write(transcript, wire).output == document


@pytest.mark.parametrize(("wire", "reason", "name"), CASES)
def test_the_response_of_another_wire_does_not_say_that_its_answer_ended(wire: str, reason: Reason, name: str) -> None:
    result = convert(response_of(wire, name), source=wire, target="anthropic")
    if wire == "anthropic":
        assert result.output["stop_reason"] == name
        return
    expected = {"stop": "end_turn", "content_filter": "refusal"}
    assert result.output["stop_reason"] == expected.get(reason, "max_tokens")


@pytest.mark.parametrize(("wire", "reason", "name"), [case for case in CASES if case[1] not in COMPLETE[:1]])
@pytest.mark.parametrize("target", REASONS)
def test_a_loss_tells_what_a_request_cannot_say_of_an_answer(wire: str, reason: Reason, name: str, target: str) -> None:
    if target == wire:
        return
    result = convert(response_of(wire, name), source=wire, target=target)
    again = read(result.output, target).transcript
    assert isinstance(again, Transcript)
    losses = {loss.path for loss in result.losses}
    if reason == "content_filter":
        assert ("/settings/filtered" in losses) is not (again.settings is not None and again.settings.filtered is True)
    else:
        assert ("/messages/0/end" in losses) is (again.messages[-1].end is not None)


@pytest.mark.parametrize(("wire", "reason", "name"), CASES)
def test_a_stream_ends_as_its_document_does(wire: str, reason: Reason, name: str) -> None:
    stop = events_of(decoder(STREAMS[wire]), [stream_of(wire, name)]).stop
    assert stop.reason == reason
    assert stop.document == read(response_of(wire, name), wire).transcript


@pytest.mark.parametrize("target", REASONS)
@pytest.mark.parametrize(("wire", "reason", "name"), [case for case in CASES if case[1] in (*COMPLETE, "length")])
def test_a_stream_says_on_another_wire_why_it_is_over(wire: str, reason: Reason, name: str, target: str) -> None:
    events = decoder(STREAMS[wire])
    client = encoder(STREAMS[target], answer=Answer("a", "m", 1))
    written = b"".join([*client.encode([*events.feed(stream_of(wire, name)), *events.finish()]), *client.finish()])
    again = events_of(decoder(STREAMS[target]), [written]).stop
    assert again.reason == reason
    assert "/settings/filtered" not in {loss.path for loss in client.losses}
    assert write(again.document, target, policy=LENIENT).output
