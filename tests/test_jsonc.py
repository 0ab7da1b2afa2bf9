"""JSON with comments, or with commas before closing brackets, is read without them, in linear time."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, FindingCode, read
from ocml_bridge.json_values.jsonc import COMMA, COMMENT, as_json

REQUEST = '{"messages":[{"role":"user","content":"src/* // \\" */"}]}'


@pytest.mark.parametrize(
    "text",
    [
        f"// a request\n{REQUEST}",
        f"{REQUEST} // a request",
        f"/* a\nrequest */{REQUEST}/**/",
        REQUEST.replace(":[", ": /* * / // */ ["),
        REQUEST.replace("}]}", "},]}"),
        REQUEST.replace("}]}", ", } , \n]\n,}"),
        REQUEST.replace("}]}", "}, // the last one\n]}"),
    ],
)
def test_comments_and_commas_are_left_out_and_reported(text: str) -> None:
    reading = read(text, "openai")
    assert {finding.code for finding in reading.findings} == {FindingCode.JSON_REPAIRED}
    assert reading.transcript == read(REQUEST, "openai").transcript


def test_the_position_after_comments_does_not_change() -> None:
    text = '/* "a" */ {"b": 1} // c'
    bare = as_json(text)
    assert bare is not None
    assert bare.text.index('"b"') == text.index('"b"')
    assert len(bare.text) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "[,]x",
        "[1,,]",
        "{},",
        '{"a": ",]"}',
        "{} /",
        "{} /*",
        "{} /*/",
        '{} // \n "',
        '{} "//',
        "// alone",
        "{}",
        '{"a": "//"}',
    ],
)
def test_text_that_is_not_json_with_comments_gives_none(text: str) -> None:
    assert as_json(text) is None


CUT: dict[str, str] = {
    "globs": '{"messages":[{"role":"user","content":"' + "src/* " * 30_000,
    "words": '{"messages":[{"role":"user","content":"' + "word " * 40_000,
    "escapes": '{"messages":[{"role":"user","content":"' + "\\n// " * 40_000,
    "stars": "{ /" + "*" * 200_000,
    "slashes": "{" + "/ " * 100_000,
    "strings": '{"a":[' + '"b",' * 50_000,
    "commas": "[" + ", " * 100_000,
    "spaces": "[" + f",{' ' * 400}" * 400,
}


@pytest.mark.parametrize("name", CUT)
def test_a_truncated_record_takes_little_memory(name: str) -> None:
    text = CUT[name]
    as_json(text[:100])
    tracemalloc.start()
    try:
        assert as_json(text) is None
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CUT)
def test_a_truncated_record_is_not_json(name: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read(CUT[name], "openai")
    assert caught.value.code is ErrorCode.JSON


@given(st.lists(st.sampled_from([*'"\\/*\n {}[]1,', "//", "/*", "*/", '"a"', "文"]), max_size=12).map("".join))
def test_each_character_is_read_once(text: str) -> None:
    """Each match begins where the last one ended and takes something: nothing is searched for, nothing tried twice."""
    for pattern in (COMMENT, COMMA):
        at = 0
        for found in pattern.finditer(text):
            assert found.start() == at
            assert found.end() > at or at == len(text)
            at = found.end()
        assert at == len(text)


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_value_next_to_a_comment_does_not_change(value: Any) -> None:
    spelled = json.dumps(value)
    bare = as_json(f"/* before */ {spelled} // behind")
    assert bare is not None
    assert bare.text.strip() == spelled
