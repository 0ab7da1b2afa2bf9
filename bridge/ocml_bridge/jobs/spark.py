"""A job for `spark-submit`: a column of Parquet or of lines in, Parquet out, what became of the records in the log.

    spark-submit spark.py s3a://bucket/legacy s3a://bucket/converted --from openai --to chatml

docs/migration.md says how executors get this package.
"""

from __future__ import annotations

import sys

from ocml_bridge.bulk.containers.compression import library
from ocml_bridge.hosts.spark import convert_frame
from ocml_bridge.jobs.conversion import Conversion, run_job


def convert(job: Conversion) -> dict[str, int]:
    """Convert, and count records by what became of them."""
    session = library("pyspark.sql", "spark").SparkSession.builder.appName("ocml-convert").getOrCreate()
    # Arrow's batches hold whole transcripts: small ones need little memory.
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
    frame = session.read.text(job.source) if job.lines else session.read.parquet(job.source)
    column = "value" if job.lines else job.column
    convert_frame(frame, column, job.settings, added=job.added, plan=job.plan).write.parquet(job.target)
    outcome = job.added.outcome
    groups = session.read.parquet(job.target).groupBy(outcome).count().collect()
    return {row[outcome]: row["count"] for row in groups}


if __name__ == "__main__":
    sys.exit(run_job(convert))
