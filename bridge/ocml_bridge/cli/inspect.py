"""The commands that tell rather than convert: `formats`, `check`, `matrix`, `schema`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

import click

from .. import jsontext, registry
from ..adapter import Adapter, Kind, Options
from ..boundary import Place
from ..capabilities import Feature, Level, capabilities
from ..comparison import Comparison
from ..convert import Reading, read
from ..errors import BridgeError, ErrorCode, ExitCode
from ..model import Json, Transcript
from ..model.codec import json_schema
from ..profiles import Profile, profiles_of
from ..split import read_all
from .output import (
    PROGRAM,
    STANDARD,
    about,
    describe,
    one_line,
    read_bytes,
    say,
    shown,
    warning,
    write_all,
)
from .parameters import FILE, force_option, format_option

_LEVELS: Final = {Level.YES: "yes", Level.PARTLY: "partly", Level.NO: "-"}
_STYLES: Final = {"yes": "green", "partly": "yellow", "-": "dim"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def formats(as_json: bool) -> None:
    """List the formats and their dialects."""
    adapters = _adapters()
    if as_json:
        _print_json([_described(adapter) for adapter in adapters])
        return
    rows = [(adapter.id, adapter.title, str(adapter.kind), " ".join(adapter.dialects)) for adapter in adapters]
    _print_table(("format", "name", "made of", "dialects, default first"), rows)


def _described(adapter: Adapter) -> dict[str, Json]:
    return {
        "id": adapter.id,
        "title": adapter.title,
        "kind": str(adapter.kind),
        "dialects": list(adapter.dialects),
        "options": [option.name for option in adapter.options],
    }


@click.command()
@click.argument("file", type=FILE, default=STANDARD, metavar="[FILE]")
@format_option("-f", "--from", "source", text="The format to read; told from the input where left out.")
@force_option
@click.option("--report", type=FILE, metavar="FILE", help="Write the findings there, as JSON.")
@click.option("--strict", is_flag=True, help="End with status 3 where there is anything to find.")
@click.option(
    "--official", is_flag=True, help="Read it with the format's official reader too, and show where they differ."
)
@click.option("-q", "--quiet", is_flag=True, help="No summary on stderr.")
def check(
    file: str, source: str | None, force_format: bool, report: str | None, strict: bool, official: bool, quiet: bool
) -> int:
    """Read FILE (or standard input) and print what had to be mended or assumed, one finding a line.

    Of a file with several conversations each is read, and its findings are named by the place where it begins.

    Calls are compared with the tools that the file declares: with their parameters where the extra `schema` is there.
    """
    # Imported here: the other commands need neither.
    from ..calls import check_calls
    from .convert import refuse_same_file

    refuse_same_file({"the input": file}, {"standard output": STANDARD, "--report": report})
    data = read_bytes(file)
    with about(file):
        options = Options(force_format=force_format)
        try:
            readings, errors = [read(data, source, options=options)], list[BridgeError]()
        except BridgeError as error:
            if error.code is not ErrorCode.SEVERAL or official:
                raise
            readings, errors = _each(read_all(data, source, options=options))
        readings = [replace(one, findings=(*one.findings, *check_calls(one.transcript))) for one in readings]
        compared: Sequence[Comparison] = _compared(data, readings[0]) if official else ()
    several = len(readings) + len(errors) > 1
    lines = [
        warning(_at(file, one.place) if several else file, finding) for one in readings for finding in one.findings
    ]
    lines += [describe(error, file) for error in errors] + [_verdict(one) for one in compared]
    outputs = {STANDARD: "".join(f"{one_line(line)}\n" for line in lines).encode("utf-8", "backslashreplace")}
    if report is not None:
        reports = [_report(one) for one in readings]
        found: Json = (
            {"conversations": [*reports], "errors": [_error(error) for error in errors]} if several else reports[0]
        )
        outputs[report] = jsontext.dumps(found, pretty=True) + b"\n"
    write_all(outputs)
    if not quiet:
        say(_summary(file, readings, len(readings) + len(errors)))
    if errors:
        return ExitCode.INVALID
    differ = any(one.verdict != "same" for one in compared)
    return ExitCode.REFUSED if strict and (any(one.findings for one in readings) or differ) else ExitCode.OK


def _each(readings: Iterator[Reading]) -> tuple[list[Reading], list[BridgeError]]:
    """What could be read, and why the rest could not."""
    found: list[Reading] = []
    errors: list[BridgeError] = []
    while True:
        try:
            found.append(next(readings))
        except StopIteration:
            return found, errors
        except BridgeError as error:
            errors.append(error)


def _at(file: str, place: Place) -> str:
    """A file with the place of one of its conversations, as errors have it."""
    return f"{file}:{place.line}:{place.column}" if place.path is None else f"{file}:{place.path}"


def _report(reading: Reading) -> dict[str, Json]:
    return {"source": reading.source, "findings": [finding._asdict() for finding in reading.findings]}


def _error(error: BridgeError) -> Json:
    return {key: value for key, value in error.to_json().items() if isinstance(value, (str, int))}


def _compared(data: bytes, reading: Reading) -> Sequence[Comparison]:
    found, _ = registry.adapter(reading.source)
    if found.compare is None:
        raise BridgeError(ErrorCode.OPTION, f"{found.id} has no official reader to compare with; leave out --official")
    return found.compare(data.decode() if found.kind is Kind.TEXT else jsontext.loads(data))


def _verdict(one: Comparison) -> str:
    """One message: the verdict, and each field that the two read differently."""
    ours, theirs = one.ours or {}, one.theirs or {}
    fields = (
        [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)] if one.verdict == "differs" else []
    )
    told = [f"{name}: ours {_quoted(ours.get(name))}, theirs {_quoted(theirs.get(name))}" for name in fields]
    who = " ".join(f"{name}={value}" for name, value in (one.ours or theirs).items() if name != "content")
    where = "behind the messages" if one.index is None else f"message {one.index}"
    return "; ".join(part for part in (f"{where} {one.verdict} {who}", *told, one.detail) if part)


def _quoted(value: str | None) -> str:
    return "nothing" if value is None else repr(value if len(value) <= 60 else f"{value[:57]}...")


def _summary(file: str, readings: Sequence[Reading], count: int) -> str:
    messages = sum(len(one.transcript.messages) for one in readings if isinstance(one.transcript, Transcript))
    completes = count == 1 and not isinstance(readings[0].transcript, Transcript)
    findings = _counted(sum(len(one.findings) for one in readings), "finding")
    what = ["a text to complete" if completes else _counted(messages, "message"), findings]
    if count > 1:
        unread = [_counted(count - len(readings), "error")] if count > len(readings) else []
        what = [_counted(count, "conversation"), *what, *unread]
    return ", ".join((f"{shown(file)}: {readings[0].source}" if readings else shown(file), *what))


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--markdown", is_flag=True, help="As a Markdown table.")
@click.option("--html", type=FILE, metavar="FILE", help="Write it as a page there.")
def matrix(as_json: bool, markdown: bool, html: str | None) -> None:
    """Show what each format can hold."""
    adapters = _adapters()
    if html is not None:
        # Imported here: only a page needs its libraries.
        from ..view.html import matrix_page
        from ..view.matrix import matrix_of

        write_all({html: matrix_page(matrix_of(adapters)).encode()})
        return
    if as_json:
        _print_json({a.id: dict(found) for a in adapters if (found := capabilities(a)) is not None})
        return
    held = [capabilities(adapter) for adapter in adapters]
    heads = ("", *(adapter.id for adapter in adapters))
    rows = [(str(f), *("?" if one is None else _LEVELS[one[f]] for one in held)) for f in Feature]
    if markdown:
        write_all({STANDARD: _markdown(heads, rows).encode()})
    else:
        _print_table(heads, rows)


def _markdown(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---", *(":-:" for _ in heads[1:])), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the sha256 of each chat template.")
def profiles(as_json: bool) -> None:
    """List the profiles: whose prompts they make, and in which format."""
    found = [each for adapter in _adapters() for each in profiles_of(adapter)]
    if as_json:
        _print_json([_account(each) for each in found])
        return
    heads = ("profile", "format", "dialect", "models", "chat template")
    rows = [
        (
            each.name or "",
            each.adapter.id,
            _dialect(each) or "",
            ", ".join(known.families),
            ", ".join(known.sources),
        )
        for each in found
        if (known := each.template) is not None
    ]
    _print_table(heads, rows)


def _dialect(profile: Profile) -> str | None:
    """The dialect that the prompts of a profile are written in; None for the format's default one."""
    found = profile.adapter.dialect_of
    if profile.dialect is not None or found is None:
        return profile.dialect
    return found(cast("Transcript", profile.prompt(Transcript()).written.document))


def _account(profile: Profile) -> dict[str, Json]:
    account: dict[str, Json] = {"name": profile.name, "format": profile.adapter.id, "dialect": _dialect(profile)}
    if (known := profile.template) is not None:
        account |= {"families": [*known.families], "templates": {**known.sources}}
    return account


@click.command()
def schema() -> None:
    """Print the JSON Schema of the canonical form."""
    _print_json(json_schema())


def _adapters() -> list[Adapter]:
    """The adapters of all formats; a plug-in that cannot be loaded is named on stderr."""
    adapters, broken = registry.load_all()
    for error in broken:
        say(f"{PROGRAM}: warning: {error.message}", colour="yellow")
    return adapters


def _print_json(value: Json) -> None:
    write_all({STANDARD: jsontext.dumps(value, pretty=True) + b"\n"})


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    # Imported here: only a table for people needs it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=box.SIMPLE, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell, _STYLES.get(cell, "")) for cell in row))
    # What is not a terminal has no width to fit into.
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(file=io.StringIO(), force_terminal=terminal, width=None if terminal else 1000)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    write_all({STANDARD: "".join(f"{line}\n" for line in lines if line).encode("utf-8", "backslashreplace")})
