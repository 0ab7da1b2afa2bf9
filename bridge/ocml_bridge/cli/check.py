"""Define `ocml-convert check FILE...`, which prints what had to be repaired, and which calls lack a tool or a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, cast

import click

from .. import registry
from ..convert import Reading, read
from ..errors import BridgeError, ErrorCode, ExitCode
from ..formats.adapter import Kind, Options, Source
from ..formats.boundary import Place
from ..formats.comparison import Comparison
from ..json_values import jsontext
from ..model import Json
from .check_result import Checked, total
from .convert import refuse_same_file
from .files import each_of, named_files, read_each
from .output import STANDARD, CommandError, about, one_line, read_bytes, say, write_all
from .parameters import FILE, force_option, format_option


@click.command()
@click.argument("files", type=FILE, nargs=-1, metavar="[FILE]...")
@format_option("-f", "--from", "source", text="Read this format. Without it, the format is detected.")
@force_option
@click.option(
    "--field",
    metavar="NAME",
    help="The files are JSON lines, and this field of each record has the transcript.",
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the findings to FILE, as JSON.")
@click.option("--strict", is_flag=True, help="End with status 3 if there is a finding.")
@click.option("--official", is_flag=True, help="Compare with what the format's official reader reads.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary on stderr.")
def check(
    files: tuple[str, ...],
    source: str | None,
    force_format: bool,
    field: str | None,
    report: str | None,
    strict: bool,
    official: bool,
    quiet: bool,
) -> int:
    """Read each FILE (or standard input) and print what had to be repaired or assumed, one finding a line.

    All files in a folder are read. If a file has several conversations, each is read, and its findings name the place
    where it begins.

    Tool calls are compared with the tools that the file declares, and each has to have a reply before the conversation
    goes on. To check arguments against the tools' parameters, install the extra 'schema'.

    \b
    ocml-convert check answer.txt
    ocml-convert check -f harmony --official answer.txt
    ocml-convert check -f harmony --field text answers.jsonl
    """  # noqa: D301  # not raw: after a backspace, click keeps the lines as they are
    if official and field is not None:
        raise BridgeError(ErrorCode.OPTION, "--official compares a whole file; leave out --field, or --official")
    names = [*named_files(files or (STANDARD,))]
    refuse_same_file(
        {name if len(names) > 1 else "the input": name for name in names},
        {"standard output": STANDARD, "--report": report},
    )
    options = Options(force_format=force_format)
    checked = [_check(name, source, options, field, official=official, alone=len(names) == 1) for name in names]
    outputs = {STANDARD: "".join(f"{one_line(line)}\n" for each in checked for line in each.lines()).encode(*_PRINTED)}
    if report is not None:
        found: Json = checked[0].report() if len(names) == 1 else {each.name: each.report() for each in checked}
        outputs[report] = jsontext.dumps(found, pretty=True) + b"\n"
    write_all(outputs)
    if not quiet:
        for each in checked:
            say(each.summary())
        if len(names) > 1:
            say(total(checked))
    if any(each.errors for each in checked):
        return ExitCode.INVALID
    return ExitCode.REFUSED if strict and any(not each.is_clean for each in checked) else ExitCode.OK


_PRINTED: Final = ("utf-8", "backslashreplace")


def _check(
    name: str, source: str | None, options: Options, field: str | None, *, official: bool, alone: bool
) -> Checked:
    """Check one file. An unreadable file is an error of the file if there are several, and otherwise ends the command.

    Raises:
        CommandError: if the only file cannot be read.
    """
    # Imported here, because other commands do not need it.
    from ..checks.calls import check_calls
    from ..checks.replies import check_replies

    try:
        data = read_bytes(name)
        with about(name):
            if field is not None:
                readings, errors = each_of(_of_records(data, field, source, options))
            else:
                readings, errors = read_each(data, source, options, several=not official)
            compared: Sequence[Comparison] = _compared(data, readings[0]) if official else ()
    except CommandError as error:
        if alone:
            raise
        return Checked(name, errors=[_unread(error)])
    checked = [
        replace(one, findings=(*one.findings, *check_calls(one.transcript), *check_replies(one.transcript)))
        for one in readings
    ]
    return Checked(name, checked, errors, compared)


def _of_records(data: bytes, field: str, source: str | None, options: Options) -> Iterator[Reading]:
    """Return the conversations in a field of JSON lines; each is read when it is requested, and has its line.

    Raises:
        BridgeError: when the record is requested, if it is not JSON, has no such field, or cannot be read.
    """
    return map(partial(_of_record, field=field, source=source, options=options), _lines(data))


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the lines that are not blank, with their numbers."""
    return ((number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip())


def _of_record(numbered: tuple[int, bytes], *, field: str, source: str | None, options: Options) -> Reading:
    number, line = numbered
    place = Place(0, number, 1)
    try:
        record = jsontext.loads(line)
        if not isinstance(record, dict) or field not in record:
            raise BridgeError(ErrorCode.SHAPE, f"the record has no field {field!r}; name another one with --field")
        reading = read(cast("Source", record[field]), source, options=options)
    except BridgeError as error:
        # An offset in the field is not one in the line.
        error.offset, error.line, error.column = None, number, 1
        raise
    reading.place = place
    return reading


def _unread(error: CommandError) -> BridgeError:
    """Return the reason why one of several files cannot be read."""
    cause = error.__cause__
    if isinstance(cause, BridgeError):
        return cause
    return BridgeError(ErrorCode.IO, getattr(cause, "strerror", None) or str(cause))


def _compared(data: bytes, reading: Reading) -> Sequence[Comparison]:
    found, _ = registry.adapter(reading.source)
    if found.compare is None:
        raise BridgeError(ErrorCode.OPTION, f"{found.id} has no official reader to compare with; leave out --official")
    return found.compare(data.decode() if found.kind is Kind.TEXT else jsontext.loads(data))
