"""Define `ocml-convert [convert] FILE -t FORMAT`."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..chat.transform import Dropped
from ..checks.verify import verify
from ..convert import Reading, make_sidecar, read, write
from ..errors import BridgeError, ErrorCode, ExitCode
from ..formats.adapter import Options
from ..json_values import jsontext
from ..loss import Severity
from ..model import Document, Json
from ..report.policy import LENIENT, LossPolicy
from .conversion_command import ConversionCommand
from .one_file import one_conversation, one_file, read_file
from .options import format_options, policy_options, profile_options
from .other_dialect import better_dialect
from .output import PROGRAM, STANDARD, CommandError, about, matters, read_bytes, say, shown, warn, write_all
from .parameters import FILE, force_option, format_option
from .summary import summary

if TYPE_CHECKING:
    from ..convert import Result
    from ..profiles import Prompt


@click.command(cls=ConversionCommand)
@click.argument("files", type=FILE, nargs=-1, metavar="[FILE]")
@format_option("-t", "--to", "target", text="Write this format, or this dialect of it (ID:DIALECT).")
@format_option("-f", "--from", "source", text="Read this format. Without it, the format is detected.")
@force_option
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    default=STANDARD,
    help="Write the output to FILE, not to standard output.",
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the findings and losses to FILE, as JSON.")
@click.option(
    "--sidecar-out", type=FILE, metavar="FILE", help="Write what the output cannot hold to FILE, for --sidecar."
)
@click.option(
    "--sidecar", type=FILE, metavar="FILE", help="Read the input together with the sidecar that was written with it."
)
@click.option(
    "--strict", is_flag=True, help="Refuse an input that had to be repaired, and an output that loses anything."
)
@click.option(
    "--spans", type=FILE, metavar="FILE", help="Write which part of the output comes from where to FILE, as JSON."
)
@policy_options
@click.option("--verify", "verified", is_flag=True, help="Read the output back and compare, before it is written.")
@click.option(
    "--drop-analysis",
    type=click.Choice(("final", "all")),
    help="Leave out private reasoning: of the turns that ended in a final answer ('final'), or of every turn ('all').",
)
@profile_options
@click.option("--dry-run", is_flag=True, help="Write no output; print what would be lost.")
@click.option("--pretty", is_flag=True, help="Indent JSON output.")
@format_options
@click.option("-v", "--verbose", is_flag=True, help="Print every finding and loss, also those of ids and layout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")
def convert(
    files: tuple[str, ...],
    target: str | None,
    source: str | None,
    output: str,
    report: str | None,
    sidecar_out: str | None,
    spans: str | None,
    sidecar: str | None,
    strict: bool,
    policy: LossPolicy,
    verified: bool,
    drop_analysis: Dropped | None,
    profile: str | None,
    date: str | None,
    effort: str | None,
    dry_run: bool,
    pretty: bool,
    options: Options,
    verbose: bool,
    quiet: bool,
) -> None:
    """Convert FILE (or standard input) from one format to another.

    Whatever the output cannot hold of the conversation is printed on stderr. Losses of ids, metadata and layout alone
    are printed with --verbose; --report has them all.

    \b
    ocml-convert transcript.ocm -t openai
    ocml-convert -f openai -t harmony in.json -o out.txt --report losses.json
    ocml-convert request.json --profile gpt-oss
    """  # noqa: D301  # not raw: after a backspace, click keeps the lines as they are
    file = one_file(files)
    if target is None and profile is None:
        raise BridgeError(
            ErrorCode.OPTION, f"name the format to write, such as -t openai; '{PROGRAM} formats' lists them"
        )
    refuse_same_file(
        {"the input": file, "--sidecar": sidecar},
        {"--output": output, "--report": report, "--sidecar-out": sidecar_out, "--spans": spans},
    )
    data = read_file(file)
    patch = None if sidecar is None else _sidecar(sidecar)
    with about(file):
        with one_conversation(file):
            reading = read(data, source, options=options, strict=strict, sidecar=patch)
        del data
        if target is not None and profile is None and date is None and effort is None:
            written = write(
                reading.transcript,
                target,
                options=options,
                policy=LENIENT,
                drop_analysis=drop_analysis,
                spans=spans is not None,
            )
            result = replace(written, findings=reading.findings, source=reading.source)
        else:
            if drop_analysis is not None:
                raise BridgeError(
                    ErrorCode.OPTION, "leave out --drop-analysis: a --profile leaves out reasoning as its model does"
                )
            result = _prompt(reading, profile, target, options, date, effort, spans=spans is not None)
            written = result.written
        policy.check(result.losses, strict=strict)
        if verified:
            _verify(written.transcript, written, options)
    outputs: dict[str, bytes] = {}
    if not dry_run:
        outputs[output] = result.encode(pretty=pretty)
        if sidecar_out is not None:
            outputs[sidecar_out] = _json(make_sidecar(result, options=options, pretty=pretty))
        if spans is not None:
            outputs[spans] = _json(_spans_in(result))
    if report is not None:
        outputs[report] = _json(result.report(), pretty=True)
    write_all(outputs)
    if not quiet:
        warn(file, result.findings, verbose=verbose)
        warn(file, result.losses, verbose=verbose)
        if dry_run or verbose or any(map(matters, result.losses)):
            account = summary(result.target, result.losses, reading.transcript, result.characters)
            say(f"{shown(file)}: {account}{' Nothing was written (--dry-run).' if dry_run else ''}")
        if target is not None and profile is None:
            _advise(file, reading, target, result, options)


def _advise(file: str, reading: Reading, target: str, result: Result, options: Options) -> None:
    """Name the dialect of the target that loses less, if the output lost content."""
    if any(matters(loss) and loss.severity is Severity.LOST for loss in result.losses):
        hint = better_dialect(reading.transcript, target, options)
        if hint is not None:
            say(f"{shown(file)}: {hint}")


def _json(value: Json, *, pretty: bool = False) -> bytes:
    return jsontext.dumps(value, pretty=pretty) + b"\n"


def _spans_in(result: Result) -> Json:
    """Return the spans of an output."""
    unit = "characters" if isinstance(result.output, str) else "tokens"
    return {"target": result.target, "unit": unit, "spans": [span.to_json() for span in result.spans or ()]}


def _prompt(
    reading: Reading,
    name: str | None,
    target: str | None,
    options: Options,
    date: str | None,
    effort: str | None,
    *,
    spans: bool,
) -> Prompt:
    """Return a model's prompt in place of a transcript."""
    # Imported here, because most conversions do not need it.
    from ..profiles import profile

    if name is not None and date is None:
        date = datetime.date.today().isoformat()
    model = profile(name, target)
    return model.prompt(reading, date=date, effort=effort, options=options, policy=LENIENT, spans=spans)


