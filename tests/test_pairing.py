"""Which call a reply answers: by its id, else by the tool's name, else in order; each call is answered once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Message, convert
from ocml_bridge.chat.turns import is_call
from ocml_bridge.model import replace
from ocml_bridge.units.arrange import arrangement_for, arrival_losses, misread, pairing_losses
from ocml_bridge.units.heads import item_of
from ocml_bridge.units.pairing import Pairing, pair, unnamed_replies
from ocml_bridge.units.repeats import repeats_in
from sampling import examples
from weights import mostly


def call(call_id: str | None = None, tool: str = "functions.f", *, continues: bool = False) -> Message:
    return Message("assistant", "{}", recipient=tool, call_id=call_id, end="call", continues=continues)


def reply(call_id: str | None = None, name: str | None = None) -> Message:
    return Message("tool", "4", name, recipient="assistant", call_id=call_id)


def text(role: str = "user", *, continues: bool = False) -> Message:
    return Message(role, "Hi.", continues=continues)


def one_by_one(messages: Sequence[Message]) -> dict[int, int]:
    """The pairs that the machine finds, which is asked after each message."""
    pairing = Pairing()
    found = {index: pairing.feed(index, message) for index, message in enumerate(messages)}
    return {index: answered for index, answered in found.items() if answered is not None}


# --- what pairs -------------------------------------------------------------------------------------------------------


def test_a_reply_answers_the_call_that_has_its_id() -> None:
    assert pair([text(), call("a"), call("b"), reply("b"), reply("a")]) == {3: 2, 4: 1}


def test_a_call_may_be_answered_turns_later() -> None:
    assert pair([call("a"), text(), call("b"), reply("b"), text("assistant"), reply("a")]) == {3: 2, 5: 0}


def test_a_repeated_id_is_that_of_a_call_in_the_latest_turn() -> None:
    assert pair([call("a"), text(), call("a"), reply("a"), reply("a"), reply("a")]) == {3: 2, 4: 0}


def test_an_unknown_id_answers_no_call_if_all_calls_are_answered() -> None:
    assert pair([call("a"), reply("b"), reply("a")]) == {2: 0}


def test_an_unknown_id_answers_the_only_open_call_of_the_turn() -> None:
    assert pair([call("a"), call("b"), reply("x"), reply("a")]) == {2: 1, 3: 0}
    assert pair([call("a"), text(), call("b"), reply("x")]) == {3: 2}


def test_an_unknown_id_answers_no_call_if_there_are_two_open_calls() -> None:
    assert pair([call("a"), call("b"), reply("x")]) == {}
    assert pair([call("a"), reply("x"), reply("y")]) == {}


def test_an_unknown_id_answers_no_call_of_another_tool() -> None:
    assert pair([call("a", "functions.f"), reply("x", "functions.g")]) == {}


def test_an_id_of_a_call_in_another_turn_answers_no_open_call() -> None:
    assert pair([call("a"), reply("a"), text(), call("b"), reply("a")]) == {1: 0}


def test_without_an_id_a_reply_answers_the_first_open_call_of_its_tool() -> None:
    calls = [call("a", "functions.f"), call("b", "functions.g"), call("c", "functions.g")]
    replies = [reply(name="functions.g"), reply(name="functions.g"), reply(name="functions.g")]
    assert pair([*calls, *replies]) == {3: 1, 4: 2}


def test_without_id_and_name_replies_answer_the_latest_turn_in_order() -> None:
    assert pair([call(), text(), call(), call(), reply(), reply(), reply()]) == {4: 2, 5: 3}


def test_replies_in_formats_without_names_get_the_names_of_the_calls_in_order() -> None:
    """Without names, replies are read in the order of the calls: if the first is missing, others get wrong names."""

    def misnamed(*messages: Message) -> list[int]:
        items = [item_of(message) for message in messages]
        return [*unnamed_replies(items, lambda message, _at, _log: message, lambda each: replace(each, name=None))]

    calls = [call(tool="functions.f"), call(tool="functions.g")]
    one, other = reply(name="functions.f"), reply(name="functions.g")
    assert misnamed(*calls, one, other) == []
    assert misnamed(*calls, other, one) == [2]


def test_text_inside_of_a_wire_message_does_not_separate_its_calls() -> None:
    inside, between = text("assistant", continues=True), text("assistant")
    assert pair([call(), inside, call(), reply(), reply()]) == {3: 0, 4: 2}
    assert pair([call(), between, call(), reply(), reply()]) == {3: 2}


def test_a_message_to_a_participant_is_not_a_call() -> None:
    assert pair([call("a", "user"), reply("a")]) == {}


def test_a_reply_must_not_answer_a_call_that_remains_when_another_is_written_as_text() -> None:
    document = [call("a"), call("b"), reply("x")]  # found by changing ids in a recorded request of Responses
    image = [document[0], replace(document[1], recipient=None), document[2]]
    assert pair(document) == {}
    assert misread(document, pair(document), image) == {2: 0}


def test_a_reply_must_not_seem_to_answer_a_call_that_is_written_as_text() -> None:
    document = [call("a"), call("b"), reply("b")]
    image = [replace(document[0], recipient=None), replace(document[1], call_id=None), replace(reply(), call_id=None)]
    assert misread(document, pair(document), image) == {2: 0}


# --- both ways --------------------------------------------------------------------------------------------------------

IDS = st.sampled_from((None, None, "", "", "a", "a", "b", "c"))
TOOLS = st.sampled_from(("functions.f", "functions.g", "user", ""))
NAMES = st.none() | TOOLS
ANYTHING = st.one_of(
    st.builds(call, IDS, TOOLS, continues=st.booleans()),
    st.builds(reply, IDS, NAMES),
    st.builds(text, st.sampled_from(("user", "assistant")), continues=st.booleans()),
)


@st.composite
def answered(draw: st.DrawFn) -> list[Message]:
    """Calls with different ids, answered in any order and mostly by id, sometimes with other messages between them."""
    ids = draw(st.lists(st.sampled_from(("", "a", "b", "c")), unique=True))
    calls = [call(call_id, draw(TOOLS.filter(bool))) for call_id in ids]
    replies = [
        reply(call_id or draw(st.sampled_from((None, ""))), draw(NAMES)) for call_id in draw(st.permutations(ids))
    ]
    messages = [*calls, *replies]
    for odd in draw(st.lists(ANYTHING, max_size=1)):
        messages.insert(draw(st.integers(0, len(messages))), odd)
    return messages


CONVERSATIONS = mostly(
    st.lists(answered(), max_size=3).map(lambda turns: [message for turn in turns for message in turn]),
    st.lists(ANYTHING, max_size=9),
    share=1,
)


@examples(1000)
@given(CONVERSATIONS)
def test_pairing_all_messages_equals_pairing_them_one_by_one(messages: list[Message]) -> None:
    """Replies with unknown ids are left out: which call is left for them depends on all messages."""
    ids = {message.call_id for message in messages if is_call(message)}
    known = {index: of for index, of in pair(messages).items() if messages[index].call_id in {None, *ids}}
    assert known == one_by_one(messages)


# --- the order that a format needs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [None, 0])
def test_the_turn_of_a_misread_reply_is_put_in_order(read: int | None) -> None:
    """Whether the reply is read as the answer to another call or to none, its own call is in the turn."""
    messages = [call(tool="functions.f"), call(tool="functions.g"), reply(), reply()]
    arrangement = arrangement_for(messages, {2: 1, 3: 0}, {2: read})
    assert arrangement is not None
    assert [*arrangement.order] == [0, 1, 3, 2]


def test_the_loss_of_a_reply_names_the_call_that_it_answers_in_the_target() -> None:
    losses = pairing_losses({3: 0, 1: None}, "harmony")
    assert [(loss.path, loss.detail) for loss in losses] == [
        ("/messages/1", "in harmony this reply answers no call"),
        ("/messages/3", "in harmony this reply answers the call at /messages/0"),
    ]


def test_the_loss_of_a_late_message_explains_why_it_moves() -> None:
    assert [(loss.path, loss.detail) for loss in arrival_losses([1, 0], "harmony")] == [
        ("/messages/0", "harmony has messages in the order in which they came; this message moves"),
        ("/messages/1", "harmony has messages in the order in which they came; this message moves"),
    ]


# --- several results for one call -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "again"),
    [
        ([call("a"), reply("a"), reply("a")], [2]),
        ([call("a"), reply("a"), reply("a"), reply("a")], [2, 3]),
        ([call(), reply(name="functions.f"), reply(name="functions.f")], [2]),
        ([call(), call(continues=True), reply(), reply()], []),
        ([call(), reply(name="functions.f"), reply(name="functions.g")], []),
        ([call("a"), reply("a"), text(), reply("a")], []),
        ([call("a"), reply("a"), reply("b")], []),
        ([reply("a"), reply("a")], []),
    ],
)
def test_a_result_directly_behind_another_one_for_the_same_call_repeats_it(
    messages: list[Message], again: list[int]
) -> None:
    assert repeats_in(list(map(item_of, messages))) == again


RESULTS: dict[str, Callable[[Any], list[Any]]] = {
    "openai": lambda document: [m["content"] for m in document["messages"] if m["role"] == "tool"],
    "openai-responses": lambda document: [i["output"] for i in document["input"] if "output" in i],
    "anthropic": lambda document: [b["content"] for m in document["messages"][1:2] for b in m["content"]],
    "bedrock-converse": lambda document: [
        b["toolResult"]["content"] for m in document["messages"][1:2] for b in m["content"]
    ],
}
"""The wires with one result for a call → the contents of the results in a document with one call at the beginning."""


@pytest.mark.parametrize("wire", RESULTS)
def test_several_results_of_code_are_one_result_of_another_api(wire: str) -> None:
    """Recorded by the AI SDK (google-code-execution-multiple-results.json)."""
    parts = [
        {"executableCode": {"language": "PYTHON", "code": "print('ok')\nprint(1/0)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "ok\n"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "division by zero\n"}},
        {"text": "It failed."},
    ]
    document = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    written = convert(document, source="gemini", target=wire)
    (content,) = RESULTS[wire](written.output)
    assert [part["text"] for part in content] == ["ok\n", "division by zero\n"]
    assert [loss.path for loss in written.losses if loss.code == "message"] == ["/messages/2"]
    assert convert(json.dumps(document), source="gemini", target="gemini").losses == ()


OWN: dict[str, Any] = {
    "openai": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        *({"role": "tool", "tool_call_id": "a", "content": text} for text in ("1", "2")),
    ],
    "openai-responses": [
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        *({"type": "function_call_output", "call_id": "a", "output": text} for text in ("1", "2")),
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": text} for text in ("1", "2")],
        },
    ],
    "bedrock-converse": [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]},
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": text}]}} for text in ("1", "2")],
        },
    ],
}


@pytest.mark.parametrize("wire", OWN)
def test_several_results_that_were_read_from_an_api_are_written_back(wire: str) -> None:
    back = convert(json.dumps(OWN[wire]), source=wire, target=wire)
    assert (json.dumps(back.output), back.losses) == (json.dumps(OWN[wire]), ())
