"""Where two documents differ: each field of what they are made of is looked at, and named by its place."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

import pytest

from ocml_bridge.diff import ABSENT, Difference, diff
from ocml_bridge.model import Completion, Document, FileBreak, Header, Message, Settings, Text, Tool, Tools, Transcript

OTHER: Final[dict[str, Any]] = {
    "role": "user",
    "content": "Other.",
    "end": None,
    "continues": True,
    "failed": False,
    "weight": 0,
    "parameters": {"type": "string"},
    "tools": (Tool("other"),),
    "header": Header("2.2"),
    "settings": Settings(),
    "alternatives": (),
    "open_turn": Message("assistant", "", end=None),
    "messages": (),
    "extras": {"openai": {"x": 1}},
    "layout": {"openai": {"shape": "list"}},
}
"""By field, a value that no document here has; for fields of text, any text will do."""


def names(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind) if field.name != "type"]


def changed(value: Any, name: str) -> Any:
    return replace(value, **{name: OTHER.get(name, "other")})


def place(name: str) -> str:
    """Where a field differs: of extras, each member has a place of its own."""
    return "extras/openai/x" if name == "extras" else name


def places(old: Document, new: Document) -> list[str]:
    return [difference.path for difference in diff(old, new)]


@pytest.mark.parametrize("name", names(Message))
def test_every_field_of_a_message(name: str) -> None:
    message = Message("assistant", "Hello.")
    old, new = Transcript((message, message)), Transcript((message, changed(message, name)))
    assert places(old, new) == [f"/messages/1/{place(name)}"]
    assert places(new, old) == [f"/messages/1/{place(name)}"]
    [forth], [back] = diff(old, new), diff(new, old)
    assert (forth.old, forth.new) == (back.new, back.old)
    if name not in ("extras", "layout"):
        assert (forth.old, forth.new) == (getattr(message, name), OTHER.get(name, "other"))


@pytest.mark.parametrize("name", names(Tool))
def test_every_field_of_a_tool(name: str) -> None:
    tool = Tool("look")
    old, new = Transcript((), (tool, tool)), Transcript((), (tool, changed(tool, name)))
    assert places(old, new) == [f"/tools/1/{place(name)}"]
    assert places(new, old) == [f"/tools/1/{place(name)}"]


@pytest.mark.parametrize("name", [name for name in names(Transcript) if name != "messages"])
def test_every_field_around_the_messages(name: str) -> None:
    old = Transcript((Message("user", "Hello."),))
    assert places(old, changed(old, name)) == [f"/{place(name)}"] == places(changed(old, name), old)


@pytest.mark.parametrize("name", names(Completion))
def test_every_field_of_a_completion(name: str) -> None:
    old = Completion("def ")
    assert places(old, changed(old, name)) == [f"/{place(name)}"] == places(changed(old, name), old)


def test_a_value_inside_json_by_its_key() -> None:
    old = Tool("look", parameters={"properties": {"a/b": {"type": "integer"}, "c~d": {"enum": ["x", "y"]}}})
    new = Tool("look", parameters={"properties": {"a/b": {"type": "number"}, "c~d": {"enum": ["x"]}, "e": {}}})
    assert diff(Transcript((), (old,)), Transcript((), (new,))) == [
        Difference("/tools/0/parameters/properties/a~1b/type", "integer", "number"),
        Difference("/tools/0/parameters/properties/c~0d/enum/1", "y", ABSENT),
        Difference("/tools/0/parameters/properties/e", ABSENT, {}),
    ]


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0, False)])
def test_values_that_only_python_takes_for_equal(old: object, new: object) -> None:
    one, other = Tool("look", parameters={"default": old, "x": 1}), Tool("look", parameters={"default": new, "x": 2})
    assert places(Transcript((), (one,)), Transcript((), (other,))) == [
        "/tools/0/parameters/default",
        "/tools/0/parameters/x",
    ]


def test_messages_and_tools_that_only_one_has() -> None:
    message, tool = Message("user", "Hello."), Tool("look")
    few, many = Transcript((message,), (tool,)), Transcript((message, message), (tool, tool))
    assert diff(few, many) == [Difference("/messages/1", ABSENT, message), Difference("/tools/1", ABSENT, tool)]
    assert diff(many, few) == [Difference("/messages/1", message, ABSENT), Difference("/tools/1", tool, ABSENT)]


def test_what_is_known_to_be_missing_is_passed_over() -> None:
    first, second = Message("user", "One."), Message("user", "Two.")
    assert places(Transcript((first, second)), Transcript((second,))) == ["/messages/0/content", "/messages/1"]
    assert diff(Transcript((first, second)), Transcript((second,)), {"/messages/0"}) == []


def test_parts_by_their_number() -> None:
    old = Transcript((Message("user", (Text("a"), Tools((Tool("look"),)), Text("b"))),))
    new = Transcript((Message("user", (Text("a"), Tools((Tool("see"),)), FileBreak())),))
    assert places(old, new) == ["/messages/0/content/1/tools/0/name", "/messages/0/content/2/type"]
    assert places(old, Transcript((Message("user", "ab"),))) == ["/messages/0/content"]


@pytest.mark.parametrize(
    ("parts", "text", "place"),
    [
        ((Text("a"),), "", "/content/0/text"),
        ((Text("a"),), "b", "/content/0/text"),
        ((Text("a"), Text("b")), "", "/content"),
        ((), "b", "/content"),
    ],
)
def test_a_text_is_compared_with_a_single_part(parts: tuple[Text, ...], text: str, place: str) -> None:
    assert places(Transcript((Message("user", parts),)), Transcript((Message("user", text),))) == [
        f"/messages/0{place}"
    ]


def test_extras_that_say_nothing_are_other_than_none() -> None:
    old, new = Message("user", "Hello.", extras={"openai": {}}), Message("user", "Hello.")
    assert diff(Transcript((old,)), Transcript((new,))) == [Difference("/messages/0/extras", {"openai": {}}, None)]


def test_documents_of_two_kinds() -> None:
    old, new = Transcript(()), Completion("")
    assert diff(old, new) == [Difference("", old, new)]


def test_nothing_where_nothing_differs() -> None:
    old = Transcript((Message("user", "Hello."),), (Tool("look", "Looks.", {"type": "object"}),))
    assert diff(old, old) == diff(old, replace(old, messages=(Message("user", "Hello."),))) == []


def test_keys_of_a_header_are_its_own() -> None:
    plain, more = Transcript(header=Header()), Transcript(header=Header(extras={"x": None, "y": {"z": 1}}))
    assert [(each.path, each.new) for each in diff(plain, more)] == [("/header/extras", {"x": None, "y": {"z": 1}})]
    other = Transcript(header=Header(extras={"x": None, "y": {"z": 2}}))
    assert [(each.path, each.old, each.new) for each in diff(more, other)] == [("/header/extras/y/z", 1, 2)]
