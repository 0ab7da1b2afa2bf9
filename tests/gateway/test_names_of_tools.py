"""Calls arrive with the names that a client declared."""

from __future__ import annotations

import json

import httpx
import pytest

from gateway.conftest import Bench
from harmony_answers import chunks_of
from test_declared_names import ANSWERS, calls_to, request


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("stream", [False, True])
def test_the_gateway_calls_the_tool_by_its_declared_name(private: Bench, name: str, *, stream: bool) -> None:
    answer = calls_to(ANSWERS[name])
    body = {"model": private.play(chunks_of(answer, 3) if stream else answer), "stream": stream, **request(name)}
    response = httpx.post(f"{private.url}/chat/completions", json=body)
    assert response.status_code == 200
    if stream:
        lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: {")]
        deltas = [choice["delta"] for line in lines for choice in json.loads(line).get("choices", ())]
        names = [call["function"].get("name") for delta in deltas for call in delta.get("tool_calls", ())]
        assert [each for each in names if each] == [name]
    else:
        (call,) = response.json()["choices"][0]["message"]["tool_calls"]
        assert call["function"] == {"name": name, "arguments": '{"code":"1"}'}
