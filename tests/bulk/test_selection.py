"""The options that write each conversation once, or a random sample."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., int]


def rows(count: int, *, first: int = 0) -> bytes:
    return b"".join(json.dumps({"id": first + at, "prompt": f"{at}"}).encode() + b"\n" for at in range(count))


def asked(path: Path) -> list[tuple[int, str]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [(row["id"], row["messages"][0]["content"]) for row in found]


def left_out(path: Path) -> dict[str, int]:
    return json.loads(path.read_text())["left_out"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(rows(50))
    (tmp_path / "in" / "b.jsonl.gz").write_bytes(gzip.compress(rows(60, first=100)))
    return tmp_path


PLAN = ("--plan", "prompt", "-t", "openai", "--into", "jsonl")


def test_a_repeated_conversation_is_written_once_even_with_other_extra_columns(batch: Run, folder: Path) -> None:
    report = folder / "report.json"
    assert batch(folder / "in", *PLAN, "--unique", "-o", folder / "out", "--report", report) == 0
    assert asked(folder / "out" / "a.jsonl") == [(at, f"{at}") for at in range(50)]
    assert asked(folder / "out" / "b.jsonl") == [(100 + at, f"{at}") for at in range(50, 60)]
    assert left_out(report) == {"repeated": 50, "undrawn": 0}


def test_without_a_plan_records_are_compared_whole(batch: Run, tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"Why?"}]}\n'
    (tmp_path / "a.jsonl").write_bytes(line + b"\n" + line + line.replace(b"Why", b"Who"))
    report = tmp_path / "report.json"
    assert batch(tmp_path / "a.jsonl", "-t", "openai", "--unique", "-o", tmp_path / "out", "--report", report) == 0
    assert len((tmp_path / "out" / "a.jsonl").read_text().splitlines()) == 2
    assert left_out(report)["repeated"] == 1


def test_a_resumed_run_knows_the_conversations_of_the_earlier_run(batch: Run, folder: Path) -> None:
    report = folder / "report.json"
    given = (folder / "in" / "a.jsonl", folder / "in" / "b.jsonl.gz", *PLAN, "--unique", "--report", report)
    whole = folder / "in" / "b.jsonl.gz"
    good = whole.read_bytes()
    whole.write_bytes(good[:-9])
    assert batch(*given, "-o", folder / "out") == 6
    assert not (folder / "out" / "b.jsonl").exists()
    whole.write_bytes(good)
    assert batch(*given, "-o", folder / "out", "--resume") == 0
    assert [number for number, _ in asked(folder / "out" / "b.jsonl")] == list(range(150, 160))
    assert left_out(report)["repeated"] == 50


def test_a_sample_is_the_same_with_the_same_seed(batch: Run, folder: Path) -> None:
    drawn: list[Any] = []
    for number, seed in enumerate(("1", "1", "2")):
        out = folder / f"out{number}"
        given = (
            "--sample",
            "0.3",
            "--seed",
            seed,
            "-j",
            str(number + 1),
            "-o",
            out,
            "--report",
            folder / "report.json",
        )
        assert batch(folder / "in", *PLAN, *given) == 0
        drawn.append([asked(out / name) for name in ("a.jsonl", "b.jsonl")])
        count = sum(map(len, drawn[-1]))
        assert 15 < count < 55
        assert left_out(folder / "report.json") == {"repeated": 0, "undrawn": 110 - count}
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_limit_counts_what_is_drawn(batch: Run, folder: Path) -> None:
    given = ("--sample", "0.5", "--limit", "10", "-o", folder / "out")
    assert batch(folder / "in" / "a.jsonl", *PLAN, *given) == 0
    assert len(asked(folder / "out" / "a.jsonl")) == 10


def test_rows_of_parquet_are_chosen_too(batch: Run, tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"id": [1, 2, 3], "prompt": ["a", "a", "b"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert batch(tmp_path / "a.parquet", *PLAN, "--unique", "-o", tmp_path / "out") == 0
    assert asked(tmp_path / "out" / "a.jsonl") == [(1, "a"), (3, "b")]


def test_texts_are_not_chosen(batch: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("Hi")
    assert batch(tmp_path / "a.txt", "-f", "chatml", "-t", "openai", "--unique", "-o", tmp_path / "out") == 2
    assert "are for lines and rows" in capsys.readouterr().err


def test_lines_to_train_on_one_for_each_turn(batch: Run, tmp_path: Path) -> None:
    turns = [("Why?", "Hm.", "Because."), ("So?", "Well.", "So.")]
    messages: list[Any] = []
    for question, thought, answer in turns:
        messages += [{"role": "user", "content": question}]
        messages += [{"role": "assistant", "reasoning": thought, "content": answer}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1, "messages": messages}))
    given = ("--plan", "messages", "--profile", "qwen3", "--training", "--turns", "each", "-o", tmp_path / "out")
    assert batch(tmp_path / "a.jsonl", *given) == 0
    first, second = [json.loads(line)["text"] for line in (tmp_path / "out" / "a.jsonl").read_text().splitlines()]
    assert first.endswith("<think>\nHm.\n</think>\n\nBecause.<|im_end|>\n")
    assert second.endswith("<think>\nWell.\n</think>\n\nSo.<|im_end|>\n")
    assert "Hm." not in second
    assert "Because." in second
