"""A job for `spark-submit`: a column of Parquet or of lines in, Parquet out, what became of the records in the log.

    spark-submit spark.py s3a://bucket/legacy s3a://bucket/converted --from openai --to chatml

docs/migration.md says how executors get this package.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from ocml_bridge import BridgeError, Options
from ocml_bridge.bulk import Settings
from ocml_bridge.bulk.compression import library
from ocml_bridge.cli.conversion_command import ConversionCommand
from ocml_bridge.cli.options import format_options, policy_options, profile_options
from ocml_bridge.cli.parameters import format_option
from ocml_bridge.cli.plans import plan_named
from ocml_bridge.errors import ExitCode
from ocml_bridge.hosts.arrow import Added
from ocml_bridge.hosts.spark import convert_frame
from ocml_bridge.policy import LossPolicy
from ocml_bridge.profiles import profile as find_profile


@click.command(cls=ConversionCommand)
@click.argument("source_path", metavar="INPUT")
@click.argument("target_path", metavar="OUTPUT")
@format_option("-f", "--from", "source", text="The format to read; told from each record where left out.")
@format_option("-t", "--to", "target", text="The format to write: ID or ID:DIALECT; the profile's if left out.")
@click.option("--lines", is_flag=True, help="INPUT is text, a transcript on each line: its column is 'value'.")
@click.option("--column", default="text", show_default=True, help="The column that transcripts stand in.")
@click.option("--plan", metavar="PLAN", help="What rows are: a layout's name, or a plan's file; COLUMN gets outputs.")
@click.option("--prefix", default="", help="What the names of the columns that are added begin with.")
@click.option("--strict", is_flag=True, help="Quarantine what had to be mended, and what would lose anything.")
@click.option("--verify", is_flag=True, help="Read each output back, and compare; quarantine what differs.")
@policy_options
@profile_options
@format_options
def job(
    source_path: str,
    target_path: str,
    source: str | None,
    target: str | None,
    lines: bool,
    column: str,
    plan: str | None,
    prefix: str,
    strict: bool,
    verify: bool,
    policy: LossPolicy,
    profile: str | None,
    date: str | None,
    effort: str | None,
    options: Options,
) -> int:
    """Convert the records of INPUT, Parquet files, to OUTPUT, a folder that is not there yet.

    OUTPUT gets every record: its columns as they were, the one with the transcript converted, and beside it what became
    of it. A record that is quarantined keeps its raw text. The last line of the log counts them, as JSON.
    """
    form = find_profile(profile, target).format
    settings = Settings(form, source, options, strict, verify, policy, profile, date, effort)
    added = Added.prefixed(prefix)
    session = library("pyspark.sql", "spark").SparkSession.builder.appName("ocml-convert").getOrCreate()
    # Arrow's batches hold whole transcripts: small ones need little memory.
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
    frame = session.read.text(source_path) if lines else session.read.parquet(source_path)
    column = "value" if lines else column
    rows = None if plan is None else plan_named(plan)
    convert_frame(frame, column, settings, added=added, plan=rows).write.parquet(target_path)
    groups = session.read.parquet(target_path).groupBy(added.outcome).count().collect()
    counts = {row[added.outcome]: row["count"] for row in groups}
    click.echo(json.dumps({"records": sum(counts.values()), **counts}, sort_keys=True))
    return ExitCode.OK


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job.

    Returns:
        The exit status: 0 for a job that ran to its end, whatever was quarantined, since clusters repeat what fails.
    """
    try:
        status: Any = job.main(arguments, standalone_mode=False)
    except BridgeError as error:
        click.echo(f"{error.code}: {error.message}", err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    return int(status or 0)


if __name__ == "__main__":
    sys.exit(main())
