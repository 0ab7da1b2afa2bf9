"""Ray Data, on this machine: record by record what a run without it gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.hosts.ray import convert_dataset
from ocml_bridge.jobs.conversion import run_job
from ocml_bridge.jobs.ray_data import convert

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def data(engine: Callable[[str], Any]) -> Iterator[Any]:
    ray = engine("ray")
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False)
    yield engine("ray.data")
    ray.shutdown()


def test_parquet(data: Any, plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    out = convert_dataset(data.read_parquet(str(plain.parquet)), "text", plain.settings)
    out.write_parquet(str(tmp_path / "out"))
    rows = data.read_parquet(str(tmp_path / "out")).take_all()
    assert {row["id"]: row_of(row) for row in rows} == plain.rows
    assert len(rows) == len(plain.rows)


def line_of(table: Any) -> Any:
    return table["text"]


def test_json_lines(data: Any, plain: Any, row_of: Callable[..., Any]) -> None:
    lines = data.read_text(str(plain.lines)).add_column("line", line_of, batch_format="pyarrow")
    rows = convert_dataset(lines, "text", plain.settings).take_all()
    assert {row["line"]: row_of(row) for row in rows} == plain.by_line
    assert len(rows) == len(plain.rows)


def test_the_job(
    data: Any,
    engine: Callable[[str], Any],
    plain: Any,
    row_of: Callable[..., Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "out"
    arguments = [str(plain.parquet), str(target), "--from", plain.settings.source, "--to", plain.settings.target]
    assert run_job(convert, arguments) == 0
    rows = engine("pyarrow.parquet").read_table(target).to_pylist()
    assert {row["id"]: row_of(row) for row in rows} == plain.rows
    counts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (counts["records"], counts["quarantined"]) == (
        2000,
        sum(row.code is not None for row in plain.rows.values()),
    )
    assert run_job(convert, arguments) == 2
    assert "name a folder that is not there yet" in capsys.readouterr().err
