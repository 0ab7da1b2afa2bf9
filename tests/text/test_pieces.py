"""The small pieces that text formats share: channels, attributes, markers of thoughts, function objects, sentences."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.json_values.jsontext import members
from ocml_bridge.model import Content, Message, Part, Text, Thought, Tool
from ocml_bridge.text import attributes, channels, functions, thoughts
from ocml_bridge.text.calls import after_space, members_alone, remark_call
from ocml_bridge.text.plain import (
    has_no_place,
    header_for,
    is_hidden_role,
    message,
    name_for_header,
    name_from_header,
    safe_name,
    safe_role,
    unknown_role,
)


@pytest.mark.parametrize(
    ("names", "of_answer", "of_call"),
    [
        ([], None, None),
        ([""], "analysis", None),
        (["final"], "final", "final"),
        (["", "final"], "final", "final"),
        (["final", "commentary"], "commentary", "final"),
        (["commentary", "final", "analysis"], "analysis", "commentary"),
        (["other"], "other", "other"),
        (["other", "final"], "other", "final"),
        (["final", "other"], "other", "final"),
        (["Analysis??"], "analysis", "analysis"),
        (["finalfinal"], "final", "final"),
        (["final analysis"], "analysis", "analysis"),
        (["2 FINAL_commentary"], "commentary", "commentary"),
        (["finale"], "finale", "finale"),
    ],
)
def test_the_most_private_channel_of_an_answer_is_chosen_and_the_first_of_a_call(
    names: list[str], of_answer: str | None, of_call: str | None
) -> None:
    assert channels.chosen(names, answers=True) == of_answer
    assert channels.chosen(names, answers=False) == of_call


@pytest.mark.parametrize(
    ("word", "pair"),
    [("a=b", ("a", "b")), ("a=", ("a", "")), ("a=b=c", ("a", "b=c")), ("=b", None), ("ab", None), ("", None)],
)
def test_an_attribute_has_a_key_and_a_sign(word: str, pair: tuple[str, str] | None) -> None:
    assert attributes.attribute(word) == pair


@given(st.text(st.sampled_from("ab=<| \t\n\x00\x7f\u200b\ufeff\u00a0\ud800é"), max_size=6))
def test_characters_that_a_header_cannot_contain_are_replaced_and_the_rest_is_kept(value: str) -> None:
    unsafe = set("<| \t\n\x00\x7f\u200b\ufeff\u00a0\ud800")
    assert attributes.is_safe(value) == (value != "" and unsafe.isdisjoint(value))
    assert attributes.safe(value) == "".join("_" if each in unsafe else each for each in value)
    assert safe_name(value) == (value if attributes.is_safe(value) else None)
    assert attributes.attribute(safe_role(value)) is None
    assert attributes.split(value) == [word for word in value.replace("\t", " ").replace("\n", " ").split(" ") if word]


@pytest.mark.parametrize(
    ("role", "hidden"),
    [
        ("assistant/think", True),
        (" Assistant /x", True),
        ("assistant/", True),
        ("assistant", False),
        ("user/think", False),
        ("/assistant", False),
    ],
)
def test_a_role_may_make_its_messages_private(role: str, hidden: bool) -> None:
    assert is_hidden_role(role) is hidden
    end = "; its text is read as private" if hidden else ""
    assert unknown_role(role, "ChatML") == f"{role!r} is not a role of ChatML{end}"
    assert message(role, "x").channel == ("analysis" if hidden else "final" if role == "assistant" else None)
    assert not has_no_place(message(role, "x"))
    assert has_no_place(Message("assistant", "x", channel="analysis"))
    assert has_no_place(Message("narrator", "x", channel="analysis"))


def test_the_role_defines_the_recipient_and_the_channel() -> None:
    assert message("assistant", "x", "a", None) == Message("assistant", "x", "a", "final", end=None)
    assert message("tool", "x", "functions.f") == Message("tool", "x", "functions.f", "commentary", "assistant")
    assert message("user", "x") == Message("user", "x", end="end")


@pytest.mark.parametrize(
    ("role", "name", "header", "read"),
    [
        ("user", "bob", "user name=bob", "bob"),
        ("user", None, "user", None),
        ("user", "a b", "user", None),
        ("tool", "functions.f", "tool name=f", "functions.f"),
        ("tool", "acme.f", "tool name=acme.f", "acme.f"),
        ("a=b", "bob", "a_b name=bob", "bob"),
    ],
)
def test_a_header_has_the_nearest_role_and_name(role: str, name: str | None, header: str, read: str | None) -> None:
    assert header_for(role, name) == header
    assert name_from_header(role, name_for_header(role, name)) == read


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a", [Text("a")]),
        ("<|start_reflect|>", [Thought("reflect")]),
        ("a<|start_reason|>b", [Text("a"), Thought("reason"), Text("b")]),
        ("<|start_reason|><|start_introspect|>b", [Thought("reason"), Thought("introspect"), Text("b")]),
        ("<|start_other|>", [Text("<|start_other|>")]),
    ],
)
def test_markers_of_thoughts_separate_texts(text: str, parts: list[Part]) -> None:
    assert thoughts.split(text) == parts
    texts = [thoughts.marker(part) if isinstance(part, Thought) else cast("Text", part).text for part in parts]
    assert "".join(texts) == text


@pytest.mark.parametrize(
    ("content", "tidy", "texts"),
    [
        ("a", "a", [Text("a")]),
        ((Text("a"), Text("")), "a", [Text("a"), Text("")]),
        ((Text(""), Thought("reason"), Text("b")), (Thought("reason"), Text("b")), [Text(""), Text("b")]),
        ((Text(""),), "", [Text("")]),
    ],
)
def test_empty_texts_are_not_read_back(content: Content, tidy: Content, texts: list[Text]) -> None:
    assert thoughts.tidy(content) == tidy
    assert thoughts.texts(content) == texts


@pytest.mark.parametrize(
    ("value", "tool", "others"),
    [
        ({"name": "f"}, Tool("f"), {}),
        (
            {"name": "acme.f", "description": "d", "parameters": {"a": 1}, "strict": True, "x": 1},
            Tool("f", "d", {"a": 1}, "acme", strict=True),
            {"x": 1},
        ),
        ({"name": "f", "strict": "yes"}, Tool("f"), {"strict": "yes"}),
        ({"name": "f", "strict": False}, Tool("f", strict=False), {}),
    ],
)
def test_a_function_object_is_a_tool_and_what_no_tool_has(value: Any, tool: Tool, others: dict[str, Any]) -> None:
    assert functions.read_function(value) == (tool, others)
    assert functions.write_function(tool, others) == value
    assert list(functions.write_function(tool, others)) == list(value)


@pytest.mark.parametrize("value", [None, [], "f", {}, {"name": 5}, {"name": "f", "description": 5}], ids=str)
def test_what_has_no_name_or_an_odd_description_declares_no_tool(value: Any) -> None:
    assert functions.read_function(value) is None


def test_extras_do_not_override_members_of_the_tool() -> None:
    assert functions.write_function(Tool("f", strict=True), {"strict": "yes"}) == {"name": "f", "strict": True}
    assert functions.write_function(Tool("f"), {"strict": True, "name": "g"}) == {"name": "f"}


@pytest.mark.parametrize(
    ("call", "remark"),
    [
        ('{"name": "f", "arguments": {}}', None),
        ('{"name": "f", "parameters": {}}', None),
        ('{"name": "f", "arguments": {}, "parameters": {}}', None),
        ('{"name": "f"}', "the call has no arguments; the call is read without arguments"),
        (
            '{"name": "f", "arguments": {}, "parameters": {"a": 1}}',
            "'arguments' and 'parameters' differ; 'arguments' is read",
        ),
        (
            '{"name": "f", "arguments": {}, "id": 1, "x": 2}',
            "the call has further keys (id, x); only the same format keeps them",
        ),
    ],
)
def test_an_unusual_call_has_a_remark(call: str, remark: str | None) -> None:
    parsed = members(call)
    assert parsed is not None
    assert remark_call(parsed[0], ("arguments", "parameters")) == remark
    assert members_alone(f"{call} \n") is not None
    assert members_alone(f"{call} x") is None
    assert members_alone("[1]") is None


def test_white_space_is_passed_over_from_a_place_on() -> None:
    assert [after_space("a \t\r\nb ", at) for at in (0, 1, 3, 5, 7)] == [0, 5, 5, 5, 7]
    assert after_space("\u00a0", 0) == 0
