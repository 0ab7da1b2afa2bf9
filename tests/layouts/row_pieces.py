"""Pieces of rows that the tests of several families of layouts use, and the check of a row's reading."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

RowCase = tuple[str, dict[str, Any], list[Pair]]
"""The layout of a row, the row, and its messages as a person reads them."""

ASKED = ("user", "Why?")
ANSWERED = ("assistant", "Because.")
BOTH: list[Pair] = [ASKED, ANSWERED]
ASK = {"role": "user", "content": "Why?"}
REQUEST: dict[str, Any] = {"model": "m", "messages": [ASK], "temperature": 0}
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m-2024",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}],
}
WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "Of a city.",
    "parameters": {"type": "object", "properties": {}},
}
WEATHER_TEXT = json.dumps(WEATHER)
CALL = '{"name": "weather", "arguments": {"city": "Rome"}}'
TURN = {"from": "human", "value": "Why?"}
DOLCI: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind.", "functions": f"[{WEATHER_TEXT}]", "function_calls": None},
    {**ASK, "functions": None, "function_calls": None},
    {"role": "assistant", "content": None, "function_calls": 'weather(city="Rome")\nweather(city="Oslo", days=[1, 2])'},
    {"role": "environment", "content": "[20, 21]"},
    {"role": "assistant", "content": "Because."},
]
SWIFT: list[dict[str, Any]] = [
    {"role": "user", "content": "Rome?"},
    {"role": "tool_call", "content": CALL},
    {"role": "tool_response", "content": "20"},
    {"role": "assistant", "content": "20 degrees."},
]
TURNS = [{"role": "user", "content": 'It\'s "why"?'}, {"role": "assistant", "content": "Because.\nYes, {no}"}]
"""Messages whose texts have quotes, a line end and braces."""


def ids_of(rows: Sequence[RowCase]) -> list[str]:
    return [f"{layout}-{at}" for at, (layout, *_) in enumerate(rows)]


def check_row(layout: str, row: dict[str, Any], expected: list[Pair]) -> None:
    """The row is of this layout, and is one conversation with these messages."""
    assert read_row(Plan((AUTO,)), row).layout.name == layout
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == expected
