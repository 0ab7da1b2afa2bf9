"""Define the commands that print information: `formats`, `matrix`, `profiles`, `schema`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Final, cast

import click

from .. import registry
from ..checks.capabilities import Feature, Level, capabilities
from ..errors import BridgeError, ErrorCode, ExitCode
from ..formats.adapter import Adapter
from ..json_values import jsontext
from ..json_values.schema_changes import Schema, SchemaChange, schema_changes
from ..model import Json, Transcript
from ..model.codec import json_schema
from ..profiles import Profile, profiles_of
from .output import PROGRAM, STANDARD, about, read_bytes, say, write_all
from .parameters import FILE

_LEVELS: Final = {Level.YES: "yes", Level.PARTLY: "partly", Level.NO: "-"}
_STYLES: Final = {"yes": "green", "partly": "yellow", "-": "dim"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
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
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page to FILE.")
def matrix(as_json: bool, markdown: bool, html: str | None) -> None:
    """Show what each format can hold."""
    adapters = _adapters()
    if html is not None:
        # Imported here, because only a page needs its libraries.
        from ..view.html import matrix_page
        from ..view.matrix import matrix_of

        write_all({html: matrix_page(matrix_of(adapters)).encode()})
        return
    if as_json:
        _print_json({a.id: dict(found) for a in adapters if (found := capabilities(a)) is not None})
        return
    levels = [capabilities(adapter) for adapter in adapters]
    heads = ("", *(adapter.id for adapter in adapters))
    rows = [(str(f), *("?" if one is None else _LEVELS[one[f]] for one in levels)) for f in Feature]
    if markdown:
        write_all({STANDARD: _markdown(heads, rows).encode()})
    else:
        _print_table(heads, rows, cut=True)


def _markdown(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---", *(":-:" for _ in heads[1:])), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON, with the sha256 of each chat template.")
def profiles(as_json: bool) -> None:
    """List the models whose prompts can be made of a request, each with its format."""
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
    """Return the dialect of a profile's prompts; None for the format's default one."""
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
@click.option(
    "--against",
    type=FILE,
    metavar="OLD",
    help="Print the changes since the schema in the file OLD; status 3 if a change breaks it.",
)
def schema(against: str | None) -> int:
    """Print the JSON Schema of the canonical form, or what changed since an older one."""
    if against is None:
        _print_json(json_schema())
        return ExitCode.OK
    old = read_bytes(against)
    with about(against):
        changes = _changes_since(old)
    write_all({STANDARD: "".join(f"{change}\n" for change in changes).encode()})
    return ExitCode.REFUSED if any(change.breaking for change in changes) else ExitCode.OK


def _changes_since(data: bytes) -> list[SchemaChange]:
    """Return the changes since an older schema of the canonical form.

    Raises:
        BridgeError: OCB-JSON if the file is not JSON; OCB-SHAPE if it is not such a schema.
    """
    value = jsontext.loads(data)
    try:
        if isinstance(value, dict) and "$defs" in value:
            return schema_changes(cast("Schema", value), cast("Schema", json_schema()))
    except (AttributeError, TypeError, ValueError):
        pass  # a keyword has a value that schemas do not have
    raise BridgeError(ErrorCode.SHAPE, "not a schema of the canonical form; 'ocml-convert schema' prints one")


def _adapters() -> list[Adapter]:
    """Return the adapters of all formats; a plug-in that cannot be loaded is named on stderr."""
    adapters, broken = registry.load_all()
    for error in broken:
        say(f"{PROGRAM}: warning: {error.message}", colour="yellow")
    return adapters


def _print_json(value: Json) -> None:
    write_all({STANDARD: jsontext.dumps(value, pretty=True) + b"\n"})


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, cut: bool = False) -> None:
    """Print a table that fits the terminal.

    Args:
        heads: the names of the columns; the first column names the rows, and is never shortened.
        rows: the cells of each row.
        cut: whether columns that do not fit go into further tables; otherwise their cells are folded.
    """
    # Imported here, because only a printed table needs it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Only a terminal has a width.
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(file=io.StringIO(), force_terminal=terminal, width=None if terminal else 1000)
    tables: list[str] = []
    for columns in _columns(heads, rows, console.width) if cut else [range(len(heads))]:
        table = Table(box=box.SIMPLE, header_style="bold", pad_edge=False)
        for column in columns:
            table.add_column(heads[column], no_wrap=cut or column == 0, overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[column], _STYLES.get(row[column], "")) for column in columns))
        with console.capture() as captured:
            console.print(table)
        lines = [line.rstrip() for line in captured.get().splitlines()]
        tables.append("".join(f"{line}\n" for line in lines if line))
    write_all({STANDARD: "\n".join(tables).encode("utf-8", "backslashreplace")})


_BETWEEN: Final = 3
"""The space between two columns."""


def _columns(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Return the columns of each table, so that no table is wider than the terminal; all have the first column."""
    widths = [max(map(len, column)) + _BETWEEN for column in zip(heads, *rows, strict=True)]
    tables: list[list[int]] = [[0]]
    for column in range(1, len(heads)):
        if sum(widths[each] for each in tables[-1]) + widths[column] > width and len(tables[-1]) > 1:
            tables.append([0])
        tables[-1].append(column)
    return tables
