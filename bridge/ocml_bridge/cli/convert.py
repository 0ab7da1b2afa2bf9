"""`ocml-convert [convert] FILE -t FORMAT`: the command that most people need."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from .. import jsontext
from ..adapter import Options
from ..convert import Reading, make_sidecar, read, write
from ..errors import BridgeError, ErrorCode
from ..model import Document, Json
from ..policy import LENIENT, LossPolicy
from ..verify import verify
from .conversion_command import ConversionCommand
from .options import format_options, policy_options, profile_options
from .output import STANDARD, about, read_bytes, say, shown, warn, write_all
from .parameters import FILE, force_option, format_option
from .summary import summary

if TYPE_CHECKING:
    from ..convert import Result
    from ..profiles import Prompt


@click.command(cls=ConversionCommand)
@click.argument("file", type=FILE, default=STANDARD, metavar="[FILE]")
@format_option("-t", "--to", "target", text="The format to write: ID or ID:DIALECT; the profile's if left out.")
@format_option("-f", "--from", "source", text="The format to read; told from the input where left out.")
@force_option
@click.option(
    "-o", "--output", type=FILE, metavar="FILE", default=STANDARD, help="Where to write; standard output if left out."
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the findings and losses there, as JSON.")
@click.option(
    "--sidecar-out", type=FILE, metavar="FILE", help="Write there what the output cannot hold, for --sidecar."
)
@click.option("--sidecar", type=FILE, metavar="FILE", help="The input's sidecar: convert what it was written from.")
@click.option("--strict", is_flag=True, help="Refuse what had to be mended, and what would lose or change anything.")
@policy_options
@click.option("--verify", "verified", is_flag=True, help="Read the output back before writing it, and compare.")
@click.option(
    "--drop-analysis",
    type=click.Choice(("final",)),
    help="Leave out private reasoning, as before the next sampling: of turns that ended in a final answer.",
)
@profile_options
@click.option("--pretty", is_flag=True, help="Indent JSON.")
@format_options
@click.option("-v", "--verbose", is_flag=True, help="Say everything on stderr, differences of spelling too.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings on stderr.")
def convert(
    file: str,
    target: str | None,
    source: str | None,
    output: str,
    report: str | None,
    sidecar_out: str | None,
    sidecar: str | None,
    strict: bool,
    policy: LossPolicy,
    verified: bool,
    drop_analysis: Literal["final"] | None,
    profile: str | None,
    date: str | None,
    effort: str | None,
    pretty: bool,
    options: Options,
    verbose: bool,
    quiet: bool,
) -> None:
    """Convert FILE (or standard input) from one format to another.

    What the target cannot hold is said on stderr, and in the --report.
    """
    refuse_same_file(
        {"the input": file, "--sidecar": sidecar},
        {"--output": output, "--report": report, "--sidecar-out": sidecar_out},
    )
    data = read_bytes(file)
    kept = None if sidecar is None else _json(sidecar)
    with about(file):
        reading = read(data, source, options=options, strict=strict, sidecar=kept)
        del data
        if profile is None and date is None and effort is None:
            dropping = drop_analysis is not None
            written = write(
                reading.transcript, _wanted(target), options=options, policy=LENIENT, drop_analysis=dropping
            )
            result = replace(written, findings=reading.findings, source=reading.source)
        else:
            result = _prompt(reading, profile, target, options, date, effort)
            written = result.written
        policy.check(result.losses, strict=strict)
        if verified:
            _verify(written.transcript, written, options)
    outputs = {output: result.encode(pretty=pretty)}
    if report is not None:
        outputs[report] = jsontext.dumps(result.report(), pretty=True) + b"\n"
    if sidecar_out is not None:
        outputs[sidecar_out] = jsontext.dumps(make_sidecar(result, options=options, pretty=pretty)) + b"\n"
    write_all(outputs)
    if not quiet:
        warn(file, result.findings, verbose=verbose)
        warn(file, result.losses, verbose=verbose)
        if not result.lossless:
            account = summary(result.target, result.losses, reading.transcript, result.characters)
            say(f"{shown(file)}: {account}")


def _wanted(target: str | None) -> str:
    """The format to write.

    Raises:
        BridgeError: OCB-OPTION where none is named.
    """
    if target is None:
        raise BridgeError(ErrorCode.OPTION, "name the format to write with --to, or a --profile")
    return target


def _prompt(
    reading: Reading, name: str | None, target: str | None, options: Options, date: str | None, effort: str | None
) -> Prompt:
    """A model's prompt in place of a transcript."""
    # Imported here: most conversions are of no request.
    from ..profiles import profile

    if name is not None and date is None:
        date = datetime.date.today().isoformat()
    return profile(name, target).prompt(reading, date=date, effort=effort, options=options, policy=LENIENT)


def _json(name: str) -> Json:
    data = read_bytes(name)
    with about(name):
        try:
            return jsontext.loads(data)
        except BridgeError as error:
            raise error.locate(data) from error


def refuse_same_file(read_from: Mapping[str, str | None], written_to: Mapping[str, str | None]) -> None:
    """No file may be both read and written, nor be two things at once.

    Raises:
        BridgeError: OCB-OPTION, naming both.
    """
    seen: dict[str, str] = {}
    for names in (read_from, written_to):
        for role, name in names.items():
            if name is None:
                continue
            # Standard input and standard output have the same name and are two things.
            key = f"{STANDARD} {names is read_from}" if name == STANDARD else os.path.realpath(name)
            if key in seen:
                raise BridgeError(ErrorCode.OPTION, f"{role} and {seen[key]} are one file, {name!r}; name another one")
            seen[key] = role


def _verify(document: Document, result: Result, options: Options) -> None:
    """Law 2 on this very document.

    Raises:
        BridgeError: OCB-UNREPORTED where the output says something else than the report does.
    """
    try:
        unreported = verify(document, result, options=options)
    except BridgeError as error:
        raise BridgeError(ErrorCode.UNREPORTED, f"the output cannot be read back: {error}") from error
    if len(unreported) > 0:
        more = f" (and {len(unreported) - 1} more)" if len(unreported) > 1 else ""
        message = f"the output reads differently, and no loss says so{more}; nothing was written"
        raise BridgeError(ErrorCode.UNREPORTED, message, path=unreported[0].path)
