"""Each column that a layout knows is in the conversation or an extra column, even if the layout reads another one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts import all_rows, test_golden_rows
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row

PLAN = Plan((AUTO,))
ROWS: list[dict[str, Any]] = [
    *(row for _, row in all_rows.ROWS),
    *(case["row"] for _, case in test_golden_rows.CASES),
]
TOOL = {"name": "kept", "role": "user", "content": "kept"}
PARTS = [{"type": "text", "text": "kept"}]
IDS = frozenset({"current_node"})
"""Fields with the id of something in another field."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(list(row)[:3]))
def test_a_column_that_a_layout_knows_is_kept(row: dict[str, Any]) -> None:
    try:
        layout = read_row(PLAN, row).layout
    except BridgeError:
        return
    known = layout.sources(row)
    for name, columns in layout.columns.items():
        column = known.get(name, columns[0])
        for value in ("kept" if name != "tools" else json.dumps([TOOL]), [TOOL], PARTS):
            if layout.whole or name in IDS:
                continue
            try:
                found = read_row(PLAN, {**row, column: value})
            except BridgeError:
                continue
            documents = [[each.value, dict(each.extra_columns), str(each.findings)] for each in found.documents]
            kept = "kept" in json.dumps([documents, dict(found.extra_columns)])
            assert kept or found.layout.name != layout.name, (layout.name, name)


def test_a_system_prompt_may_be_parts_of_text() -> None:
    for row in (
        {"chat": "USER: Hi\nASSISTANT: Yes."},
        {"data": ["Hi", "Yes."]},
        {"history": [{"q": "Hi", "a": "Yes."}]},
    ):
        document: Any = read_row(PLAN, {**row, "system": PARTS}).documents[0].value
        assert document["messages"][0] == {"role": "system", "content": PARTS}
        for other in (["kept"], [{"type": "image_url"}], {"text": "kept"}, 5, False):
            with pytest.raises(BridgeError, match="expected a text"):
                read_row(PLAN, {**row, "system": other})


def test_further_answers_than_the_two_compared_are_extra_columns() -> None:
    row = {"prompt": "Hi", "response_a": "A", "response_b": "B", "answer1": "C", "answer2": ["D"], "winner": "b"}
    assert read_row(PLAN, row).documents[0].extra_columns == {"response_1": "C", "response_2": ["D"]}
    row = {"prompt": '["Hi"]', "response_a": '["A"]', "response_b": '["B"]', "input": "More", "winner": "b"}
    assert read_row(PLAN, row).documents[0].extra_columns == {"input": "More"}


def test_the_input_is_added_to_a_prompt_of_several_turns() -> None:
    prompt = "Human: Hi\n\nAssistant: Yes.\n\nHuman: Why?\n\nAssistant:"
    document: Any = read_row(PLAN, {"instruction": prompt, "input": "More", "output": "So."}).documents[0].value
    assert document["messages"][0] == {"role": "user", "content": f"{prompt}\nMore"}
