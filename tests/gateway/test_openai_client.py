"""What the official client gets from the gateway, over real sockets: streamed and whole, however the chunks are cut.

The judge is the batch conversion of the very text that the model wrote.
"""

from __future__ import annotations

import asyncio
import re
from itertools import product
from typing import Any

import pytest
from openai import APIError, AsyncOpenAI
from openai.types.chat import ChatCompletionMessage

from gateway.conftest import Bench
from ocml_bridge import convert
from sampling import sweep

PROMPT = "<|start|>assistant"
USER: Any = [{"role": "user", "content": "What is the weather in Paris and Rome?"}]
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {"x": {}}}}}
    for name in ("f", "g")
]
STRICT: Any = [{**tool, "function": {**tool["function"], "strict": True}} for tool in TOOLS]
"""The same tools for the helper of the asynchronous client, some versions of which refuse others."""


def joined(*messages: str) -> str:
    """Messages as the model writes them behind the generation prompt."""
    return PROMPT.join(messages)


def thought(text: str) -> str:
    return f"<|channel|>analysis<|message|>{text}<|end|>"


def final(text: str) -> str:
    return f"<|channel|>final<|message|>{text}<|return|>"


def call(name: str, arguments: str) -> str:
    return f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>"


ANSWERS = {
    "content": final("Grüße, 𝔘 and 👩‍👩‍👧.\n\nDone <b>."),
    "reasoning": joined(thought("Let me see: 1 < 2."), final("Yes.")),
    "a call": joined(thought("Call."), call("f", '{"x": "ü"}')),
    "parallel calls": joined(call("f", '{"x":1}'), call("f", '{"x":2}'), call("g", "{}")),
    "a preamble": joined(
        thought("Two steps."), "<|channel|>commentary<|message|>I look it up.<|end|>", call("f", '{"x":1}')
    ),
    "a refusal in plain words": final("I’m sorry, but I can’t help with that."),
    "the recipient in the role": ' to=functions.g<|channel|>commentary json<|message|>{"x": [1]}<|call|>',
    "a malformed header": "<|channel|>analysis code<|channel|>final<|message|>still an answer<|return|>",
    "a header without its end": "<|channel|>final still an answer<|return|>",
    "an end that is missing": joined("<|channel|>analysis<|message|>hm", final("Answer.")),
    "tokens in the text": final("Harmony has <|channel|> and <|start|>; see a < b <<|x|>."),
    "nothing": final(""),
}
CUTS = (0, 1, 2, 3, 7, 64, 100_000)


def batch(text: str, *, reasoning: bool) -> dict[str, Any]:
    """What the batch conversion makes of the text: the one assistant message."""
    output: Any = convert(PROMPT + text, source="harmony", target="openai").output
    messages = output["messages"]
    assert len(messages) == 1
    return comparable(messages[0], reasoning=reasoning)


