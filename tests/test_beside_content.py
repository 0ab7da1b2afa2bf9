"""The other members of a message are reported if only its content, or only its tools, are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from ocml_bridge import Message, Severity, Tool, Transcript, formats, write
from ocml_bridge.model import Foreign, Text, Tools
from ocml_bridge.testing.laws import all_laws

TOOLS: Final = (Tool("look", "Looks.", {"type": "object", "properties": {}}),)
USER: Final = Message("user", "Hi.")
MEMBERS: Final[dict[str, Any]] = {"name": "bob", "weight": 0.5, "extras": {"elsewhere": {"a": 1}}}


@pytest.mark.parametrize("target", formats())
@pytest.mark.parametrize("at", [0, 1])
def test_members_of_a_message_whose_tools_move_are_reported(at: int, target: str) -> None:
    """A format that declares tools for the whole conversation loses the message that declares them, and its members."""
    declares = replace(Message("developer", (Tools(TOOLS),)), **MEMBERS)
    document = Transcript((declares, USER) if at == 0 else (USER, declares))
    all_laws(document, target)
    paths = [loss.path for loss in write(document, target).losses]
    if f"/messages/{at}" in paths:
        members = ("name", "weight", "extras/elsewhere/a")
        assert [paths.count(f"/messages/{at}/{member}") for member in members] == [1, 1, 1]


JOINED: Final[dict[str, Message]] = {
    "name": Message("system", "Be kind.", name="bob"),
    "weight": Message("system", "Be kind.", weight=0.5),
    "content_type": Message("system", "Be kind.", content_type="json"),
    "extras/elsewhere/a": Message("system", "Be kind.", extras={"elsewhere": {"a": 1}}),
    "content/0": Message("system", (Foreign("elsewhere", {"a": 1}), Text("Be kind."))),
}


@pytest.mark.parametrize("target", ["anthropic", "bedrock-converse", "gemini"])
@pytest.mark.parametrize("member", JOINED)
def test_members_of_a_message_that_is_joined_to_another_are_reported(member: str, target: str) -> None:
    """The text of a second system message is written in the first one; its other members are losses of their own."""
    document = Transcript((Message("system", "Be brief."), JOINED[member], USER))
    all_laws(document, target)
    losses = [
        (loss.path, loss.severity) for loss in write(document, target).losses if loss.path != "/messages/0/content"
    ]
    assert sorted(losses)[:2] == [("/messages/1", Severity.CHANGED), (f"/messages/1/{member}", Severity.LOST)]
