"""`ocml-convert batch INPUT... -t FORMAT -o DIR`: many transcripts, none of them lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal

import click

from .. import jsontext, registry
from ..adapter import Kind, Options, Policy
from ..errors import BridgeError, ErrorCode, ExitCode
from .convert import format_options
from .output import PROGRAM, STANDARD, about, say, write_all
from .parameters import FILE, format_option


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@format_option("-t", "--to", "target", required=True, text="The format to write: ID or ID:DIALECT.")
@format_option("-f", "--from", "source", text="The format to read; told from each record where left out.")
@click.option("-o", "--output", type=FILE, metavar="DIR", help="The folder to write to.")
@click.option("--field", metavar="NAME", help="The field or column that transcripts stand in; 'text' for text formats.")
@click.option(
    "--into",
    type=click.Choice(("jsonl", "jsonl.gz", "jsonl.zst")),
    help="Write JSON lines, whatever the inputs are; a folder of texts becomes one file.",
)
@click.option("--bare", is_flag=True, help="Write the transcripts alone, without the other fields.")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="How many processes; as many as there are CPUs.")
@click.option("--resume", is_flag=True, help="Go on behind what an earlier run has done.")
@click.option("--dry-run", is_flag=True, help="Write nothing; tell what would be lost.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Convert the first N records.")
@click.option("--strict", is_flag=True, help="Quarantine what had to be mended, and what would lose or change anything.")
@click.option("--verify", is_flag=True, help="Read each output back, and compare; quarantine what differs.")
@click.option(
    "--keep-going/--fail-fast", default=True, show_default=True, help="Go on behind a record that is quarantined, or stop."
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the counts there with examples, as JSON.")
@format_options
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary on stderr.")
def batch(
    inputs: tuple[str, ...],
    target: str,
    source: str | None,
    output: str | None,
    field: str | None,
    into: str | None,
    bare: bool,
    jobs: int | None,
    resume: bool,
    dry_run: bool,
    limit: int | None,
    strict: bool,
    verify: bool,
    keep_going: bool,
    report: str | None,
    control_tokens: Policy,
    bos: str | None,
    eos: str | None,
    reasoning: Literal["reasoning", "reasoning_content"],
    training: bool,
    quiet: bool,
) -> int:
    """Convert the transcripts of many files: JSON lines, Parquet, folders of texts, patterns, '-'.

    Each record is converted, converted with losses, or quarantined; the counts add up. A run that was stopped, however
    hard, is continued with --resume.
    """
    # Imported here: the other commands need none of it.
    from ..bulk import Settings
    from ..bulk.inputs import find_inputs
    from ..bulk.records import Job
    from ..bulk.run import Plan, run
    from ..bulk.summary import report as report_of

    folder = _folder(output, dry_run=dry_run, resume=resume)
    options = Options(control_tokens=control_tokens, bos=bos, eos=eos, reasoning=reasoning, training=training)
    settings = Settings(target, source, options, strict, verify)
    source_kind = None if source is None else registry.adapter(source)[0].kind
    target_kind: Kind = registry.adapter(target)[0].kind
    with about(inputs[0]):
        found = find_inputs(inputs, target_kind, into)
    job = Job(settings, source_kind, target_kind, field, bare, folder)
    plan = Plan(found, job, jobs or len(os.sched_getaffinity(0)), limit, keep_going, resume)