def _sidecar(name: str) -> Json:
    if name != STANDARD and not os.path.exists(name):
        raise CommandError(
            f"{shown(name)}: {ErrorCode.IO}: there is no such file; --sidecar-out writes one", ExitCode.FAILED
        )
    data = read_bytes(name)
    with about(name):
        try:
            return jsontext.loads(data)
        except BridgeError as error:
            raise error.locate(data) from error


def refuse_same_file(read_from: Mapping[str, str | None], written_to: Mapping[str, str | None]) -> None:
    """Raise if a file would be both read and written, or be used twice.

    Raises:
        BridgeError: OCB-OPTION, with both uses.
    """
    seen: dict[str, str] = {}
    for names in (read_from, written_to):
        for role, name in names.items():
            if name is None:
                continue
            # Standard input and standard output have the same name and are two things.
            key = f"{STANDARD} {names is read_from}" if name == STANDARD else os.path.realpath(name)
            if key in seen:
                raise BridgeError(
                    ErrorCode.OPTION,
                    f"{role} and {seen[key]} are the same file, {name!r}; name another file for one of them",
                )
            seen[key] = role


def _verify(document: Document, result: Result, options: Options) -> None:
    """Check law 2 for the document: reading the output gives the image.

    Raises:
        BridgeError: OCB-UNREPORTED if the output reads differently, and no loss reports it.
    """
    try:
        unreported = verify(document, result, options=options)
    except BridgeError as error:
        raise BridgeError(ErrorCode.UNREPORTED, f"the output cannot be read back: {error}") from error
    if len(unreported) > 0:
        more = f" (and {len(unreported) - 1} more)" if len(unreported) > 1 else ""
        message = f"the output reads differently here, and no loss reports it{more}; nothing was written"
        raise BridgeError(ErrorCode.UNREPORTED, message, path=unreported[0].path)
