"""Lines of a provider's batch: requests, answers, and requests with their answers.

OpenAI's are those of its OpenAPI description (`BatchRequestInput`, `BatchRequestOutput`), Anthropic's and Gemini's
those of the pages on batches of the Messages API and of the Gemini API.
"""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import as_pairs, conversations

ASK = {"role": "user", "content": "Why?"}
ASKED = [("user", "Why?")]
ANSWERED = [("assistant", "Because.")]
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}],
}
TEXT: dict[str, Any] = {"type": "output_text", "text": "Because.", "annotations": []}
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "output": [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [TEXT]}],
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Because."}],
    "stop_reason": "end_turn",
}
CANDIDATES = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Because."}]}}]}
REQUEST = {"model": "m", "messages": [ASK]}
INPUT = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST}


def output(body: Any, status: int = 200) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": "1", "response": response, "error": None}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (INPUT, ASKED),
        ({**INPUT, "url": "/v1/responses", "body": {"model": "m", "input": "Why?"}}, ASKED),
        (output(COMPLETION), ANSWERED),
        (output(RESPONSE), ANSWERED),
        ({**INPUT, **output(COMPLETION)}, ASKED + ANSWERED),
        ({**INPUT, "body": {"model": "m", "input": "Why?"}, "response": {"body": RESPONSE}}, ASKED + ANSWERED),
        ({"custom_id": "1", "params": {**REQUEST, "max_tokens": 9}}, ASKED),
        ({"custom_id": "1", "result": {"type": "succeeded", "message": MESSAGE}}, ANSWERED),
        ({"key": "1", "request": {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}}, ASKED),
        ({"key": "1", "response": CANDIDATES}, ANSWERED),
        # a request that failed: the question is the conversation, and the error an extra column
        ({**INPUT, "response": None, "error": {"code": "batch_expired", "message": "Too late."}}, ASKED),
        ({**INPUT, **output({"error": {"message": "Bad."}}, 400)}, ASKED),
    ],
)
def test_a_line_of_a_batch_is_its_request_and_its_answer(row: dict[str, Any], expected: list[Any]) -> None:
    assert read_row(Plan((AUTO,)), row).layout.name == "logged"
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == expected


def test_the_envelope_of_a_line_is_kept_in_extra_columns() -> None:
    found = read_row(Plan((AUTO,)), output(COMPLETION))
    assert found.extra_columns == {"id": "batch_req_1", "custom_id": "1", "error": None}
    envelope = found.documents[0].extra_columns["response"]
    assert {"status_code": 200, "request_id": "r", "id": "chatcmpl-1", "created": 1}.items() <= envelope.items()
    [conversation] = conversations(output(COMPLETION))
    assert conversation.settings is not None
    assert conversation.settings.model == "m"


def test_the_error_of_a_failed_request_is_kept_in_extra_columns() -> None:
    failed = output({"error": {"message": "Bad."}}, 400)
    found = read_row(Plan((AUTO,)), {**INPUT, **failed})
    assert found.documents[0].extra_columns == {"response": failed["response"]}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"custom_id": "1", "response": None, "error": {"code": "batch_expired"}}, '{"code":"batch_expired"}'),
        (output({"error": {"message": "Bad."}}, 400), '{"message":"Bad."}'),
        ({"custom_id": "1", "result": {"type": "errored", "error": {"type": "error"}}}, '{"type":"error"}'),
        ({"custom_id": "1", "result": {"type": "expired"}}, "has no answer: expired"),
        ({**INPUT, "url": "/v1/embeddings", "body": {"model": "m", "input": "Why?"}}, "where conversations are asked"),
        (output({"object": "list", "data": [{"embedding": [1]}]}), "reads the lines of conversations"),
    ],
)
def test_the_error_for_a_line_without_a_conversation_has_the_reason(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(BridgeError, match="OCB-SHAPE") as caught:
        read_row(Plan((AUTO,)), row)
    assert reason in str(caught.value)


def test_a_row_with_question_and_answer_in_two_columns_is_not_a_line_of_a_batch() -> None:
    row = {"key": "1", "prompt": "Why?", "response": {"role": "assistant", "content": "Because."}}
    assert read_row(Plan((AUTO,)), row).layout.name == "alpaca"
