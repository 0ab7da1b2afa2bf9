"""Law 11 in a migration: each conversation of a file, a line or a row becomes a record of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Batch = Callable[..., int]

PACKED = "".join(
    f"[BOS]<|im_start|>user\nQuestion {number}?\n<|im_end|>\n<|im_start|>assistant\nAnswer {number}.\n<|im_end|>[EOS]"
    for number in range(1000)
)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_text_file_of_a_thousand_conversations_gives_a_thousand_records(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "packed.txt").write_text(PACKED)
    (tmp_path / "one.txt").write_text(PACKED[: PACKED.index("[EOS]") + 5])
    out, report = tmp_path / "out", tmp_path / "report.json"
    files = (tmp_path / "packed.txt", tmp_path / "one.txt")
    status = batch("-f", "ocm-0.1", "-t", "openai", "--strict", "--verify", *files, "-o", out, "--report", report)
    assert status == 0
    counts = json.loads(report.read_bytes())
    assert (counts["records"], counts["rows"], counts["outcomes"]["converted"]) == (1001, 2, 1001)
    records = lines_of(out / "packed.txt.jsonl")
    assert [record["messages"][0]["content"] for record in records] == [f"Question {n}?" for n in range(1000)]
    assert json.loads((out / "one.json").read_bytes())["messages"][1]["content"] == "Answer 0."
    assert sorted(path.name for path in out.iterdir() if not path.name.startswith(".")) == [
        "one.json",
        "packed.txt.jsonl",
    ]


def test_each_conversation_of_a_line_becomes_a_line_with_the_other_fields(batch: Batch, tmp_path: Path) -> None:
    half = "[BOS]<|im_start|>user\nlatin[EOS]"
    rows = [{"id": 1, "text": "[BOS]<|im_start|>user\nA\n<|im_end|>[EOS]" * 2}, {"id": 2, "text": half}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert batch("-f", "ocm-0.1", "-t", "chatml", tmp_path / "rows.jsonl", "-o", tmp_path / "out") == 0
    assert [row["id"] for row in lines_of(tmp_path / "out" / "rows.jsonl")] == [1, 1, 2]


def test_a_conversation_in_quarantine_has_its_position_in_the_row(batch: Batch, tmp_path: Path) -> None:
    good, half = "<|im_start|>user\nA<|im_end|>\n<|endoftext|>", "<|im_start|>user\nB"
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": good + half}) + "\n")
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "rows.jsonl", "-o", tmp_path / "out") == 6
    (quarantined,) = lines_of(tmp_path / "out" / "rows.quarantine.jsonl")
    assert (
        quarantined["line"],
        quarantined["conversation"],
        quarantined["offset"],
        json.loads(quarantined["raw"]),
    ) == (
        1,
        2,
        len(good),
        {"text": half},
    )
    assert (quarantined["code"], quarantined["position"]["offset"]) == ("OCB-INCOMPLETE", 0)
    assert len(lines_of(tmp_path / "out" / "rows.jsonl")) == 1


def test_each_conversation_of_a_row_becomes_a_row_with_the_other_columns(batch: Batch, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    one = "<|im_start|>user\nA<|im_end|>\n<|endoftext|>"
    table = arrow.table({"id": [1, 2, 3], "text": [one, one * 3, "broken"]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    assert batch("-f", "chatml", "-t", "internlm2", tmp_path / "rows.parquet", "-o", tmp_path / "out") == 6
    assert parquet.read_table(tmp_path / "out" / "rows.parquet").column("id").to_pylist() == [1, 2, 2, 2]
    (quarantined,) = lines_of(tmp_path / "out" / "rows.quarantine.jsonl")
    assert (quarantined["row"], json.loads(quarantined["raw"])) == (3, {"id": 3, "text": "broken"})


def test_the_limit_counts_lines_and_not_conversations(batch: Batch, tmp_path: Path) -> None:
    """The limit counts lines, not the conversations in them."""
    row = json.dumps({"text": "<|im_start|>user\nA<|im_end|>\n<|endoftext|>" * 2}) + "\n"
    (tmp_path / "rows.jsonl").write_text(row * 5)
    assert batch("-f", "chatml", "-t", "openai", "--limit", "2", tmp_path / "rows.jsonl", "-o", tmp_path / "out") == 0
    assert len(lines_of(tmp_path / "out" / "rows.jsonl")) == 4


def test_an_output_of_an_earlier_run_with_another_name_is_removed(batch: Batch, tmp_path: Path) -> None:
    one = "<|im_start|>user\nA<|im_end|>\n<|endoftext|>"
    for text, name in ((one, "a.json"), (one * 2, "a.txt.jsonl"), (one, "a.json")):
        (tmp_path / "a.txt").write_text(text)
        assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.txt", "-o", tmp_path / "out") == 0
        assert [path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")] == [name]


def test_a_text_and_a_file_of_records_that_might_have_one_output_are_refused(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<|im_start|>user\nA<|im_end|>\n")
    (tmp_path / "a.txt.jsonl").write_text('{"text":""}\n')
    assert batch("-f", "chatml", "-t", "openai", tmp_path, "-o", tmp_path / "out") == 2
