"""Malformed answers through the gateway: what is hidden never reaches a client, whole or streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gateway.conftest import Bench, answering
from harmony_answers import SECRET, chunks_of, client_sees, private_answers, recorded

USER: Any = [{"role": "user", "content": "Hi"}]


def whole(bench: Bench, text: str) -> dict[str, Any]:
    """The message that a client gets at once."""
    body = {"model": bench.play(text), "messages": USER}
    response = httpx.post(f"{bench.url}/chat/completions", json=body)
    assert response.status_code == 200, text
    assert SECRET not in response.text, text
    return response.json()["choices"][0]["message"]


def streamed(bench: Bench, text: str, size: int) -> dict[str, Any]:
    """What a client puts together of a stream."""
    body = {"model": bench.play(chunks_of(text, size)), "messages": USER, "stream": True}
    response = httpx.post(f"{bench.url}/chat/completions", json=body)
    assert SECRET not in response.text, text
    return client_sees(response.content)


def test_a_client_gets_the_answer_and_nothing_that_is_hidden(private: Bench) -> None:
    for text in private_answers()[::9]:
        assert whole(private, text)["content"] == "Four.", text


@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_nor_does_a_client_of_a_stream(private: Bench, size: int) -> None:
    for text in private_answers()[size % 31 :: 31]:
        assert streamed(private, text, size)["content"] == "Four.", text


def test_reported_answers_show_what_they_should(private: Bench) -> None:
    for case in recorded():
        for message in (whole(private, case["text"]), streamed(private, case["text"], 3)):
            assert not message.get("reasoning"), case["id"]
            if case["wanted"]:
                assert (message["content"] or "") == case["wanted"]["content"], case["id"]


def test_reasoning_of_any_channel_is_apart_from_the_answer_where_it_is_allowed(opened: Bench) -> None:
    text = (
        "<|channel|>thoughts<|message|>Two and two.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>"
    )
    body = {"model": opened.play(text), "messages": USER}
    message = httpx.post(f"{opened.url}/chat/completions", json=body).json()["choices"][0]["message"]
    assert (message["reasoning"], message["content"]) == ("Two and two.", "Four.")


def likely_answer(*tokens: str) -> bytes:
    """A whole answer of a completions server, with probabilities."""
    tops = [{token: -0.5} for token in tokens]
    likely = {"tokens": tokens, "token_logprobs": [-0.5] * len(tokens), "top_logprobs": tops}
    choices = [{"index": at, "text": "".join(tokens), "finish_reason": "stop", "logprobs": likely} for at in range(2)]
    return json.dumps({"choices": choices}).encode()


@pytest.fixture(scope="module")
def thinking() -> Iterator[Bench]:
    """A model that begins its thoughts itself."""
    yield from answering(profile="qwen3")


@pytest.mark.parametrize("more", [{}, {"logprobs": True}])
def test_a_whole_answer_has_no_thought_whose_start_tag_is_missing(thinking: Bench, more: dict[str, Any]) -> None:
    data = likely_answer("A ", SECRET, "\n</think>\n\n", "Hello", ".")
    body = {"model": thinking.play("", body=data), "messages": USER, "n": 2, **more}
    response = httpx.post(f"{thinking.url}/chat/completions", json=body)
    assert [choice["message"]["content"] for choice in response.json()["choices"]] == ["Hello.", "Hello."]
    assert SECRET not in response.text


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (["Yes"], ["Yes"]),
        (["Hello", " ", "Bob"], ["Hello", " ", "Bob"]),
        (["a", " <", "|", " b"], ["a", " <", "|", " b"]),
        (["<", "b", ">"], ["<", "b", ">"]),
        (["a <", "b", "> c <|", "x"], ["a <", "b", "> c <|", "x"]),
        (["<think>", "\n", SECRET, "\n", "</think>", "\n\n", "Hello", "."], ["Hello", "."]),
        ([SECRET, "\n</think>", "\n\n", "Hello", "."], ["Hello", "."]),
        (["Hi", ".", "\n", "<tool_call>", '\n{"name": "f", "arguments": {}}\n', "</tool_call>"], ["Hi", "."]),
        (["Hi", "<|im_end|>"], ["Hi"]),
        (["a", " <", "<|im_end|>"], ["a", " <"]),
    ],
)
def test_probabilities_are_those_of_the_visible_text(thinking: Bench, tokens: list[str], shown: list[str]) -> None:
    body = {"model": thinking.play("", body=likely_answer(*tokens)), "messages": USER, "logprobs": True, "n": 2}
    choice = httpx.post(f"{thinking.url}/chat/completions", json=body).json()["choices"][0]
    assert [token["token"] for token in choice["logprobs"]["content"]] == shown
    assert "".join(shown) == choice["message"]["content"]
