"""Spark, in local mode: JSON lines and Parquet in, Parquet out, record by record what a run on one machine gives."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.hosts.spark import convert_frame

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
