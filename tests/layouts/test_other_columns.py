"""A column that a layout knows is in the conversation or beside it, also where the layout reads another one for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts import test_exports, test_frameworks, test_golden_rows, test_reading, test_sessions
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row

PLAN = Plan((AUTO,))
ROWS: list[dict[str, Any]] = [
    *(row for module in (test_reading, test_exports, test_frameworks, test_sessions) for _, row, *_ in module.ROWS),
    *(case["row"] for _, case in test_golden_rows.CASES),
]
TOOL = {"name": "kept", "role": "user", "content": "kept"}
UNREAD = {
    **dict.fromkeys(("dialogue", "glaive", "hermes-functions", "pairs", "texts"), frozenset({"system"})),  # of a list
    "compared": frozenset({"input", *(f"response_{side}" for side in "012ab")}),  # beside two other answers
}
"""Fields that are known to be left out, by layout."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(list(row)[:3]))
def test_a_column_that_a_layout_knows_is_kept(row: dict[str, Any]) -> None:
    try:
        layout = read_row(PLAN, row).layout
    except BridgeError:
        return
    known = UNREAD.get(layout.name, frozenset[str]()) | layout.sources(row).keys()
    for name, (column, *_) in layout.columns.items():
        for value in ("kept" if name != "tools" else json.dumps([TOOL]), [TOOL]):
            if layout.whole or name in known or column in row:
                continue
            try:
                found = read_row(PLAN, {**row, column: value})
            except BridgeError:
                continue
            documents = [[each.value, dict(each.extra_columns), str(each.findings)] for each in found.documents]
            kept = "kept" in json.dumps([documents, dict(found.extra_columns)])
            assert kept or found.layout.name != layout.name, (layout.name, name)
