"""JSON that people and Python's `repr` wrote."""

from __future__ import annotations

import pytest

from ocml_bridge.text.repair import repair


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ('[\n  {"a": [1, 2,],},\n]', '[\n  {"a": [1, 2]}\n]'),
        ("{'city': 'Paris', 'ok': True, 'no': None}", '{"city": "Paris", "ok": true, "no": null}'),
        (r"""{'a': 'it\'s "x"\n'}""", r"""{"a": "it's \"x\"\n"}"""),
        ("""{"a": 'b', "c": "it's, ]"}""", """{"a": "b", "c": "it's, ]"}"""),
        ('{"a": "b\nc\td"}', '{"a": "b\\nc\\td"}'),
        (r"""{"a": "C:\dir \'x\' \u12 \n"}""", r"""{"a": "C:\\dir 'x' \\u12 \n"}"""),
        ('{"a": "He said "hello" to me", "b": ""x" y"}', r'{"a": "He said \"hello\" to me", "b": "\"x\" y"}'),
        ('{a: "b", city_1: {c: true}}', '{"a": "b", "city_1": {"c": true}}'),
    ],
)
def test_json_with_one_possible_reading_is_repaired(text: str, mended: str) -> None:
    assert repair(text) == mended


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "[,]",
        '{,"a":1}',
        '{,"a":1,}',
        "[1,,]",
        "[1],",
        "{'a'}",
        "('a',)",
        "['a' 'b']",
        '["a" "b"]',
        '{"a": "print("b", 1)"}',
        '{"a": 1',
        '{"a": 1}}',
        "{a}",
        "[f'x']",
        "[open('x')]",
        r"['\d']",
        "['a",
        """[{"path": "data.csv", size='10K'}]""",
        "",
    ],
)
def test_nothing_else_is_touched(text: str) -> None:
    assert repair(text) is None


def test_deep_nesting_is_given_up() -> None:
    assert repair("[" * 100_000 + "1,]" + "]" * 99_999) is None


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('{"a": {"b": 1}', '{"a": {"b": 1}}'),
        ('{"a": {"b": 1}}}]', '{"a": {"b": 1}}'),
        ('{"a": [{"b": 1}, {"b": 2}}', '{"a": [{"b": 1}, {"b": 2}]}'),
        ("{'a': [1,", None),
        ('{"a": "b', None),
        ('{"a": 1}}{', None),
        ('}{"a": 1}', None),
    ],
)
def test_closing_brackets_are_mended_on_request(text: str, mended: str | None) -> None:
    assert repair(text) is None
    assert repair(text, brackets=True) == mended


def test_any_text_is_given_up_in_linear_time() -> None:
    for text in ('"' * 100_000, '["' + '" x' * 50_000, '{"a":' * 50_000, "{" * 50_000 + "]" * 50_000, '{"\\' * 50_000):
        assert repair(text, brackets=True) is None
