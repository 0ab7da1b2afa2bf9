"""The code and the sentence of a loss follow from the field of the difference, and from its two values."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import LossCode, Tool, convert
from ocml_bridge.chat.substance import vanished
from ocml_bridge.model import CacheMark, Completion, Header, Message, Settings, Text, Thought, ToolChoice, Transcript
from ocml_bridge.model.diff import ABSENT, Difference
from ocml_bridge.report.naming import code_of, name_difference

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
    (("/messages/1/name", "bob", ""), "name", "changed", 'the name "bob" becomes "" in x'),
    (("/messages/1/end", "call", "end"), "ending", "layout", "x does not keep how the source marked the end of"),
    (("/messages/1/end", "call", None), "ending", "layout", "x does not keep how the source marked the end of"),
    (("/messages/1/continues", True, False), "grouping", "layout", "x does not keep whether this message and the one"),
    (("/messages/1/layout", {"x": {}}, None), "layout", "layout", "x does not keep the layout of the source, such"),
    (("/messages/1/failed", False, None), "failed", "layout", "x leaves out the failure flag false, which is the def"),
    (("/messages/1/failed", True, None), "failed", "lost", "x has no place for the failure flag true"),
    (("/messages/1/failed", False, True), "failed", "changed", "the failure flag false becomes true in x"),
    (
        ("/settings/parallel_tool_calls", True, None),
        "settings",
        "layout",
        'x leaves out "parallel_tool_calls": true, which is the default',
    ),
    (("/settings/parallel_tool_calls", False, None), "settings", "lost", 'x has no place for "parallel_tool_calls": f'),
    (("/settings/tool_choice", ToolChoice("auto"), None), "settings", "layout", 'x leaves out "tool_choice": '),
    (("/settings/tool_choice", ToolChoice("none"), None), "settings", "lost", 'x has no place for "tool_choice": '),
    (("/tools", (), None), "tools", "layout", "x leaves out the tools, an empty list"),
    (("/tools/0", Tool("f"), ABSENT), "tools", "lost", "x has no place for the tool "),
    (("/tools/0/strict", True, None), "tools", "lost", "x has no place for the strict flag true"),
    (("/messages/1/cache", CacheMark("5m"), None), "cache", "lost", "x has no place for the cache mark for 5m"),
    (("/messages/1/content/0/text", "a", "b"), "content", "changed", 'the text "a" becomes "b" in x'),
    (("/messages/1/content/2", Text("a"), ABSENT), "content", "lost", "x has no place for item 2 of content a text"),
    (("/extras/openai/x/1", 7, ABSENT), "extras", "lost", 'x has no place for item 1 of "x": 7'),
    (("/extras/openai", {"a": 1}, ABSENT), "extras", "lost", "x has no place for the openai keys "),
    (("/extras/openai/a", ABSENT, 7), "extras", "layout", 'x adds "a": 7; the source has none'),
    (("/header/extras", {"a": 1}, None), "header", "lost", 'x has no place for the extras {"a":1}'),
    (("/header/extras", {"a": {"b": 1}}, None), "header", "lost", 'x has no place for the extras {"a":{"b":1}}'),
    (("/settings/metadata/a", "b", ABSENT), "settings", "lost", 'x has no place for "a": "b"'),
    ((f"/settings/metadata/{'a' * 100}", 7, ABSENT), "settings", "lost", f'x has no place for "{"a" * 39}…" (100 '),
    (("/messages/1/content/0", Text("a"), Thought("reason")), "content", "changed", "item 0 of content a text becomes"),
    (("/messages/1/extras", {"openai": {"a": 1}}, None), "extras", "lost", "x has no place for the openai keys {a}"),
    (
        ("/messages/1/extras", {"openai": {"a": 1}, "gemini": {"b": 1, "c": 2}}, None),
        "extras",
        "lost",
        "x has no place for the openai keys {a} and the gemini keys {b, c}",
    ),
    (("/messages/1/extras", {"openai": 1}, None), "extras", "lost", 'x has no place for the extras {"openai":1}'),
    (("/tools/0/parameters/type", "a", ABSENT), "tool-schema", "lost", 'x has no place for "type": "a"'),
    (("/tools/0/parameters/enum/2", "a", "b"), "tool-schema", "changed", 'item 2 of "enum": "a" becomes "b" in x'),
    (("/tools/0/parameters/extras/a", 1, ABSENT), "tool-schema", "lost", 'x has no place for "a": 1'),
    (("/tools/0/parameters", {"a": 1}, None), "tool-schema", "lost", 'x has no place for the parameters {"a":1}'),
    (("/messages/1/call_id", "c1", None), "call-id", "lost", 'x has no place for the call id "c1"'),
    (("/messages/1/failed", True, False), "failed", "changed", "the failure flag true becomes false in x"),
    (("/messages/1/content_type", "json", None), "content-type", "lost", 'x has no place for the content type "json"'),
    (
        ("/open_turn", Message("assistant", ""), None),
        "open-turn",
        "lost",
        "x has no place for the open turn of the ass",
    ),
    (("/header", Header("2.2"), None), "header", "lost", 'x has no place for the header {"version":"2.2"}'),
    (("/messages/1/end", ABSENT, "end"), "ending", "layout", "x does not keep how the source marked the end of"),
    (("/messages/1/role", "user", "assistant"), "role", "changed", 'the role "user" becomes "assistant" in x'),
]

FIELDS: list[tuple[str, LossCode]] = [
    ("/content/0/text", LossCode.CONTENT),
    ("/content/0/layout", LossCode.LAYOUT),
    ("/messages/0", LossCode.MESSAGE),
    ("/messages/0/content", LossCode.CONTENT),
    ("/messages/0/content/1", LossCode.CONTENT),
    ("/messages/0/content/1/cache", LossCode.CACHE),
    ("/messages/0/content/1/citations/0/url", LossCode.CITATIONS),
    ("/messages/0/content/1/citations/0/extras/openai/x", LossCode.EXTRAS),
    ("/messages/0/content/1/citations/0/layout", LossCode.LAYOUT),
    ("/messages/0/content/1/extras/openai/x", LossCode.EXTRAS),
    ("/messages/0/content/1/layout", LossCode.LAYOUT),
    ("/messages/0/content/1/tools/0/name", LossCode.TOOLS),
    ("/messages/0/content/1/tools/0/layout", LossCode.LAYOUT),
    ("/messages/0/content/1/tools/0/parameters/type", LossCode.TOOL_SCHEMA),
    ("/tools/0/cache", LossCode.CACHE),
    ("/tools/0/layout/openai", LossCode.LAYOUT),
    ("/tools/0/parameters", LossCode.TOOL_SCHEMA),
    ("/tools/0/extras/openai/x", LossCode.TOOLS),
    ("/alternatives/0", LossCode.ALTERNATIVES),
    ("/alternatives/0/messages/1", LossCode.ALTERNATIVES),
    ("/alternatives/0/messages/1/content", LossCode.CONTENT),
    ("/alternatives/0/messages/1/content/0/layout", LossCode.LAYOUT),
    ("/alternatives/0/extras/openai/x", LossCode.EXTRAS),
    ("/header/version", LossCode.HEADER),
    ("/header/layout", LossCode.LAYOUT),
    ("/open_turn/role", LossCode.OPEN_TURN),
    ("/open_turn/layout", LossCode.LAYOUT),
    ("/settings/usage/input", LossCode.SETTINGS),
]


@pytest.mark.parametrize(("path", "code"), FIELDS)
def test_the_code_of_a_loss_is_that_of_the_field_it_is_in(path: str, code: LossCode) -> None:
    assert code_of(Difference(path, 1, 2)) == code


@pytest.mark.parametrize("key", ["layout", "parameters", "cache", "citations", "tools", "messages"])
@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("/extras/openai", LossCode.EXTRAS),
        ("/messages/0/extras/openai", LossCode.EXTRAS),
        ("/messages/0/content/1/extras/openai", LossCode.EXTRAS),
        ("/messages/0/content/1/value", LossCode.CONTENT),
        ("/settings/metadata", LossCode.SETTINGS),
        ("/header/extras", LossCode.HEADER),
        ("/tools/0/extras/openai", LossCode.TOOLS),
        ("/tools/0/parameters/properties", LossCode.TOOL_SCHEMA),
    ],
)
def test_keys_of_people_s_json_may_be_called_like_fields_of_ours(place: str, key: str, code: LossCode) -> None:
    assert name_difference(Difference(f"{place}/{key}", 1, ABSENT), "x")[:2] == (code, "lost")


def test_a_key_of_a_request_that_is_called_layout_is_lost() -> None:
    request = {"messages": [{"role": "user", "content": "Hi"}], "layout": "wide"}
    result = convert(request, source="openai", target="harmony")
    assert not result.lossless
    assert [(loss.code, loss.path) for loss in result.losses] == [("extras", "/extras/openai/layout")]


@pytest.mark.parametrize(("difference", "code", "severity", "words"), NAMED, ids=lambda value: str(value)[:40])
def test_a_difference_is_named_by_its_field_and_its_values(
    difference: tuple[str, Any, Any], code: str, severity: str, words: str
) -> None:
    loss = name_difference(Difference(*difference), "x")
    assert (loss.code, loss.severity, loss.path) == (code, severity, difference[0])
    assert loss.detail.startswith(words)
    assert code_of(Difference(*difference)) == code


@pytest.mark.parametrize("new", [None, ABSENT])
def test_lost_text_outside_of_messages_is_a_loss_of_its_own(new: Any) -> None:
    gone = Difference("/extras/internlm2/before", "Hello.", new)
    assert code_of(gone) == name_difference(gone, "x").code == "text-outside"
    assert name_difference(gone, "x").detail == 'x has no place for text outside messages: "Hello."'


@pytest.mark.parametrize(("old", "new"), [("Hello.", "Hi."), ("", None), (None, "Hello."), ({"text": 1}, None)])
def test_changed_text_outside_of_messages_is_a_loss_of_extras(old: Any, new: Any) -> None:
    assert code_of(Difference("/extras/internlm2/before", old, new)) == "extras"


def test_json_in_another_spelling_is_not_lost() -> None:
    long, short = Message("assistant", '{"a": 1.0}', recipient="functions.f"), Message("assistant", '{"a":1.0}')
    assert vanished(Transcript((long,)), Transcript((short,)), ()) == []
    assert vanished(Transcript((long,)), Transcript((Message("assistant", '{"b":1}'),)), ()) == ["/messages/0/content"]
