"""Differences of two documents: each field of each object is compared, and the difference has its path."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any, Final

import pytest
from hypothesis import given

from ocml_bridge.model import (
    Alternative,
    CacheMark,
    Completion,
    Document,
    FileBreak,
    Freeform,
    Header,
    Message,
    Settings,
    Signature,
    Text,
    Tool,
    Tools,
    Transcript,
)
from ocml_bridge.model.diff import ABSENT, Difference, diff
from ocml_bridge.testing.strategies import documents

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
"""For each field a value that no document here has; a field of text may have any text."""


def names(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind) if field.name != "type"]


def changed(value: Any, name: str) -> Any:
    return replace(value, **{name: OTHER.get(name, "other")})


def place(name: str) -> str:
    """The path of a difference in a field; in extras, each member has a path of its own."""
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
    [forth], [back] = diff(old, new), diff(new, old)
    assert (forth.old, forth.new) == (back.new, back.old)
    if name not in ("extras", "layout"):
        assert (forth.old, forth.new) == (getattr(tool, name), OTHER.get(name, "other"))


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
def test_values_that_are_equal_only_in_python_differ(old: object, new: object) -> None:
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


def test_members_that_are_known_to_be_missing_are_skipped() -> None:
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


def test_empty_extras_differ_from_none() -> None:
    old, new = Message("user", "Hello.", extras={"openai": {}}), Message("user", "Hello.")
    assert diff(Transcript((old,)), Transcript((new,))) == [Difference("/messages/0/extras", {"openai": {}}, None)]


def test_documents_of_two_kinds() -> None:
    old, new = Transcript(()), Completion("")
    assert diff(old, new) == [Difference("", old, new)]


def test_equal_documents_have_no_difference() -> None:
    old = Transcript((Message("user", "Hello."),), (Tool("look", "Looks.", {"type": "object"}),))
    assert diff(old, old) == diff(old, replace(old, messages=(Message("user", "Hello."),))) == []


def test_keys_of_a_header_are_its_own() -> None:
    plain, more = Transcript(header=Header()), Transcript(header=Header(extras={"x": None, "y": {"z": 1}}))
    assert [(each.path, each.new) for each in diff(plain, more)] == [("/header/extras", {"x": None, "y": {"z": 1}})]
    other = Transcript(header=Header(extras={"x": None, "y": {"z": 2}}))
    assert [(each.path, each.old, each.new) for each in diff(more, other)] == [("/header/extras/y/z", 1, 2)]


ALTERNATIVE: Final = Alternative((Message("user", "Other."),), 0, "choice")
FULL: Final = Transcript(
    (
        Message(
            *("assistant", "Hello.", "a name", "a channel", "a recipient", "an id", "an intent", "a type", "json"),
            weight=0.5,
            extras={"openai": {"x": ["y y"]}},
            layout={"openai": {"x": ["y y"]}},
            signature=Signature("a signature"),
            cache=CacheMark("5m"),
        ),
        Message("user", (Text("a text"), FileBreak(), Tools((Tool("look"),)))),
    ),
    (
        Tool(
            *("a name", "a description", {"type": "object"}, "a namespace", {"x": {"y": "z z"}}, {"x": {"y": "z z"}}),
            strict=False,
            freeform=Freeform("lark"),
            cache=CacheMark("1h"),
        ),
    ),
    header=Header("2.2", extras={"x": "y y"}),
    settings=Settings("a model", stop=("a", "b")),
    open_turn=Message("assistant", "", end=None),
    alternatives=(ALTERNATIVE,),
    extras={"openai": {"x": "y y"}},
    layout={"openai": {"x": "y y"}},
)
"""A document with every field."""


def test_a_document_of_other_objects_that_are_equal() -> None:
    copy = pickle.loads(pickle.dumps(FULL))
    assert copy.messages[0].name is not FULL.messages[0].name, "no object is the same"
    assert diff(FULL, copy) == []


@given(documents())
def test_random_documents_have_the_differences_of_their_fields(document: Document) -> None:
    assert diff(document, pickle.loads(pickle.dumps(document))) == []


def test_messages_that_were_moved_are_compared_with_themselves() -> None:
    one, two, three = (Message("user", text) for text in ("One.", "Two.", "Three."))
    old = Transcript((one, two, three))
    assert diff(old, Transcript((two, one, three)), (), (1, 0, 2)) == []
    assert diff(old, Transcript((two, replace(one, name="bob"))), {"/messages/2"}, (1, 2, 0)) == [
        Difference("/messages/0/name", None, "bob")
    ]
    assert diff(old, Transcript((two,)), (), (1, 2, 0)) == [
        Difference("/messages/2", three, ABSENT),
        Difference("/messages/0", one, ABSENT),
    ]


def test_parts_that_are_known_to_be_missing_are_skipped() -> None:
    old = Transcript((Message("user", (Text("a"), FileBreak(), Text("b"))),))
    gone = {"/messages/0/content/1"}
    assert diff(old, Transcript((Message("user", (Text("a"), Text("c"))),)), gone) == [
        Difference("/messages/0/content/2/text", "b", "c")
    ]
    assert places(old, Transcript((Message("user", (Text("a"), Text("b"))),))) == ["/messages/0/content"]
    alone = Transcript((Message("user", (FileBreak(), Text("b"))),))
    assert diff(alone, Transcript((Message("user", "b"),)), {"/messages/0/content/0"}) == []


@pytest.mark.parametrize("name", ["settings", "alternatives"])
def test_settings_and_alternatives_that_only_one_document_has(name: str) -> None:
    filled = {"settings": Settings("m", temperature=1), "alternatives": FULL.alternatives}[name]
    some, empty, none = (replace(Transcript(), **{name: value}) for value in (filled, OTHER[name], None))
    paths = {"settings": ["/settings/model", "/settings/temperature"], "alternatives": ["/alternatives/0"]}[name]
    for other in (empty, none):
        assert sorted(places(some, other)) == sorted(places(other, some)) == paths
    assert diff(empty, none) == [Difference(f"/{name}", OTHER[name], None)]


def test_an_alternative_field_by_field() -> None:
    other = replace(ALTERNATIVE, messages=(Message("user", "Another."),))
    assert places(FULL, replace(FULL, alternatives=(other,))) == ["/alternatives/0/messages/0/content"]
    assert places(FULL, replace(FULL, alternatives=(ALTERNATIVE, other))) == ["/alternatives/1"]


def test_an_empty_list_of_tools_differs_from_none() -> None:
    assert diff(Transcript(tools=()), Transcript()) == [Difference("/tools", (), None)]
    assert diff(Transcript(), Transcript(tools=(Tool("f"),))) == [Difference("/tools", None, (Tool("f"),))]


def test_members_of_extras_of_formats_that_only_one_has() -> None:
    old, new = (Transcript((Message("user", "Hi", extras=extras),)) for extras in ({"a/b": {"x": 1}}, {"c": {"y": 2}}))
    assert diff(old, new) == [
        Difference("/messages/0/extras/a~1b/x", 1, ABSENT),
        Difference("/messages/0/extras/c/y", ABSENT, 2),
    ]


def test_empty_settings_differ_from_none() -> None:
    bare = Transcript((Message("user", "Hi"),))
    empty = replace(bare, settings=Settings())
    assert [(each.path, each.old, each.new) for each in diff(bare, empty)] == [("/settings", None, Settings())]
    assert [(each.path, each.old, each.new) for each in diff(empty, bare)] == [("/settings", Settings(), None)]
