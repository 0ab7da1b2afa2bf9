"""Calls arrive with the names that a client declared."""

from __future__ import annotations

import json
import re

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


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_of_messages_is_called_by_a_name_that_its_own_api_would_not_take(
    private: Bench, *, stream: bool
) -> None:
    answer = calls_to("weather.get")
    body = {
        "model": private.play(chunks_of(answer, 3) if stream else answer),
        "max_tokens": 99,
        "stream": stream,
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"name": "weather.get", "input_schema": {"type": "object"}}],
    }
    response = httpx.post(f"{private.url}/messages", json=body)
    assert response.status_code == 200
    assert re.findall(r'"name": ?"([^"]*)"', response.text) == ["weather.get"]
