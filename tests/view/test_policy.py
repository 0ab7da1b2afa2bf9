"""Who sees what (OpenChatML 2.2 §4, §5, §6, §7, §11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ocml_bridge import BridgeError, Completion, ErrorCode, Message, Tool, Transcript
from ocml_bridge.chat.visibility import NAMES, RULES, hidden_by
from ocml_bridge.model import Flags, Foreign, Part, Refusal, Text, Thought, Tools
from ocml_bridge.view import DEBUG, END_USER, Visibility, view_of
from ocml_bridge.view.entries import Entry, Gap

CALL = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
HIDDEN: dict[str, tuple[Message, str]] = {
    "§4 system": (Message("system", "x"), "system"),
    "§4 system on final": (Message("system", "x", channel="final"), "system"),
    "§4 developer": (Message("developer", "x"), "developer"),
    "§5 analysis": (Message("assistant", "x", channel="analysis"), "analysis"),
    "§5 analysis is not excused by an intent": (
        Message("assistant", "x", channel="analysis", intent="preamble"),
        "analysis",
    ),
    "§5 commentary": (Message("assistant", "x", channel="commentary"), "commentary"),
    "§5 a preamble is the assistant's": (Message("user", "x", channel="commentary", intent="preamble"), "commentary"),
    "§5 a channel that is not known": (Message("assistant", "x", channel="inner"), "other"),
    "§6 status": (Message("assistant", "x", channel="commentary", intent="status"), "commentary"),
    "§6 debug on final": (Message("assistant", "x", channel="final", intent="debug"), "status"),
    "§8 call": (CALL, "tool"),
    "§8.3 call on analysis": (Message("assistant", "1", channel="analysis", recipient="python", end="call"), "tool"),
    "§8 call without a channel": (Message("assistant", "{}", recipient="functions.f", end="call"), "tool"),
    "§8 reply": (Message("tool", "x", name="functions.f", channel="commentary"), "tool"),
    "§8 reply without a channel": (Message("tool", "x", name="functions.f"), "tool"),
    "§4 legacy role": (Message("functions.f", "x"), "tool"),
    "however it is spelled": (Message(" System", "x"), "system"),
    "whatever the case": (Message("assistant", "x", channel="Analysis"), "analysis"),
}
SHOWN: dict[str, Message] = {
    "user": Message("user", "x"),
    "§5 final": Message("assistant", "x", channel="final"),
    "§5 no channel is final": Message("assistant", "x"),
    "§5 preamble": Message("assistant", "x", channel="commentary", intent="preamble"),
    "unknown role": Message("narrator", "x"),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_hidden_from_end_users(case: str) -> None:
    message, name = HIDDEN[case]
    assert END_USER.hides(message) == name
    assert DEBUG.hides(message) is None


@pytest.mark.parametrize("case", SHOWN)
def test_shown_to_end_users(case: str) -> None:
    assert hidden_by(SHOWN[case]) is None


def test_every_rule_hides_something() -> None:
    assert {name for _, name in HIDDEN.values()} == NAMES == {rule.name for rule in RULES}
    assert all("§" in rule.section for rule in RULES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_hidden_messages_are_not_shown_without_the_opt_in(name: str) -> None:
    with pytest.raises(BridgeError) as caught:
        Visibility(frozenset({name}))
    assert caught.value.code is ErrorCode.PERM_VISIBILITY
    assert name in caught.value.message


def test_with_the_opt_in_requested_kinds_are_shown_and_no_others() -> None:
    some = Visibility(frozenset({"analysis"}), debug=True)
    assert some.hides(HIDDEN["§5 analysis"][0]) is None
    assert some.hides(HIDDEN["§4 system"][0]) == "system"


def test_an_unknown_name_cannot_be_requested() -> None:
    with pytest.raises(BridgeError) as caught:
        Visibility(frozenset({"secrets"}), debug=True)
    assert caught.value.code is ErrorCode.OPTION


PARTS: tuple[Part, ...] = (
    Thought("reason"),
    Flags(("reason",)),
    Tools((Tool("f"),)),
    Foreign("openai", {"a": "secret"}),
)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_parts_that_are_hidden_in_a_message_that_is_shown(part: Part) -> None:
    message = Message("assistant", (Text("open"), part), channel="final")
    (entry,) = view_of(Transcript((message,))).items
    assert isinstance(entry, Entry)
    assert [block.text for block in entry.blocks if not block.withheld] == ["open"]
    assert sum(block.withheld for block in entry.blocks) == 1
    assert "secret" not in repr(entry)
    (whole,) = view_of(Transcript((message,)), visibility=DEBUG).items
    assert isinstance(whole, Entry)
    assert not any(block.withheld for block in whole.blocks)


def test_text_after_a_thought_marker_is_a_thought() -> None:
    content = (Text("open"), Thought("reflect"), Text("secret"), Refusal("secret"))
    assert "secret" not in repr(view_of(Transcript((Message("assistant", content),))))
    assert "secret" not in repr(view_of(Completion(content)))


def test_no_word_of_a_hidden_message_is_in_the_view() -> None:
    messages = tuple(replace(message, content="secret") for message, _ in HIDDEN.values())
    transcript = Transcript(messages, tools=(Tool("secret"),))
    assert "secret" not in repr(view_of(transcript))
    assert repr(view_of(transcript, visibility=DEBUG)).count("secret") >= len(messages)


def test_hidden_messages_are_counted() -> None:
    view = view_of(
        Transcript((Message("system", "a"), Message("system", "b"), Message("user", "c"), Message("developer", "d")))
    )
    assert [item.counts for item in view.items if isinstance(item, Gap)] == [(("system", 2),), (("developer", 1),)]
    assert dict(view.hidden) == {"system": 2, "developer": 1}
