"""Answers of models that speak ChatML, as they come: with markup of other families, broken, and cut off anywhere.

What is checked of each: it is the same however it is cut, and the same as in batch; no word is lost; nothing that is
thought is visible; and what was not called to the end is no whole call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Transcript, read
from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Delta, Start
from ocml_bridge.json_values.jsontext import parse
from ocml_bridge.model import Message
from ocml_bridge.pipe import Pipe, encoder
from ocml_bridge.profiles import profile
from ocml_bridge.testing.streams import cuts, events_of
from prompts import prompt
from sampling import examples

PROFILES = ("qwen3", "qwen3-coder", "qwen3.5", "nemotron-3", "step-3.5", "hermes", "lfm2", "lfm2.5", "olmo-3")
OPEN = ("qwen3.5", "nemotron-3", "step-3.5")
"""Those whose prompts begin a thought."""
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "look_up",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "count": {"type": "integer"}, "what": {"type": "object"}},
        },
    },
}
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}
WORD = re.compile(r"\bw\d+x\b")
"""A word that no answer has twice."""

# --- shapes; `{}` is a word -------------------------------------------------------------------------------------------

TEXTS = (
    "{}",
    "{} {}\n\n{}",
    "\n\n{}\n",
    "  {} <b> & < {}\n",
    "`{}` and a < b",
    "{}\n```python\nprint('{}')\n```\n",
    '```json\n{{"name": "{}"}}\n```',
    "a `<think>` of {}\n",
)
CALLS = (
    '<tool_call>\n{{"name": "look_up", "arguments": {{"text": "{}"}}}}\n</tool_call>',
    '<tool_call>{{"name": "look_up", "arguments": {{"text": "{}", "count": 2}}}}</tool_call>',
    '<tool_call>\n{{"name": "look_up", "parameters": {{"text": "{} </tool_call> {}"}}}}</tool_call>',
    '<tool_call>\n{{"name": "look_up", "arguments": "{{\\"text\\": \\"{}\\"}}"}}\n</tool_call>',
    "<tool_call>\n{{'name': 'look_up', 'arguments': {{'text': '{}', 'ok': True,}}}}\n</tool_call>",
    '<tool_call>\n{{{{"name": "look_up", "arguments": {{"text": "{}"}}}}}}\n</tool_call>',
    '<tool_call>\n{{"name": "look_up", "arguments": {{"text": "{}"}}}}\n',
    '<tool_call>\n{{"name": "look_up", "arguments": {{"text": "{}"}}}} {}</tool_call>',
    '```\n<tool_call>\n{{"name": "look_up", "arguments": {{"text": "{}"}}}}\n</tool_call>\n```',
    "<tool_call>\n<function=look_up>\n<parameter=text>\n{}\n\na < b: {}</p>\n</parameter>\n</function>\n</tool_call>",
    '<tool_call>\n<function=look_up>\n<parameter=what>\n{{"a": ["{}", null]}}\n</parameter>\n</function>\n</tool_call>',
    "<tool_call>\n<function=look_up>\n<parameter=text>\n{}\n</parameter>\n</tool_call>",
    "<function=look_up>\n<parameter=text>\n{}\n</parameter>\n</function>",
    "<tool_call>\n<function=look_up>\n<parameter=text>\n{}\n<parameter=count>\n2\n</parameter>\n</function>\n</tool_call>",
    "<|tool_call_start|>[look_up(text='{}', count=2), look_up(text=\"{}\")]<|tool_call_end|>",
    '<|tool_call_start|>[{{"name": "look_up", "arguments": {{"text": "{}"}}}}]<|tool_call_end|>',
    '<function_calls>look_up(text="{}", count=2)\nlook_up(text="{}")</function_calls>',
)
BROKEN = (
    '<tool_call>\n{{"name": "look_up", "arguments": {{"text": "{}\n</tool_call>',
    "<tool_call>\n{} is not JSON\n</tool_call>",
    '<tool_call>\n{{"arguments": {{"text": "{}"}}}}\n</tool_call>',
    "<tool_call>\n<function=look_up>\n{}\n</tool_call>",
    "<|tool_call_start|>look_up {}<|tool_call_end|>",
    "</tool_call>{}</function>",
)
THOUGHTS = ("<think>\n{}\n\n{}\n</think>\n\n", "<think>{}</think>", "<think>\n<tool_call>{}</tool_call>\n</think>\n")


class Writing:
    """Makes answers in which every word is another."""

    def __init__(self) -> None:
        self.count = 0

    def fill(self, shape: str) -> str:
        words = [f"w{self.count + at}x" for at in range(shape.count("{}"))]
        self.count += len(words)
        return shape.format(*words)


@st.composite
def answers(draw: Callable[..., Any], *, thinks: bool) -> tuple[str, set[str]]:
    """An answer behind a prompt, which may have begun a thought, and the words that are thought."""
    writing, parts, thought = Writing(), list[str](), set[str]()
    if thinks:
        parts.append(f"{writing.fill('{} and {}')}\n</think>\n\n")
        thought |= set(WORD.findall(parts[-1]))
    for kind in draw(st.lists(st.sampled_from(("text", "call", "call", "broken", "thought")), max_size=5)):
        shapes = {"text": TEXTS, "call": CALLS, "broken": BROKEN, "thought": THOUGHTS}[kind]
        parts.append(writing.fill(draw(st.sampled_from(shapes))))
        if kind == "thought":
            thought |= set(WORD.findall(parts[-1]))
        parts.append(draw(st.sampled_from(("", "\n", "\n\n", " "))))
    return "".join(parts), thought


def messages(events: Any) -> tuple[Message, ...]:
    document = events.stop.document
    assert isinstance(document, Transcript)
    return document.messages


def all_text(parts: tuple[Message, ...]) -> str:
    return " ".join(f"{part.recipient} {part.content}" for part in parts)


@pytest.mark.parametrize("name", PROFILES)
@examples(25)
@given(data=st.data())
def test_an_answer_reads_the_same_for_every_cut(name: str, data: st.DataObject) -> None:
    text, thought = data.draw(answers(thinks=name in OPEN))
    text = text[: data.draw(st.one_of(st.just(len(text)), st.integers(0, len(text))))]
    made = prompt(REQUEST, "chatml", profile=name)
    whole = events_of(profile(name, "chatml").answering(made), [text])
    for chunks in (list(text), data.draw(cuts(text))):
        assert events_of(profile(name, "chatml").answering(made), chunks) == whole

    parts = messages(whole)
    batch: Any = read(f"{made.output}{text}", "chatml").transcript
    non_empty = [(each.content, each.channel, each.recipient, each.end) for each in parts if each.content != ""]
    read_at_once = [(each.content, each.channel, each.recipient, each.end) for each in batch.messages if each.content]
    assert non_empty == read_at_once[len(read_at_once) - len(non_empty) :]

    words = set(WORD.findall(text))
    assert words <= set(WORD.findall(all_text(parts)))
    visible = all_text(tuple(part for part in parts if not is_private(part)))
    assert not thought & set(WORD.findall(visible))
    starts = {event.number: event.message for event in whole.events if isinstance(event, Start)}
    deltas = (event for event in whole.events if isinstance(event, Delta))
    shown = " ".join(event.text for event in deltas if not is_private(starts[event.number]))
    assert not thought & set(WORD.findall(shown))
    for part in parts:
        if is_call(part) and part.end is not None:
            assert parse(str(part.content)) is not None


def test_a_start_tag_in_a_thought_that_may_begin_with_a_call_is_a_part_of_it() -> None:
    pieces = ['<function name="f">', "<think><tool_call></tool_call>"]
    for chunks in (pieces, ["".join(pieces)]):
        answer = profile("qwen3-thinking", "chatml").answering(prompt(REQUEST, "chatml", profile="qwen3-thinking"))
        events = [*(event for chunk in chunks for event in answer.feed(chunk)), *answer.finish("stop")]
        assert "".join(event.text for event in events if isinstance(event, Delta)) == "".join(pieces)


@pytest.mark.parametrize("target", ["openai", "openai-responses", "gemini", "anthropic"])
def test_a_whole_answer_has_no_thought_whose_start_tag_is_missing(target: str) -> None:
    """A model whose prompt should have begun the thought, behind the prompt of another one."""
    made = prompt(REQUEST, "chatml", profile="qwen3")
    pipe = Pipe(profile("qwen3", "chatml").answering(made), encoder(target))
    answer = pipe.feed("A secret.\n</think>\n\nHello.") + pipe.finish("stop")
    assert b"Hello." in answer
    assert b"secret" not in answer