def comparable(message: dict[str, Any], *, reasoning: bool) -> dict[str, Any]:
    """A message without ids, which are made up, and without empty members."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    members = {"content": message.get("content"), "reasoning": message.get("reasoning"), "calls": calls}
    return {key: value for key, value in members.items() if value and (reasoning or key != "reasoning")}


def of_client(message: ChatCompletionMessage) -> dict[str, Any]:
    dumped = message.model_dump()
    ids = [call["id"] for call in dumped.get("tool_calls") or ()]
    assert len(set(ids)) == len(ids)
    for call in dumped.get("tool_calls") or ():
        assert call["type"] == "function"
        call["function"] = {key: call["function"][key] for key in ("name", "arguments")}
    return comparable(dumped, reasoning=True)


def tokens(text: str) -> list[str]:
    """Text as an engine writes it: control tokens whole, the rest in pieces of three characters."""
    return re.findall(r"<\|\w+\|>|.{1,3}?(?=<\|)|.{1,3}", text, re.DOTALL)


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "cut"), sweep(product(ANSWERS, CUTS), 3))
def test_a_stream_is_assembled_to_what_batch_conversion_gives(opened: Bench, name: str, cut: int) -> None:
    text = ANSWERS[name]
    model = opened.play(tokens(text), cut=cut)
    with opened.client.chat.completions.stream(model=model, messages=USER, tools=TOOLS) as stream:
        for _ in stream:
            pass
        choice = stream.get_final_completion().choices[0]
    assert of_client(choice.message) == batch(text, reasoning=True)
    assert choice.finish_reason == ("tool_calls" if choice.message.tool_calls else "stop")


@pytest.mark.parametrize("name", ANSWERS)
def test_a_whole_answer_is_what_batch_conversion_gives(opened: Bench, name: str) -> None:
    text = ANSWERS[name]
    made = opened.client.chat.completions.create(model=opened.play(text), messages=USER, tools=TOOLS)
    assert of_client(made.choices[0].message) == batch(text, reasoning=True)
    assert made.choices[0].finish_reason == ("tool_calls" if made.choices[0].message.tool_calls else "stop")


@pytest.mark.parametrize("name", ANSWERS)
def test_reasoning_stays_private_by_default(private: Bench, name: str) -> None:
    text = ANSWERS[name]
    model = private.play(tokens(text))
    with private.client.chat.completions.stream(model=model, messages=USER, tools=TOOLS) as stream:
        streamed = stream.get_final_completion().choices[0].message
    whole = private.client.chat.completions.create(model=model, messages=USER, tools=TOOLS).choices[0].message
    assert of_client(streamed) == of_client(whole) == batch(text, reasoning=False)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_engine_that_takes_the_stop_token_away(opened: Bench, name: str) -> None:
    """Servers leave out the token that they stopped at; the reason shows that they stopped there."""
    text = ANSWERS[name]
    bare = text.removesuffix("<|return|>").removesuffix("<|call|>")
    with opened.client.chat.completions.stream(model=opened.play(tokens(bare)), messages=USER, tools=TOOLS) as stream:
        choice = stream.get_final_completion().choices[0]
    assert of_client(choice.message) == batch(text, reasoning=True)
    assert choice.finish_reason == ("tool_calls" if choice.message.tool_calls else "stop")


def test_the_async_client(opened: Bench) -> None:
    async def run() -> None:
        async with AsyncOpenAI(base_url=opened.url, api_key="k", max_retries=0) as client:
            for name, text in ANSWERS.items():
                model = opened.play(tokens(text), cut=5)
                content, reasoning = "", ""
                async for chunk in await client.chat.completions.create(model=model, messages=USER, stream=True):
                    delta = chunk.choices[0].delta
                    content += delta.content or ""
                    reasoning += (delta.model_extra or {}).get("reasoning") or ""
                expected = batch(text, reasoning=True)
                assert (content, reasoning) == (expected.get("content", ""), expected.get("reasoning", "")), name
                async with client.chat.completions.stream(model=model, messages=USER, tools=STRICT) as stream:
                    made = (await stream.get_final_completion()).choices[0].message
                assert of_client(made) == expected, name

    asyncio.run(run())


def test_each_token_arrives_at_once(opened: Bench) -> None:
    """Each token of the answer is a chunk of its own: nothing waits for the end."""
    words = ["one ", "two ", "three ", "four"]
    model = opened.play(["<|channel|>", "final", "<|message|>", *words, "<|return|>"])
    chunks = list(opened.client.chat.completions.create(model=model, messages=USER, stream=True))
    assert [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content] == words
    assert len({chunk.id for chunk in chunks}) == 1


# --- how answers end --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_length(opened: Bench, stream: bool) -> None:
    model = opened.play(tokens("<|channel|>final<|message|>And then"), reason="length")
    if stream:
        chunks = list(opened.client.chat.completions.create(model=model, messages=USER, stream=True))
        assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["length"]
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "And then"
    else:
        choice = opened.client.chat.completions.create(model=model, messages=USER).choices[0]
        assert (choice.finish_reason, choice.message.content) == ("length", "And then")


def test_length_inside_a_call(opened: Bench) -> None:
    """The arguments are left as they are, not repaired, and the reason stays the engine's."""
    text = call("f", '{"x": "half').removesuffix("<|call|>")
    model = opened.play(tokens(text), reason="length")
    choice = opened.client.chat.completions.create(model=model, messages=USER, tools=TOOLS).choices[0]
    assert choice.finish_reason == "length"
    assert choice.message.tool_calls
    assert choice.message.tool_calls[0].function.arguments == '{"x": "half'  # type: ignore[union-attr]
    *_, last = opened.client.chat.completions.create(model=model, messages=USER, tools=TOOLS, stream=True)
    assert last.choices[0].finish_reason == "length"


