"""Rows that are made to be slow to read: each is read or refused in time that grows linearly with its size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from time import process_time
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row

MANY = 40_000
SECONDS = 3.0
"""A limit for the processor's time: most rows take milliseconds; a quadratic algorithm takes longer than the limit."""


def open_webui_chat(text: str) -> dict[str, Any]:
    """A chat of Open WebUI with one message of the assistant."""
    return {"chat": {"messages": [{"role": "assistant", "content": text}]}}


ROWS: dict[str, dict[str, Any]] = {
    "folded parts that do not end": open_webui_chat("<details><summary></summary>" * MANY),
    "a tag that does not end": open_webui_chat("<details" + " " * MANY + "x"),
    "turns of MOSS that do not end": {"plain_text": "[Human]: a<eoh> " + "[MOSS]: " * MANY},
    "parentheses that do not end": {"chat": {"turn_1": {"Human": "a", "Commands": "f(" * MANY}}},
    "many commands": {"chat": {"turn_1": {"Human": "a", "Commands": ",".join(["f()"] * (MANY // 20))}}},
    "many tokens that end turns": {
        "text": "<|start_header_id|>user<|end_header_id|>" + ("<|eot_id|>" + " " * 9) * (MANY // 4) + "x"
    },
    **{
        f"tags of MiniMax and MiniCPM3 that are not closed ({at})": {
            "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": text}]
        }
        for at, text in enumerate(
            (
                "<minimax:tool_call>" * MANY,
                f"<minimax:tool_call>{'<invoke name=f>' * MANY}</minimax:tool_call>",
                f"<minimax:tool_call><invoke name=f>{'<parameter name=a>' * MANY}</minimax:tool_call>",
                "<|tool_call_start|>" * MANY,
                f"<|tool_call_start|>{'[f(' * MANY}<|tool_call_end|>",
                f"<|tool_call_start|>```python\n{' ' * MANY}x<|tool_call_end|>",
            )
        )
    },
    "spaces between SmolVLM's turns": {"text": "User: a<end_of_utterance>" + " " * MANY + "User"},
    "turns of SmolVLM that do not end": {"text": "User: a\n" * MANY},
    "spaces before a turn": {"text": " " * MANY + "x<start_of_turn>"},
    "spaces in a turn": {"text": "<start_of_turn>user\n" + " " * MANY + "x"},
    "spaces in a message of the user": {"text": "User: a" + " " * MANY + "x\nAssistant: b"},
    "calls that are not closed": {"text": "<｜User｜>a<｜Assistant｜>" + "<tool_call>" * MANY},
    "tools after spaces": {"text": "<|user|>" + " " * MANY + "<tools>" * MANY},
    "instructions that are not closed": {"text": "[INST] a " * MANY},
    "results between spaces": {"text": "<｜User｜>a" + "<｜tool▁output▁begin｜>" + " " * MANY + "x"},
    "thoughts and calls of Gemma 4 that are not closed": {
        "text": "<|turn>model\n" + ("<|channel>thought\n<|tool_call>call:f{" * MANY)
    },
    "values of Gemma 4 that are not closed": {
        "text": "<|turn>model\n<|tool_call>call:f" + "{a:" * MANY + "<tool_call|><turn|>"
    },
    "tools of Gemma 4 that are not closed": {"text": "<|turn>system\n" + "<|tool>declaration:f{" * MANY},
    "arguments of GLM that are not closed": {
        "text": "<|user|>a<|assistant|><tool_call>f" + "<arg_key>a</arg_key><arg_value>" * MANY + "</tool_call>"
    },
    "results of EXAONE that are not closed": {"text": "[|tool|]" + '<tool_result>{"result": ' * MANY},
    "tools of EXAONE that are not closed": {"text": "[|system|]" + "<tool>{" * MANY},
    "results of Nemotron that are no list": {
        "text": "<SPECIAL_11>Assistant\n<TOOLCALL>["
        + '{"name": "f", "arguments": {}},' * (MANY // 20)
        + '{"name": "f", "arguments": {}}]</TOOLCALL><SPECIAL_12>\n<SPECIAL_11>User\n<TOOL_RESPONSE>['
        + "1, " * MANY
        + "x</TOOL_RESPONSE>"
    },
    "spaces before OpenChat's turns": {"text": "a<|end_of_turn|>" + " " * MANY + "GPT4 Correct Us"},
    "messages in a chain": {
        "messages": [
            {"messageId": str(at), "parentMessageId": str(at - 1), "isCreatedByUser": True, "text": "a"}
            for at in range(MANY // 20)
        ]
    },
}


ODD: list[Any] = [None, 1, True, "", [], {}, ["x"], [["a"]], {"a": 1}, [{}], {"type": []}]
VALID_ROWS: list[dict[str, Any]] = [
    {"messages": [{"role": "user", "content": "Why?"}]},
    {"messages": [{"type": "user", "content": "Why?", "timestamp": "1"}]},
    {"chosen": {"role": "assistant", "content": "a"}, "rejected": {"role": "assistant", "content": "b"}},
    {"messages": [{"role": "assistant", "content": [{"type": "reasoning", "reasoning": "a"}], "tool_calls": []}]},
    {"messages": [{"role": "tool", "id": "t", "content": "a"}, {"role": "assistant", "tool_calls": [{"id": "t"}]}]},
    {"items": [{"id": "1", "type": "message", "role": "user", "content": ["Why?"]}]},
    {"messages": [{"role": "user", "created": 1, "content": [{"type": "toolRequest", "toolCall": {"value": {}}}]}]},
    {"eval_cases": [{"conversation": [{"user_content": {"parts": [{"text": "a"}]}, "intermediate_data": {}}]}]},
    {"conversations": [{"conversation": {}, "responses": [{"response": {"sender": "human", "message": "a"}}]}]},
    {"requests": [{"message": {"text": "a"}, "response": [{"kind": "inlineReference"}]}]},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        members: list[tuple[Any, Any]] = list(cast("dict[str, Any]", value).items())
    else:
        members = list(enumerate(cast("list[Any]", value))) if isinstance(value, list) else []
    for key, each in members:
        yield from places(each, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.parametrize("row", VALID_ROWS, ids=range(len(VALID_ROWS)))
def test_a_row_with_an_odd_value_anywhere_is_read_or_refused(row: dict[str, Any]) -> None:
    for path in [each for each in places(row) if each]:
        for other in ODD:
            with suppress(BridgeError):
                read_row(Plan((AUTO,)), replaced(row, path, other))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_takes_time_that_grows_with_its_size(name: str) -> None:
    begun = process_time()
    with suppress(BridgeError):
        read_row(Plan((AUTO,)), ROWS[name])
    assert process_time() - begun < SECONDS
