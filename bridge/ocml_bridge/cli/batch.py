"""Define `ocml-convert batch INPUT... -t FORMAT -o DIR`, which converts many transcripts."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from .. import registry
from ..errors import BridgeError, ErrorCode, ExitCode, with_options
from ..formats.adapter import Kind, Options
from ..json_values import jsontext
from ..report.policy import LossPolicy
from ..spans.masks import MASKS, Mask
from .conversion_command import ConversionCommand
from .options import format_options, policy_options, profile_options
from .output import PROGRAM, say, write_all
from .parameters import FILE, SIZE, force_option, format_option, preview_option
from .plans import layout_to, rows_of, take_options

if TYPE_CHECKING:
    from ..bulk.plan import Finished, Plan
    from ..bulk.running.run import Watch


@click.command(cls=ConversionCommand)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@format_option(
    "-t", "--to", "target", text="Write this format (ID or ID:DIALECT). Without it, a --profile writes its own."
)
@format_option("-f", "--from", "source", text="Read this format. Without it, the format of each record is detected.")
@force_option
@click.option("-o", "--output", type=FILE, metavar="DIR", help="Write the outputs to this folder.")
@click.option(
    "--field",
    metavar="NAME",
    help="Read the transcript from this field or column of each record. Text formats read 'text' without it.",
)
@click.option(
    "--plan",
    "plan_name",
    metavar="NAME|FILE",
    is_eager=True,
    callback=take_options,
    help="Read rows in this layout: its name, 'auto', or a file that `ocml-convert plan` has made.",
)
@preview_option
@click.option(
    "--to-plan", metavar="NAME|FILE", help="Write rows in this layout, such as 'sharegpt', 'alpaca', 'preference'."
)
@click.option(
    "--turns",
    type=click.Choice(("each",)),
    help="Write a record for each turn of the assistant, with the messages before it.",
)
@click.option("--unique", is_flag=True, help="Leave out records that repeat an earlier conversation.")
@click.option(
    "--sample",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Convert a random sample: this share of the records, such as 0.01.",
)
@click.option(
    "--seed", type=int, default=0, metavar="N", show_default=True, help="Draw the random sample with this seed."
)
@click.option(
    "--into",
    type=click.Choice(("jsonl", "jsonl.gz", "jsonl.zst", "json", "csv", "parquet")),
    help="Write files of this kind, whatever the inputs are. A folder of texts becomes one file.",
)
@click.option(
    "--mask",
    type=click.Choice(MASKS),
    help="Write rows to train on, with 'loss_mask', and with 'input_ids' and 'labels' for tokens.",
)
@click.option(
    "--tokenizer",
    type=FILE,
    metavar="FILE",
    help="Tokenize rows of text for --mask with this tokenizer.json.",
)
@click.option("--bare", is_flag=True, help="Write the transcripts alone, without the other fields.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Run N processes. Without it, one for each CPU."
)
@click.option("--resume", is_flag=True, help="Continue an earlier run after the last record that it finished.")
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace files in the output folder that come from other inputs or another program.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be lost.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Convert the first N records.")
@click.option(
    "--strict",
    is_flag=True,
    help="Quarantine records that had to be repaired, and those that would lose or change anything.",
)
@policy_options
@profile_options
@click.option("--verify", is_flag=True, help="Read each output back, and compare; quarantine a record that differs.")
@click.option(
    "--keep-going/--fail-fast",
    default=True,
    show_default=True,
    help="Continue after a record is quarantined, or stop there.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    metavar="N",
    show_default=True,
    help="Quarantine a record that takes longer: N seconds, and one more for each MB of it.",
)
@click.option(
    "--memory",
    type=SIZE,
    metavar="SIZE",
    help="Quarantine a record that takes more memory, such as 500M or 4G. Without it, all processes share the memory.",
)
@click.option(
    "--ledger",
    type=click.Choice(("jsonl", "parquet")),
    help="Write a row for every record, with what became of it, beside each output.",
)
@click.option(
    "--id",
    "id_field",
    default="id",
    metavar="NAME",
    show_default=True,
    help="Take the ids of records, for the ledger, from this field or column.",
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the counts, with examples, to FILE, as JSON.")
@click.option(
    "--page", type=FILE, metavar="FILE", help="Write a page to FILE on which somebody can sign off the migration."
)
@format_options
@click.option("-q", "--quiet", is_flag=True, help="Print no progress and no summary on stderr.")
def batch(
    inputs: tuple[str, ...],
    target: str | None,
    source: str | None,
    output: str | None,
    field: str | None,
    plan_name: str | None,
    preview: bool,
    to_plan: str | None,
    turns: str | None,
    unique: bool,
    sample: float | None,
    seed: int,
    into: str | None,
    mask: Mask | None,
    tokenizer: str | None,
    bare: bool,
    jobs: int | None,
    resume: bool,
    overwrite: bool,
    dry_run: bool,
    limit: int | None,
    strict: bool,
    policy: LossPolicy,
    profile: str | None,
    date: str | None,
    effort: str | None,
    verify: bool,
    keep_going: bool,
    seconds: float,
    memory: int | None,
    ledger: str | None,
    id_field: str,
    report: str | None,
    page: str | None,
    options: Options,
    quiet: bool,
) -> int:
    """Convert the transcripts of many files: JSON lines, Parquet, folders of texts, patterns, '-'.

    Each record is converted, converted with losses, or quarantined; the counts add up. --resume continues a run
    that was interrupted.
    """
    # Imported here, because other commands do not need it.
    from ..bulk import Settings
    from ..bulk.inputs import find_inputs
    from ..bulk.plan import Plan
    from ..bulk.records import Job
    from ..bulk.running.limits import Limits, share
    from ..bulk.running.run import run
    from ..bulk.selection import Choice, chosen_from
    from ..bulk.summary import report as report_of

    if page is not None:
        from ..view.html import environment

        environment()  # a missing library is reported before the run
    _check_folder(output, dry_run=dry_run)
    rows, layout = rows_of(plan_name, source, turns, preview=preview), layout_to(to_plan, target or profile)
    target = layout[1] if layout is not None else target
    if target is None and profile is None:
        raise BridgeError(ErrorCode.OPTION, "name what to write with --to, --to-plan, or a --profile")
    if profile is None and (date is not None or effort is not None):
        raise BridgeError(ErrorCode.OPTION, "--date and --effort need a --profile")
    form = _format_of(profile, target)
    source_kind = None if source is None else registry.adapter(source)[0].kind
    adapter = registry.adapter(form)[0]
    target_kind = adapter.kind
    if mask is not None and (layout is not None or adapter.frame_marks is None):
        raise BridgeError(ErrorCode.OPTION, f"--mask is for texts and token ids, and {adapter.id} is neither")
    if tokenizer is not None:
        _check_tokenizer(tokenizer, of_text=mask is not None and target_kind is Kind.TEXT)
    if mask is not None:
        target_kind, into = Kind.JSON, into or "jsonl"
    job = Job(
        Settings(
            form, source, options, strict, verify, policy, profile, date, effort, layout and layout[0], mask, tokenizer
        ),
        source_kind,
        target_kind,
        field=field,
        bare=bare,
        ledger=None if dry_run else ledger,
        id_field=id_field,
        keep_going=keep_going,
        folder=None if dry_run else output,
        plan=rows,
        each_turn=turns is not None,
    )
    with _files():
        processes = jobs or _cpus()
        limits = Limits(seconds, memory or share(processes))
        found = find_inputs(
            inputs,
            target_kind,
            into,
            target=job.settings.target,
            rows=rows,
            ledger=job.ledger,
            output_folder=job.folder,
        )
        choice = Choice(unique, sample or 1.0, seed, rows) if unique or sample is not None else None
        found = found if choice is None else chosen_from(found, choice)
        plan = Plan(found, job, processes, limit, resume, limits, overwrite, choice)
        _refuse_own_inputs(plan, {"the report": report, "the page": page})
        with _with_resume_advice(job.folder), _progress(plan, shown=not quiet and _is_terminal()) as watch:
            finished = run(plan, watch)
    if report is not None:
        write_all({report: jsontext.dumps(report_of(plan, finished), pretty=True) + b"\n"})
    if page is not None:
        from ..view.html import signoff_page
        from .signoff import sign_off

        write_all({page: signoff_page(sign_off(plan, finished)).encode("utf-8", "backslashreplace")})
    _summarise(plan, finished, quiet=quiet)
    if finished.stopped:
        say(f"{PROGRAM}: stopped at a record that is quarantined, because of --fail-fast; --resume continues after it")
    failed = finished.tally.quarantined or any(each.error is not None for each in finished.inputs.values())
    return ExitCode.SOME_FAILED if failed else ExitCode.OK


def _check_folder(output: str | None, *, dry_run: bool) -> None:
    """Raise if there is no folder to write to."""
    if output is None and not dry_run:
        raise BridgeError(ErrorCode.OPTION, "name the folder to write to with --output, or ask for a --dry-run")
    if output is not None and os.path.isfile(output):
        message = f"--output {output} is a file; name a folder, in which each input gets a file"
        raise BridgeError(ErrorCode.OPTION, message)


def _check_tokenizer(name: str, *, of_text: bool) -> None:
    """Raise if the tokenizer cannot be loaded, or if the rows do not mask a text."""
    if not of_text:
        raise BridgeError(ErrorCode.OPTION, "--tokenizer is for the rows of a text that --mask makes")
    from ..bulk.training_rows import tokenizer_in

    tokenizer_in(name)


def _summarise(plan: Plan, finished: Finished, *, quiet: bool) -> None:
    """Print what became of the records; with `quiet`, only the inputs that could not be read."""
    from ..bulk.summary import failures, first_errors, table

    if quiet:
        for line in failures(plan, finished):
            say(f"{PROGRAM}: {line}")
        return
    terminal = _is_terminal()
    width = shutil.get_terminal_size().columns if terminal else None
    colour = terminal and not os.environ.get("NO_COLOR")
    click.echo(table(plan, finished, width=width, colour=colour), err=True, nl=False)
    for line in first_errors(plan, finished):
        say(with_options(line))


@contextmanager
def _with_resume_advice(folder: str | None) -> Generator[None]:
    """Say how a run is continued that was interrupted, or that filled the disk."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"{PROGRAM}: interrupted; {_CONTINUED}")
        raise
    except OSError as error:
        if error.errno not in _FULL:
            raise
        advice = f"{error.strerror}; when there is space, {_CONTINUED}"
        raise OSError(error.errno, advice, error.filename or folder) from error


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_CONTINUED: Final = "the same command with --resume continues after the records that are done"


