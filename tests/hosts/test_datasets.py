"""Hugging Face datasets: record by record, and in the order of, a run on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.hosts.datasets import convert_dataset

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("processes", [None, 2])
def test_parquet(
    processes: int | None, engine: Callable[[str], Any], plain: Any, row_of: Callable[..., Any], tmp_path: Path
) -> None:
    dataset = engine("datasets").Dataset.from_parquet(str(plain.parquet), cache_dir=str(tmp_path))
    out = convert_dataset(dataset, "text", plain.settings, processes=processes)
    assert [row["id"] for row in out] == list(plain.rows)
    assert [row_of(row) for row in out] == list(plain.rows.values())


def test_json_lines(engine: Callable[[str], Any], plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    dataset = engine("datasets").Dataset.from_text(str(plain.lines), cache_dir=str(tmp_path), encoding="utf-8")
    out = convert_dataset(dataset, "text", plain.settings)
    assert [row_of(row) for row in out] == list(plain.rows.values())
