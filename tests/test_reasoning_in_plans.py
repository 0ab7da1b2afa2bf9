"""Reasoning, signatures, refusals and long texts of unknown members do not prevent plans; the output is the same."""

from __future__ import annotations

from typing import Any, Final, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import convert, formats
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.engine.reading import Reader
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.testing.texts import read_by
from ocml_bridge.units.conversation import Conversation
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples

pytestmark = pytest.mark.usefixtures("all_plans_learned")

TIMES: Final = 6
"""The number of conversions after which plans write all similar conversations."""
LONG: Final = "c2lnbmF0dXJl" * 20
CLAUDE: Final = "anthropic-claude-v1"


def text(number: int, *, signed: bool = True) -> dict[str, Any]:
    item = {"type": "reasoning.text", "text": f"Thought {number}.", "format": CLAUDE, "index": 0}
    return {**item, "signature": f"{LONG}{number}"} if signed else item


def summary(number: int) -> dict[str, Any]:
    return {"type": "reasoning.summary", "summary": f"Summary {number}.", "format": "openai-responses-v1"}


def sealed(number: int) -> dict[str, Any]:
    return {
        "type": "reasoning.encrypted",
        "data": f"{LONG}{number}",
        "id": f"rs_{number}",
        "format": "openai-responses-v1",
    }


def block(number: int) -> dict[str, Any]:
    return {"type": "thinking", "thinking": f"Thought {number}.", "signature": f"{LONG}{number}"}


def members(kind: str, number: int) -> dict[str, Any]:
    """The members for reasoning that servers and proxies send, with different texts for each number."""
    one, other, joined = f"Thought {number}.", f"Thought {number + 1}.", f"Thought {number}.\n\nThought {number + 1}."
    part = {"type": "thinking", "thinking": [{"type": "text", "text": one}]}
    kinds: dict[str, dict[str, Any]] = {
        "a list": {"reasoning_details": [text(number)]},
        "a list and the same text": {"reasoning": one, "reasoning_details": [text(number)]},
        "the same text and a list": {"reasoning_details": [text(number, signed=False)], "reasoning_content": one},
        "a list and another text": {"reasoning": other, "reasoning_details": [text(number)]},
        "a list of two and their texts": {"reasoning": joined, "reasoning_details": [text(number), text(number + 1)]},
        "a list and the same text twice": {
            "reasoning_content": one,
            "reasoning": one,
            "reasoning_details": [text(number)],
        },
        "the same text twice": {"reasoning": one, "reasoning_content": one},
        "two texts": {"reasoning": one, "reasoning_content": other},
        "a text, and null": {"reasoning": None, "reasoning_content": one},
        "a summary and what it is of": {
            "reasoning": f"Summary {number}.",
            "reasoning_details": [summary(number), sealed(number)],
        },
        "what is sealed alone": {"reasoning_details": [sealed(number)]},
        "a signature beside": {"reasoning": one, "reasoning_details": [{**text(number), "text": ""}]},
        "blocks": {"reasoning_content": one, "thinking_blocks": [block(number)]},
        "both lists": {"thinking_blocks": [block(number)], "reasoning_details": [text(number)]},
        "no list": {"reasoning_details": number, "thinking_blocks": "none"},
        "an unknown item": {
            "reasoning": one,
            "reasoning_details": [{"type": "reasoning.other", "text": one, "x": number}],
        },
        "a thinking part": {"content": [part, {"type": "text", "text": "Yes."}], "reasoning_details": [text(number)]},
        "a member of Google's": {
            "extra_content": {"google": {"thought": True, "thought_signature": f"{LONG}{number}"}},
        },
        "a refusal": {"content": None, "refusal": "I cannot help."},
        "a refusal beside a text": {"refusal": "I cannot help."},
        "other members": {
            "agent_state": {"log": [f"{LONG}{number}", "str", ["str"]], "turn": 1},
            "note": f"{LONG}{number}",
        },
    }
    return kinds[kind]


