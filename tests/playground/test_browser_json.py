"""The JSON that the browser has in place of orjson's: the same values, the same bytes, the same refusals."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.playground.browser import orjson as browsers
from sampling import examples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@examples(30)
@given(JSON)
def test_it_writes_the_same(value: Any) -> None:
    assert browsers.dumps(value) == orjson.dumps(value)
    pretty = browsers.dumps(value, option=browsers.OPT_INDENT_2)
    assert pretty == orjson.dumps(value, option=orjson.OPT_INDENT_2)


@examples(30)
@given(JSON)
def test_it_reads_the_same(value: Any) -> None:
    data = orjson.dumps(value)
    assert repr(browsers.loads(data)) == repr(orjson.loads(data))


BROKEN = (b"", b" ", b"[1", b"nul", b"[1] x", b'{"a":NaN}', b"[1e400]", b"[01]", b'"\x01"', b"\xff", b"\xef\xbb\xbf1")
REFUSED = (b'["\\ud83d"]', b'{"\\ud83d":1}', b"[" * 2_000, b"\x0c1", b"{'a':1}", b"[1,]")


@pytest.mark.parametrize("data", [*BROKEN, *REFUSED])
def test_it_refuses_the_same(data: bytes) -> None:
    for module in (orjson, browsers):
        with pytest.raises(module.JSONDecodeError):
            module.loads(data)


@pytest.mark.parametrize("value", ["\ud800", object()])
def test_it_does_not_write_values_that_json_does_not_have(value: object) -> None:
    for module in (orjson, browsers):
        with pytest.raises(module.JSONEncodeError):
            module.dumps(value)
