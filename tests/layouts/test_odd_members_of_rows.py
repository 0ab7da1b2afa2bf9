"""Unknown members of a row, at any level, are kept: in a document, in an extra column, or in a finding.

The rows are those of the other tests; each of their objects gets an unknown member.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any, cast

import pytest
import yaml

from layouts import all_rows, test_benchmarks, test_golden_rows
from ocml_bridge.errors import BridgeError
from ocml_bridge.layouts import AUTO, Plan, Row, plan_of, read_row
from ocml_bridge.layouts.propose import Survey, proposal

PLAN = Plan((AUTO,), preview=True)
ODD, VALUE = "odd_member", "an unknown value"
ROWS: list[dict[str, Any]] = [
    *(row for _, row in all_rows.ROWS),
    *test_benchmarks.ROWS,
    *(case["row"] for _, case in test_golden_rows.CASES),
]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a value, from the outside in."""
    if isinstance(value, dict):
        yield cast("dict[str, Any]", value)
        value = [*cast("dict[str, Any]", value).values()]
    for each in cast("list[Any]", value) if isinstance(value, list) else ():
        yield from objects(each)


def all_of(row: Row) -> str:
    """Everything that is read from a row: documents, extra columns and findings."""
    documents = [
        [each.value, dict(each.extra_columns), [str(found) for found in each.findings]] for each in row.documents
    ]
    return json.dumps([documents, dict(row.extra_columns)])


def named(row: dict[str, Any]) -> str:
    return "-".join(list(row)[:3])


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_an_unknown_member_is_kept(row: dict[str, Any]) -> None:
    layout = read_row(PLAN, row).layout.name
    for at in range(len([*objects(row)])):
        changed = deepcopy(row)
        [*objects(changed)][at][ODD] = VALUE
        try:
            found = read_row(PLAN, changed)
        except BridgeError:  # with the member it is a row of another layout, or of none
            continue
        assert found.layout.name != layout or VALUE in all_of(found), (layout, [*objects(row)][at])


def with_odd_words(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The row with a value of another type for each word that tells what an object is."""
    for at, found in enumerate(objects(row)):
        for key in WORDS & found.keys():
            for value in ([found[key]], {"inner": found[key]}, None):
                changed = deepcopy(row)
                [*objects(changed)][at][key] = value
                yield changed


WORDS = {"type", "kind", "role", "from", "source", "name", "id", "content", "text", "value", "tool_calls", "function"}


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_odd_words_are_refused_with_a_bridge_error_and_advice(row: dict[str, Any]) -> None:
    for changed in with_odd_words(row):
        survey = Survey(PLAN)
        survey.look(changed)
        assert plan_of(yaml.safe_load(proposal(survey, [])), preview=True).layout
        with suppress(BridgeError):
            assert read_row(PLAN, changed).documents
