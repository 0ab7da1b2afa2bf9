"""The options of every job on its command line, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from ocml_bridge import BridgeError, ErrorCode, Options
from ocml_bridge.bulk import Settings
from ocml_bridge.cli.conversion_command import ConversionCommand
from ocml_bridge.cli.options import format_options, policy_options, profile_options
from ocml_bridge.cli.parameters import format_option, preview_option
from ocml_bridge.cli.plans import plan_named
from ocml_bridge.errors import ExitCode
from ocml_bridge.hosts.arrow import Added
from ocml_bridge.layouts import Plan
from ocml_bridge.profiles import profile as find_profile
from ocml_bridge.report.policy import LossPolicy


class Conversion(NamedTuple):
    """What a job does.

    Attributes:
        source: the files to read.
        target: the folder to write, which is not there yet.
        lines: whether the files are text, with a transcript on each line; else they are Parquet.
        column: the column that transcripts stand in; with a plan, the one that outputs are written to.
        settings: how to convert them.
        added: the columns that are added.
        plan: what rows are; None where transcripts stand in a column.
    """

    source: str
    target: str
    lines: bool
    column: str
    settings: Settings
    added: Added
    plan: Plan | None


@click.command(cls=ConversionCommand)
@click.argument("source", metavar="INPUT")
@click.argument("target", metavar="OUTPUT")
@format_option("-f", "--from", "reads", text="The format to read; detected for each record if left out.")
@format_option("-t", "--to", "writes", text="The format to write: ID or ID:DIALECT; the profile's if left out.")
@click.option("--lines", is_flag=True, help="INPUT is text with a transcript on each line, not Parquet.")
@click.option("--column", default="text", show_default=True, help="The column of the transcripts.")
@click.option("--plan", metavar="PLAN", help="What rows are: a layout's name, or a plan's file; COLUMN gets outputs.")
@preview_option
@click.option("--prefix", default="", help="What the names of the columns that are added begin with.")
@click.option(
    "--strict", is_flag=True, help="Quarantine records that had to be repaired, and those that would lose anything."
)
@click.option("--verify", is_flag=True, help="Read each output back, and compare; quarantine a record that differs.")
@policy_options
@profile_options
@format_options
@click.pass_obj
def _command(
    run: Callable[[Conversion], Mapping[str, int]],
    source: str,
    target: str,
    reads: str | None,
    writes: str | None,
    lines: bool,
    column: str,
    plan: str | None,
    preview: bool,
    prefix: str,
    strict: bool,
    verify: bool,
    policy: LossPolicy,
    profile: str | None,
    date: str | None,
    effort: str | None,
    options: Options,
) -> None:
    """Convert the records of INPUT, Parquet files, to OUTPUT, a folder that is not there yet.

    OUTPUT gets every record: its columns as they were, the one with the transcript converted, and beside it what became
    of it. A record that is quarantined keeps its raw text. The last line of the log counts them, as JSON.
    """
    if lines and plan is not None:
        raise BridgeError(ErrorCode.OPTION, "a plan reads columns, which --lines has none of: leave out one of them")
    form = find_profile(profile, writes).format
    settings = Settings(form, reads, options, strict, verify, policy, profile, date, effort)
    rows = None if plan is None else plan_named(plan, preview=preview)
    counts = run(Conversion(source, target, lines, column, settings, Added.prefixed(prefix), rows))
    click.echo(json.dumps({"records": sum(counts.values()), **counts}, sort_keys=True))


def run_job(run: Callable[[Conversion], Mapping[str, int]], arguments: Sequence[str] | None = None) -> int:
    """Run a job.

    Args:
        run: converts, and counts records by what became of them.
        arguments: the command line; None for the process's own.

    Returns:
        The exit status: 0 for a job that ran to its end, whatever was quarantined, since clusters repeat what fails.
    """
    try:
        status: Any = _command.main(arguments, standalone_mode=False, obj=run)
    except BridgeError as error:
        click.echo(f"{error.code}: {error.message}", err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    return int(status or 0)
