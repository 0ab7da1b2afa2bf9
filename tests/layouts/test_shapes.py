"""The layout of a row is the same whether or not rows of its shape were met before."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.common.memo import Memo
from ocml_bridge.json_values import jsontext
from ocml_bridge.layouts import AUTO, Plan, plan, read_row
from ocml_bridge.layouts.agents.frameworks import Framework
from ocml_bridge.layouts.shapes import DECIDED_BY, WORDS, WORDS_OF_ROWS, shape_of
from ocml_bridge.layouts.table import BY_NAME, LAYOUTS
from ocml_bridge.recognise import KINDS
from ocml_bridge.recognise.marks import Place
from recognised_examples import EXAMPLES

Row = dict[str, Any]
GOLDEN = Path(__file__).parents[2] / "golden"
TEXTS = (
    "Why?", "", "yes", "[f(a=1)]", '[{"role": "user", "content": "Hi"}]', '{"name": "f"}', "<tool_call>{}</tool_call>",
    "USER: Hi\nASSISTANT: Yes.", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n",
    "[INST] Hi [/INST] Yes.", "### Instruction:\nHi\n\n### Response:\nYes.", "A long thought about it, of many words.",
    "model_a", "gpt-4", "claude-3", "\n\nHuman: Hi\n\nAssistant: Yes.", "[|Human|]Hi[|AI|]Yes.", " [1]", "0", "null",
)  # fmt: skip
WORDS_OF_ROLES = ("user", "assistant", "system", "tool", "model", "human", "ai", "gpt", "function_call", "reasoning")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 0.5, [], {}, "", "text", ["a"], ["a", "b"], [0], [{"type": "text", "text": "Hi"}],
    [{"type": "tool_use", "id": "c", "name": "f", "input": {}}], [{"text": "Hi"}], {"text": "Hi"},
    [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}], {"name": "f", "arguments": "{}"},
    [{"id": "c", "function": "f", "arguments": {}}], [{"role": "user", "content": "Hi"}],
    {"role": "user", "text": "Hi"},
)  # fmt: skip


def rows() -> list[Row]:
    found = [case["row"] for path in (GOLDEN / "rows").glob("*.json") for case in json.loads(path.read_text())["cases"]]
    for path in sorted(GOLDEN.glob("*/*/input.json")):
        with suppress(BridgeError):
            found.append(jsontext.loads(path.read_bytes()))
    examples = [each for group in EXAMPLES.values() for each in group]
    return [as_row(each) for each in (*found, *examples)]


def as_row(value: Any) -> Row:
    return cast("Row", value) if isinstance(value, dict) else {"messages": value}


TURNS = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes."}]
MADE: tuple[Row, ...] = (
    {"id": 1, "messages": TURNS},
    {"messages": TURNS * 2, "response": "Yes."},
    {"messages": TURNS[:1], "response": "Yes."},
    {"messages": TURNS[:1], "answers": ["Yes."]},
    {"messages": [*TURNS, TURNS[0]], "response": "Yes."},
    {"prompt": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "completion": "Yes."},
    {
        "system": 'You have functions: [{"name": "f", "description": "", "parameters": {}}]',
        "conversations": [{"from": "user", "value": "Hi"}, {"from": "assistant", "value": "[f(a=1)]"}],
    },
    {"conversations": [["Hi", "Yes."]]},
    {"messages": ["Hi", "Yes."]},
    {"messages": TURNS, "images": ["a"], "rejected_messages": TURNS},
    {"messages": TURNS, "images": ["a"], "rejected_messages": [TURNS[0], {"role": "assistant", "content": "No."}]},
    {"messages": ["Hi"]},
    {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes."}]},
    {"instruction": "Hi", "input": "", "output": "Yes."},
    {"prompt": "Hi", "completion": "Yes."},
    {"prompt": "Hi", "chosen": "Yes.", "rejected": "No."},
    {"question": "Hi", "reasoning": "A thought.", "answer": "Yes."},
    {"query": "Hi", "answers": '[{"name": "f"}]', "tools": "[]"},
)


def edits(value: Any, drawn: random.Random) -> Any:
    """The value with one change."""
    if isinstance(value, dict):
        members = cast("Row", value)
        if members and drawn.random() < 0.8:
            key = drawn.choice(list(members))
            if drawn.random() < 0.15:
                return {name: each for name, each in members.items() if name != key}
            return {**members, key: edits(members[key], drawn)}
        return {**members, drawn.choice((*WORDS, "content", "text", "parts", "tool_calls")): drawn.choice(VALUES)}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if items and drawn.random() < 0.8:
            at = drawn.randrange(len(items))
            return [*items[:at], edits(items[at], drawn), *items[at + 1 :]]
        return drawn.choice((items[::-1], items[:1], items * 2, items[1:]))
    pool = (*TEXTS, *WORDS_OF_ROLES) if isinstance(value, str) and drawn.random() < 0.8 else VALUES
    return drawn.choice(pool)


def found_in(row: Row) -> Any:
    try:
        found = read_row(Plan((AUTO,)), row)
    except BridgeError as error:
        return error.code, error.path, error.message
    return found.layout.name, list(found.documents), found.extra_columns, found.sources


def nothing(_row: Mapping[str, Any]) -> None:
    return None


@pytest.mark.parametrize("seed", range(4))
def test_the_layout_does_not_depend_on_the_rows_before(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(seed)
    known = rows()
    monkeypatch.setattr(plan, "_remaining", Memo[Any, Any](100_000))
    met: set[Any] = set()
    again = 0
    for _ in range(2500):
        row = drawn.choice(known if drawn.random() < 0.5 else MADE)
        for _ in range(drawn.randrange(4)):
            row = as_row(edits(row, drawn))
        shape = shape_of(row)
        again += shape is not None and shape in met
        met.add(shape)
        remembered = found_in(row)
        with monkeypatch.context() as patch:
            patch.setattr(plan, "shape_of", nothing)
            assert found_in(row) == remembered, row
    assert again > 300


def test_json_text_in_a_list_of_answers_is_not_an_answer_of_the_assistant() -> None:
    row: Row = {"messages": TURNS[:1], "answers": ["Yes."]}
    other: Row = {**row, "answers": [json.dumps(TURNS[:1])]}
    assert [read_row(Plan((AUTO,)), each).layout.name for each in (row, other)] == ["answered", "messages"]


def test_words_that_decide_are_in_the_shape() -> None:
    checks = {
        (mark.place, key)
        for kind in KINDS
        for mark in kind.marks
        for key, check in mark.members.items()
        if isinstance(check, frozenset) or getattr(check, "__qualname__", "").startswith("like.")
    }
    texts = {"plain_text"}  # of MOSS, which nothing remembers
    assert {key for place, key in checks if place is Place.DOCUMENT} <= WORDS_OF_ROWS | texts
    assert {key for place, key in checks if place is not Place.DOCUMENT} <= WORDS
    assert {key.partition(".")[0] for key in _keys_of_frameworks()} <= WORDS | {"info", "Role"}  # objects: no shape


def _keys_of_frameworks() -> Iterator[str]:
    for layout in LAYOUTS:
        yield from layout.wording.role
        fits = cast("Any", layout.fits)
        for each in fits.args if isinstance(fits, partial) else ():
            if isinstance(each, Framework):
                yield each.role


def test_fields_whose_texts_decide_are_those_of_their_layouts() -> None:
    for name, texts in DECIDED_BY.items():
        assert texts <= BY_NAME[name].columns.keys(), name


def test_rows_of_one_file_have_one_shape() -> None:
    one, other = ({"id": at, "messages": TURNS * (at + 1)} for at in (2, 3))
    assert shape_of(one) == shape_of(other) is not None
    assert shape_of({"messages": [{"role": "user", "content": {"parts": [{"text": "Hi"}]}}]}) is None
    assert shape_of({"text": '[{"a": 1}]'}) is None