KINDS: Final = (
    *("a list", "a list and the same text", "the same text and a list", "a list and another text"),
    *("a list of two and their texts", "a summary and what it is of", "what is sealed alone", "a signature beside"),
    *("blocks", "both lists", "no list", "an unknown item", "a thinking part", "a member of Google's", "other members"),
    *("the same text twice", "two texts", "a text, and null", "a list and the same text twice"),
    *("a refusal", "a refusal beside a text"),
)
PLANS: Final = (
    *("a list", "a list and the same text", "the same text and a list", "a list of two and their texts"),
    *("a summary and what it is of", "a signature beside", "blocks", "a member of Google's", "other members"),
    *("the same text twice", "a text, and null", "a list and the same text twice"),
    *("a refusal", "a refusal beside a text"),
)
"""Kinds that are read by plans."""
CALL: Final = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def request(kind: str, number: int, *, calls: bool = False) -> bytes:
    """A request with an answer that has reasoning, and a tool's result."""
    answer: dict[str, Any] = {"role": "assistant", "content": f"Answer {number}.", **members(kind, number)}
    call = {**CALL, "extra_content": {"google": {"thought_signature": f"{LONG}{number}"}}}
    replies = [{"role": "tool", "tool_call_id": "c1", "content": "4"}] if calls else []
    turns = [{**answer, "tool_calls": [call]} if calls else answer, *replies]
    return orjson.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}, *turns]})


@examples(80)
@given(st.sampled_from(KINDS), st.sampled_from(KINDS), st.sampled_from(formats()), st.booleans(), st.integers(0, 9))
def test_any_reasoning_is_written_as_without_plans(one: str, other: str, target: str, calls: bool, number: int) -> None:
    for kind in (one, other):
        for own in range(TIMES):
            data = request(kind, 100 * number + own, calls=calls)
            assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@given(st.sampled_from(KINDS), st.data())
def test_a_text_that_equals_another_is_read_as_its_repetition(kind: str, data: st.DataObject) -> None:
    """The shape of a list does not show whether it repeats a text, so a plan of others does not decide it."""
    for number in range(TIMES):
        outcome(request(kind, number), "openai", "anthropic", PLANNED)
    document = orjson.loads(request(kind, 50))
    answer = document["messages"][1]
    texts = [answer["content"], *(value for value in answer.values() if isinstance(value, str))]
    for key in ("reasoning", "reasoning_content"):
        if key in answer:
            answer[key] = data.draw(st.sampled_from([*texts, "", "Thought 50.\n\nThought 51."]))
    lists: list[Any] = [answer.get("reasoning_details"), answer.get("thinking_blocks")]
    for item in [each for listed in lists if isinstance(listed, list) for each in cast("list[Any]", listed)]:
        for key in ("text", "summary", "thinking"):
            if key in item:
                item[key] = data.draw(st.sampled_from([*texts, "", None]))
    changed = orjson.dumps(document)
    assert outcome(changed, "openai", "anthropic", PLANNED) == outcome(changed, "openai", "anthropic", PLAIN)


@pytest.mark.parametrize("kind", PLANS)
def test_other_reasoning_is_read_by_the_same_plan(kind: str) -> None:
    reader, _ = adapter("openai")
    requests = [request(kind, number) for number in range(TIMES)]
    for data in requests:
        convert(data, source="openai", target="ocm-2.2-json", options=PLANNED)
    read = reader_for(reader, PLANNED).read(decode(requests[-1], reader.kind, Log()), Log())
    assert isinstance(read, Conversation)
    assert read.plan is not None


REPEATED: Final = [kind for kind in PLANS if "text" in kind and "of two" not in kind and "refusal" not in kind]
"""Kinds in which each text stands once, or is repeated whole."""


@pytest.mark.parametrize("kind", REPEATED)
def test_a_text_that_repeats_reasoning_is_not_parsed(kind: str) -> None:
    """Unless the repetition differs: a plan of texts does not join two, nor take one for the other."""
    reader = Reader(adapter("openai")[0].reads_units(PLANNED), plans=True)
    for number in range(TIMES):
        read_by(reader, request(kind, number))
    data = request(kind, TIMES)
    assert read_by(reader, data)[1]
    for at in range(data.count(b"Thought 6.")):
        pieces = data.split(b"Thought 6.")
        other = b"Thought 6.".join(pieces[: at + 1]) + b"Thought 7." + b"Thought 6.".join(pieces[at + 1 :])
        without = Reader(adapter("openai")[0].reads_units(PLANNED), plans=False)
        assert read_by(reader, other)[0] == read_by(without, other)[0]


