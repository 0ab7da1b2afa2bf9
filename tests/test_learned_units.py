"""Whatever kind a message is of: where others of its kind were met, it is written and read by what was learned of them.

What is learned is not for every text: one that is spelled otherwise than others is written and read as if none of them
had been met.
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
WITHOUT_PLANS: Final = {"chatml-json", "internlm2-tokens"}
"""Formats that read messages of any kind one by one; the vocabulary of the last is the model's."""
FORMATS: Final = [name for name in formats() if name not in WITHOUT_PLANS]
TEXTS: Final = [name for name in FORMATS if adapter(name)[0].frame_marks is not None]
Kind = Callable[[str], tuple[Message, ...]]
"""By what is said the messages of one of many conversations."""


def called(arguments: str, at: int = 0, *, recipient: str = "functions.look", is_json: bool = True) -> Message:
    made = Message("assistant", arguments, None, "commentary", recipient, f"call_{at}", end="call", continues=at > 0)
    return replace(made, constraint="json" if is_json else None)


def replied(content: str) -> tuple[Message, ...]:
    """A reply, behind the call that it answers."""
    return called("{}"), Message("tool", content, "functions.look", "commentary", "assistant", "call_0")


KINDS: Final[dict[str, Kind]] = {
    "text": lambda said: (Message("user", said),),
    "text of two lines": lambda said: (Message("user", f"{said}\n{said}"),),
    "named text": lambda said: (Message("user", said, "bob"),),
    "system": lambda said: (Message("system", said), Message("user", said)),
    "system with the name of a token": lambda said: (Message("user", said), Message("system", said, "plugin")),
    "developer": lambda said: (Message("developer", said), Message("user", said)),
    "answer": lambda said: (Message("assistant", said, channel="final"),),
    "thought": lambda said: (
        Message("assistant", said, channel="analysis"),
        Message("assistant", said, channel="final"),
    ),
    "preamble": lambda said: (
        Message("assistant", said, channel="commentary", intent="preamble"),
        called(f'{{"a": "{said}"}}', 1),
    ),
    "calls": lambda said: tuple(called(f'{{"a": "{said}"}}', at) for at in range(3)),
    "arguments in words": lambda said: (called(said, is_json=False),),
    "arguments in a list": lambda said: (called(f'["{said}"]'),),
    "arguments in a string": lambda said: (called(f'"{said}"'),),
    "arguments with spaces": lambda said: (called(f'{{ "a" : "{said}" }}'),),
    "code": lambda said: (called(said, recipient="python", is_json=False),),
    "reply": replied,
    "reply of an object": lambda said: replied(f'{{"a": "{said}"}}'),
    "reply of a string": lambda said: replied(f'"{said}"'),
}
ONE_BY_ONE: Final = {"internlm2": ("system with the name of a token",)}
"""By format the kinds of which a unit is written one by one all the same: what it says may be tools."""
READ_ONE_BY_ONE: Final = {
    "ocm-0.1": ("arguments in words", "arguments in a list", "arguments in a string", "code"),
    "internlm2": ("system with the name of a token", "developer", "arguments in words", "arguments in a string"),
    "anthropic": ("system with the name of a token",),
    "gemini": ("code",),
    "sharegpt": ("thought", "calls", "arguments in words", "arguments in a list", "arguments in a string", "code"),
}
"""By format the kinds of which a reader notes something each time, or has to remember how it was spelled."""


def three(kind: str) -> list[Transcript]:
    """Conversations of a kind, of which the first two are what is learned from."""
    return [Transcript(KINDS[kind](said)) for said in ("One.", "Two.", "Three.")]


def plainly(document: Transcript, name: str) -> Any:
    """What is written where nothing is learned."""
    return write(document, name, options=PLAIN, policy=LENIENT).output


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
def test_the_third_of_a_kind_is_written_without_asking(name: str, kind: str) -> None:
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
def test_the_third_of_a_kind_is_read_without_asking(name: str, kind: str) -> None:
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
"""Texts that some format spells otherwise than others, or that are no text beside what else its frame says."""


def with_odd_texts(kind: Kind) -> Iterator[Transcript]:
    """Messages of a kind, each of the last one's texts an odd one."""
    *before, last = kind("Four.")
    for text in ODD:
        yield Transcript((*before, replace(last, content=text)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TEXTS)
def test_an_odd_text_is_written_and_read_as_if_nothing_was_learned(name: str, kind: str) -> None:
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
