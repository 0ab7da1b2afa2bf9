"""Hugging Face datasets: record by record, and in the order of, a run on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.bulk import Settings
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


def test_splits(engine: Callable[[str], Any], plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    datasets = engine("datasets")
    splits = datasets.Dataset.from_parquet(str(plain.parquet), cache_dir=str(tmp_path)).train_test_split(0.1, seed=1)
    out = convert_dataset(splits, "text", plain.settings)
    assert isinstance(out, datasets.DatasetDict)
    assert {row["id"]: row_of(row) for split in out.values() for row in split} == plain.rows


def test_streaming(engine: Callable[[str], Any], plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    load = engine("datasets").load_dataset
    files = {"train": str(plain.parquet)}
    streams = load("parquet", data_files=files, streaming=True, cache_dir=str(tmp_path))
    for out in (
        convert_dataset(streams, "text", plain.settings)["train"],
        convert_dataset(streams["train"], "text", plain.settings),
    ):
        rows = list(out)
        assert [row["id"] for row in rows] == list(plain.rows)
        assert [row_of(row) for row in rows] == list(plain.rows.values())


def test_settings_that_would_fail_for_every_record_are_refused_before(engine: Callable[[str], Any]) -> None:
    dataset = engine("datasets").Dataset.from_dict({"text": ["x"], "error": ["none"]})
    with pytest.raises(BridgeError, match="the column 'error' would exist twice"):
        convert_dataset(dataset, "text", Settings("openai", "chatml"))
    with pytest.raises(BridgeError, match="there is no format 'chatmll'"):
        convert_dataset(dataset.remove_columns("error"), "text", Settings("openai", "chatmll"))
