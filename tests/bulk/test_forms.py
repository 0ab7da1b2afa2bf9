"""Outputs in the forms that trainers load: a JSON array, a table, Parquet with one type for each column."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
ROWS: list[dict[str, Any]] = [
    {"instruction": "Hi", "output": "Ho", "lang": "de", "n": 1},
    {"instruction": 'a "b",\nc', "output": "", "meta": {"a": [1]}, "n": 2.5},
    {"instruction": "Hé", "output": "x", "meta": {"b": "t"}, "mixed": [1], "empty": {}},
    {"instruction": "y", "output": "z", "mixed": "text", "big": 2**70},
]


@pytest.fixture
def written(batch: Batch, tmp_path: Path) -> Callable[..., Path]:
    """Convert rows of the layout alpaca into one of the forms; returns the output."""

    def write(into: str, *options: str) -> Path:
        source = tmp_path / "a.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        assert batch("--plan", "alpaca", "--into", into, *options, source, "-o", tmp_path / "out") == ExitCode.OK
        return tmp_path / "out" / f"a.{into}"

    return write


def test_a_json_array_contains_the_lines(written: Callable[..., Path]) -> None:
    lines = written("jsonl", "-t", "openai").read_text().splitlines()
    assert json.loads(written("json", "-t", "openai").read_text()) == [json.loads(line) for line in lines]


def test_a_table_has_every_column_and_null_is_an_empty_field(written: Callable[..., Path]) -> None:
    with written("csv", "--to-plan", "alpaca").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["instruction", "input", "output", "lang", "n", "meta", "mixed", "empty", "big"]
    assert [row["instruction"] for row in rows] == [row["instruction"] for row in ROWS]
    assert [row["meta"] for row in rows] == ["", '{"a":[1]}', '{"b":"t"}', ""]
    assert (rows[0]["n"], rows[3]["big"]) == ("1", str(2**70))


def test_columns_of_parquet_have_the_type_of_all_their_values(written: Callable[..., Path]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(written("parquet", "-t", "openai"))
    types = {field.name: str(field.type) for field in table.schema}
    assert types["messages"] == "list<element: struct<role: string, content: string>>"
    assert types["meta"] == "struct<a: list<element: int64>, b: string>"
    assert types["n"] == "double"
    assert {types[name] for name in ("mixed", "empty", "big")} == {"string"}, "where there is none, it is JSON"
    rows = table.to_pylist()
    assert [row["mixed"] for row in rows] == [None, None, "[1]", '"text"']
    assert [row["messages"][0]["content"] for row in rows] == [row["instruction"] for row in ROWS]


def test_an_output_without_rows_is_written(batch: Batch, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.jsonl").write_text("{}\n")
    for into in ("json", "csv", "parquet"):
        args = ("--plan", "alpaca", "-t", "openai", "--into", into, tmp_path / "a.jsonl", "-o", tmp_path / into)
        assert batch(*args) == ExitCode.SOME_FAILED
        assert batch(*args, "--resume") == ExitCode.SOME_FAILED


def test_transcripts_are_written_in_these_forms_too(batch: Batch, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "a.jsonl").write_text('{"id":7,"messages":[{"role":"user","content":"Hi"}]}\n')
    args = ("-f", "openai", "-t", "harmony", "--into", "parquet", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.OK
    rows = parquet.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert rows == [{"id": 7, "text": "<|start|>user<|message|>Hi<|end|>"}]


def test_values_that_parquet_cannot_represent_do_not_end_the_output(batch: Batch, tmp_path: Path) -> None:
    """Names with half of a surrogate pair, and values that nest deeper than Parquet's libraries allow."""
    parquet = pytest.importorskip("pyarrow.parquet")
    deep = "[" * 100 + "1" + "]" * 100
    lines = f'{{"instruction":"Hi","output":"Ho","n\\ud800":1,"n":2,"deep":{deep}}}\n{{"torn"\n'
    (tmp_path / "a.jsonl").write_text(lines)
    args = ("--plan", "alpaca", "-t", "openai", "--into", "parquet", "--ledger", "jsonl", tmp_path / "a.jsonl")
    assert batch(*args, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    stored = tmp_path / "out" / "a.parquet"
    assert parquet.read_table(stored).column("deep").to_pylist() == [deep]
    mended = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    mended["raw"] = lines.splitlines()[0]
    (tmp_path / "mended.jsonl").write_text(json.dumps(mended) + "\n")
    assert main(["requeue", str(tmp_path / "out"), str(tmp_path / "mended.jsonl")]) == ExitCode.OK
    assert parquet.read_table(stored).select(["n\ufffd", "n"]).to_pydict() == {"n\ufffd": [1, 1], "n": [2, 2]}
