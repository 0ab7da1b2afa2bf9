"""Calls as programs write them, with arguments that are objects and without ids, are written by plans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ocml_bridge import formats
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.units.conversation import Conversation
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples

pytestmark = pytest.mark.usefixtures("all_plans_learned")

MEETINGS: Final = 3
TIMES: Final = MEETINGS + 3
"""The number of conversions after which plans write all similar conversations."""
ARGUMENTS: Final[tuple[Any, ...]] = (
    *({"city": "Rome"}, {}, {"a": 1.0, "b": [1e22, -0.0]}, {"a": {"b": None}}, {"ü": "<|end|>"}, {"a": 2**70}),
    *('{"a": 1}', '{"a":1}', "", [1], None),
)
"""Values of `arguments`: mostly an object, which Chat Completions requires as a text."""
IDS: Final = ("c", "d", "call_1", "call_2", "call_3", "call_1_2", "call_9", "a b", None, "")
"""Ids of calls and replies; None if there is none. Writers generate `call_1` and so on for calls without an id."""


@pytest.fixture(autouse=True, scope="module")
def plans_are_learned_soon() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ocml_bridge.engine.plans.conversations.MEETINGS", MEETINGS)
        yield


class Call(NamedTuple):
    """A call and its reply: the arguments, the id of the call, and the id that the reply names."""

    arguments: Any
    id: str | None
    reply_id: str | None


def request(calls: list[Call]) -> bytes:
    """A request in which an assistant makes some calls at once, and all are answered."""
    made = [
        {**_with("id", call.id), "type": "function", "function": {"name": "look_up", "arguments": call.arguments}}
        for call in calls
    ]
    replies = [{"role": "tool", **_with("tool_call_id", call.reply_id), "content": "It is."} for call in calls]
    question, answer = {"role": "user", "content": "Well?"}, {"role": "assistant", "content": "Both."}
    turns = [question, {"role": "assistant", "content": None, "tool_calls": made}, *replies, answer]
    return json.dumps({"messages": turns}).encode()


def _with(key: str, value: str | None) -> dict[str, str]:
    return {} if value is None else {key: value}


def drawn() -> SearchStrategy[list[Call]]:
    ids = st.sampled_from(IDS)
    return st.lists(st.builds(Call, st.sampled_from(ARGUMENTS), ids, ids), min_size=2, max_size=2)


def is_filled(data: bytes, target: str) -> bool:
    """Return whether a request is written by the plan of an output."""
    of = adapter("openai")[0]
    read = reader_for(of, PLANNED).read(decode(data, of.kind, Log()), Log())
    assert isinstance(read, Conversation)
    return isinstance(writer_for(adapter(target)[0], PLANNED).fill(read), Filled)


def meet(data: bytes, target: str) -> None:
    for _ in range(TIMES):
        outcome(data, "openai", target, PLANNED)


@examples(60)
@given(drawn(), drawn(), st.sampled_from(formats()))
def test_calls_are_written_the_same_as_without_plans(before: list[Call], calls: list[Call], target: str) -> None:
    meet(request(before), target)
    alike = [call._replace(arguments=each.arguments) for call, each in zip(before, calls, strict=True)]
    for data in map(request, (calls, alike)):
        assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@pytest.mark.parametrize("target", ["harmony", "openai", "anthropic", "gemini", "openai-responses"])
def test_arguments_that_are_objects_are_written_by_plans(target: str) -> None:
    meet(request([Call({"city": "Rome"}, "c", "c")]), target)
    data = request([Call({"town": ["Bonn", 1]}, "d", "d")])
    assert is_filled(data, target)
    assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse"])
@pytest.mark.parametrize("first", ['{"city":"Rome"}', '{"city": "Rome"}'])
def test_arguments_that_are_respelled_are_not_written_by_the_plan_of_those_that_are_not(
    target: str, first: str
) -> None:
    more = [Call("{}", "d", "d")] * (" " in first)  # both spellings have the same plan otherwise
    meet(request([Call(first, "c", "c"), *more]), target)
    assert is_filled(request([Call(first.replace("Rome", "Bonn"), "c", "c"), *more]), target)
    for other in ('{"city":"Bonn"}', '{"city": "Bonn"}', '{ "city":"Bonn"}', '{"a":1,"a":2}', '["Bonn"]', "Bonn", ""):
        data = request([Call(other, "c", "c"), *more])
        assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@pytest.mark.parametrize("first", ['{"city":"Rome"}', '{"city": "Rome"}', '{"output":"Rome"}', "Rome"])
def test_replies_of_gemini_are_written_by_plans_of_their_kind(first: str) -> None:
    """An object is written as the response, unless it would be read as a text in one."""

    def answered(reply: str) -> bytes:
        document = json.loads(request([Call("{}", "c", "c")]))
        document["messages"][2]["content"] = reply
        return json.dumps(document).encode()

    meet(answered(first), "gemini")
    for other in ('{"city":"Bonn"}', '{"city": "Bonn"}', '{"output":"Bonn"}', '{"output": "Bonn"}', "Bonn", "[1]"):
        data = answered(other)
        assert outcome(data, "openai", "gemini", PLANNED) == outcome(data, "openai", "gemini", PLAIN)


@pytest.mark.parametrize("target", ["harmony", "openai", "anthropic", "ocm-2.2-json"])
def test_replies_without_an_id_are_written_by_plans_unless_a_generated_id_is_taken(target: str) -> None:
    """Ollama's calls have no id; the replies in many datasets have none either."""
    calls = [Call("{}", "c", None), Call("{}", None, None)]
    meet(request(calls), target)
    assert is_filled(request([calls[0]._replace(id="d"), calls[1]]), target)
    data = request([calls[0]._replace(id="call_1"), calls[1]])
    assert not is_filled(data, target)
    assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


def test_a_long_text_in_an_unknown_member_is_written_by_a_plan() -> None:
    """Agents store their thoughts in unknown members; Chat Completions writes them back."""

    def noted(thought: str) -> bytes:
        turns = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": "Yes.", "thought": thought}]
        return json.dumps({"messages": turns}).encode()

    meet(noted("I think so. " * 9), "openai")
    data = noted("Perhaps I do not know. " * 9)
    assert is_filled(data, "openai")
    assert outcome(data, "openai", "openai", PLANNED) == outcome(data, "openai", "openai", PLAIN)
