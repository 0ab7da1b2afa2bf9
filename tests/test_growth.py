"""Work and memory grow no faster than the document. Work is counted and not timed, so a busy machine changes nothing.

Each reader and writer gets a document, and one of four times its size, in several shapes: quadratic work takes sixteen
times as many calls. `pytest -m perf` checks the times in the same way, up to 50 MB.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from counting import calls_of, forget, peak_of
from ocml_bridge import Message, Tool, Transcript, formats, read, read_all, write
from ocml_bridge.errors import BridgeError
from ocml_bridge.model import Text
from sampling import sweep

pytestmark = pytest.mark.usefixtures("settled_heap")

TIMES = 4
ALLOWED = 4.4
"""A tenth more than the growth of the document, because containers grow in steps."""


def turns(count: int) -> Transcript:
    """Questions, thoughts, calls, replies and answers, one turn after another."""
    messages: list[Message] = []
    for number in range(count):
        tool, call_id = f"functions.look_{number % 7}", f"call_{number}"
        messages += (
            Message("user", f"Question {number}?", end="end"),
            Message("assistant", "Let me see. " * 5, channel="analysis", end="end"),
            Message(
                "assistant", f'{{"at": {number}}}', None, "commentary", tool, call_id, constraint="json", end="call"
            ),
            Message("tool", "Here it is.", tool, "commentary", "assistant", call_id, end="end"),
            Message("assistant", "So it is. " * 5, channel="final", end="end"),
        )
    return Transcript(tuple(messages))


def text(count: int) -> Transcript:
    """One long text with what looks like control tokens, and halves of them."""
    texts = "a < b, <|im_end|> or <|end|>, <|start <| and\n<\u200b|call|> 文 " * count
    return Transcript((Message("user", texts, end="end"), Message("assistant", texts, channel="final", end="end")))


def parallel(count: int) -> Transcript:
    """Calls that one message makes at once, and their replies in another order."""
    calls = [
        Message(
            "assistant",
            '{"n": 1}',
            None,
            "commentary",
            "functions.count",
            f"call_{number}",
            constraint="json",
            end="call",
            continues=number > 0,
        )
        for number in range(count)
    ]
    replies = [
        Message("tool", f"{number}", "functions.count", "commentary", "assistant", f"call_{number}", end="end")
        for number in reversed(range(count))
    ]
    return Transcript((Message("user", "Count.", end="end"), *calls, *replies))


def tools(count: int) -> Transcript:
    """Many declared tools."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"at": {"type": "string", "description": "Where"}, "kind": {"enum": ["a", "b"]}},
        "required": ["at"],
    }
    declared = tuple(Tool(f"look_{number}", "Looks.", schema) for number in range(count))
    return Transcript((Message("user", "Look.", end="end"), Message("assistant", "Yes.", channel="final")), declared)


def parts(count: int) -> Transcript:
    """One message of many texts."""
    content = tuple(Text(f"part {number} ") for number in range(count))
    return Transcript((Message("user", content, end="end"), Message("assistant", "Yes.", channel="final", end="end")))


def places_for_tools(count: int) -> Transcript:
    """Empty messages of the developer, one of which gets the declared tools."""
    return Transcript(tuple(Message("developer", "", end="end") for _ in range(count)), (Tool("look"),))


SHAPES: dict[Callable[[int], Transcript], int] = {
    turns: 45,
    text: 60,
    parallel: 102,
    tools: 50,
    parts: 240,
    places_for_tools: 200,
}
"""The size of each shape before it grows, in units of its own: large enough for what short documents are spared."""


def name_of(value: Any) -> str:
    """Return how a test names a value."""
    return value if isinstance(value, str) else value.__name__


OVERFLOW: dict[Callable[[int], Transcript], int] = {tools: 2}
"""Shapes that outgrow a bounded cache in between: work that the cache saved for a short document is then repeated."""


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "shape"), sweep(product(formats(), SHAPES), 7), ids=name_of)
def test_work_grows_with_the_document(name: str, shape: Callable[[int], Transcript]) -> None:
    small, large = shape(SHAPES[shape]), shape(SHAPES[shape] * TIMES)
    try:
        one, other = write(small, name).data, write(large, name).data
    except BridgeError as error:
        pytest.skip(str(error))
    growth = len(other) / len(one)
    allowed = ALLOWED * OVERFLOW.get(shape, 1)
    for data in (one, other):
        read(data, name)  # what is imported or loaded once
    assert calls_of(lambda: read(other, name)) <= calls_of(lambda: read(one, name)) * allowed
    assert calls_of(lambda: write(large, name).data) <= calls_of(lambda: write(small, name).data) * allowed
    assert peak_of(lambda: read(other, name)) <= peak_of(lambda: read(one, name)) * allowed
    assert peak_of(lambda: write(large, name).data) <= peak_of(lambda: write(small, name).data) * allowed
    assert growth <= ALLOWED


PACKED = {
    "ocm-0.1": "[BOS]<|im_start|>user\nA\n<|im_end|>[EOS]",
    "internlm2": "<s><|im_start|>user\nA<|im_end|></s>",
    "chatml": "<|im_start|>user\nA<|im_end|>\n<|endoftext|>",
    "harmony": "<|startoftext|><|start|>user<|message|>A<|end|><|endoftext|>",
    "ocm-2.2": "version: 2.2\n<|start|>user<|message|>A<|end|>\n",
}
"""For each format a conversation that another one may follow."""


@pytest.mark.parametrize("name", PACKED)
def test_work_grows_with_the_conversations_of_a_text(name: str) -> None:
    one, other = PACKED[name] * 50, PACKED[name] * 50 * TIMES
    assert len([*read_all(one, name)]) * TIMES == len([*read_all(other, name)])
    assert calls_of(lambda: [*read_all(other, name)]) <= calls_of(lambda: [*read_all(one, name)]) * ALLOWED
    assert peak_of(lambda: [*read_all(other, name)]) <= peak_of(lambda: [*read_all(one, name)]) * ALLOWED


class Compared(str):
    """A string that counts how often any of its kind is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(run: Callable[[], object]) -> int:
    forget()
    before = Compared.times
    run()
    return Compared.times - before


@pytest.mark.parametrize("titled", [False, True])
@pytest.mark.parametrize("name", formats())
def test_required_properties_are_looked_up_and_not_searched_for(name: str, titled: bool) -> None:
    """A search in a list is one call, however long the list is: so the strings count the comparisons."""

    def declares(count: int) -> Transcript:
        more = {"title": "An object"} if titled else {}
        names = [f"name_{number}" for number in range(count)]
        properties = {name: {"type": "string", **more} for name in names}
        schema = {"type": "object", "properties": properties, "required": list(map(Compared, names))}
        return Transcript((Message("user", "Look."),), (Tool("look", None, schema),))

    small, large = declares(50), declares(50 * TIMES)
    allowed = max(comparisons(lambda: write(small, name)), 50) * ALLOWED
    assert comparisons(lambda: write(large, name)) <= allowed


def test_quadratic_work_is_noticed() -> None:
    def quadratic(count: int) -> None:
        for number in range(count):
            _ = [abs(other) for other in range(number)]

    assert calls_of(lambda: quadratic(200)) > calls_of(lambda: quadratic(50)) * ALLOWED
    names = list(map(Compared, map(str, range(200))))
    assert comparisons(lambda: [str(number) in names for number in range(200)]) > 200 * ALLOWED
    assert peak_of(lambda: bytes(400**2)) > peak_of(lambda: bytes(100**2)) * ALLOWED
