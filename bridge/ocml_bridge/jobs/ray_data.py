"""A job for Ray Data: a column of Parquet or of lines in, Parquet out, what became of the records in the log.

ray job submit -- python -m ocml_bridge.jobs.ray_data s3://bucket/legacy s3://bucket/converted --to chatml
"""

from __future__ import annotations

import os
import sys

from ocml_bridge.bulk.containers.compression import library
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.hosts.ray import convert_dataset
from ocml_bridge.jobs.conversion import Conversion, run_job


def convert(job: Conversion) -> dict[str, int]:
    """Convert, and count records by what became of them.

    Raises:
        BridgeError: OCB-OPTION for a folder that is there and has files in it, which Ray would write beside.
    """
    data = library("ray.data", "ray")
    filesystem, path = library("pyarrow.fs", "ray").FileSystem.from_uri(_uri(job.target))
    selector = library("pyarrow.fs", "ray").FileSelector(path, allow_not_found=True)
    if filesystem.get_file_info(selector):
        raise BridgeError(ErrorCode.OPTION, f"{job.target} has files in it; name a folder that is not there yet")
    dataset = data.read_text(job.source) if job.lines else data.read_parquet(job.source)
    convert_dataset(dataset, job.column, job.settings, added=job.added, plan=job.plan).write_parquet(job.target)
    outcome = job.added.outcome
    groups = data.read_parquet(job.target, columns=[outcome]).groupby(outcome).count().take_all()
    return {row[outcome]: row["count()"] for row in groups}


def _uri(path: str) -> str:
    """A URI as it is, or a path as one that the library takes."""
    return path if "://" in path else os.path.abspath(path)


if __name__ == "__main__":
    sys.exit(run_job(convert))
