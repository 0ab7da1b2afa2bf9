"""Guides for ChatML models: the answers that a request allows, as each family writes them, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gateway import gbnf
from ocml_bridge import write
from ocml_bridge.formats.guidance import Guide
from ocml_bridge.hosts.gateway.upstreams.drivers.gbnf import grammar
from ocml_bridge.hosts.gateway.upstreams.drivers.structural import structural_tag
from ocml_bridge.model import Message, Transcript
from ocml_bridge.options import Options
from ocml_bridge.profiles import Profile, profile
from ocml_bridge.report.policy import LENIENT

TRIP: Any = {
    "type": "object",
    "properties": {
        "city": {"enum": ["Paris", "Rome"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 3},
        "note": {"type": "string"},
        "to": {"type": "array", "items": {"type": "string"}},
        "by": {"type": ["boolean", "null"]},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}
BOOK: Any = {"type": "function", "function": {"name": "book", "parameters": TRIP}}
PING: Any = {"type": "function", "function": {"name": "ping"}}
SCHEMA: Any = {"type": "json_schema", "json_schema": {"name": "trip", "schema": TRIP}}
CALLERS = (
    "qwen2.5",
    "qwen3",
    "hermes",
    "qwen3-coder",
    "qwen3.5",
    "qwen3.8",
    "nemotron-3",
    "step-3.5",
    "lfm2",
    "lfm2.5",
    "olmo-3",
    "hyperclova-x",
)
OPENERS = ("<tool_call>", "<|tool_call_start|>", "<function_calls>", " -> tool/function_call")
"""What a call, or a list of calls, begins with."""
GOOD = '{"city": "Paris", "days": 2}'
FULL = '{"city": "Rome", "days": 1, "note": "is <b> x", "to": ["a", "b"], "by": null}'
BAD = '{"city": "Atlantis", "days": 2}'


def guide_of(model: Profile, *, strict: bool = False, **asked: Any) -> Guide | None:
    prompt = model.prompt({"messages": [{"role": "user", "content": "Hi"}], **asked})
    return model.guide(prompt, strict=strict)


def allowed(model: Profile, answer: str, *, strict: bool = False, **asked: Any) -> bool:
    """Whether the guide allows an answer; and that both engines can be given the guide."""
    guide = guide_of(model, strict=strict, **asked)
    assert guide is not None
    assert structural_tag(guide)
    return gbnf.allows(grammar(guide), answer)


def written(model: Profile, *calls: str, thought: str = "") -> str:
    """An answer with calls, as the model's own template spells it behind the prompt."""
    prompt = model.prompt({"messages": [{"role": "user", "content": "Hi"}], "tools": [BOOK, PING]})
    document = prompt.written.document
    assert isinstance(document, Transcript)
    messages = [Message("assistant", thought, channel="analysis", end="end")] if thought else []
    messages += [_call(arguments) for arguments in calls]
    for message in messages[1:]:
        message.continues = True
    whole = replace(document, messages=(*document.messages, *messages), open_turn=None)
    dialect = Options(dialect=model.dialect)
    text = str(write(whole, "chatml", options=dialect, policy=LENIENT).output)
    begun = str(prompt.output)
    answer = text.removeprefix(begun.removesuffix("<think>\n"))
    assert answer != text
    if begun.endswith("<think>\n"):
        answer = answer.removeprefix("<think>\n")
    return answer.rstrip("\n").removesuffix("<|stop|>").removesuffix("<|im_end|>")


def _call(arguments: str) -> Message:
    to = "functions.book"
    return Message("assistant", arguments, channel="commentary", recipient=to, constraint="json", end="call")


def thought_of(name: str) -> str:
    """What a model that is made to think thinks."""
    return "hm" if name in {"qwen3.5", "qwen3.8", "nemotron-3", "step-3.5"} else ""


@pytest.mark.parametrize("name", CALLERS)
def test_a_required_call_is_spelled_as_the_model_spells_it_and_follows_its_schema(name: str) -> None:
    model, thought = profile(name), thought_of(name)
    asked: Any = {"tools": [BOOK, PING], "tool_choice": "required"}
    good, full, bad = (written(model, each, thought=thought) for each in (GOOD, FULL, BAD))
    assert allowed(model, good, **asked)
    assert allowed(model, full, **asked)
    assert not allowed(model, bad, **asked)
    assert not allowed(model, good.replace("book", "cook"), **asked)
    assert not allowed(model, "It is dry.", **asked)
    assert allowed(model, written(model, GOOD, FULL, thought=thought), **asked)
    assert not allowed(model, written(model, GOOD, FULL, thought=thought), parallel_tool_calls=False, **asked)


@pytest.mark.parametrize("name", CALLERS)
def test_what_a_guide_allows_is_read_as_the_call_that_it_is(name: str) -> None:
    model = profile(name)
    request: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": [BOOK, PING]}
    decoder = model.answering(request)
    decoder.feed(written(model, FULL, thought=thought_of(name)))
    stop: Any = decoder.finish("stop")[-1]
    call = stop.document.messages[-1]
    assert call.recipient == "functions.book"
    assert call.content == FULL


