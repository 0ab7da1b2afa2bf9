"""What led to a call is remembered under that call's id, whatever else an encoder has no place for."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ocml_bridge import encoder
from ocml_bridge.events import Answer, Delta, Encoder, End, Event, Start
from ocml_bridge.hosts.gateway.answers.answer import Choice
from ocml_bridge.hosts.gateway.answers.recorder import Recorder
from ocml_bridge.hosts.gateway.answers.stopping import StopStrings
from ocml_bridge.hosts.gateway.answers.turn_memory import Hidden
from ocml_bridge.profiles import profile
from ocml_bridge.stream.completions import Piece

BUILT_IN = (
    "<|channel|>analysis<|message|>Add.<|end|><|start|>assistant<|channel|>analysis to=python code<|message|>1+1<|end|>"
)
FUNCTION = (
    "<|start|>assistant<|channel|>analysis<|message|>Ask.<|end|>"
    "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>"
)


class WithoutBuiltIns:
    """An encoder of an API that knows functions alone, and numbers those."""

    def __init__(self, inner: Encoder) -> None:
        self._inner = inner
        self.losses = inner.losses

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        return self._inner.encode(
            [event for event in events if not (isinstance(event, Start | Delta | End) and event.number == 1)]
        )

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        return self._inner.finish(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        return self._inner.fail(code, message)


@pytest.mark.parametrize("stream", ["openai-sse", "anthropic-sse", "openai-responses-sse"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_call_that_is_left_out_takes_no_reasoning_from_another(stream: str, whole: bool) -> None:
    kept: dict[str, tuple[Hidden, ...]] = {}

    def keep(hidden: tuple[Hidden, ...]) -> str:
        kept[f"call_{len(kept)}"] = hidden
        return f"call_{len(kept) - 1}"

    recorder = Recorder(keep, preambles=False)
    target = encoder(stream, answer=Answer("a", "m", call_id=recorder.call_id))
    choice = Choice(profile("gpt-oss").answering(), WithoutBuiltIns(target), StopStrings(()), recorder)
    text = BUILT_IN + FUNCTION
    for piece in [text] if whole else list(text):
        choice.feed(Piece(0, piece))
    choice.finish("stop")
    assert [[each.text for each in hidden] for hidden in kept.values()] == [["Ask."]]


@pytest.mark.parametrize("stream", ["openai-sse", "anthropic-sse", "openai-responses-sse"])
def test_each_of_several_calls_has_its_own(stream: str) -> None:
    kept: list[tuple[Hidden, ...]] = []

    def keep(hidden: tuple[Hidden, ...]) -> str:
        kept.append(hidden)
        return f"call_{len(kept)}"

    recorder = Recorder(keep, preambles=False)
    target = encoder(stream, answer=Answer("a", "m", call_id=recorder.call_id))
    choice = Choice(profile("gpt-oss").answering(), target, StopStrings(()), recorder)
    choice.feed(Piece(0, BUILT_IN + FUNCTION))
    choice.finish("stop")
    assert [[each.text for each in hidden] for hidden in kept] == [["Add."], ["Ask."]]
