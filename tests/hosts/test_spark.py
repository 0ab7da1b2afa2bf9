"""Spark, in local mode: JSON lines and Parquet in, Parquet out, record by record what a run on one machine gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.hosts.spark import convert_frame
from ocml_bridge.jobs import spark as spark_job
from ocml_bridge.jobs.conversion import run_job

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def spark(engine: Callable[[str], Any]) -> Iterator[Any]:
    builder = engine("pyspark.sql").SparkSession.builder.master("local[2]")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "512",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_parquet(spark: Any, plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    frame = convert_frame(spark.read.parquet(str(plain.parquet)), "text", plain.settings)
    frame.write.parquet(str(tmp_path / "out"))
    rows = [row.asDict() for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert {row["id"]: row_of(row) for row in rows} == plain.rows
    assert len(rows) == len(plain.rows)


def test_json_lines(spark: Any, plain: Any, row_of: Callable[..., Any], tmp_path: Path) -> None:
    lines = spark.read.text(str(plain.lines))
    frame = convert_frame(lines.withColumn("line", lines["value"]), "value", plain.settings)
    frame.write.parquet(str(tmp_path / "out"))
    rows = [row.asDict() for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert {row["line"]: row_of(row, "value") for row in rows} == plain.by_line
    assert len(rows) == len(plain.rows)


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,512]"])
def test_the_job_of_spark_submit(
    master: str, engine: Callable[[str], Any], plain: Any, row_of: Callable[..., Any], tmp_path: Path
) -> None:
    parquet = engine("pyarrow.parquet")
    submit = Path(engine("pyspark").__file__).parent / "bin" / "spark-submit"
    target, (source, written) = tmp_path / "out", (plain.settings.source, plain.settings.target)
    settings = ("ui.enabled=false", "driver.host=127.0.0.1", "driver.memory=1g", "executor.memory=512m")
    words = [word for each in settings for word in ("--conf", f"spark.{each}")]
    arguments = [plain.parquet, target, "--from", source, "--to", written, "--prefix", "ocml_"]
    done = subprocess.run(
        [submit, "--master", master, *words, spark_job.__file__, *arguments],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    table = parquet.read_table(target)
    rows = table.rename_columns([name.removeprefix("ocml_") for name in table.column_names]).to_pylist()
    assert {row["id"]: row_of(row) for row in rows} == plain.rows
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["records"] == len(plain.rows)
    assert counts["quarantined"] == sum(row.code is not None for row in plain.rows.values())


def test_invalid_settings_are_reported_before_the_job_begins(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_job(spark_job.convert, ["in", "out", "--from", "openai", "--to", "chatmll"]) == 5
    assert "did you mean chatml?" in capsys.readouterr().err
    assert run_job(spark_job.convert, ["in"]) == 2
    both = ["in", "out", "--to", "chatml", "--lines", "--plan", "alpaca"]
    assert run_job(spark_job.convert, both) == 2
    assert "leave out one of them" in capsys.readouterr().err
