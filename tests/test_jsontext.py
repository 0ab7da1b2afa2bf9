"""JSON is read strictly: no key is passed over, no number rounded, nothing nests deeper than can be gone through."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode
from ocml_bridge.jsontext import MAX_DEPTH, loads

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(VALUES)
def test_every_spelling_of_a_value_is_that_value(value: Any) -> None:
    for spelled in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value, indent=1),
    ):
        assert repr(loads(spelled)) == repr(json.loads(spelled))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a" : 1, "a" : 2}',
        '[{"x":{"a":1,"b":2,"a":1}}]',
        '{"a\\\\":1,"a\\\\":2}',
        '{"":1,"":1}',
        '{"a":1,"\\u0061":2}',
        '{"a":"\\u0022:","a":1}',
    ],
)
def test_a_key_that_stands_twice_is_an_error(text: str) -> None:
    with pytest.raises(BridgeError) as raised:
        loads(text)
    assert (raised.value.code, "twice" in raised.value.message) == (ErrorCode.JSON, True)


@pytest.mark.parametrize("text", ['{"a":"\\":","b":"\\\\\\":"}', '{"\\":":1}', '{"a":"\\u0022:"}', '{"a" :1}'])
def test_a_key_that_only_seems_to_is_none(text: str) -> None:
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize("text", ["12345678901234567890123", "-9223372036854775809", '{"n": 18446744073709551617}'])
def test_a_large_integer_is_not_rounded(text: str) -> None:
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize("opened", ["[", '{"a":'])
@pytest.mark.parametrize("spaced", ["", " "])
def test_depth(opened: str, spaced: str) -> None:
    def nested(depth: int) -> str:
        return (opened + spaced) * (depth - 1) + "[]" + ("]" if opened == "[" else "}") * (depth - 1)

    assert orjson.loads(nested(MAX_DEPTH)) == loads(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, MAX_DEPTH + 40, 1_000, 100_000):
        with pytest.raises(BridgeError) as raised:
            loads(nested(depth))
        assert raised.value.code is ErrorCode.LIMIT


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    for data in (b'{"a":"\xff"}', b'{"a":"\\ud800","b":"\xff"}'):
        with pytest.raises(BridgeError) as raised:
            loads(data)
        assert raised.value.code is ErrorCode.JSON
