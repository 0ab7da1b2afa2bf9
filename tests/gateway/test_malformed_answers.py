"""Malformed answers that were reported, through the gateway: what a client gets that declares its tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gateway.conftest import Bench, answering
from harmony_answers import chunks_of, client_sees, declaring, fits, recorded
from harmony_judge import library
from ocml_adapters.harmony.vocabulary import load_encoding


@pytest.fixture(scope="module", params=["harmony", "harmony-tokens"])
def spoken(request: pytest.FixtureRequest) -> Iterator[tuple[str, Bench]]:
    """The format of the upstream, and the gateway in front of it."""
    library()
    for bench in answering(format=request.param, profile="gpt-oss", reasoning="reasoning"):
        yield request.param, bench


def pieces_of(text: str, form: str) -> list[Any]:
    """What the engine writes, a few tokens at a time."""
    if form == "harmony":
        return chunks_of(text, 5)
    ids = load_encoding().encode(text, allowed_special="all")
    return [ids[at : at + 3] for at in range(0, len(ids), 3)]


def ask(client: httpx.Client, bench: Bench, pieces: list[Any], case: dict[str, Any], *, stream: bool) -> httpx.Response:
    body = {**declaring(*case.get("tools", ())), "model": bench.play(pieces), "stream": stream}
    response = client.post(f"{bench.url}/chat/completions", json=body)
    assert response.status_code == 200, case["id"]
    return response


def whole(response: httpx.Response) -> dict[str, Any]:
    """What a client sees of an answer that comes at once."""
    choice = response.json()["choices"][0]
    message = choice["message"]
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return {
        "reasoning": message.get("reasoning") or "",
        "content": message.get("content") or "",
        "tool_calls": [{"name": call["name"], "arguments": call["arguments"]} for call in calls],
        "finish_reason": choice["finish_reason"],
    }


def test_a_client_gets_what_it_should(spoken: tuple[str, Bench]) -> None:
    form, bench = spoken
    with httpx.Client() as client:
        for case in recorded():
            pieces = pieces_of(case["text"], form)
            streamed = client_sees(ask(client, bench, pieces, case, stream=True).content)
            assert fits(streamed, case["wanted"]), case["id"]
            assert fits(whole(ask(client, bench, pieces, case, stream=False)), case["wanted"]), case["id"]


def test_an_answer_goes_on_with_the_last_message(spoken: tuple[str, Bench]) -> None:
    form, bench = spoken
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "The capital"}]
    body: dict[str, Any] = {"messages": messages, "continue_final_message": True, "add_generation_prompt": False}
    model = bench.play(pieces_of(" is Oslo.", form))
    answer = httpx.post(f"{bench.url}/chat/completions", json={**body, "model": model}).json()
    assert answer["choices"][0]["message"]["content"] == " is Oslo."
    prompt = bench.upstream.asked[-1]["prompt"]
    text = prompt if isinstance(prompt, str) else load_encoding().decode(prompt)
    assert text.endswith("<|start|>assistant<|channel|>final<|message|>The capital")
