"""A run that is resumed after a loss of power writes the same bytes, whatever the disk kept."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bulk.power import Disk, Tree, restore
from ocml_bridge.bulk.containers import lines, parquet, texts, unpacking
from ocml_bridge.bulk.running import progress
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]


@pytest.fixture(autouse=True)
def _many_steps(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(progress, "CHECKPOINT_SECONDS", 0.0)
    for module in (lines, texts, parquet):
        monkeypatch.setattr(module, "CHUNK_RECORDS", 5)
    for module in (lines, parquet, unpacking):
        monkeypatch.setattr(module, "RANGE_BYTES", 2000)


def source_of(kind: str, many: Any, folder: Path) -> None:
    """Two inputs with broken records, in one of the ways in which records are stored."""
    folder.mkdir()
    for name in "ab":
        if kind == "jsonl":
            (folder / f"{name}.jsonl").write_bytes(many.lines(13, broken_each=5))
        elif kind == "gz":
            (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(many.lines(13, broken_each=5)))
        elif kind == "parquet":
            pa: Any = pytest.importorskip("pyarrow")
            pq: Any = pytest.importorskip("pyarrow.parquet")
            texts = [many.transcript(number) if number % 4 else "broken" for number in range(8)]
            pq.write_table(pa.table({"text": texts}), folder / f"{name}.parquet", row_group_size=5)
        else:
            for number in range(3):
                text = many.transcript(number) if number % 4 else "broken"
                (folder / f"{name}{number}.txt").write_text(text)


def found_after(kind: str, many: Any, batch: Batch, tmp_path: Path, chance: random.Random | None) -> list[Tree]:
    """All contents that the disk may have after a loss of power at any step of a run, without duplicates."""
    source, out = tmp_path / "source", tmp_path / "out"
    source_of(kind, many, source)
    disk = Disk(out, tmp_path / "aside")
    with pytest.MonkeyPatch.context() as patch:
        disk.watch(patch)
        assert _run(batch, tmp_path) == ExitCode.SOME_FAILED
    trees = [tree for moment in disk.moments for tree in moment.trees(chance)]
    return list({repr(sorted(tree.items())): tree for tree in trees}.values())


def _run(batch: Batch, tmp_path: Path) -> int:
    args = ("-f", "chatml", "-t", "openai", "--resume", "--ledger", "jsonl")
    return batch(*args, tmp_path / "source", "-o", tmp_path / "out")


def check(kind: str, many: Any, batch: Batch, tmp_path: Path, chance: random.Random | None, most: int | None) -> None:
    trees = found_after(kind, many, batch, tmp_path, chance)
    expected = many.tree(tmp_path / "out")
    assert len(trees) > 20
    for tree in trees[:: max(1, len(trees) // most) if most else 1]:
        restore(tree, tmp_path / "out")
        assert _run(batch, tmp_path) == ExitCode.SOME_FAILED, tree
        assert many.tree(tmp_path / "out") == expected, tree


@pytest.mark.parametrize("kind", ["jsonl", "texts"])
def test_a_run_continues_after_a_loss_of_power(kind: str, many: Any, batch: Batch, tmp_path: Path) -> None:
    check(kind, many, batch, tmp_path, None, 20)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["jsonl", "gz", "parquet", "texts"])
def test_a_run_continues_after_a_loss_of_power_at_any_step(
    kind: str, seed: int, many: Any, batch: Batch, tmp_path: Path
) -> None:
    check(kind, many, batch, tmp_path, random.Random(seed), 150)
