"""The events of small answers, as the references of the APIs show them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Message, Transcript
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer
from ocml_bridge.model import Citation, Refusal, Signature, Text
from ocml_bridge.pipe import encoder
from ocml_bridge.stream import replay
from stream_pieces import events_in

PAGE, TITLE = "https://e.org", "A page"
CITED = Message(
    "assistant", (Text("It is so.", citations=(Citation(PAGE, TITLE, "So.", start=0, end=5),)),), channel="final"
)
THOUGHT = Message("assistant", "Hm.", channel="analysis", signature=Signature("c2ln", "anthropic"))
REFUSED = Message("assistant", (Refusal("I cannot."),), channel="final")
CALL = Message("assistant", '{"a":1}', None, "commentary", "functions.f", "c1", constraint="json", end="call")

UNMARKED = Message("assistant", '{"a":1}', None, "commentary", "functions.f", "c1", end="call")
"""A call of which only the end shows that its arguments are JSON."""
CALLS = (CALL, UNMARKED)


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "a", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [choice]}


BEGUN = chunk({"role": "assistant", "content": ""})
PLACE: dict[str, Any] = {"start_index": 0, "end_index": 5, "url": PAGE, "title": TITLE}
SOURCE: dict[str, Any] = {"type": "url_citation", **PLACE}
PART: dict[str, Any] = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
AT: dict[str, Any] = {"item_id": "msg_a_0", "output_index": 0}
ITEM: dict[str, Any] = {"type": "message", "id": "msg_a_0", "status": "completed", "role": "assistant"}
FUNCTION: dict[str, Any] = {
    "type": "function_call",
    "id": "fc_a_0",
    "status": "completed",
    "call_id": "c1",
    "name": "f",
}
ARGUMENTS: dict[str, Any] = {"item_id": "fc_a_0", "output_index": 0}
FIRST = {"id": "c1", "type": "function"}
TEXT_BLOCK: dict[str, Any] = {"type": "text", "text": ""}
THINKING_BLOCK: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
USE_BLOCK: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}


def item(what: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"response.output_item.{what}", "output_index": 0, "item": value}


def refusal(text: str) -> dict[str, Any]:
    return {"type": "refusal", "refusal": text}


def delta(index: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


EVENTS: list[tuple[str, Message, list[Any]]] = [
    (
        "openai-sse",
        CITED,
        [
            BEGUN,
            chunk({"content": "It is so."}),
            chunk({"annotations": [{"type": "url_citation", "url_citation": {**PLACE, "content": "So."}}]}),
            chunk({}, "stop"),
        ],
    ),
    ("openai-sse", REFUSED, [BEGUN, chunk({"refusal": "I cannot."}), chunk({}, "stop")]),
    (
        "openai-sse",
        CALL,
        [
            chunk({"role": "assistant", "content": None}),
            chunk(
                {
                    "tool_calls": [
                        {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
                    ]
                }
            ),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":1}'}}]}),
            chunk({}, "tool_calls"),
        ],
    ),
    (
        "openai-responses-sse",
        CITED,
        [
            item("added", {**ITEM, "status": "in_progress", "content": []}),
            {"type": "response.content_part.added", **AT, "content_index": 0, "part": PART},
            {"type": "response.output_text.delta", **AT, "content_index": 0, "logprobs": [], "delta": "It is so."},
            {
                "type": "response.output_text.annotation.added",
                **AT,
                "content_index": 0,
                "annotation_index": 0,
                "annotation": SOURCE,
            },
            {"type": "response.output_text.done", **AT, "content_index": 0, "text": "It is so.", "logprobs": []},
            {
                "type": "response.content_part.done",
                **AT,
                "content_index": 0,
                "part": {**PART, "text": "It is so.", "annotations": [SOURCE]},
            },
            item("done", {**ITEM, "content": [{"type": "output_text", "text": "It is so.", "annotations": [SOURCE]}]}),
        ],
    ),
    (
        "openai-responses-sse",
        REFUSED,
        [
            item("added", {**ITEM, "status": "in_progress", "content": []}),
            {"type": "response.content_part.added", **AT, "content_index": 0, "part": refusal("")},
            {"type": "response.refusal.delta", **AT, "content_index": 0, "delta": "I cannot."},
            {"type": "response.refusal.done", **AT, "content_index": 0, "refusal": "I cannot."},
            {"type": "response.content_part.done", **AT, "content_index": 0, "part": refusal("I cannot.")},
            item("done", {**ITEM, "content": [refusal("I cannot.")]}),
        ],
    ),
    (
        "openai-responses-sse",
        CALL,
        [
            item("added", {**FUNCTION, "status": "in_progress", "name": "f", "arguments": ""}),
            {"type": "response.function_call_arguments.delta", **ARGUMENTS, "delta": '{"a":1}'},
            {"type": "response.function_call_arguments.done", **ARGUMENTS, "arguments": '{"a":1}', "name": "f"},
            item("done", {**FUNCTION, "name": "f", "arguments": '{"a":1}'}),
        ],
    ),
    (
        "anthropic-sse",
        CITED,
        [
            {"type": "content_block_start", "index": 0, "content_block": TEXT_BLOCK},
            delta(0, "text_delta", text="It is so."),
            delta(
                0,
                "citations_delta",
                citation={
                    "type": "web_search_result_location",
                    "cited_text": "So.",
                    "url": PAGE,
                    "title": TITLE,
                    "encrypted_index": "",
                },
            ),
            {"type": "content_block_stop", "index": 0},
        ],
    ),
    (
        "anthropic-sse",
        THOUGHT,
        [
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "thinking", "thinking": "", "signature": ""},
            },
            delta(0, "thinking_delta", thinking="Hm."),
            delta(0, "signature_delta", signature="c2ln"),
            {"type": "content_block_stop", "index": 0},
        ],
    ),
    *(
        (
            "anthropic-sse",
            message,
            [
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
                },
                delta(0, "input_json_delta", partial_json='{"a":1}'),
                {"type": "content_block_stop", "index": 0},
            ],
        )
        for message in CALLS
    ),
    (
        "bedrock-converse",
        THOUGHT,
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "Hm."}}, "contentBlockIndex": 0}},
            {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "c2ln"}}, "contentBlockIndex": 0}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "end_turn"}},
        ],
    ),
    (
        "bedrock-converse",
        CALL,
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c1", "name": "f"}}, "contentBlockIndex": 0}},
            {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":1}'}}, "contentBlockIndex": 0}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    ),
]
"""Stream, message, and its events; for Responses and Anthropic, the events of the whole response enclose them."""
AROUND = {"openai-responses-sse": (2, -1), "anthropic-sse": (1, -2)}


@pytest.mark.parametrize(("stream", "message", "events"), EVENTS)
def test_a_message_is_the_events_that_the_api_sends(stream: str, message: Message, events: list[Any]) -> None:
    made = encoder(stream, answer=Answer("a", "m", 7), visibility=DEBUG)
    events_of = replay(Transcript((message,)), "tool_calls" if message in CALLS else "stop")
    chunks = [chunk for event in events_of for chunk in made.encode([event])]
    written = events_in(b"".join([*chunks, *made.finish()]))
    for event in written:
        event.pop("sequence_number", None)
    first, last = AROUND.get(stream, (0, None))
    assert written[first:last] == events


def test_a_response_that_begins_has_what_the_reference_requires() -> None:
    made = encoder("openai-responses-sse", answer=Answer("a", "m", 7))
    chunks = [chunk for event in replay(Transcript((CALL,))) for chunk in made.encode([event])]
    created, begun, *_ = events_in(b"".join(chunks))
    response: dict[str, Any] = {
        "id": "a",
        "object": "response",
        "created_at": 7,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "m",
        "output": [],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }
    assert created == {"type": "response.created", "sequence_number": 0, "response": response}
    assert begun == {"type": "response.in_progress", "sequence_number": 1, "response": response}


def test_a_whole_answer_of_chat_completions_has_what_the_reference_requires() -> None:
    made = encoder("openai", answer=Answer("a", "m", 7))
    made.encode(replay(Transcript((CALL,))))
    (data,) = made.finish()
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}
    assert json.loads(data) == {
        "id": "a",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [choice],
    }
