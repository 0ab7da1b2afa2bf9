"""A difference of two documents is named by the field that it is in, and by what became of the value."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge.diff import ABSENT, Difference
from ocml_bridge.model import Completion, Message, Settings, Transcript
from ocml_bridge.naming import code_of, name_difference
from ocml_bridge.substance import vanished

NAMED: list[tuple[tuple[str, Any, Any], str, str, str]] = [
    (("", Transcript(), Completion(())), "completion", "changed", "the document "),
    (("/messages/1", Message("user", "Hi"), ABSENT), "message", "lost", "x has no place for the message of the user"),
    (("/messages/1/name", "bob", None), "name", "lost", 'x has no place for the name "bob"'),
    (("/messages/1/name", "bob", "rob"), "name", "changed", 'the name "bob" becomes "rob" in x'),
    (("/messages/1/name", None, "rob"), "name", "layout", 'x adds the name "rob"; the source has none'),
    (("/messages/1/name", "", None), "name", "layout", "x leaves out the name, which is empty"),
    (("/messages/1/extras/openai/user", None, ABSENT), "extras", "layout", 'x leaves out "user", which is null'),
    (("/messages/1/end", None, "end"), "ending", "changed", "the message is cut off here; in x it reads as complete"),
    (("/settings", Settings(), None), "settings", "layout", "x leaves out the settings, which is empty"),
    (("/extras", {"openai": {"a": 1, "b": 2}}, None), "extras", "lost", "x has no place for the openai keys {a, b}"),
    (("/alternatives/0/kind", "choice", "other"), "alternatives", "changed", 'the kind "choice" becomes "other" in x'),
    (("/alternatives/0/messages/1/name", "bob", None), "name", "lost", 'x has no place for the name "bob"'),
    (("/alternatives/0/settings", Settings("m"), None), "settings", "lost", 'x has no place for the settings {"mo'),
]


@pytest.mark.parametrize(("difference", "code", "severity", "words"), NAMED, ids=lambda value: str(value)[:40])
def test_a_difference_is_named_by_its_field_and_its_values(
    difference: tuple[str, Any, Any], code: str, severity: str, words: str
) -> None:
    loss = name_difference(Difference(*difference), "x")
    assert (loss.code, loss.severity, loss.path) == (code, severity, difference[0])
    assert loss.detail.startswith(words)
    assert code_of(Difference(*difference)) == code


@pytest.mark.parametrize("new", [None, ABSENT])
def test_text_outside_messages_that_is_gone_is_a_loss_of_its_own(new: Any) -> None:
    gone = Difference("/extras/internlm2/before", "Hello.", new)
    assert code_of(gone) == name_difference(gone, "x").code == "text-outside"
    assert name_difference(gone, "x").detail == 'x has no place for text outside messages: "Hello."'


@pytest.mark.parametrize(("old", "new"), [("Hello.", "Hi."), ("", None), (None, "Hello."), ({"text": 1}, None)])
def test_text_outside_messages_that_is_another_one_or_none_is_a_loss_of_extras(old: Any, new: Any) -> None:
    assert code_of(Difference("/extras/internlm2/before", old, new)) == "extras"


def test_json_that_is_spelled_otherwise_has_not_vanished() -> None:
    long, short = Message("assistant", '{"a": 1.0}', recipient="functions.f"), Message("assistant", '{"a":1.0}')
    assert vanished(Transcript((long,)), Transcript((short,)), ()) == []
    assert vanished(Transcript((long,)), Transcript((Message("assistant", '{"b":1}'),)), ()) == ["/messages/0/content"]
