"""Logs of requests and responses, spans and runs: the conversation that a person reads in each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWER,
    ANSWERED,
    ASK,
    ASKED,
    BOTH,
    REQUEST,
    WEATHER,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

KIND: list[Pair] = [("system", "Be kind."), *BOTH]
CLAUDES: dict[str, Any] = {"model": "claude-x", "max_tokens": 5, "messages": [ASK]}
GEMINIS: list[Any] = [{"role": "user", "parts": [{"text": "Why?"}]}]
GEMINI_SAYS: dict[str, Any] = {"role": "model", "parts": [{"text": "Because."}]}
CONVERSE: dict[str, Any] = {"messages": [{"role": "user", "content": [{"text": "Why?"}]}]}
CONVERSE_SAYS: dict[str, Any] = {"role": "assistant", "content": [{"text": "Because."}]}
RESPONSES_SAYS: dict[str, Any] = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Because.", "annotations": []}],
}
ROWS: list[RowCase] = [
    # spans: OpenInference (spec/tool_calling.md), flat and in columns of a table; OpenLLMetry; OpenTelemetry
    (
        "spans",
        {
            "name": "ChatCompletion",
            "attributes": {
                "openinference.span.kind": "LLM",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "Rome?",
                "llm.input_messages.1.message.role": "assistant",
                "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Rome"}',
                "llm.input_messages.2.message.role": "tool",
                "llm.input_messages.2.message.tool_call_id": "c",
                "llm.input_messages.2.message.content": "20",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.contents.0.message_content.type": "text",
                "llm.output_messages.0.message.contents.0.message_content.text": "20.",
                "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": WEATHER}),
            },
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20.")],
    ),
    (
        "spans",
        {
            "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Why?"}],
            "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "Because."}],
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": [
                {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}},
                {"key": "gen_ai.prompt.0.content", "value": {"stringValue": "Why?"}},
                {"key": "gen_ai.completion.0.role", "value": {"stringValue": "assistant"}},
                {"key": "gen_ai.completion.0.content", "value": {"stringValue": "Because."}},
            ]
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": {
                "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
                "gen_ai.input.messages": json.dumps(
                    [
                        {"role": "user", "parts": [{"type": "text", "content": "Rome?"}]},
                        {
                            "role": "assistant",
                            "parts": [
                                {"type": "reasoning", "content": "Look."},
                                {"type": "tool_call", "id": "c", "name": "weather", "arguments": {"city": "Rome"}},
                            ],
                        },
                        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": {"c": 20}}]},
                    ]
                ),
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": [{"type": "text", "content": "20."}], "finish_reason": "stop"}]
                ),
            }
        },
        [
            ("system", "Be kind."),
            ("user", "Rome?"),
            ("thought", "Look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"c":20}'),
            ("assistant", "20."),
        ],
    ),
    # exports of Langfuse and Braintrust: messages and the answer, as JSON text in a table, and as choices
    ("logged", {"input": json.dumps([ASK]), "output": '{"role":"assistant","content":"Because."}'}, BOTH),
    ("logged", {"input": [ASK], "output": ANSWER["choices"], "metadata": {}}, BOTH),
    # requests of wires with their answers next to them, as a text and as a member of the response
    ("answered-request", {"system": "Be kind.", **CLAUDES, "completion": "Because.", "source": "s"}, KIND),
    ("answered-request", {"contents": GEMINIS, "answer": "Because.", "label": 1}, BOTH),
    ("answered-request", {"contents": GEMINIS[0], "generation": "Because."}, BOTH),
    ("answered-request", {"contents": GEMINIS, "candidates": [{"content": GEMINI_SAYS, "finishReason": "STOP"}]}, BOTH),
    ("answered-request", {**CONVERSE, "output": {"message": CONVERSE_SAYS}, "stopReason": "end_turn"}, BOTH),
    ("answered-request", {"model": "m", "input": "Why?", "output": [RESPONSES_SAYS], "id": "resp_1"}, BOTH),
    ("answered-request", {"instructions": "Be kind.", "input": [ASK], "answer": "Because."}, KIND),
    # they end with an answer, or the answer has another name
    ("gemini", {"contents": [*GEMINIS, GEMINI_SAYS], "response": "So."}, BOTH),
    ("gemini", {"contents": GEMINIS, "reference": "So."}, [ASKED]),
    # the counts of a request are no conversation
    ("alpaca", {"prompt": "Why?", "response": "Because.", "usageMetadata": {}, "modelVersion": "g"}, BOTH),
    # items of a dataset of Langfuse (`langfuse`, `DatasetItem`): a request with the answer that is expected
    (
        "expected",
        {
            "id": "i",
            "input": {"messages": [ASK]},
            "expectedOutput": {"role": "assistant", "content": "Because."},
            "status": "ACTIVE",
        },
        BOTH,
    ),
    ("expected", {"id": "i", "input": {"messages": [ASK]}, "expectedOutput": "Because."}, BOTH),
    ("alpaca", {"id": "i", "input": [ASK], "expectedOutput": "Because.", "metadata": None}, BOTH),
    # NeMo Gym (`responses_api_agents`, `data/example.jsonl`): a request of the Responses API with its messages only
    ("logged", {"responses_create_params": {"input": [ASK]}, "expected_answer": "4"}, [ASKED]),
    # logs of Humanloop
    ("answered", {"id": "l", "messages": [ASK], "output_message": {"role": "assistant", "content": "Because."}}, BOTH),
    # Inspect's logs (inspect_ai, `model/_chat_message.py`)
    (
        "inspect",
        {
            "id": 1,
            "input": "Rome?",
            "messages": [
                {"id": "a", "content": "Rome?", "source": "input", "role": "user"},
                {
                    "id": "b",
                    "content": [
                        {"type": "reasoning", "reasoning": "Hm.", "signature": None, "redacted": False},
                        {"type": "reasoning", "reasoning": "gAAA", "redacted": True},
                        {"type": "text", "text": "I look."},
                    ],
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "c", "function": "weather", "arguments": {"city": "Rome"}, "type": "function"}
                    ],
                },
                {"id": "d", "content": "20", "role": "tool", "tool_call_id": "c", "function": "weather"},
            ],
        },
        [
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("assistant", "I look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
        ],
    ),
    # LangChain's `messages_to_dict`, `dumpd` and `model_dump`; a run of LangSmith
    (
        "langchain",
        {
            "messages": [
                {"type": "human", "data": {"content": "Rome?", "additional_kwargs": {}, "type": "human"}},
                {
                    "type": "ai",
                    "data": {"content": "", "tool_calls": [{"name": "weather", "args": {"city": "Rome"}, "id": "c"}]},
                },
                {"type": "tool", "data": {"content": "20", "tool_call_id": "c", "status": "success"}},
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    (
        "langchain",
        {
            "run_type": "llm",
            "inputs": {
                "messages": [
                    [
                        {
                            "lc": 1,
                            "type": "constructor",
                            "id": ["langchain", "schema", "messages", "HumanMessage"],
                            "kwargs": {"content": "Why?", "type": "human"},
                        }
                    ]
                ]
            },
            "outputs": {
                "generations": [[{"text": "Because.", "message": {"type": "ai", "data": {"content": "Because."}}}]],
                "llm_output": {"token_usage": 3},
            },
        },
        [ASKED, ANSWERED],
    ),
    ("langchain", {"messages": [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "Because."}]}, BOTH),
    # ragas: MultiTurnSample (docs.ragas.io)
    (
        "langchain",
        {
            "user_input": [
                {"content": "Rome?", "type": "human", "metadata": None},
                {"content": "", "type": "ai", "tool_calls": [{"name": "weather", "args": {"city": "Rome"}}]},
                {"content": "20", "type": "tool"},
                {"content": "20 degrees.", "type": "ai", "tool_calls": None},
            ],
            "reference": "It is warm.",
            "reference_tool_calls": [{"name": "weather", "args": {"city": "Rome"}}],
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # LangSmith's tracers post runs as they begin, and what they give later: langsmith 0.4 (MIT), client.py
    (
        "langsmith-runs",
        {
            "post": [
                {"id": "r", "run_type": "llm", "inputs": {"messages": [ASK]}, "outputs": None},
                {"id": "t", "run_type": "tool", "inputs": {"n": 1}},
            ],
            "patch": [{"id": "r", "outputs": ANSWER, "end_time": "2026"}],
        },
        BOTH,
    ),
    # LangSmith's datasets of chats
    (
        "langchain",
        {
            "inputs": {"input": [{"type": "human", "data": {"content": "Why?"}}]},
            "outputs": {"output": {"type": "ai", "data": {"content": "Because."}}},
        },
        BOTH,
    ),
    # requests and responses in the logs of gateways and proxies
    ("logged", {"request": REQUEST, "response": ANSWER}, BOTH),
    ("logged", {"request_body": json.dumps(REQUEST), "response_body": json.dumps(ANSWER), "status": 200}, BOTH),
    ("logged", {"inputs": REQUEST, "outputs": {"role": "assistant", "content": "Because."}}, BOTH),
    ("logged", {"request": REQUEST, "response": "Because."}, BOTH),
    (
        "logged",
        {
            "schemaType": "ModelInvocationLog",
            "input": {"inputBodyJson": {"max_tokens": 9, "anthropic_version": "bedrock-2023-05-31", "messages": [ASK]}},
            "output": {
                "outputBodyJson": {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "Because."}],
                    "stop_reason": "end_turn",
                }
            },
        },
        BOTH,
    ),
    # Vertex AI's tables of requests, OpenPipe's logs
    ("logged", {"full_request": REQUEST, "full_response": ANSWER, "endpoint": "e"}, BOTH),
    ("logged", {"req_payload": REQUEST, "resp_payload": ANSWER}, BOTH),
    # spans of Pydantic AI and of Vercel's AI SDK
    (
        "spans",
        {
            "attributes": {
                "pydantic_ai.all_messages": json.dumps(
                    [
                        {"role": "user", "parts": [{"type": "text", "content": "Why?"}]},
                        {"role": "assistant", "parts": [{"type": "text", "content": "Because."}]},
                    ]
                )
            }
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": {
                "ai.model.id": "m",
                "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]),
                "ai.response.text": "Because.",
                "ai.response.toolCalls": json.dumps([{"toolCallId": "t", "toolName": "weather", "input": "{}"}]),
            }
        },
        [*BOTH, ("call weather", "{}")],
    ),
    # MLflow's traces: both are JSON text, a text in quotes
    ("logged", {"request": json.dumps(REQUEST), "response": '"Because."'}, BOTH),
    # a line of OpenAI's batches
    ("logged", {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST}, [ASKED]),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def test_other_members_of_logged_messages_are_extra_columns() -> None:
    thought = {"type": "reasoning", "reasoning": "gAAA", "redacted": True, "summary": "Hm."}
    call: dict[str, Any] = {"id": "c", "function": "weather", "arguments": {}, "parse_error": "no city"}
    row: dict[str, Any] = {"messages": [{"id": "b", "role": "assistant", "content": [thought], "tool_calls": [call]}]}
    [document] = read_row(Plan((AUTO,)), row).documents
    about = {"id": "b", "content": [thought], "tool_calls": [{"parse_error": "no city"}]}
    assert document.extra_columns == {"nodes": [about]}
    assert as_pairs(conversations(row)[0].messages) == [("thought", "Hm."), ("call weather", "{}")]


def test_the_envelopes_of_request_and_response_are_extra_columns() -> None:
    """Methods, statuses, and members of the response that differ from the request are extra columns."""
    row = {"request": {"method": "POST", "body": REQUEST}, "response": {"status": 200, "body": ANSWER}}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns["request"] == {"method": "POST"}
    envelope = {"status": 200, "model": "m-2024", "id": "chatcmpl-1", "object": "chat.completion", "created": 1}
    assert envelope.items() <= document.extra_columns["response"].items()
    [conversation] = conversations(row)
    assert conversation.settings is not None
    assert (conversation.settings.model, conversation.settings.temperature) == ("m", 0)
    assert conversation.extras is None


def test_a_response_that_repeats_the_request_is_read_once() -> None:
    messages = [ASK, {"role": "assistant", "content": "Because."}]
    [conversation] = conversations({"inputs": {"messages": [ASK]}, "outputs": {"messages": messages}})
    assert as_pairs(conversation.messages) == BOTH


def test_other_choices_of_a_logged_answer_are_alternatives() -> None:
    other = {"index": 1, "message": {"role": "assistant", "content": "No."}, "finish_reason": "stop"}
    [conversation] = conversations({"request": REQUEST, "response": {**ANSWER, "choices": [*ANSWER["choices"], other]}})
    [alternative] = [*(conversation.alternatives or ())]
    assert (alternative.at, as_pairs(alternative.messages)) == (1, [("assistant", "No.")])


def test_other_outputs_of_a_run_are_extra_columns() -> None:
    row = next(row for name, row, _ in ROWS if name == "langchain" and "outputs" in row)
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"outputs": {"llm_output": {"token_usage": 3}}}


def test_what_else_is_known_of_posted_runs_is_an_extra_column() -> None:
    row = next(row for name, row, _ in ROWS if name == "langsmith-runs")
    [document] = read_row(Plan((AUTO,)), row).documents
    [run, other] = document.extra_columns["post"]
    assert (run["id"], run["end_time"], run["outputs"]["id"]) == ("r", "2026", "chatcmpl-1")
    assert other == {"id": "t", "run_type": "tool", "inputs": {"n": 1}}


def test_runs_that_end_in_another_row_are_refused_with_the_command_that_joins_the_rows() -> None:
    with pytest.raises(BridgeError, match=r"no run has a conversation .* jq -sc"):
        read_row(Plan((AUTO,)), {"post": [], "patch": [{"id": "r", "outputs": ANSWER}]})


def test_columns_next_to_a_request_and_its_answer_are_extra_columns() -> None:
    row = {"system": "Be kind.", **CLAUDES, "completion": "Because.", "source": "s"}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"source": "s"}
    [conversation] = conversations(row)
    assert conversation.messages[-1].end == "end"
    assert conversation.settings is not None
    assert conversation.settings.model == "claude-x"
