"""Spans of prompts and of lines to train on, by every profile."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ocml_bridge import Options, formats
from ocml_bridge.profiles import Profile, profile, profiles_of
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.spans import SpanKind
from ocml_bridge.testing.spans import tiles

TOOL = {"type": "function", "function": {"name": "f", "description": "Looks.", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
REASONING = [
    {"role": "user", "content": "Is it warm?"},
    {"role": "assistant", "reasoning": "I look.", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Rain."},
    {"role": "assistant", "reasoning": "So no.", "content": "No."},
]
PLAIN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello.", "weight": 0},
    {"role": "user", "content": "And <|im_end|> now?"},
    {"role": "assistant", "content": "Bye."},
]
REQUESTS: list[dict[str, Any]] = [{"messages": PLAIN}, {"messages": REASONING, "tools": [TOOL]}]
PROFILES = [each for name in formats() if adapter(name)[0].frame_marks for each in profiles_of(adapter(name)[0])]
LINE = Options(training=True)
REWRITES = {"hermes", "nemotron-3", "nemotron-3-ultra", "hyperclova-x", "qwq", "qwen3.5-small", "bielik-3", "minicpm5"}
"""Once there is an answer, their templates write what was its prompt otherwise: the last reply, an empty thought, the
frame of a thought that was asked for, the begin of a thought that they leave out, a thought instead of an empty one."""


def named(model: Profile) -> str:
    return f"{model.adapter.id}-{model.name}"


@pytest.mark.parametrize("model", PROFILES, ids=named)
def test_spans_cover_the_whole_prompt_and_do_not_change_it(model: Profile) -> None:
    for request in REQUESTS:
        for options in (LINE, Options()):
            prompt = model.prompt(request, options=options, policy=LENIENT, spans=True)
            tiles(prompt)
            without = model.prompt(request, options=options, policy=LENIENT)
            assert (prompt.data, prompt.losses) == (without.data, without.losses)


@pytest.mark.parametrize("model", PROFILES, ids=named)
def test_text_after_the_prompt_is_sampled(model: Profile) -> None:
    """The last answer is sampled from the end of its prompt; an empty thought belongs to the prompt,
    and the line break of a header."""
    efforts = [{**REQUESTS[0], "reasoning_effort": effort} for effort in ("none", "high")]
    for request in REQUESTS + efforts:
        line = model.prompt(request, options=LINE, policy=LENIENT, spans=True)
        prompt = model.prompt({**request, "messages": request["messages"][:-1]}, policy=LENIENT, spans=True)
        text: Any = line.output
        asked: Any = prompt.output
        if text[: len(asked)] != asked:
            assert model.name in REWRITES
            continue
        first = next(span for span in line.spans or () if span.sampled and span.start >= len(asked))
        turn = next(span.start for span in prompt.spans or () if span.kind is SpanKind.OPEN_TURN)
        assert not any(span.sampled for span in line.spans or () if turn <= span.start < len(asked))
        between = text[len(asked) : first.start]
        assert not between or re.fullmatch(r"(<think>)?\s*</think>\s*|\n", str(between))


@pytest.mark.parametrize(("effort", "first"), [(None, "/think\n"), ("high", "So no.")])
def test_text_that_the_effort_adds_to_a_prompt_is_not_sampled(effort: str | None, first: str) -> None:
    """HyperCLOVA X decides whether it thinks, in the header, unless the request does."""
    asked: dict[str, Any] = {} if effort is None else {"reasoning_effort": effort}
    line = profile("hyperclova-x").prompt({"messages": REASONING, **asked}, options=LINE, policy=LENIENT, spans=True)
    text = str(line.output)
    thought = text.rindex("/think")
    begun = next(span.start for span in line.spans or () if span.sampled and span.start >= thought)
    assert text[begun:].startswith(first)


@pytest.mark.parametrize("model", PROFILES, ids=named)
def test_spans_of_answers_have_their_contents_and_weights(model: Profile) -> None:
    line = model.prompt(REQUESTS[0], options=LINE, policy=LENIENT, spans=True)
    output: Any = line.output
    bodies = {span.path: span for span in line.spans or () if span.kind is SpanKind.BODY}
    first, last = bodies["/messages/2/content"], bodies["/messages/4/content"]
    assert (first.sampled, first.weight, last.sampled, last.weight) == (True, 0, True, 1)
    assert not any(bodies[f"/messages/{index}/content"].sampled for index in (0, 1, 3))
    if isinstance(output, str):
        assert (output[first.start : first.end], output[last.start : last.end]) == ("Hello.", "Bye.")


@pytest.mark.parametrize("model", PROFILES, ids=named)
def test_no_span_of_a_prompt_is_sampled(model: Profile) -> None:
    prompt = model.prompt({"messages": PLAIN[:2]}, policy=LENIENT, spans=True)
    assert [span.kind for span in prompt.spans or ()][-1] is SpanKind.OPEN_TURN
    assert not any(span.sampled for span in prompt.spans or ())