@pytest.mark.parametrize("hangs_up", [False, True])
@pytest.mark.parametrize("text", ["<|channel|>final<|message|>And th", "<|channel|>ana", "", ANSWERS["reasoning"][:40]])
def test_a_stream_that_breaks_off_is_an_error(opened: Bench, text: str, hangs_up: bool) -> None:
    """Never a silent `stop`: the official client raises, in the helper and without."""
    model = opened.play(tokens(text) or [""], reason=None, hangs_up=hangs_up)
    with pytest.raises(APIError) as raised:
        list(opened.client.chat.completions.create(model=model, messages=USER, stream=True))
    assert raised.value.code == "E-STREAM-TRUNCATED"
    assert ("connection to the upstream" in raised.value.message) == hangs_up
    with (
        pytest.raises(APIError),
        opened.client.chat.completions.stream(model=model, messages=USER) as stream,
    ):
        stream.until_done()


def test_a_whole_answer_that_is_cut_off_is_an_error(opened: Bench) -> None:
    model = opened.play("<|channel|>final<|message|>And th", reason=None)
    with pytest.raises(APIError) as raised:
        opened.client.chat.completions.create(model=model, messages=USER)
    assert raised.value.code == "E-STREAM-TRUNCATED"


def test_usage(opened: Bench) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    model = opened.play(ANSWERS["content"], usage=usage)
    whole = opened.client.chat.completions.create(model=model, messages=USER)
    assert whole.usage
    assert whole.usage.total_tokens == 10
    asked: Any = {"include_usage": True}
    *_, last = opened.client.chat.completions.create(model=model, messages=USER, stream=True, stream_options=asked)
    assert last.usage
    assert (last.choices, last.usage.completion_tokens) == ([], 3)
    chunks = list(opened.client.chat.completions.create(model=model, messages=USER, stream=True))
    assert all(chunk.usage is None for chunk in chunks)


@pytest.mark.parametrize("stream", [True, False])
def test_several_answers(opened: Bench, stream: bool) -> None:
    text = ANSWERS["a call"]
    model = opened.play(tokens(text), choices=3, cut=11)
    if stream:
        with opened.client.chat.completions.stream(model=model, messages=USER, tools=TOOLS, n=3) as helper:
            made = helper.get_final_completion()
    else:
        made = opened.client.chat.completions.create(model=model, messages=USER, tools=TOOLS, n=3)  # type: ignore[assignment]
    assert [choice.index for choice in made.choices] == [0, 1, 2]
    assert all(of_client(choice.message) == batch(text, reasoning=True) for choice in made.choices)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("stop", ["see", ["b <", "see a"], "[x]", "never said"])
def test_stop_strings_are_searched_in_the_visible_text(opened: Bench, stop: Any, stream: bool) -> None:
    """`final` is in the header, `see` in the reasoning: an engine would stop there."""
    text = joined(thought("Let me see."), final("I see a b < c."))
    model = opened.play(tokens(text), cut=3)
    visible = "I see a b < c."
    places = [visible.find(each) for each in ([stop] if isinstance(stop, str) else stop) if each in visible]
    expected = visible[: min(places, default=len(visible))]
    if stream:
        chunks = list(opened.client.chat.completions.create(model=model, messages=USER, stop=stop, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == expected
        assert chunks[-1].choices[0].finish_reason == "stop"
    else:
        choice = opened.client.chat.completions.create(model=model, messages=USER, stop=stop).choices[0]
        assert (choice.message.content, choice.finish_reason) == (expected, "stop")
    assert "stop" not in opened.upstream.asked[-1]
