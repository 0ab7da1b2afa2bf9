"""Reasoning that led to a call is private, and still there when the reply comes, whatever clients do with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet

from gateway.conftest import Bench, gateway_with
from gateway.test_openai_client import TOOLS, USER, call, final, joined, thought, tokens
from ocml_bridge.events import Answer
from ocml_bridge.hosts.gateway.answers.recorder import Recorder
from ocml_bridge.hosts.gateway.answers.sealed_ids import LONGEST, SealedIds
from ocml_bridge.hosts.gateway.answers.turn_memory import Hidden, TurnMemory
from ocml_bridge.hosts.gateway.service import TurnMemorySettings
from ocml_bridge.pipe import decoder, encoder

PREAMBLE = "<|channel|>commentary<|message|>I look it up.<|end|>"
SECRET = "SECRET-CoT."


def answered(bench: Bench, text: str, messages: Any = USER, *, stream: bool, key: str = "alice") -> dict[str, Any]:
    """The assistant's message as a client keeps it: nothing in it but what clients of Chat Completions know."""
    client = bench.client.with_options(api_key=key)
    model = "m"
    bench.upstream.scripts[model] = replace(bench.upstream.scripts[bench.play(tokens(text))])
    if stream:
        with client.chat.completions.stream(model=model, messages=messages, tools=TOOLS) as chunks:
            message = chunks.get_final_completion().choices[0].message
    else:
        message = client.chat.completions.create(model=model, messages=messages, tools=TOOLS).choices[0].message
    assert SECRET not in message.to_json()
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in message.tool_calls or ()
        if call.type == "function"
    ]
    return {"role": "assistant", "content": message.content} | ({"tool_calls": calls} if calls else {})


