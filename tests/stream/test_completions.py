"""What a completions server sends: the text of each choice is extracted, and read as the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import BridgeError, Transcript
from ocml_bridge.events import Stop
from ocml_bridge.pipe import decoder
from ocml_bridge.stream.completions import Chunk, CompletionsDecoder, CompletionsReader, Piece, read_chunk

PROMPT = "<|start|>assistant"


def event(*choices: dict[str, Any], **more: Any) -> bytes:
    return b"data: " + json.dumps({"choices": list(choices), **more}, ensure_ascii=False).encode() + b"\n\n"


def text(content: str, reason: str | None = None, index: int = 0) -> dict[str, Any]:
    return {"index": index, "text": content, "finish_reason": reason}


DONE = b"data: [DONE]\n\n"
ANSWER = (
    event(text("<|channel|>final<|mess"))
    + b": ping\n\n"
    + event(text("age|>Grü"))
    + event(text("ße 👋", ""))
    + event(text("", "length"), usage={"completion_tokens": 4})
    + DONE
)


def answer_of(data: bytes, size: int) -> tuple[str, Stop]:
    reads = CompletionsDecoder(decoder("harmony", prefix=PROMPT))
    events = [found for at in range(0, len(data), size) for found in reads.feed(data[at : at + size])]
    stop = (events + reads.finish())[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    return "".join(str(message.content) for message in stop.document.messages), stop


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_an_answer_however_it_is_cut(size: int) -> None:
    """An empty reason, which some servers send meanwhile, is no end."""
    content, stop = answer_of(ANSWER, size)
    assert (content, stop.reason) == ("Grüße 👋", "length")


def test_the_numbers_of_tokens_are_known_behind_the_answer() -> None:
    reads = CompletionsDecoder(decoder("harmony", prefix=PROMPT))
    reads.feed(ANSWER)
    assert reads.usage == {"completion_tokens": 4}


def test_an_answer_without_an_end_is_cut_off() -> None:
    assert answer_of(event(text("<|channel|>final<|message|>Hel")), 5)[1].reason == "truncated"


def test_token_ids_go_to_a_decoder_of_ids() -> None:
    from ocml_adapters.harmony.syntax import IDS
    from ocml_adapters.harmony.tokens import encode

    ids = encode("<|channel|>final<|message|>Hi <|end|>", tuple(IDS)[:-1])
    reads = CompletionsDecoder(decoder("harmony-tokens", prefix=encode(PROMPT, tuple(IDS))))
    events = [found for number in ids for found in reads.feed(event({"index": 0, "text": "x", "token_ids": [number]}))]
    stop = (events + reads.feed(event(text("", "stop"))) + reads.finish())[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert [message.content for message in stop.document.messages] == ["Hi "]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"data: {\n\n", "OCB-JSON"),
        (b"data: 5\n\n", "OCB-SHAPE"),
        (b'data: {"object":"list"}\n\n', "OCB-SHAPE"),
        (b'data: {"error":{"message":"out of memory"}}\n\n', "E-STREAM-TRUNCATED"),
        (b'data: {"object":"error","message":"out of memory","code":500}\n\n', "E-STREAM-TRUNCATED"),
        (event(text("x", index=1)), "OCB-SHAPE"),
    ],
)
def test_input_that_is_no_answer_is_refused(data: bytes, code: str) -> None:
    reads = CompletionsDecoder(decoder("harmony", prefix=PROMPT))
    with pytest.raises(BridgeError) as raised:
        reads.feed(data)
    assert raised.value.code == code


def test_text_before_invalid_input_is_returned() -> None:
    found = CompletionsReader().feed(event(text("a")) + b"data: {\n\n")
    assert next(found) == Chunk((Piece(text="a"),))
    with pytest.raises(BridgeError):
        next(found)


def test_nothing_is_read_behind_the_end() -> None:
    reader = CompletionsReader()
    assert list(reader.feed(DONE + event(text("late")))) == []
    assert reader.done
    assert list(reader.feed(event(text("late")))) == []


def test_a_body_that_is_not_streamed() -> None:
    body = json.dumps({"choices": [text("a", "stop"), text("b", "length", 1)], "usage": {"total_tokens": 2}})
    chunk = CompletionsReader().whole(body)
    assert [(piece.index, piece.text, piece.end) for piece in chunk.pieces] == [(0, "a", "stop"), (1, "b", "length")]
    assert chunk.usage == {"total_tokens": 2}


def test_probabilities_are_listed_by_token() -> None:
    logprobs = {"tokens": ["a", "b"], "token_logprobs": [-0.5, None], "top_logprobs": [{"a": -0.5, "c": -1}, None]}
    [piece] = read_chunk({"choices": [{"text": "ab", "logprobs": logprobs}]}).pieces
    assert [(token.token.text, token.token.logprob) for token in piece.sampled] == [("a", -0.5), ("b", 0.0)]
    assert [likely.text for likely in piece.sampled[0].top] == ["a", "c"]


def test_a_copy_goes_on_by_itself() -> None:
    one = CompletionsDecoder(decoder("harmony", prefix=PROMPT))
    one.feed(ANSWER[:60])
    other = one.copy()
    assert one.feed(ANSWER[60:]) + one.finish() == other.feed(ANSWER[60:]) + other.finish()
