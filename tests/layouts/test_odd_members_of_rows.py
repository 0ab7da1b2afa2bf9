"""Unknown members of a row, at any level, are kept: in a document, in an extra column, or in a finding.

The rows are those of the other tests; each of their objects gets an unknown member.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, cast

import pytest

from layouts import all_rows, test_benchmarks, test_golden_rows
from ocml_bridge.errors import BridgeError
from ocml_bridge.layouts import AUTO, Plan, Row, read_row

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
