"""What the fronts have in common needs no engine but Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.bulk import Settings
from ocml_bridge.hosts.arrow import ADDED, Added, convert_table
from ocml_bridge.layouts import plan_of

SETTINGS = Settings("openai", "chatml")


def test_nothing_is_raised_for_a_record(engine: Callable[[str], Any]) -> None:
    arrow = engine("pyarrow")
    good = b"<|im_start|>user\nhi<|im_end|>\n"
    table = arrow.table({"n": [1, 2, 3], "raw": arrow.array([good, b"\xff", None], arrow.binary())})
    out = convert_table(table, "raw", SETTINGS)
    assert out.schema.names == ["n", "raw", *ADDED.names]
    assert out.column("n").to_pylist() == [1, 2, 3]
    assert out.column("raw").to_pylist() == ['{"messages":[{"role":"user","content":"hi"}]}', None, None]
    assert out.column("outcome").to_pylist() == ["converted", "quarantined", "quarantined"]
    errors = [json.loads(error) for error in out.column("error").to_pylist()[1:]]
    assert [error["code"] for error in errors] == ["OCB-ENCODING", "OCB-SHAPE"]
    assert errors[0]["raw_base64"] == "/w=="


def test_nested_values_and_losses(engine: Callable[[str], Any]) -> None:
    arrow = engine("pyarrow")
    table = arrow.table(
        {"messages": [[{"role": "user", "content": "hi", "name": "bob"}], [{"role": "x", "name": "y"}]]}
    )
    out = convert_table(table, "messages", Settings("harmony", "openai", strict=False))
    assert out.column("messages").to_pylist()[0] == "<|start|>user<|message|>hi<|end|>"
    lost = {"code": "name", "severity": "lost", "path": "/messages/0/name"}
    assert json.loads(out.column("losses").to_pylist()[0]) == [lost]
    assert (out.column("codes").to_pylist()[0], out.column("class").to_pylist()[0]) == ('["name"]', "structure")


def test_an_empty_table_has_the_same_columns(engine: Callable[[str], Any]) -> None:
    arrow = engine("pyarrow")
    out = convert_table(arrow.table({"text": arrow.array([], arrow.string())}), "text", SETTINGS)
    assert (out.schema.names, out.num_rows) == (["text", *ADDED.names], 0)
    assert {out.schema.field(name).type for name in out.schema.names} == {arrow.string()}


def test_a_column_that_is_not_there(engine: Callable[[str], Any]) -> None:
    with pytest.raises(BridgeError, match="there is no column 'text'; the columns are a"):
        convert_table(engine("pyarrow").table({"a": [1]}), "text", SETTINGS)


def test_a_column_that_has_the_name_of_one_that_is_added(engine: Callable[[str], Any]) -> None:
    table = engine("pyarrow").table({"outcome": ["new"], "text": ["<|im_start|>user\nhi<|im_end|>\n"]})
    with pytest.raises(BridgeError, match="the column 'outcome' would exist twice"):
        convert_table(table, "text", SETTINGS)
    added = Added(outcome="became")
    out = convert_table(table, "text", SETTINGS, added)
    assert out.schema.names == ["outcome", "text", *added.names]
    assert (out.column("outcome").to_pylist(), out.column("became").to_pylist()) == (["new"], ["converted"])


def test_two_columns_of_one_name(engine: Callable[[str], Any]) -> None:
    arrow = engine("pyarrow")
    table = arrow.Table.from_arrays([arrow.array(["a"]), arrow.array(["b"])], names=["text", "text"])
    with pytest.raises(BridgeError, match="'text' would exist twice"):
        convert_table(table, "text", SETTINGS)


@pytest.mark.parametrize(
    "settings", [Settings("openai", "chatmll"), Settings("opnai"), Settings("openai", profile="qwen99")]
)
def test_settings_that_would_fail_for_every_record_are_refused_before(
    settings: Settings, engine: Callable[[str], Any]
) -> None:
    with pytest.raises(BridgeError, match=r"there is no|no profile"):
        convert_table(engine("pyarrow").table({"text": ["x"]}), "text", settings)


def test_a_text_that_is_not_utf_8_costs_its_own_record(engine: Callable[[str], Any]) -> None:
    arrow = engine("pyarrow")
    bytes_ = arrow.array([b"<|im_start|>user\nhi<|im_end|>\n", b"\xff"], arrow.binary())
    text = arrow.Array.from_buffers(arrow.string(), 2, bytes_.buffers())
    for column in (text, text.cast(arrow.large_string())):
        out = convert_table(arrow.table({"text": column}), "text", SETTINGS)
        assert out.column("outcome").to_pylist() == ["converted", "quarantined"]
        assert json.loads(out.column("error").to_pylist()[1])["code"] == "OCB-ENCODING"


def test_rows_by_a_plan(engine: Callable[[str], Any]) -> None:
    rows = [
        {"id": 1, "instruction": "Why?", "input": "", "output": "Because."},
        {"id": 2, "instruction": "How?", "input": "By hand.", "output": "Slowly."},
        {"id": 3, "instruction": None, "input": None, "output": None},
    ]
    table = engine("pyarrow").Table.from_pylist(rows)
    out = convert_table(table, "text", Settings("chatml"), plan=plan_of("alpaca"))
    assert out.schema.names == [*table.schema.names, "text", *ADDED.names]
    assert out.select(table.schema.names).to_pylist() == rows
    turns = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n"
    assert out.column("text").to_pylist() == [
        turns.format("Why?", "Because."),
        turns.format("How?\nBy hand.", "Slowly."),
        None,
    ]
    assert out.column("outcome").to_pylist() == ["converted", "converted", "quarantined"]
    with pytest.raises(BridgeError, match="'output' would exist twice"):
        convert_table(table, "output", Settings("chatml"), plan=plan_of("alpaca"))


def test_a_row_of_several_conversations_stays_one_row(engine: Callable[[str], Any]) -> None:
    leaves: list[dict[str, Any]] = [
        {"text": text, "role": "assistant", "replies": []} for text in ("Because.", "Why not?")
    ]
    tree: dict[str, Any] = {"prompt": {"text": "Why?", "role": "prompter", "replies": leaves}, "message_tree_id": "t"}
    out = convert_table(engine("pyarrow").Table.from_pylist([tree]), "text", Settings("chatml"), plan=plan_of("oasst"))
    assert (out.num_rows, out.column("text").to_pylist()) == (1, [None])
    assert json.loads(out.column("error").to_pylist()[0])["code"] == "OCB-SEVERAL"
