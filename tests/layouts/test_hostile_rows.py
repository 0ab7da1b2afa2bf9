"""Rows that were made to take long: each is read or refused in time that grows with its size."""

from __future__ import annotations

from contextlib import suppress
from time import process_time
from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row

MANY = 40_000
SECONDS = 3.0
"""Of the processor's time: most take milliseconds, and what is not linear takes longer than that."""


def said(text: str) -> dict[str, Any]:
    """A chat of Open WebUI in which the assistant says a text."""
    return {"chat": {"messages": [{"role": "assistant", "content": text}]}}


ROWS: dict[str, dict[str, Any]] = {
    "folded parts that do not end": said("<details><summary></summary>" * MANY),
    "a tag that does not end": said("<details" + " " * MANY + "x"),
    "turns of MOSS that do not end": {"plain_text": "[Human]: a<eoh> " + "[MOSS]: " * MANY},
    "parentheses that do not end": {"chat": {"turn_1": {"Human": "a", "Commands": "f(" * MANY}}},
    "many commands": {"chat": {"turn_1": {"Human": "a", "Commands": ",".join(["f()"] * (MANY // 20))}}},
    "many tokens that end turns": {
        "text": "<|start_header_id|>user<|end_header_id|>" + ("<|eot_id|>" + " " * 9) * (MANY // 4) + "x"
    },
    "spaces before a turn": {"text": " " * MANY + "x<start_of_turn>"},
    "spaces in a turn": {"text": "<start_of_turn>user\n" + " " * MANY + "x"},
    "calls that are not closed": {"text": "<｜User｜>a<｜Assistant｜>" + "<tool_call>" * MANY},
    "tools behind spaces": {"text": "<|user|>" + " " * MANY + "<tools>" * MANY},
    "instructions that are not closed": {"text": "[INST] a " * MANY},
    "results between spaces": {"text": "<｜User｜>a" + "<｜tool▁output▁begin｜>" + " " * MANY + "x"},
    "messages in a chain": {
        "messages": [
            {"messageId": str(at), "parentMessageId": str(at - 1), "isCreatedByUser": True, "text": "a"}
            for at in range(MANY // 20)
        ]
    },
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_takes_time_that_grows_with_its_size(name: str) -> None:
    begun = process_time()
    with suppress(BridgeError):
        read_row(Plan((AUTO,)), ROWS[name])
    assert process_time() - begun < SECONDS
