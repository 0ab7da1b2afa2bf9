"""The other columns of a row keep their spelling."""

from __future__ import annotations

import json

import pytest

from ocml_bridge.bulk.containers.member_texts import texts_of
from ocml_bridge.json_values import jsontext

SPELLINGS = (
    "7",
    "-0",
    "-0.0",
    "1.50",
    "1e5",
    "12345678901234567890123",
    "true",
    "null",
    '""',
    '"caf\\u00e9"',
    '"caf\u00e9"',
    '"a \\"b\\" \\\\"',
    '"\\ud83d"',
    "[]",
    "[1,2]",
    "[1, 2]",
    "[ 1 , 2.50 ]",
    '{"a":{"b":[]}}',
    '{"a": {"b": []}}',
    '{ "a" :1}',
    '{"a": "caf\\u00e9"}',
)
TURNS = '[{"role":"user","content":"Hi","id":3}]'


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "row",
    [
        '{"id":%s,"messages":%s,"n":1}',
        '{"messages":%(turns)s,"id":%(id)s}',
        '{ "messages" : %(turns)s , "id" : %(id)s }',
        '{"n":{"id":5},"messages":%(turns)s,"id":%(id)s,"last":0}',
        '{"messages":%(turns)s,"\\u0069d":%(id)s}',
    ],
)
def test_a_column_keeps_the_spelling_of_its_row(row: str, spelling: str) -> None:
    text = row % ((spelling, TURNS) if "%s" in row else {"turns": TURNS, "id": spelling})
    value = jsontext.loads(text)
    assert isinstance(value, dict)
    assert texts_of(text.encode(), {"id": value["id"]}) == {"id": spelling}


def test_several_columns_are_found_in_any_order() -> None:
    row = '{"a":1,"messages":[],"b":"x","c":{"b":"x"},"d":[1.0]}'
    value = json.loads(row)
    asked = {name: value[name] for name in ("d", "a", "c")}
    assert texts_of(row.encode(), asked) == {"d": "[1.0]", "a": "1", "c": '{"b":"x"}'}
