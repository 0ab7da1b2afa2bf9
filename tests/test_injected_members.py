"""A member that nobody knows, at any level of a recorded document, comes back, and is named where it is lost."""

from __future__ import annotations

import json
from random import Random

import pytest

from ocml_bridge import Severity, convert, read, write
from ocml_bridge.policy import LENIENT
from wire_facts import injected, recorded

FOLDERS = {
    "openai": "chat-completions",
    "openai-responses": "responses",
    "anthropic": "anthropic",
    "gemini": "google",
    "bedrock-converse": "bedrock",
}


def _hold(wire: str, count: int, seed: int) -> None:
    chance = Random(seed)
    cases = [case for case in recorded(FOLDERS[wire]) if len(case.data) < 40_000]
    for _ in range(count):
        case = chance.choice(cases)
        place, changed = chance.choice(list(injected(case.value)))
        label = f"{case.case}/{case.kind}/{place}"
        back = write(read(json.dumps(changed), wire).transcript, wire, policy=LENIENT)
        assert json.dumps(back.output) == json.dumps(changed), label
        other = chance.choice([each for each in FOLDERS if each != wire])
        there = convert(changed, source=wire, target=other, policy=LENIENT)
        if "x_unknown" not in json.dumps(there.output):
            assert [loss for loss in there.losses if loss.severity is not Severity.LAYOUT], (label, other)


@pytest.mark.parametrize("wire", FOLDERS)
def test_a_member_that_nobody_knows_comes_back_and_is_named_elsewhere(wire: str) -> None:
    _hold(wire, 40, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("wire", FOLDERS)
def test_many_members_that_nobody_knows_come_back_and_are_named_elsewhere(wire: str) -> None:
    _hold(wire, 5000, seed=2)
