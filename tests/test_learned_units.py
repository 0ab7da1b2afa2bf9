"""Messages of every kind are written and read by plans that were learned from others of their kind.

A plan is not for every text: one that is spelled differently from others is written and read without the plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from ocml_bridge import Message, Options, Transcript, formats, read, write
from ocml_bridge.engine.reading import Reader
from ocml_bridge.engine.writing import Writer
from ocml_bridge.loss import Log
from ocml_bridge.model import replace
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.units.conversation import conversation_of, whole
from test_learned import counted

PLAIN: Final = Options(plans=False, force_format=True)
WITHOUT_PLANS: Final = {"internlm2-tokens"}
"""Formats that are left out, because the vocabulary is the model's."""
FORMATS: Final = [name for name in formats() if name not in WITHOUT_PLANS]
TEXTS: Final = [name for name in FORMATS if adapter(name)[0].frame_marks is not None]
Kind = Callable[[str], tuple[Message, ...]]
"""Kind → text → the messages of a conversation of that kind with this text."""


def called(arguments: str, at: int = 0, *, recipient: str = "functions.look", is_json: bool = True) -> Message:
    made = Message("assistant", arguments, None, "commentary", recipient, f"call_{at}", end="call", continues=at > 0)
    return replace(made, constraint="json" if is_json else None)


def replied(content: str) -> tuple[Message, ...]:
    """A reply after the call that it answers."""
    return called("{}"), Message("tool", content, "functions.look", "commentary", "assistant", "call_0")


KINDS: Final[dict[str, Kind]] = {
    "text": lambda text: (Message("user", text),),
    "text of two lines": lambda text: (Message("user", f"{text}\n{text}"),),
    "named text": lambda text: (Message("user", text, "bob"),),
    "system": lambda text: (Message("system", text), Message("user", text)),
    "system with the name of a token": lambda text: (Message("user", text), Message("system", text, "plugin")),
    "developer": lambda text: (Message("developer", text), Message("user", text)),
    "answer": lambda text: (Message("assistant", text, channel="final"),),
    "thought": lambda text: (
        Message("assistant", text, channel="analysis"),
        Message("assistant", text, channel="final"),
    ),
    "preamble": lambda text: (
        Message("assistant", text, channel="commentary", intent="preamble"),
        called(f'{{"a": "{text}"}}', 1),
    ),
    "calls": lambda text: tuple(called(f'{{"a": "{text}"}}', at) for at in range(3)),
    "arguments in words": lambda text: (called(text, is_json=False),),
    "arguments in a list": lambda text: (called(f'["{text}"]'),),
    "arguments in a string": lambda text: (called(f'"{text}"'),),
    "arguments with spaces": lambda text: (called(f'{{ "a" : "{text}" }}'),),
    "code": lambda text: (called(text, recipient="python", is_json=False),),
    "reply": replied,
    "reply of an object": lambda text: replied(f'{{"a": "{text}"}}'),
    "reply of a string": lambda text: replied(f'"{text}"'),
}
ONE_BY_ONE: Final = {"internlm2": ("system with the name of a token",)}
"""Format → the kinds of which one unit is written by the format: its text may declare tools."""
READ_ONE_BY_ONE: Final = {
    "ocm-0.1": ("arguments in words", "arguments in a list", "arguments in a string", "code"),
    "internlm2": ("system with the name of a token", "developer", "arguments in words", "arguments in a string"),
    "gemini": ("code",),
    "sharegpt": ("calls", "arguments in words", "arguments in a list", "arguments in a string", "code"),
}
"""Format → the kinds with a finding, or with a spelling that the reader must keep."""


def three(kind: str) -> list[Transcript]:
    """Three conversations of a kind; the plan is learned from the first two."""
    return [Transcript(KINDS[kind](text)) for text in ("One.", "Two.", "Three.")]


def plainly(document: Transcript, name: str) -> Any:
    """The output without plans."""
    return write(document, name, options=PLAIN, policy=LENIENT).output


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
def test_the_third_message_of_a_kind_is_written_without_calling_the_format(name: str, kind: str) -> None:
    grammar: Any = adapter(name)[0].writes_units(Options())
    counts = Counter[str]()
    counted(counts, grammar, "write_unit")
    writer = Writer(grammar)
    for document in three(kind):
        counts.clear()
        assert writer.write(conversation_of(document)).output == plainly(document, name)
    assert bool(counts["write_unit"]) is (kind in ONE_BY_ONE.get(name, ()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
def test_the_third_message_of_a_kind_is_read_without_calling_the_format(name: str, kind: str) -> None:
    grammar: Any = adapter(name)[0].reads_units(Options())
    counts = Counter[str]()
    counted(counts, grammar, "read_unit")
    reader = Reader(grammar)
    for document in three(kind):
        output = plainly(document, name)
        counts.clear()
        found = reader.read(deepcopy(output), Log())
        assert whole(found) == read(output, name, options=PLAIN).transcript
    assert bool(counts["read_unit"]) is (kind in READ_ONE_BY_ONE.get(name, ()))


ODD: Final = (
    *("", " ", "\n", "a\n", "\na", "a\r", " a", "<", "a <", "<|", "``` a", "null", "1", "{", '{"a": "b"}', '"a"'),
    *("a <|im_end|>", "<|end|>", "<\u200b|im_end|>", "<\u200b|end|>", "<|plugin|>", "<|start_reason|>", "[EOS]"),
    *("</s>", "<tool_call>", "<think>a</think>", "# Tools", '[{"name": "look"}]', "<|literal|>a<|endliteral|>"),
    *("\u200b", "\ufeff", "a\\"),
)
"""Texts that some format spells differently from others, or that are not a text in some frame."""


def with_odd_texts(kind: Kind) -> Iterator[Transcript]:
    """Messages of a kind, each of the last one's texts an odd one."""
    *before, last = kind("Four.")
    for text in ODD:
        yield Transcript((*before, replace(last, content=text)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TEXTS)
def test_an_odd_text_is_written_and_read_as_without_plans(name: str, kind: str) -> None:
    form = adapter(name)[0]
    writer, reader = Writer(form.writes_units(Options())), Reader(form.reads_units(Options()))
    for document in three(kind):
        reader.read(writer.write(conversation_of(document)).output, Log())
    for document in with_odd_texts(KINDS[kind]):
        output = plainly(document, name)
        assert writer.write(conversation_of(document)).output == output
        log = Log()
        plain = read(output, name, options=PLAIN)
        assert (whole(reader.read(output, log)), tuple(log.findings)) == (plain.transcript, plain.findings)