@pytest.mark.parametrize("target", ["anthropic", "bedrock-converse"])
@pytest.mark.parametrize("calls", [False, True])
def test_other_signatures_are_written_by_the_same_plan(target: str, *, calls: bool) -> None:
    reader, writer = adapter("openai")[0], adapter(target)[0]
    requests = [request("a list", number, calls=calls) for number in range(TIMES)]
    for data in requests:
        assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)
    read = reader_for(reader, PLANNED).read(decode(requests[-1], reader.kind, Log()), Log())
    assert isinstance(read, Conversation)
    made = writer_for(writer, PLANNED).fill(read)
    assert isinstance(made, Filled)
    assert f"{LONG}{TIMES - 1}" in repr(made.output)


# --- items of the Responses API ---------------------------------------------------------------------------------------


def items(number: int, *summaries: str) -> bytes:
    """A request with an item of reasoning that has several summaries, and an answer."""
    reasoning = {
        "id": f"rs_{number}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": summary} for summary in summaries],
        "encrypted_content": f"{LONG}{number}",
    }
    answer = {"role": "assistant", "content": f"Answer {number}."}
    return orjson.dumps({"model": "m", "input": [{"role": "user", "content": f"Hi {number}"}, reasoning, answer]})


def program(number: int) -> bytes:
    """A request in which a program of the server calls a function."""
    caller = {"type": "program", "caller_id": "call_p"}
    called = [
        {"type": "program", "id": f"cm_{number}", "call_id": "call_p", "code": f"f({number})", "fingerprint": LONG},
        {"type": "function_call", "call_id": f"c{number}", "name": "f", "arguments": f"[{number}]", "caller": caller},
        {"type": "function_call_output", "call_id": f"c{number}", "output": f"{number}", "caller": caller},
    ]
    return orjson.dumps({"model": "m", "input": [{"role": "user", "content": f"Hi {number}"}, *called]})


def written_after(requests: list[bytes], target: str) -> object:
    """What is written for the last of several requests, after the others."""
    reader, writer = adapter("openai-responses")[0], adapter(target)[0]
    for data in requests:
        assert outcome(data, "openai-responses", target, PLANNED) == outcome(data, "openai-responses", target, PLAIN)
    read = reader_for(reader, PLANNED).read(decode(requests[-1], reader.kind, Log()), Log())
    assert isinstance(read, Conversation)
    return writer_for(writer, PLANNED).fill(read)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_several_summaries_of_one_answer_are_written_by_a_plan(count: int) -> None:
    requests = [items(number, *(f"Summary {number}.{at}" for at in range(count))) for number in range(TIMES)]
    made = written_after(requests, "openai")
    assert isinstance(made, Filled)
    answer = made.output["messages"][1]
    texts = [f"Summary {TIMES - 1}.{at}" for at in range(count)]
    assert answer["reasoning"] == "\n\n".join(texts)
    assert [each["summary"] for each in answer["reasoning_details"] if "summary" in each] == texts


@examples(40)
@given(
    st.lists(st.sampled_from(["", "a", "b", "a\n\nb", "\n\n", "Probe0001Text", '{"a": 1}']), max_size=3),
    st.sampled_from(formats()),
)
def test_any_summaries_are_written_as_without_plans(summaries: list[str], target: str) -> None:
    for number in range(TIMES):
        given_before = items(number, *(f"Summary {number}.{at}" for at in range(len(summaries))))
        for data in (given_before, items(number, *summaries)):
            assert outcome(data, "openai-responses", target, PLANNED) == outcome(
                data, "openai-responses", target, PLAIN
            )


def test_calls_of_a_program_are_written_by_a_plan() -> None:
    assert isinstance(written_after([program(number) for number in range(TIMES)], "openai"), Filled)
