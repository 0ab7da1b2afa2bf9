"""Losses of equal heads are found once; they are those that a comparison of the two documents finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from ocml_bridge import Document, Loss, Message, Tool, Transcript
from ocml_bridge.engine import losses
from ocml_bridge.engine.losses import SIZE, LossCache
from ocml_bridge.model import AnswerFormat, CacheMark, Freeform, Header, Settings, ToolChoice, Usage, replace
from ocml_bridge.model.cache_keys import LONGEST
from ocml_bridge.model.diff import Difference, diff
from ocml_bridge.report.naming import name_difference
from ocml_bridge.units.heads import head_of

LONG: Final = "x" * (LONGEST + 1)
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"x": {"type": "string"}}}
CALL: Final = Message("assistant", "{}", None, "commentary", "functions.f", "call_1", constraint="json", end="call")


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """The documents that were compared with others."""
    old: list[Document] = []

    def counted(one: Document, other: Document) -> list[Difference]:
        old.append(one)
        return diff(one, other)

    monkeypatch.setattr(losses, "diff", counted)
    return old


def directly(old: Transcript, new: Transcript) -> list[Loss]:
    return [name_difference(each, "x") for each in diff(old, new)]


MESSAGES: Final[list[tuple[Message, Message]]] = [
    (CALL, replace(CALL, call_id=None)),
    (CALL, replace(CALL, recipient="g")),
    (replace(CALL, call_id=None), CALL),
    (CALL, replace(CALL, constraint=None, end="end", intent="status")),
    (replace(CALL, content=""), replace(CALL, content="", call_id=None)),
    (Message("user", "Hi", layout={"y": {"z": 1}}), Message("user", "Hi")),
    (Message("user", "Hi", extras={"y": {"z": 1}}), Message("user", "Hi")),
]


@pytest.mark.parametrize(("old", "new"), MESSAGES)
def test_the_losses_of_a_message_are_those_of_its_head_with_its_own_id(old: Message, new: Message) -> None:
    cache = LossCache("x")
    for _ in range(2):
        found = [
            each.of("/messages/0", old.call_id, new.call_id) for each in cache.of_heads(head_of(old), head_of(new))
        ]
        assert found == directly(Transcript((old,)), Transcript((new,)))


def test_a_sentence_with_two_ids_has_the_ids_of_the_message() -> None:
    [pattern] = LossCache("x").of_heads(head_of(replace(CALL, call_id="a")), head_of(replace(CALL, call_id=None)))
    assert pattern.of("/messages/7", "call_7", None).detail == 'x has no place for the call id "call_7"'
    assert pattern.of("/messages/7", "call_7", None).path == "/messages/7/call_id"
    [added] = LossCache("x").of_heads(head_of(replace(CALL, call_id=None)), head_of(CALL))
    assert added.of("/messages/7", None, "call_8").detail == 'x adds the call id "call_8"; the source has none'
    both = added._replace(details=("from ", " to ", "."), ids=(False, True))
    assert both.of("/messages/7", "a", "b").detail == 'from "a" to "b".'


def test_heads_are_compared_once(compared: list[Document]) -> None:
    cache = LossCache("x")
    for number in range(3):
        old, new = replace(CALL, call_id=f"call_{number}"), replace(CALL, call_id=None)
        assert len(cache.of_heads(head_of(old), head_of(new))) == 1
    assert len(compared) == 1


def test_heads_that_are_rarely_repeated_are_not_kept(compared: list[Document]) -> None:
    cache, odd = LossCache("x"), head_of(Message("user", "Hi", extras={"y": {"z": 1}}))
    plain = head_of(Message("user", "Hi"))
    for old, new in ((odd, plain), (plain, odd)):
        assert [cache.of_heads(old, new) for _ in range(2)] != [(), ()]
    assert len(compared) == 4


# --- around messages --------------------------------------------------------------------------------------------------

AROUND: Final = [
    Transcript(),
    Transcript(tools=(Tool("f", "Does.", SCHEMA),)),
    Transcript(tools=(Tool("f", "Does."), Tool("g", strict=True))),
    Transcript(tools=(Tool("f", cache=CacheMark("1h")), Tool("g", freeform=Freeform("lark", "start: x")))),
    Transcript(settings=Settings("m", temperature=1)),
    Transcript(settings=Settings("m", temperature=1.5, tool_choice=ToolChoice("required"))),
    Transcript(settings=Settings(usage=Usage(1, 2), response_format=AnswerFormat("json_object"))),
    Transcript(settings=Settings(usage=Usage(1, 3))),
    Transcript(extras={"y": {"z": 1}}, layout={"y": {"z": 1}}),
    Transcript(extras={"y": {"z": 2}}, tools=()),
    Transcript(header=Header("2.2"), settings=Settings("m")),
    Transcript(open_turn=Message("assistant", "", end=None), tools=(Tool("f"),)),
    Transcript(alternatives=()),
    Transcript(tools=(Tool("f", LONG),)),
]


def pairs() -> Iterator[tuple[Transcript, Transcript]]:
    yield from product(AROUND, AROUND)


def test_losses_around_messages_are_those_that_comparing_finds() -> None:
    cache = LossCache("x")
    for _ in range(2):
        for old, new in pairs():
            assert sorted(cache.around(old, new)) == sorted(directly(old, new))


def again(around: Transcript) -> Transcript:
    """The same in other objects."""
    tools = around.tools and tuple(replace(tool) for tool in around.tools)
    return replace(around, tools=tools, settings=around.settings and replace(around.settings))


@pytest.mark.parametrize("old", [*AROUND[1:8]])
def test_losses_of_tools_and_settings_are_found_once(old: Transcript, compared: list[Document]) -> None:
    cache = LossCache("x")
    found = [cache.around(again(old), Transcript()) for _ in range(3)]
    assert found[0] == found[1] == found[2] == directly(old, Transcript())
    assert len(compared) == 1


def test_losses_of_layout_and_extras_are_found_once(compared: list[Document]) -> None:
    cache, old = LossCache("x"), Transcript(layout={"y": {"z": [1]}})
    assert [cache.around(again(old), Transcript()) for _ in range(3)] == [directly(old, Transcript())] * 3
    old = Transcript(extras={"y": {"z": [1]}})
    assert [cache.around(again(old), Transcript()) for _ in range(3)] == [directly(old, Transcript())] * 3
    assert len(compared) == 1


def test_two_documents_are_compared_once(compared: list[Document]) -> None:
    cache, old, new = LossCache("x"), Transcript(header=Header("2.2")), Transcript()
    first = cache.around(old, new)
    assert cache.around(old, new) is first
    assert len(compared) == 1
    assert cache.around(old, Transcript()) == first
    assert cache.around(Transcript(), new) == []
    assert cache.around(old, old) == ()


def test_long_values_are_not_kept_and_the_cache_is_bounded(compared: list[Document]) -> None:
    cache = LossCache("x")
    for _ in range(2):
        cache.around(Transcript(tools=(Tool("f", LONG),)), Transcript())
    assert len(compared) == 2
    large = [Transcript(tools=(Tool("f", "x" * (LONGEST // 2), number),)) for number in range(12)]
    for _ in range(2):
        for each in large:
            cache.around(each, Transcript())
    memory: Any = cache._around  # pyright: ignore[reportPrivateUsage]
    assert 0 < len(memory) * LONGEST // 2 <= SIZE