def _format_of(profile: str | None, target: str | None) -> str:
    """Return the format to write, with its dialect if it has one: that of the profile, if there is one."""
    if profile is None and target is not None:
        return target
    from ..profiles import profile as find_profile

    return find_profile(profile, target).format


def _is_terminal() -> bool:
    """Return whether stderr is a terminal; it may be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def _files() -> Generator[None]:
    """Add the name of the file to errors of files."""
    try:
        yield
    except OSError as error:
        name = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        raise BridgeError(ErrorCode.IO, f"{name}{error.strerror or error}") from error


def _cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _refuse_own_inputs(plan: Plan, files: dict[str, str | None]) -> None:
    """Raise if an output, the report or the page would replace an input.

    Raises:
        BridgeError: OCB-OPTION with the input; OCB-IO if a file could not be written at the end of the run.
    """
    named = {what: path for what, path in files.items() if path is not None and path != "-"}
    for what, path in named.items():
        if not os.access(os.path.dirname(path) or ".", os.W_OK):
            raise BridgeError(ErrorCode.IO, f"{path}: {what} cannot be written there; name another place")
    folder = plan.job.folder
    places = {os.path.realpath(path): what for what, path in named.items()}
    if folder is not None:
        for item in plan.inputs:
            places[os.path.realpath(os.path.join(folder, item.output))] = f"the output of {item.path}"
    for item in plan.inputs:
        place = os.path.realpath(item.path)
        if place in places:
            message = f"{item.path} would be overwritten by {places[place]}; name another place for it"
            raise BridgeError(ErrorCode.OPTION, message)


@contextmanager
def _progress(plan: Plan, *, shown: bool) -> Generator[Watch]:
    """Return what shows the progress of a run, its rate and the remaining time."""
    if not shown:
        yield lambda _read, _records: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"))
    total = sum(item.size for item in plan.inputs) or None
    console = Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=total, rate="")
        began = time.monotonic()

        def watch(read: int, records: int) -> None:
            rate = records / max(time.monotonic() - began, 0.001)
            bar.update(task, completed=read, rate=f"{records:,} records, {rate:,.0f}/s")

        yield watch
