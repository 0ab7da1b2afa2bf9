"""JSON is read strictly: no key is dropped, no number is rounded, and nesting is limited."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isinf
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode
from ocml_bridge.json_values.jsontext import MAX_DEPTH, dumps, loads, parse, text_of, value_at
from strategies_json import broken_texts, texts

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(VALUES)
def test_every_spelling_of_a_value_is_read_as_the_value(value: Any) -> None:
    for spelled in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value, indent=1),
    ):
        assert repr(loads(spelled)) == repr(json.loads(spelled))


@given(VALUES | st.text(st.characters()), st.sampled_from([0, 2**64, "\ud800"]))
def test_a_value_has_one_spelling_whatever_its_neighbours(value: Any, beside: Any) -> None:
    text = text_of([value, beside])
    assert text is not None
    assert repr(json.loads(text)) == repr([value, beside])
    assert text == f"[{text_of(value)},{text_of(beside)}]"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("beside", [0, 2**64])
def test_a_number_that_json_cannot_represent_has_no_text(number: float, beside: int) -> None:
    assert text_of({"a": [number, beside]}) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a" : 1, "a" : 2}',
        '{"a": "x y", "a": "xy"}',
        '{"a": {"b c": "é", "b c": "é"}}',
        '[{"x":{"a":1,"b":2,"a":1}}]',
        '{"a\\\\":1,"a\\\\":2}',
        '{"":1,"":1}',
        '{"a":1,"\\u0061":2}',
        '{"a":"\\u0022:","a":1}',
        '["\\u005C",{"\\u005c:" :1,"\\u005c:":2}]',
    ],
)
def test_a_repeated_key_is_an_error(text: str) -> None:
    with pytest.raises(BridgeError) as raised:
        loads(text)
    assert (raised.value.code, "twice" in raised.value.message) == (ErrorCode.JSON, True)


@pytest.mark.parametrize("text", ['{"a":"\\":","b":"\\\\\\":"}', '{"\\":":1}', '{"a":"\\u0022:"}', '{"a" :1}'])
def test_a_key_that_only_seems_to_be_repeated_is_read(text: str) -> None:
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize("text", ["12345678901234567890123", "-9223372036854775809", '{"n": 18446744073709551617}'])
def test_a_large_integer_is_not_rounded(text: str) -> None:
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize("number", ["1e400", "-1E+309", "1" * 400 + ".0", "1.7976931348623159e308"])
@pytest.mark.parametrize("beside", ["0", '"\\ud800"', "1" * 400])
def test_a_number_that_would_become_an_infinite_float_is_refused(number: str, beside: str) -> None:
    with pytest.raises(BridgeError) as raised:
        loads(f"[{beside},{number}]")
    assert raised.value.code is ErrorCode.JSON


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


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        ("NaN", ErrorCode.JSON, "not JSON: "),
        ("-Infinity", ErrorCode.JSON, "not JSON: "),
        ("1e999", ErrorCode.JSON, "not JSON: "),
        ("1" * 5000, ErrorCode.LIMIT, "a number has more than 4300 digits; write it as a text"),
    ],
    ids=["NaN", "infinite", "too large", "too long"],
)
@pytest.mark.parametrize("beside", ["0", '"\\ud800"'], ids=["a number", "half a character"])
def test_a_constant_that_is_not_json_is_refused_by_name(number: str, code: ErrorCode, words: str, beside: str) -> None:
    with pytest.raises(BridgeError) as raised:
        loads(f"[{beside},{number}]")
    assert raised.value.code is code
    assert raised.value.message.startswith(words)


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    for data in (b'{"a":"\xff"}', b'{"a":"\\ud800","b":"\xff"}'):
        with pytest.raises(BridgeError) as raised:
            loads(data)
        assert raised.value.code is ErrorCode.JSON


Outcome = tuple[str, ErrorCode | None]
"""A value with the types of its members, or the code of the error."""


def outcome(parse: Callable[[str], Any], text: str) -> Outcome:
    try:
        return repr(parse(text)), None
    except BridgeError as error:
        return "", error.code


def plainly(text: str) -> Any:
    """The value of JSON text, by the standard library and the rules of this module."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise BridgeError(ErrorCode.JSON, "a key stands twice")
        return dict(pairs)

    def finite(digits: str) -> float:
        if isinf(float(digits)):
            raise BridgeError(ErrorCode.JSON, "a number is infinite")
        return float(digits)

    def depth(value: Any) -> int:
        if not isinstance(value, (dict, list)):
            return 0
        inner = cast("dict[str, Any] | list[Any]", value)
        return 1 + max(map(depth, inner.values() if isinstance(inner, dict) else inner), default=0)

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
    except json.JSONDecodeError as error:
        raise BridgeError(ErrorCode.JSON, "not JSON") from error
    except ValueError as error:
        raise BridgeError(ErrorCode.LIMIT, "too many digits") from error
    if depth(value) > MAX_DEPTH:
        raise BridgeError(ErrorCode.LIMIT, "too deep")
    return value


@given(texts() | broken_texts())
def test_text_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert outcome(loads, text) == outcome(plainly, text)


@given(texts() | broken_texts())
def test_a_value_inside_of_a_text_is_read_as_it_is_alone(text: str) -> None:
    inside, alone = value_at(text + " #"), parse(text)
    assert repr(alone and alone.value) == repr(inside[0] if inside and not text[inside[1] :].strip(" \t\r\n") else None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": "b', "the text ends in the middle of a value"),
        ('{"a": "b\n', "the text ends in the middle of a value"),
        ("[1,\n", "the text ends in the middle of a value"),
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        (b"\x9f\x00", "the text is not UTF-8"),
        (b'{"a": "\xff"}', "the text is not UTF-8"),
    ],
)
def test_the_error_names_truncated_json_and_text_that_is_not_json(text: str | bytes, words: str) -> None:
    with pytest.raises(BridgeError, match=f"not JSON: {words}"):
        loads(text)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('{"score": NaN}', "in JSON, NaN is null"),
        ("[-Infinity]", "in JSON, Infinity is null"),
        ('{"end": True}', "in JSON, True is true"),
        ("{'a': 1}", "strings of JSON have double quotes"),
        ("{“a”: 1}", "strings of JSON have double quotes"),
    ],
)
def test_the_error_says_what_json_has_instead(text: str, advice: str) -> None:
    with pytest.raises(BridgeError, match=f"; {advice}$"):
        loads(text)


@pytest.mark.parametrize(("raw", "offset"), [(b'{"a":"\\ud800" 1}', 14), (b'{"a":"\\ud800","b":"\xff"}', 19)])
def test_errors_of_the_slower_library_have_a_code_and_a_position(raw: bytes, offset: int) -> None:
    """Half of a surrogate pair is read by the slower library, which finds other faults by itself."""
    with pytest.raises(BridgeError) as caught:
        loads(raw)
    assert (caught.value.code, caught.value.offset) == (ErrorCode.JSON, offset)


def test_only_halves_of_characters_are_escaped() -> None:
    large = 1 << 70  # the fast library has no integers of this size
    assert dumps(["é", large]) == f'["é",{large}]'.encode()
    assert dumps(["é", large], pretty=True) == f'[\n  "é",\n  {large}\n]'.encode()
    assert dumps(["\ud800"]) == b'["\\ud800"]'
