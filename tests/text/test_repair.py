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
