"""The ledger has a row for every record: its id, its outcome, its losses, and its place in the output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
ROWS = (
    {"id": "a", "messages": [{"role": "user", "content": "Hi"}]},
    {"id": "b", "messages": [{"role": "user", "content": "Hi", "name": "bob"}]},
    {"id": "c", "no": "transcript"},
    {"id": 4, "messages": [{"role": "user", "content": "Bye"}]},
)


def rows_of(path: Path) -> list[Any]:
    if path.suffix == ".parquet":
        parquet: Any = pytest.importorskip("pyarrow.parquet")
        return parquet.read_table(path).to_pylist()
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n")
    return path


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_each_record_has_a_row(form: str, source: Path, batch: Batch, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert batch("-f", "openai", "-t", "harmony", "--ledger", form, source, "-o", out) == ExitCode.SOME_FAILED
    rows = rows_of(out / f"a.ledger.{form}")
    assert [row["position"] for row in rows] == [1, 2, 3, 4]
    assert [row["id"] for row in rows] == ["a", "b", "c", "4"]
    assert {row["input"] for row in rows} == {str(source)}
    assert [row["sha256"] for row in rows] == [hashlib.sha256(json.dumps(row).encode()).hexdigest() for row in ROWS]
    assert [row["outcome"] for row in rows] == ["converted", "lossy", "quarantined", "converted"]
    assert [row["class"] for row in rows] == [None, "structure", None, None]
    assert [row["codes"] for row in rows] == [[], ["name"], ["OCB-SHAPE"], []]
    assert rows[1]["losses"] == [{"code": "name", "severity": "lost", "path": "/messages/0/name"}]
    assert rows[2]["error"]["code"] == "OCB-SHAPE"
    assert [(row["output"], row["output_position"]) for row in rows] == [
        ("a.jsonl", 1), ("a.jsonl", 2), (None, None), ("a.jsonl", 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        *((5.0, "5.0"), ({"$oid": "6a"}, '{"$oid":"6a"}'), ([1, "b"], '[1,"b"]'), (True, "true")),
        *((12345678901234567890123, "12345678901234567890123"), ("null", "null"), (None, None), ("", "")),
    ],
    ids=str,
)
@pytest.mark.parametrize("into", ["jsonl", "parquet"])
def test_an_id_may_be_any_value(identity: Any, name: str | None, into: str, batch: Batch, tmp_path: Path) -> None:
    """MongoDB's exports have objects; pandas makes fractions of a column of numbers in which one is missing."""
    row = {"id": identity, "messages": ROWS[0]["messages"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    args = ("-f", "openai", "-t", "harmony", "--ledger", into, "--id", "id", tmp_path / "a.jsonl")
    assert batch(*args, "-o", tmp_path / "out") == 0
    assert [each["id"] for each in rows_of(tmp_path / "out" / f"a.ledger.{into}")] == [name]
    planned = ("--plan", "messages", "-t", "openai", "--ledger", into, tmp_path / "a.jsonl")
    assert batch(*planned, "-o", tmp_path / "planned") == 0
    assert [each["id"] for each in rows_of(tmp_path / "planned" / f"a.ledger.{into}")] == [name]


@pytest.mark.parametrize(
    ("option", "ids"),
    [(("--class", "structure"), ["b"]), (("--class", "content"), []), (("--outcome", "converted"), ["a", "4"])],
)
def test_records_are_selected(
    option: tuple[str, ...],
    ids: list[str],
    source: Path,
    batch: Batch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    batch("-f", "openai", "-t", "harmony", "--ledger", "jsonl", source, "-o", tmp_path / "out")
    capsys.readouterr()
    assert main(["ledger", str(tmp_path / "out"), *option, "--rows"]) == ExitCode.OK
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ids


def test_each_conversation_of_a_text_file_has_a_row(batch: Batch, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    one = "<|im_start|>user\nA<|im_end|>\n<|endoftext|>"
    (folder / "one.txt").write_text(one)
    (folder / "two.txt").write_text(one * 2)
    out = tmp_path / "out"
    assert batch("-f", "chatml", "-t", "openai", "--ledger", "jsonl", folder, "-o", out) == ExitCode.OK
    rows = rows_of(out / "texts.ledger.jsonl")
    assert [(Path(row["input"]).name, row["conversation"]) for row in rows] == [
        ("one.txt", None), ("two.txt", 1), ("two.txt", 2)
    ]  # fmt: skip
    assert [(row["output"], row["output_position"]) for row in rows] == [
        ("one.json", 1), ("two.txt.jsonl", 1), ("two.txt.jsonl", 2)
    ]  # fmt: skip


def test_a_column_may_contain_the_ids_of_records(batch: Batch, tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    texts = ["<|im_start|>user\nA<|im_end|>\n", "broken"]
    parquet.write_table(arrow.table({"key": [7, 8], "text": texts}), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", "--id", "key", tmp_path / "a.parquet")
    assert batch(*args, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    rows = rows_of(tmp_path / "out" / "a.ledger.jsonl")
    assert [(row["id"], row["output_position"]) for row in rows] == [("7", 1), ("8", None)]


def test_the_ledger_is_the_same_from_any_number_of_processes(many: Any, batch: Batch, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(many.lines(3000, broken_each=100, words=150))
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", source, "-o")
    assert batch(*args, tmp_path / "one", "--jobs", "1") == ExitCode.SOME_FAILED
    assert batch(*args, tmp_path / "two", "--jobs", "2") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "one") == many.tree(tmp_path / "two")
    rows = rows_of(tmp_path / "two" / "a.ledger.jsonl")
    assert [row["position"] for row in rows] == list(range(1, 3001))
    assert sum(row["outcome"] == "quarantined" for row in rows) == 30


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_half_of_a_surrogate_pair_in_an_id_or_a_path_costs_no_ledger(form: str, batch: Batch, tmp_path: Path) -> None:
    message = '{"role":"user","content":"Hi","n\\ud800":1}'
    (tmp_path / "a.jsonl").write_text(f'{{"id":"r\\udfff","messages":[{message}]}}\n{{"messages":[\n')
    out = tmp_path / "out"
    args = ("-t", "anthropic", "--ledger", form, tmp_path / "a.jsonl", "-o", out)
    assert batch(*args) == ExitCode.SOME_FAILED
    row = rows_of(out / f"a.ledger.{form}")[0]
    half = {"jsonl": "\ud800", "parquet": "\\ud800"}[form]  # Parquet allows only valid Unicode
    assert row["id"] == "r" + half.replace("d800", "dfff").replace("\ud800", "\udfff")
    assert [loss["path"] for loss in row["losses"]] == [f"/messages/0/extras/openai/n{half}"]
