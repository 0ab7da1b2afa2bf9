"""Apache Spark: `DataFrame.mapInArrow`. Extra: `spark`; the workers need this package, and `PYSPARK_PYTHON`, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..bulk import Settings
from ..bulk.containers.compression import library
from ..layouts import Plan
from .arrow import ADDED, Added, check, convert_table


def convert_frame(
    frame: Any, column: str, settings: Settings, *, added: Added = ADDED, plan: Plan | None = None
) -> Any:
    """Convert a column of a DataFrame, lazily.

    Args:
        frame: a `pyspark.sql.DataFrame`, as from `spark.read.parquet(…)`, or `spark.read.text(…)` for JSON lines, whose
            column is `value`. `spark.sql.execution.arrow.maxRecordsPerBatch` is better small (512) than large.
        column: the column that the transcripts stand in.
        settings: how to convert them.
        added: the names of the columns that are added.
        plan: what rows are; then `column` is the one that outputs are written to, beside all that there are.

    Returns:
        The frame with that column converted, and the columns of `added`.

    Raises:
        BridgeError: OCB-DEPENDENCY where Spark is not installed; as `hosts.arrow.check`.
    """
    types = library("pyspark.sql.types", "spark")
    check(frame.columns, column, settings, added, plan)
    text = types.StringType()
    fields = [types.StructField(each.name, text if each.name == column else each.dataType) for each in frame.schema]
    names = added.names if plan is None else (column, *added.names)
    more = [types.StructField(name, text) for name in names]

    def convert(batches: Iterator[Any]) -> Iterator[Any]:
        table = library("pyarrow", "spark").Table
        for batch in batches:
            yield from convert_table(table.from_batches([batch]), column, settings, added, plan).to_batches()

    return frame.mapInArrow(convert, types.StructType(fields + more))
