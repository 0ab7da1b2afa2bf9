"""Define the command `ledger`, which shows the outcomes of records, and records before and after a migration."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from ..json_values import jsontext
from ..loss import LossClass
from .output import one_line
from .parameters import FILE

if TYPE_CHECKING:
    from ..bulk.lookup import Found

_SHOWN: Final = 2_000
"""The number of characters of a record that are shown."""


@click.command()
@click.argument("folder", type=FILE, metavar="OUT")
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    type=click.Choice(("converted", "lossy", "quarantined")),
    help="Select records with this outcome.",
)
@click.option(
    "--class",
    "classes",
    multiple=True,
    type=click.Choice([str(one) for one in LossClass]),
    help="Select records whose worst loss is of this class.",
)
@click.option("--code", "codes", multiple=True, metavar="CODE", help="Select records with this loss or error.")
@click.option("--id", "names", multiple=True, metavar="ID", help="Select the record with this id.")
@click.option("--show", is_flag=True, help="Show each record before and after its conversion.")
@click.option("--rows", is_flag=True, help="Print the rows of the ledger, as JSON lines.")
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Stop after N records; without it, --show stops after 10."
)
def ledger(
    folder: str,
    outcomes: tuple[str, ...],
    classes: tuple[str, ...],
    codes: tuple[str, ...],
    names: tuple[str, ...],
    show: bool,
    rows: bool,
    limit: int | None,
) -> None:
    """Show what became of the records of a migration: counts, rows, or records before and after.

    OUT is the output folder of 'ocml-convert batch --ledger'. An option that is given twice selects
    records that match either value.
    """
    # Imported here, because other commands do not need it.
    from ..bulk.lookup import Filter, found, rows_of

    selected = rows_of(folder, Filter(outcomes, classes, codes, names))
    if show:
        for each in found(list(islice(selected, limit or 10)), folder):
            click.echo(_shown(each))
    elif rows:
        for row in islice(selected, limit):
            click.echo(jsontext.dumps(row))
    else:
        click.echo(_summary(islice(selected, limit)))


def _summary(rows: Any) -> str:
    """Return the numbers of records, by outcome, by class and by code."""
    outcomes: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for row in rows:
        outcomes[row["outcome"]] += 1
        if row["outcome"] == "lossy":
            classes[row["class"]] += 1
        codes.update(row["codes"])
    width = max(map(len, (*outcomes, *classes, *codes, "records")), default=0) + 4
    lines = [f"{'records':<{width}}{outcomes.total():>12,}"]
    for outcome, count in outcomes.most_common():
        lines.append(f"{outcome:<{width}}{count:>12,}")
        lines += [f"  {name:<{width - 2}}{each:>12,}" for name, each in classes.most_common() if outcome == "lossy"]
    lines += [f"{code:<{width}}{count:>12,}" for code, count in codes.most_common()]
    return "\n".join(lines)


def _shown(found: Found) -> str:
    row = found.row
    name = "" if row["id"] is None else f" ({row['id']})"
    part = "" if row["conversation"] is None else f", conversation {row['conversation']}"
    lines = [f"{one_line(row['input'])}:{row['position']}{part}{name}: {row['outcome']}"]
    lines += [f"  {note['severity']} {note['code']} {note['path'] or 'document'}" for note in row["losses"]]
    if row["error"] is not None:
        lines.append(f"  {row['error']['code']}: {one_line(row['error']['message'])}")
    lines.append(f"- {_short(found.before, 'the record is no longer there')}")
    if row["output"] is not None:
        lines.append(f"+ {_short(found.after, 'the record is no longer there')}")
    return "\n".join(lines)


def _short(text: str | None, otherwise: str) -> str:
    if text is None:
        return otherwise
    more = len(text) - _SHOWN
    return one_line(text[:_SHOWN]) + (f" … {more:,} more characters" if more > 0 else "")
