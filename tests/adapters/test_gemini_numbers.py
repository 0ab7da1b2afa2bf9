"""Numbers in place of words, as Google's clients over REST send them and ask for them (`enum-encoding=int`).

The shapes are those of cassettes of opentelemetry-python-contrib (opentelemetry-instrumentation-vertexai).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript, convert, read
from ocml_bridge.report.policy import LENIENT

PARAMETERS: dict[str, Any] = {
    "type": 6,
    "properties": {
        "place": {"type": 1, "description": "A city"},
        "days": {"type": 5, "items": {"type": 3}},
        "exact": {"type": 4, "nullable": True},
    },
    "required": ["place"],
}
NAMED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "description": "A city"},
        "days": {"type": "array", "items": {"type": "integer"}},
        "exact": {"type": ["boolean", "null"]},
    },
    "required": ["place"],
}


def request(parameters: dict[str, Any]) -> dict[str, Any]:
    function = {"name": "f", "description": "Weather", "parameters": parameters}
    return {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [function]}],
    }


def test_types_of_parameters_are_written_as_words_elsewhere() -> None:
    source = request(PARAMETERS)
    output: Any = convert(source, source="gemini", target="openai", policy=LENIENT).output
    assert output["tools"][0]["function"]["parameters"] == NAMED
    same = convert(source, source="gemini", target="gemini").output
    assert json.dumps(same) == json.dumps(source)


@pytest.mark.parametrize("kind", [0, 7, -1, True, "object"])
def test_other_types_stay_as_they_are(kind: Any) -> None:
    source = request({"type": kind, "properties": {"a": {"type": 1}}})
    assert json.dumps(convert(source, source="gemini", target="gemini").output) == json.dumps(source)


@pytest.mark.parametrize(("outcome", "failed"), [(1, None), (2, True), (3, True), ("OUTCOME_OK", None)])
def test_an_outcome_of_code_may_be_a_number(outcome: Any, failed: bool | None) -> None:
    parts = [
        {"executableCode": {"language": 1, "code": "1"}},
        {"codeExecutionResult": {"outcome": outcome, "output": "1"}},
    ]
    response = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": 1}]}
    transcript = read(response, "gemini").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[1].failed is failed
    assert convert(response, source="gemini", target="gemini").output == response
