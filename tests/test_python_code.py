"""Python in texts of unknown origin: literals have values, other code has none, and nothing is run."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.common.python_code import expression, literal, value_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_printed_python_values_have_their_value(value: Any) -> None:
    assert literal(repr(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "f",
            "X1",
            "X",
            "f(1)",
            "{'a': f}",
            "1 +",
            "__import__('os')",
            "[1 for a in [1]]",
            "{[]: 1}",
            "'\0'",
            "\ud800",
        ),
        *("-" * 100_000 + "1", "(" * 1000 + ")" * 1000, "1" + "+1" * 100_000, "[1]" + "[0]" * 100_000, "9" * 5000),
    ],
    ids=lambda text: f"{text[:8]!r} of {len(text)}",
)
def test_code_that_is_not_a_literal_has_no_value(text: str) -> None:
    assert literal(text) is None


@pytest.mark.parametrize("text", [r"'\d'", r"{'pattern': '\w+'}"])
def test_an_odd_escape_is_read_without_a_warning(text: str) -> None:
    """Warnings are errors in these tests."""
    assert literal(text) is not None


def test_white_space_around_a_literal_is_ignored() -> None:
    assert literal(" \t[1] \t") == [1]


def test_a_word_may_represent_a_value() -> None:
    assert value_of(expression("[true, {'a': null}]"), {"true": True, "null": None}) == ([True, {"a": None}],)
    assert value_of(expression("[true]")) is None
    assert value_of(None) is None


def test_an_expression_is_not_run() -> None:
    assert isinstance(expression("f(1)"), ast.Call)
    assert expression("x = 1") is None
