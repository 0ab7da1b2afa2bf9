"""Plans are learned from the first conversations; further ones of the same kind are converted without the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any, Final

import pytest

from ocml_bridge import Message, Options, Tool, Transcript, formats
from ocml_bridge.engine.plans.learning import Learner
from ocml_bridge.engine.reading import Reader
from ocml_bridge.engine.spans.places import PlainUnit
from ocml_bridge.engine.writing import Writer
from ocml_bridge.loss import Log
from ocml_bridge.model import Part, Refusal, Settings, Text, replace
from ocml_bridge.registry import adapter
from ocml_bridge.units.conversation import Conversation, conversation_of
from ocml_bridge.units.heads import head_of, messages_of

SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {}}
FORMATS: Final = [name for name in formats() if name != "internlm2-tokens"]  # its vocabulary is the model's
AT_LENGTH: Final = {"internlm2": 1, "ocm-0.1": 1}
"""The number of units that the format writes although there is a plan: frames of several messages."""
ONE_NEAREST: Final = ("ocm-0.1", "anthropic")
"""Formats that write one message of each conversation: a thought between tokens, the last text of the assistant."""
IN_ONE_PIECE: Final = {name for name in FORMATS if adapter(name)[0].frame_marks is not None} | {
    *("chatml-json", "ocm-2.2-json")
}
"""Formats with a short envelope, for which no plan is needed."""


def counted(counts: Counter[str], grammar: Any, *names: str) -> None:
    """Count how often a format is asked for some things."""

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return method(*given, **named)

        return asked

    for name in names:
        setattr(grammar, name, counting(name, getattr(grammar, name)))


def conversation(number: int) -> Conversation:
    """One of many conversations with the same heads; no two of them have equal texts."""
    call_id = f"call_{number}_"
    return conversation_of(
        Transcript(
            (
                Message("system", f"Be {number}."),
                Message("user", f"Hi {number}"),
                Message("assistant", f"Hm {number}.", channel="analysis"),
                Message(
                    *("assistant", f'{{"a": {number}}}', None, "commentary", "functions.look", call_id),
                    constraint="json",
                    end="call",
                ),
                Message("tool", f"{number} C", "functions.look", "commentary", "assistant", call_id),
                Message("assistant", f"Ok {number}.", channel="final"),
                Message("user", f"And {number}?"),
                Message("assistant", f"Yes {number}.", channel="final"),
            ),
            (Tool("look", "Looks.", SCHEMA),),
            settings=Settings("m"),
        )
    )


def writer(name: str) -> tuple[Writer, Counter[str]]:
    form = adapter(name)[0]
    grammar: Any = form.writes_units(Options())
    counts = Counter[str]()
    counted(counts, grammar, "write_unit", "nearest", "enclose")
    if grammar.tokens is not None:
        grammar.tokens = copy(grammar.tokens)
        counted(counts, grammar.tokens, "ends")
    return Writer(grammar, marks=form.frame_marks), counts


@pytest.mark.parametrize("name", FORMATS)
def test_the_third_conversation_is_written_without_calling_the_format(name: str) -> None:
    write, counts = writer(name)
    for number in range(2):
        write.write(conversation(number))
    counts.clear()
    write.write(conversation(2))
    assert counts["write_unit"] == AT_LENGTH.get(name, 0)
    assert counts["nearest"] == (name in ONE_NEAREST)
    assert counts["enclose"] == (name in IN_ONE_PIECE)


@pytest.mark.parametrize("name", [name for name in FORMATS if adapter(name)[0].frame_marks is not None])
def test_the_places_of_contents_are_looked_up_once(name: str) -> None:
    write, counts = writer(name)
    first, second = (write.write(conversation(number), traced=True) for number in range(2))
    write.spans(first)
    counts.clear()
    write.spans(second)
    assert counts["write_unit"] == 0
    assert counts["ends"] == (2 if name == "harmony-tokens" else 0), "of declared tools, and behind all messages"


@pytest.mark.parametrize("name", FORMATS)
def test_the_third_document_is_read_without_calling_the_format(name: str) -> None:
    form = adapter(name)[0]
    grammar = form.reads_units(Options())
    counts = Counter[str]()
    counted(counts, grammar, "read_unit", "split_units")
    read = Reader(grammar)
    write = Writer(form.writes_units(Options()))
    for number in range(3):
        counts.clear()
        read.read(deepcopy(write.write(conversation(number)).output), Log())
    assert counts["read_unit"] == 0
    assert counts["split_units"] == (name in IN_ONE_PIECE)


def test_the_plan_of_a_frame_with_one_text_is_its_prefix_and_suffix() -> None:
    write, _ = writer("harmony")
    for text in ("One.", "Two.", "Three."):
        written = write.write(of_one(text), traced=True)
    assert written.trace is not None
    [(_, _, plan, _, _)] = written.trace.steps
    assert plan is not None
    assert (plan.before, plan.build, plan.after) == ("<|start|>user<|message|>", None, "<|end|>")


def of_one(content: str, **fields: Any) -> Conversation:
    return conversation_of(Transcript((Message("user", content, **fields),)))


def test_a_unit_that_occurs_once_is_not_learned() -> None:
    """Learning takes as long as some units; many a tool is called once."""
    write, counts = writer("harmony")
    write.write(of_one("One."))
    assert counts["write_unit"] == 1
    write.write(of_one("Two."))
    assert counts["write_unit"] > 1
    counts.clear()
    write.write(of_one("Three."))
    assert counts["write_unit"] == 0


def test_an_empty_message_is_learned_like_others() -> None:
    write, counts = writer("harmony")
    outputs = list[str]()
    for _ in range(3):
        counts.clear()
        outputs.append(write.write(of_one("")).output)
    assert counts["write_unit"] == 0
    assert outputs == ["<|start|>user<|message|><|end|>"] * 3


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "bedrock-converse", "gemini"])
def test_calls_in_one_unit_are_learned_together(name: str) -> None:
    write, counts = writer(name)
    for number in range(3):
        counts.clear()
        calls = [
            Message(
                *("assistant", f'{{"a": {number}}}', None, "commentary", "functions.look", f"call_{number}_{at}"),
                constraint="json",
                end="call",
                continues=at > 0,
            )
            for at in range(5)
        ]
        write.write(conversation_of(Transcript((Message("user", f"Hi {number}"), *calls))))
    assert counts["write_unit"] == 0


def test_the_places_of_an_id_and_a_content_are_found_in_a_unique_unit() -> None:
    grammar = adapter("ocm-2.2")[0].writes_units(Options())
    call = Message("assistant", '{"a": 1}', None, "commentary", "functions.look", "call_7_", end="call")
    written = conversation_of(Transcript((call,)))
    items, _, _, state = grammar.prepare(written, Log())
    text = grammar.write_unit(messages_of(items), state, last=True, paths=["/messages/0"], log=Log()).unit
    found = PlainUnit(grammar, items, text, state, last=True, paths=["/messages/0"]).located()
    assert [(text[begin:end], slot.field) for begin, end, slot in found] == [
        ("call_7_", "call_id"),
        ('{"a": 1}', "content"),
    ]


AMONG_PARTS: Final[dict[str, tuple[Callable[[str], tuple[Part, ...]], bool]]] = {
    "alone": (lambda text: (Text(text),), True),
    "beside a part": (lambda text: (Refusal("No."), Text(text)), True),
    "twice": (lambda text: (Text(text), Text(text)), False),
    "in a part, too": (lambda text: (Text(text), Refusal(text)), False),
    "changed": (lambda text: (Text(f"{text}."),), False),
}
"""The parts into which a format divides a text; and whether this is learned."""


@pytest.mark.parametrize(("parts", "is_learned"), AMONG_PARTS.values(), ids=AMONG_PARTS)
def test_a_text_among_parts_is_learned_if_it_is_one_part_and_occurs_once(
    parts: Callable[[str], tuple[Part, ...]], is_learned: bool
) -> None:
    def nearest(message: Message, index: int, log: Log) -> Message:
        return replace(message, content=parts(str(message.content)))

    grammar: Any = adapter("canonical")[0].writes_units(Options())
    grammar.nearest = nearest
    found = Learner(grammar).nearest(head_of(Message("user", "Hello.")))
    assert (found is not None) is is_learned
