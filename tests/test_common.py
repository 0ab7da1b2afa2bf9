"""Helpers without knowledge of conversations: byte order marks, surrogates, suggestions for names, caches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.common.memo import Meetings, Memo
from ocml_bridge.common.suggestions import did_you_mean, nearest_name, with_choices
from ocml_bridge.common.unicode import BOM, is_unicode, without_mark
from ocml_bridge.loss import Finding, FindingCode, Log, Severity

CHARACTERS = st.sampled_from(["a", "é", "ж", "€", "😀", "\ud83d", "\ude00", "\udfff", "\ud800"])


@given(st.text(CHARACTERS) | st.text())
def test_a_text_is_unicode_if_it_can_be_encoded(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assert not is_unicode(text)
    else:
        assert is_unicode(text)


@pytest.mark.parametrize("text", ["", "Hi", f"Hi{BOM}", f" {BOM}"])
def test_only_a_byte_order_mark_at_the_beginning_is_left_out_and_reported(text: str) -> None:
    log = Log()
    assert without_mark(text, log) == text
    assert log.findings == []
    assert without_mark(f"{BOM}{text}", log) == text
    detail = "the byte order mark at the beginning is left out"
    assert log.findings == [Finding(FindingCode.BYTE_ORDER_MARK, Severity.LAYOUT, "", detail)]


NAMES = ["harmony", "openai", "openai-responses", "ChatML"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("harmny", "harmony"),
        ("HARMONY", "harmony"),
        ("chatml", "ChatML"),
        ("chatml2", "ChatML"),
        ("open-ai", "openai"),
        ("openai-response", "openai-responses"),
        ("word", None),
        ("", None),
    ],
)
def test_the_nearest_name_is_suggested(name: str, meant: str | None) -> None:
    assert nearest_name(name, NAMES) == meant
    assert did_you_mean(name, NAMES) == ("" if meant is None else f"; did you mean {meant}?")


def test_only_the_beginning_of_a_long_name_is_compared() -> None:
    known = "x" * 80
    assert nearest_name("x" * 10_000, [known]) == known
    assert nearest_name("x" * 10_000, ["x" * 20]) is None


def test_the_list_of_names_follows_the_suggestion_as_a_sentence() -> None:
    assert with_choices("; did you mean a?", "there are: a, b") == "; did you mean a? There are: a, b"
    assert with_choices("", "there are: a, b") == "; there are: a, b"


def test_a_memo_is_emptied_when_it_is_heavier_than_its_size() -> None:
    memo = Memo[str, int](3)
    assert (memo.size, memo.weight) == (3, 0)
    memo.keep("a", 1, 2)
    memo.keep("b", 2)
    assert (memo, memo.weight) == ({"a": 1, "b": 2}, 3)
    memo.keep("c", 3, 2)
    assert (memo, memo.weight) == ({"c": 3}, 2)
    memo.keep("d", 4)
    assert (memo, memo.weight) == ({"c": 3, "d": 4}, 3)


def test_a_value_that_is_kept_again_is_not_counted_again() -> None:
    meetings = Meetings(2)
    assert [meetings.met("a") for _ in range(5)] == [1, 2, 3, 4, 5]
    assert [meetings.met("b"), meetings.met("a"), meetings.met("b")] == [1, 6, 2]
    assert [meetings.met("c"), meetings.met("c"), meetings.met("a")] == [1, 2, 1]


def test_a_lazy_function_has_its_first_arguments_before_those_of_the_call() -> None:
    power = Lazy("operator:pow", 2)
    assert [power(3), power(4)] == [8, 16]
    assert (power.name, repr(power)) == ("operator:pow", "Lazy('operator:pow', 2)")
