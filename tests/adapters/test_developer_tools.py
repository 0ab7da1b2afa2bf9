"""Declared tools beside empty developer's messages: what is the tools' own place is told from what somebody said."""

from __future__ import annotations

from typing import Final

import pytest

from ocml_bridge import LossCode, Message, Severity, Tool, Transcript, formats, write
from ocml_bridge.testing.laws import all_laws

TOOLS: Final = (Tool("look", "Looks.", {"type": "object", "properties": {}}),)
EMPTY: Final = Message("developer", "")
USER: Final = Message("user", "Hi.")

BEFORE: Final[dict[str, tuple[Message, ...]]] = {
    "one": (EMPTY,),
    "two": (EMPTY, EMPTY),
    "two, and one later": (EMPTY, EMPTY, USER, EMPTY),
    "before one that says something": (Message("system", "Hi."), EMPTY, Message("developer", "Be brief.")),
    "with a name that a header cannot hold": (Message("developer", "", name="a|b"), USER),
    "with a name that is too long": (Message("developer", "", name="x" * 40_000),),
    "with what another format says of it": (Message("developer", "", extras={"elsewhere": {"a": 1}}), EMPTY),
    "cut off before another": (Message("developer", "", end=None), USER),
    "cut off": (Message("developer", "", end=None),),
}


@pytest.mark.parametrize("target", formats())
@pytest.mark.parametrize("case", BEFORE)
def test_the_laws_hold(case: str, target: str) -> None:
    all_laws(Transcript(BEFORE[case], TOOLS), target)


def test_what_it_said_beside_is_reported() -> None:
    losses = write(Transcript((Message("developer", "", name="a|b"), USER), TOOLS), "ocm-2.2").losses
    assert [(loss.code, loss.severity, loss.path) for loss in losses] == [
        (LossCode.NAME, Severity.LOST, "/messages/0/name"),
        (LossCode.TOOLS_MOVED, Severity.LAYOUT, "/messages/0"),
    ]


@pytest.mark.parametrize("target", ["harmony", "ocm-2.2"])
def test_one_that_says_nothing_goes_without_loss(target: str) -> None:
    losses = write(Transcript((EMPTY, USER), TOOLS), target).losses
    assert [(loss.path, loss.severity) for loss in losses] == [("/messages/0", Severity.LAYOUT)]


def test_one_that_has_a_name_is_changed() -> None:
    losses = write(Transcript((Message("developer", "", name="bob"), USER), TOOLS), "harmony").losses
    assert ("/messages/0", Severity.CHANGED) in [(loss.path, loss.severity) for loss in losses]
