"""Streams of the ChatML family: work and memory grow no faster than what comes, however small its chunks are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from counting import calls_of, peak_of
from ocml_bridge.events import Event
from ocml_bridge.pipe import decoder, encoder
from sampling import sweep
from test_growth import ALLOWED, TIMES

pytestmark = pytest.mark.usefixtures("settled_heap")

SHAPES: dict[str, Callable[[int], str]] = {
    "many messages": lambda count: "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n" * count,
    "one long text": lambda count: "<|im_start|>assistant\n" + "and < so [ on\n" * count,
    "tokens that are broken": lambda count: "<|im_start|>assistant\n" + "<\u200b|im_end|>" * count,
    "one long header": lambda count: "<|im_start|>assistant" + " a=b" * count + "\nHi<|im_end|>",
    "much between": lambda count: "<|im_start|>user\nHi<|im_end|>" + " text" * count + "<|im_start|>assistant\nYo",
    "one long call": lambda count: (
        '<|im_start|>assistant\n<|action_start|><|plugin|>\n{"name": "f", "parameters": "'
        + "a < b " * count
        + '"}<|action_end|><|im_end|>'
    ),
    "many calls": lambda count: (
        "<|im_start|>assistant\n"
        + 'Now.<|action_start|><|plugin|>\n{"name": "f", "parameters": {}}<|action_end|>' * count
        + "<|im_end|>"
    ),
    "calls that are none": lambda count: (
        "<|im_start|>assistant\n" + "<|action_start|><|plugin|>{<|action_end|>" * count
    ),
    "a doubtful call": lambda count: "<|im_start|>assistant\n<|action_start|>" + " " * count + "a",
    "space behind the end": lambda count: "<|im_start|>assistant\nHi<|endoftext|>" + " \n" * count,
    "ends that are none": lambda count: "<|im_start|>assistant\n" + "Hi<|endoftext|> " * count + "!",
    "blank text": lambda count: "<|im_start|>assistant\n" + " \n" * count,
}


def fed(text: str, stream: str) -> list[Event]:
    made = decoder(stream)
    return [event for at in range(0, len(text), 3) for event in made.feed(text[at : at + 3])] + made.finish("stop")


def encoded(events: list[Event], stream: str) -> None:
    made = encoder(stream)
    for event in events:
        made.encode([event])


@pytest.mark.sweep
@pytest.mark.parametrize(("stream", "shape"), sweep(product(["chatml", "internlm2"], SHAPES), 5))
def test_work_grows_with_the_input(stream: str, shape: str) -> None:
    small, large = SHAPES[shape](100), SHAPES[shape](100 * TIMES)
    one, other = fed(small, stream), fed(large, stream)
    encoded(one, stream)  # patterns are compiled once
    assert calls_of(lambda: fed(large, stream)) <= calls_of(lambda: fed(small, stream)) * ALLOWED
    assert peak_of(lambda: fed(large, stream)) <= peak_of(lambda: fed(small, stream)) * ALLOWED
    assert calls_of(lambda: encoded(other, stream)) <= calls_of(lambda: encoded(one, stream)) * ALLOWED
    assert peak_of(lambda: encoded(other, stream)) <= peak_of(lambda: encoded(one, stream)) * ALLOWED
