"""Values in the sentences of losses are short enough to read, and a long value is shortened."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Message, Tool
from ocml_bridge.model import (
    CacheMark,
    Citation,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Header,
    Infill,
    Media,
    Part,
    Passages,
    Refusal,
    Settings,
    Signature,
    Text,
    Thought,
    Tools,
)
from ocml_bridge.report.wording import kind_of, names_of, shown
from ocml_bridge.testing.strategies import json_values

LONG = "x" * 41
SIZED = f'"{"x" * 39}…" (41 characters)'

PARTS: list[tuple[Part, str]] = [
    (Text("a"), "a text"),
    (Text("a", citations=(Citation("u"),)), "a text with sources"),
    (Text("a", citations=()), "a text with sources"),
    (Media("image", url="u"), "an image"),
    (Media("audio", data="aGk="), "audio"),
    (Media("video", url="u"), "a video"),
    (Media("file", url="u"), "a file"),
    (Media("file", url="f1", vendor="openai"), "a file that was uploaded to openai"),
    (Media("file", url="f1", vendor=LONG), f"a file that was uploaded to {'x' * 40}"),
    (Media("image", data="aGk=", vendor="openai"), "an image"),
    (Media("image", url="u", vendor=""), "an image"),
    (Passages(("a",)), "a document in passages"),
    (Passages(("a",), source="u"), "a search result"),
    (Thought("reflect"), 'the thought\'s kind "reflect"'),
    (Flags(("reason",)), "thought flags"),
    (Tools((Tool("f"),)), "declared tools"),
    (Refusal("No."), "a refusal"),
    (Infill("a", None, "b"), "a fill-in-the-middle text"),
    (FileBreak(), "the boundary between two files"),
    (Foreign("openai", {"type": "video", "id": 1}), 'a part that was not understood (type "video")'),
    (Foreign("openai", {"type": 5, "b": 1}), "a part that was not understood (keys type, b)"),
    (Foreign("openai", {}), "a part that was not understood (keys )"),
    (Foreign("openai", [1]), "a part that was not understood ([1])"),
    (Foreign("openai", "words"), 'a part that was not understood ("words")'),
]
"""A part → its name in a sentence."""

VALUES: list[tuple[Any, str]] = [
    ("bob", '"bob"'),
    ("", '""'),
    ("x" * 40, f'"{"x" * 40}"'),
    (LONG, SIZED),
    ("x" * 1234, f'"{"x" * 39}…" (1,234 characters)'),
    ("é", '"é"'),
    ('say "hi"', '"say \\"hi\\""'),
    ("a\nb", '"a\\nb"'),
    ("é\u200b", '"\\u00e9\\u200b"'),
    ("é\n" * 30, '"' + "\\u00e9\\n" * 19 + '\\u00e9\\u2026" (60 characters)'),
    (True, "true"),
    (0.5, "0.5"),
    (7, "7"),
    (None, "null"),
    (Message("user", "Hi"), "of the user"),
    (Message("model", "Hi"), 'of the role "model"'),
    (Text("words"), "a text"),
    (Freeform("lark", "start: x"), "in lark"),
    (Freeform(LONG, "x"), f"in {'x' * 40}"),
    (Freeform(), "(any text)"),
    (CacheMark("5m"), "for 5m"),
    (CacheMark(LONG), f"for {'x' * 40}"),
    (CacheMark(), "for the usual time"),
    (Signature("c2ln", "anthropic"), "of anthropic"),
    (Signature("c2ln", LONG), f"of {'x' * 40}"),
    (Signature("c2ln"), "without a vendor"),
    ((Tool("f"), Tool("a b")), 'f, "a b"'),
    ((Text("a"), Thought("reason")), 'a text, the thought\'s kind "reason"'),
    ((Text("a"),) * 13, ", ".join(["a text"] * 12)),
    ((), "[]"),
    ((1, "a"), '[1,"a"]'),
    ((Tool("f"), Text("a")), "[2 items: f, text]"),
    ({"a": 1}, '{"a":1}'),
    ({"a": LONG, "b c": 1}, '{a, "b c"}'),
    ({"a": "x" * 32}, f'{{"a":"{"x" * 32}"}}'),
    ({"a": "x" * 33}, "{a}"),
    ([1, 2], "[1,2]"),
    (["\x7f\x9b", "é"], r'["\u007f\u009b","é"]'),
    ({"\u2028": 1}, r'{"\u2028":1}'),
    (Signature("c2ln", "a\x9b2J"), r"of a\u009b2J"),
    ([LONG], "[1 item]"),
    ([LONG] * 1000, "[1,000 items]"),
    ([{"name": "f", "x": LONG}, {"type": "t", "name": ""}, {"only": LONG}], "[3 items: f, t, only]"),
    ([{"name": "f", "x": LONG}, {"a": 1, "b": 2}], "[2 items]"),
    ([{"name": "f", "x": LONG}, LONG], "[2 items]"),
    ([{"at": 3, "value": 5}], "[5]"),
    ([{"value": {"name": "f", "x": LONG}, "at": 3}], "[1 item: f]"),
    ([{"at": 3}], '[{"at":3}]'),
    ([{"at": "3", "b": 5}], '[{"at":"3","b":5}]'),
    ([{"at": True, "b": 5}], '[{"at":true,"b":5}]'),
    ([{"at": 3, "b": 5, "c": 6}], '[{"at":3,"b":5,"c":6}]'),
    (10**50, f"1{'0' * 39}…"),
    (Settings("m"), '{"model":"m"}'),
    (Header(version="2.2", layout={"x": {}}), '{"version":"2.2"}'),
]
"""A value → its form in a sentence."""


@pytest.mark.parametrize(("part", "called"), PARTS, ids=[called for _, called in PARTS])
def test_a_part_is_called_by_its_kind(part: Part, called: str) -> None:
    assert kind_of(part) == called


@pytest.mark.parametrize(("value", "words"), VALUES, ids=[words[:40] for _, words in VALUES])
def test_a_value_is_shown_in_few_words(value: Any, words: str) -> None:
    assert shown(value) == words


@pytest.mark.parametrize(
    ("count", "more"), [(0, ""), (1, ""), (2, ""), (12, ""), (13, " and 1 more"), (99, " and 87 more")]
)
def test_some_of_many_names_are_listed_and_the_others_counted(count: int, more: str) -> None:
    names = [f"n{at}" for at in range(count)]
    assert names_of(names) == ", ".join(names[:12]) + more


def test_a_name_that_is_not_a_word_is_quoted() -> None:
    assert names_of(["a", "a-b", "x" * 40, LONG, ""]) == f'a, "a-b", {"x" * 40}, {SIZED}, ""'


@given(json_values() | st.text())
def test_any_value_is_shown_in_one_line_of_bounded_length(value: Any) -> None:
    words = shown(value)
    assert re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", words) is None
    assert len(words) <= 40 * 12 * 7