def replied(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation with the replies to all calls of a message."""
    return [
        *USER,
        message,
        *({"role": "tool", "tool_call_id": call["id"], "content": "dry"} for call in message["tool_calls"]),
    ]


def prompt_of(bench: Bench, messages: list[dict[str, Any]], key: str = "alice") -> str:
    """What the model is prompted with."""
    answered(bench, final("Dry."), messages, stream=False, key=key)
    return bench.upstream.asked[-1]["prompt"]


ONE = joined(thought(SECRET), call("f", '{"x":1}'))
PARALLEL = joined(thought(SECRET), call("f", '{"x":1}'), call("g", "{}"))
WITH_PREAMBLE = joined(thought(SECRET), PREAMBLE, call("f", '{"x":1}'))


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("text", [ONE, PARALLEL, WITH_PREAMBLE])
def test_the_prompt_is_as_if_the_client_had_sent_the_reasoning(private: Bench, text: str, stream: bool) -> None:
    message = answered(private, text, stream=stream)
    prompt = prompt_of(private, replied(message))
    assert prompt.count(SECRET) == 1
    assert prompt == prompt_of(private, replied(message | {"reasoning": SECRET}))


def test_reasoning_between_calls_comes_back_between_them(private: Bench) -> None:
    """No client of Chat Completions has a place for it there: the prompt is what the model wrote."""
    text = joined(thought(SECRET), PREAMBLE, thought("Both."), call("f", '{"x":1}'), thought("And g."), call("g", "{}"))
    prompt = prompt_of(private, replied(answered(private, text, stream=True)))
    places = [
        prompt.index(each) for each in (SECRET, "I look it up.", "Both.", "to=functions.f", "And g.", "to=functions.g")
    ]
    assert places == sorted(places)


def test_the_reasoning_that_a_client_sends_has_priority(private: Bench) -> None:
    message = answered(private, ONE, stream=False)
    prompt = prompt_of(private, replied(message | {"reasoning": "Mine."}))
    assert "Mine." in prompt
    assert SECRET not in prompt


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_a_thought_without_a_text_is_no_reasoning(private: Bench, key: str) -> None:
    message = answered(private, WITH_PREAMBLE, stream=False)
    assert prompt_of(private, replied(message | {key: ""})) == prompt_of(private, replied(message))


def test_an_item_of_reasoning_without_a_text_is_no_reasoning(private: Bench) -> None:
    """langchain-openai sends items of a stream back without their content (`output_version="responses/v1"`)."""
    message = answered(private, WITH_PREAMBLE, stream=False)
    prompt = prompt_of(private, replied(message))
    [call] = message["tool_calls"]
    items: list[Any] = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "role": "assistant", "content": message["content"]},
        {"type": "function_call", "call_id": call["id"], **call["function"]},
        {"type": "function_call_output", "call_id": call["id"], "output": "dry"},
    ]
    tools: Any = [{"type": "function", **tool["function"]} for tool in TOOLS]
    client: Any = private.client.with_options(api_key="alice")
    client.responses.create(model="m", input=[*USER, *items], tools=tools)
    assert private.upstream.asked[-1]["prompt"] == prompt


def test_an_answered_turn_needs_it_no_more(private: Bench) -> None:
    message = answered(private, ONE, stream=False)
    asked_again = [*replied(message), {"role": "assistant", "content": "Dry."}, {"role": "user", "content": "Sure?"}]
    assert SECRET not in prompt_of(private, asked_again)
    body = {"model": private.play(final("x")), "messages": asked_again}
    assert "thought" not in httpx.post(f"{private.url}/chat/completions", json=body).headers.get("x-ocml-losses", "")


def test_another_client_does_not_get_it(private: Bench) -> None:
    message = answered(private, ONE, stream=False, key="alice")
    assert SECRET not in prompt_of(private, replied(message), key="mallory")
    assert SECRET in prompt_of(private, replied(message), key="alice")


def test_it_can_be_turned_off() -> None:
    with gateway_with(profile="gpt-oss", turn_memory=None) as bench:
        assert SECRET not in prompt_of(bench, replied(answered(bench, ONE, stream=False)))


@pytest.mark.parametrize("profile", ["qwen3", "qwen3.5"])
def test_models_that_think_in_tags(profile: str) -> None:
    weather: Any = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}
    tools = [{"type": "function", "function": weather}]
    body = {
        "qwen3": '{"name": "f", "arguments": {"x": 1}}',
        "qwen3.5": "<function=f>\n<parameter=x>\n1\n</parameter>\n</function>",
    }
    begun = {"qwen3": "<think>\n", "qwen3.5": ""}[profile]
    text = f"{begun}{SECRET}\n</think>\n\n<tool_call>\n{body[profile]}\n</tool_call><|im_end|>"
    with gateway_with(format="chatml", profile=profile) as bench:
        model = bench.play([text])
        client: Any = bench.client
        chunks = client.chat.completions.create(model=model, messages=USER, tools=tools, stream=True)
        ids = [call.id for chunk in chunks for call in chunk.choices[0].delta.tool_calls or () if call.id]
        function = {"name": "f", "arguments": '{"x":1}'}
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": ids[0], "type": "function", "function": function}],
        }
        prompts: list[str] = []
        for one in (message, message | {"reasoning": SECRET}):
            asked = {"model": model, "messages": replied(one), "tools": tools}
            headers = {"authorization": "Bearer key-of-the-client"}
            assert httpx.post(f"{bench.url}/chat/completions", json=asked, headers=headers).status_code == 200
            prompts.append(bench.upstream.asked[-1]["prompt"])
        assert SECRET in prompts[0]
        assert prompts[0] == prompts[1]


def test_processes_with_one_key_are_one() -> None:
    """The reply may come to another process than the call was made by."""
    sealed = TurnMemorySettings(keys=(Fernet.generate_key().decode(),))
    with (
        gateway_with(profile="gpt-oss", turn_memory=sealed) as one,
        gateway_with(profile="gpt-oss", turn_memory=sealed) as other,
    ):
        for stream in (True, False):
            message = answered(one, PARALLEL, stream=stream)
            prompt = prompt_of(other, replied(message))
            assert prompt == prompt_of(other, replied(message | {"reasoning": SECRET}))
            assert SECRET in prompt


# --- the memory itself ------------------------------------------------------------------------------------------------


def hidden(text: str) -> tuple[Hidden, ...]:
    return (Hidden(text, is_preamble=False, opens=False),)


def test_it_is_bounded_in_calls_in_characters_and_in_age() -> None:
    memory, now = TurnMemory(entries=3, size=100, age=10), [0.0]
    own = memory.of("alice", "m", lambda: now[0])
    ids = [own.keep(hidden("x" * 10)) for _ in range(5)]
    assert [bool(own.recall(each)) for each in ids] == [False, False, True, True, True]
    large = own.keep(hidden("x" * 95))
    assert (memory.entries, memory.size) == (1, 95)
    assert own.recall(own.keep(hidden("x" * 101))) == ()
    now[0] = 9.9
    assert own.recall(large)
    now[0] = 10.0
    assert not own.recall(large)
    own.keep(hidden("y"))
    assert (memory.entries, memory.size) == (1, 1)


def test_calls_that_nothing_hidden_led_to_take_no_room() -> None:
    memory = TurnMemory(entries=3, size=100, age=10)
    assert memory.of("alice", "m", lambda: 0.0).keep(()).startswith("call_")
    assert memory.entries == 0


def test_a_sealed_id_is_readable_by_every_process_that_has_the_key() -> None:
    first, second = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    clock: Callable[[], float] = lambda: 1_000.0  # noqa: E731
    made = TurnMemory(3, 10_000, 60, SealedIds([first], 60))
    call_id = made.of("alice", "m", clock).keep(hidden(SECRET))
    assert SECRET not in call_id
    assert set(call_id) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert made.entries == 0
    other = TurnMemory(3, 10_000, 60, SealedIds([second, first], 60))  # the key is being changed
    assert other.of("alice", "m", clock).recall(call_id) == hidden(SECRET)
    assert not other.of("mallory", "m", clock).recall(call_id)
    assert not other.of("alice", "another", clock).recall(call_id)
    assert not other.of("alice", "m", lambda: 1_061.0).recall(call_id)
    assert not TurnMemory(3, 10_000, 60, SealedIds([second], 60)).of("alice", "m", clock).recall(call_id)
    for at in range(0, len(call_id), 7):
        changed = call_id[:at] + ("A" if call_id[at] != "A" else "B") + call_id[at + 1 :]
        assert not other.of("alice", "m", clock).recall(changed)


def test_reasoning_too_long_for_an_id_is_remembered() -> None:
    memory = TurnMemory(3, 1_000_000, 60, SealedIds([Fernet.generate_key().decode()], 60))
    own = memory.of("alice", "m", lambda: 0.0)
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 20_000)))
    call_id = own.keep(hidden(text))
    assert len(call_id) < LONGEST
    assert own.recall(call_id) == hidden(text)


def test_the_reasoning_before_a_call_is_found_by_its_position() -> None:
    kept: list[tuple[Hidden, ...]] = []

    def keep(seen: tuple[Hidden, ...]) -> str:
        kept.append(seen)
        return f"id{len(kept)}"

    for preambles in (False, True):
        recorder = Recorder(keep, preambles=preambles)
        target = encoder("openai-sse", answer=Answer(call_id=recorder.call_id))
        source = decoder("harmony", prefix="<|start|>assistant")
        for piece in tokens(
            joined(thought("one"), PREAMBLE, thought("two"), call("f", "{}"), thought("three"), call("g", "{}"))
        ):
            events = source.feed(piece)
            recorder.take(events)
            recorder.encode(target, events)
    shown, unseen = kept[:2], kept[2:]
    assert shown[0] == (Hidden("one", is_preamble=False, opens=True), Hidden("two", is_preamble=False, opens=False))
    assert [(each.text, each.is_preamble) for each in unseen[0]] == [
        ("one", False),
        ("I look it up.", True),
        ("two", False),
    ]
    assert shown[1] == unseen[1] == hidden("three")