@pytest.mark.parametrize("name", CALLERS)
def test_a_named_call_is_the_only_one(name: str) -> None:
    model = profile(name)
    asked: Any = {"tools": [BOOK, PING], "tool_choice": {"type": "function", "function": {"name": "ping"}}}
    assert not allowed(model, written(model, GOOD, thought=thought_of(name)), **asked)


@pytest.mark.parametrize("name", CALLERS)
def test_a_strict_tool_may_be_called_in_a_text_and_only_by_its_schema(name: str) -> None:
    model = profile(name)
    thought = thought_of(name)
    calls, asked = written(model, GOOD, thought=thought), {"tools": [BOOK]}
    before = calls[: min(calls.index(opener) for opener in OPENERS if opener in calls)]
    behind = calls.removeprefix(before)
    assert allowed(model, f"{before}It < that. {behind}", strict=True, **asked)
    assert allowed(model, f"{before}It is dry.", strict=True, **asked)
    bad = written(model, BAD, thought=thought).removeprefix(before)
    assert not allowed(model, f"{before}It is. {bad}", strict=True, **asked)


@pytest.mark.parametrize("name", CALLERS)
def test_no_call_where_none_may_be_made(name: str) -> None:
    model = profile(name)
    asked: Any = {"tools": [BOOK], "tool_choice": "none"}
    assert not allowed(model, written(model, GOOD, thought=thought_of(name)), **asked)


@pytest.mark.parametrize("name", [*CALLERS, "chatml"])
def test_an_answer_follows_a_schema(name: str) -> None:
    model = profile(name)
    before = "hm\n</think>\n\n" if thought_of(name) else ""
    if name in ("nemotron-3", "step-3.5"):
        before = "hm\n</think>\n"
    if name == "hyperclova-x":
        before = "\n"
    assert allowed(model, before + GOOD, response_format=SCHEMA)
    assert not allowed(model, before + BAD, response_format=SCHEMA)
    assert not allowed(model, before + "Paris, for two days.", response_format=SCHEMA)


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss"])
def test_an_answer_may_be_any_object_where_json_is_asked_for(name: str) -> None:
    model = profile(name)
    before = "<|channel|>final<|message|>" if name == "gpt-oss" else "<think>\na</think>\n\n"
    for answer in (GOOD, BAD, "{}"):
        assert allowed(model, before + answer, response_format={"type": "json_object"})
    for answer in ("Paris.", "[1]"):
        assert not allowed(model, before + answer, response_format={"type": "json_object"})


def test_a_model_that_need_not_think_may() -> None:
    for answer in (GOOD, f"<think>\nParis?\n</think>\n\n{GOOD}"):
        assert allowed(profile("qwen3"), answer, response_format=SCHEMA)
    assert not allowed(profile("qwen3"), f"<think>\n{GOOD}", response_format=SCHEMA)
    assert not allowed(
        profile("qwen3"), f"<think>\na</think>\n\n{GOOD}", response_format=SCHEMA, reasoning_effort="none"
    )


def test_hyperclova_x_may_think_in_a_frame_of_its_own_where_the_prompt_leaves_it_open() -> None:
    model = profile("hyperclova-x")
    thought = "\nParis?<|im_end|>\n<|im_start|>assistant"
    for answer in (f"\n{GOOD}", f"/think{thought}\n{GOOD}"):
        assert allowed(model, answer, response_format=SCHEMA)
    assert not allowed(model, f"/think\n{GOOD}", response_format=SCHEMA)
    assert allowed(model, f"{thought[1:]}\n{GOOD}", response_format=SCHEMA, reasoning_effort="high")
    assert guide_of(model, response_format=SCHEMA, reasoning_effort="none") is None, "nothing of the header is left"


def test_there_is_no_guide_where_the_request_leaves_the_model_free() -> None:
    assert guide_of(profile("qwen3"), tools=[BOOK]) is None
    assert guide_of(profile("qwen3")) is None
    assert guide_of(profile("chatml"), tools=[BOOK], tool_choice="required") is None, "it has no way to call"


def test_there_is_no_guide_for_the_continuation_of_a_message() -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "It is "}]
    for name in ("gpt-oss", "qwen3"):
        model = profile(name)
        prompt = model.prompt({"messages": messages, "response_format": SCHEMA})
        document = prompt.written.document
        assert isinstance(document, Transcript)
        if document.open_turn is None:
            assert model.guide(prompt) is None


def test_gpt_oss_calls_nothing_where_it_must_not() -> None:
    model = profile("gpt-oss")
    asked: Any = {"tools": [BOOK], "tool_choice": "none"}
    assert allowed(model, "<|channel|>final<|message|>It is dry.", **asked)
    call = "<|channel|>commentary to=functions.book <|constrain|>json<|message|>"
    assert not allowed(model, f"{call}{GOOD}", **asked)
    assert guide_of(model, tools=[BOOK], parallel_tool_calls=False) is None, "it calls once a turn anyway"


def test_there_is_no_guide_for_a_template_without_calls() -> None:
    assert guide_of(profile("chatml")) is None
    assert guide_of(profile("chatml"), tools=[PING], tool_choice="required") is None
