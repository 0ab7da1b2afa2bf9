"""The other members of a message are reported if only its content, or only its tools, are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from ocml_bridge import Message, Severity, Tool, Transcript, formats, write
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.model import CacheMark, Citation, Foreign, Freeform, Media, Passages, Text, Tools
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws

TOOLS: Final = (Tool("look", "Looks.", {"type": "object", "properties": {}}),)
USER: Final = Message("user", "Hi.")
CALL: Final = Message("assistant", "", channel="commentary", recipient="functions.look", call_id="c1", end="call")
REPLY: Final = Message("tool", "", "functions.look", "commentary", "assistant", "c1")
MEMBERS: Final[dict[str, Any]] = {"name": "bob", "weight": 0.5, "extras": {"elsewhere": {"a": 1}}}
SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "string", "x-odd": 1}}}


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


ODD_TOOLS: Final[dict[str, Tool]] = {
    "extras": Tool("look", "Looks.", SCHEMA, extras={"elsewhere": {"a": 1}}),
    "strict": Tool("look", "Looks.", SCHEMA, strict=True),
    "cache": Tool("look", "Looks.", SCHEMA, cache=CacheMark()),
    "freeform": Tool("look", "Looks.", freeform=Freeform("lark", "start: WORD")),
    "parameters": Tool("look", "Looks.", SCHEMA),
}


@pytest.mark.parametrize("target", formats())
@pytest.mark.parametrize("member", ODD_TOOLS)
@pytest.mark.parametrize("at", [0, 2])
def test_what_a_tool_of_a_message_loses_is_reported_wherever_it_is_declared(at: int, member: str, target: str) -> None:
    tool = ODD_TOOLS[member]
    answer = Message("assistant", "Hello.", channel="final", end="end")
    messages = [USER, answer, USER]
    messages.insert(at, Message("developer", (Text("Be kind."), Tools((tool,)))))
    document = Transcript(tuple(messages))
    all_laws(document, target)
    written = write(document, target, policy=LENIENT)
    assert isinstance(written.image, Transcript)
    parts = [part for message in written.image.messages for part in parts_of(message.content)]
    of_messages = [each for part in parts if isinstance(part, Tools) for each in part.tools]
    kept = [each for each in (*(written.image.tools or ()), *of_messages) if each.name == "look"]
    if getattr(tool, member) not in [getattr(each, member) for each in kept]:
        message, part = f"/messages/{at}", f"/messages/{at}/content/1"
        lost = {loss.path for loss in written.losses if loss.severity is Severity.LOST}
        assert lost & {message, part} or any(path.startswith(f"{part}/tools/0/{member}") for path in lost)


JOINED: Final[dict[str, Message]] = {
    "name": Message("system", "Be kind.", name="bob"),
    "weight": Message("system", "Be kind.", weight=0.5),
    "content_type": Message("system", "Be kind.", content_type="json"),
    "intent": Message("system", "Be kind.", intent="ask"),
    "constraint": Message("system", "Be kind.", constraint="json"),
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


ODD: Final = {"elsewhere": {"odd": 1}}
BESIDE: Final[dict[str, Text | Media | Passages]] = {
    "text-cache": Text("b", cache=CacheMark()),
    "text-citations": Text("b", citations=(Citation("https://example.org"),)),
    "text-extras": Text("b", extras=ODD),
    "media-cache": Media("image", url="https://example.org", cache=CacheMark()),
    "media-citable": Media("file", url="https://example.org", citable=True),
    "media-context": Media("file", url="https://example.org", context="of today"),
    "media-detail": Media("image", url="https://example.org", detail="high"),
    "media-extras": Media("image", url="https://example.org", extras=ODD),
    "passages-cache": Passages(("b",), title="t", cache=CacheMark()),
    "passages-citable": Passages(("b",), title="t", source="s", citable=True),
    "passages-extras": Passages(("b",), title="t", extras=ODD),
}
"""Kind of part and member → a part with something beside its text or data."""
LAST: Final[dict[str, tuple[Message, ...]]] = {
    "question": (Message("user", ""),),
    "thought": (USER, Message("assistant", "", channel="analysis", end="end")),
    "reply": (USER, replace(CALL, content="{}"), REPLY),
}


@pytest.mark.parametrize("target", formats())
@pytest.mark.parametrize("messages", LAST.values(), ids=LAST)
@pytest.mark.parametrize("kind", BESIDE)
def test_what_stands_beside_a_part_is_kept_or_reported(kind: str, messages: tuple[Message, ...], target: str) -> None:
    """It is, too, if the part is joined to another, written as text, or moved."""
    part, member = BESIDE[kind], kind.partition("-")[2]
    *before, last = messages
    document = Transcript((*before, replace(last, content=(Text("a"), part, Text("c")))))
    all_laws(document, target)
    written = write(document, target, policy=LENIENT)
    assert isinstance(written.image, Transcript)
    kept = [each for message in written.image.messages for each in parts_of(message.content)]
    is_kept = any(getattr(each, member, None) == getattr(part, member) for each in kept)
    at = f"/messages/{len(before)}"
    with_part = {loss.path for loss in written.losses if loss.severity is Severity.LOST} & {at, f"{at}/content/1"}
    by_name = [loss for loss in written.losses if loss.path.startswith(f"{at}/content/1/{member}")]
    assert is_kept or with_part or by_name
