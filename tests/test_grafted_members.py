"""Documents whose objects have members of each other are converted with plans as without.

A plan is found by the shape of a unit. Here units have the shapes of others, and members that had a value are empty.
All documents are converted in one process, so that plans learned from one are used for the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from outcomes import PLAIN, PLANNED, outcome
from sampling import sweep
from wire_facts import objects_in
from wire_pieces import PIECES

DOCUMENTS = [(wire, document) for wire, kinds in PIECES.items() for document in kinds.values()]
TARGETS = (*PIECES, "canonical")


def grafted(document: Any, chance: Random) -> Any:
    """The document with an object that has a member of another, one fewer that is not empty, or another order."""
    document = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 3)):
        objects = [each for _, each in objects_in(document) if each]
        if not objects:
            break
        one, other = chance.choice(objects), chance.choice(objects)
        key = chance.choice(list(other))
        what = chance.randrange(4)
        if what == 0:
            one[key] = json.loads(json.dumps(other[key]))
        elif what == 1:
            one[key] = None
        elif what == 2:
            one[chance.choice(list(one))] = json.loads(chance.choice(("[]", "{}", '""')))
        else:
            members = list(one.items())
            chance.shuffle(members)
            one.clear()
            one.update(members)
    return document


def _check(seeds: Iterable[int]) -> None:
    for seed in seeds:
        chance = Random(seed)
        wire, document = chance.choice(DOCUMENTS)
        data = json.dumps(grafted(document, chance)).encode()
        target = chance.choice(TARGETS)
        assert outcome(data, wire, target, PLANNED) == outcome(data, wire, target, PLAIN), (seed, wire, target)


@pytest.mark.sweep
def test_grafted_members_are_converted_as_without_plans() -> None:
    _check(sweep(range(1500), 7))


@pytest.mark.long
def test_any_grafted_members_are_converted_as_without_plans() -> None:
    _check(range(1500, 40_000))


def _text(text: str | None) -> Any:
    return {"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]}


@pytest.mark.parametrize(
    ("wire", "first", "second"),
    [
        ("openai", [_text("w1")], [_text(None)]),
        (
            "gemini",
            {"contents": [{"role": "", "parts": [{"text": "w1"}]}]},
            {"candidates": [{"content": {"role": "", "parts": [{"text": "w2"}]}}]},
        ),
        (
            "gemini",
            {"systemInstruction": {"role": "user", "parts": [{"text": "w1"}], "more": "w2"}, "contents": []},
            {"systemInstruction": {"role": "user", "parts": [{"text": "w1"}], "more": "w3"}, "contents": []},
        ),
        (
            "gemini",
            {"contents": [{"role": "user", "parts": [{"text": "w1"}]}]},
            {"systemInstruction": {"role": "user", "parts": [{"text": "w2"}]}, "contents": []},
        ),
    ],
)
def test_documents_that_look_alike_are_not_confused(wire: str, first: Any, second: Any) -> None:
    for document in (first, second, first, second):
        data = json.dumps(document).encode()
        assert outcome(data, wire, "canonical", PLANNED) == outcome(data, wire, "canonical", PLAIN)
