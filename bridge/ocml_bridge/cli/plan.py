"""Define `ocml-convert plan DATA... -o plan.yaml`, which surveys data and proposes a plan for `batch --plan`."""

from __future__ import annotations

import os

import click

from ..errors import BridgeError, ErrorCode, ExitCode
from .output import write_all
from .parameters import FILE, preview_option


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="DATA...")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write the plan to FILE, not to standard output.")
@click.option(
    "--rows",
    type=click.IntRange(1),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Look at the first N rows of each input.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it has another plan, such as one that was corrected.")
@preview_option
def plan(inputs: tuple[str, ...], output: str | None, rows: int, overwrite: bool, preview: bool) -> int:
    """Look at the rows of datasets, and propose a plan for `batch --plan`.

    The plan names the layout of the rows. What was seen of them (columns, speakers, counts, an example) is in its
    comments. Read it, correct it where it is wrong, and give it to `batch`.
    """
    # Imported here, because other commands do not need it.
    from ..bulk.survey import propose

    try:
        text = propose(inputs, rows, preview=preview)
    except OSError as error:
        raise BridgeError(ErrorCode.IO, str(error)) from error
    if output is None:
        click.echo(text, nl=False)
        return ExitCode.OK
    written = text.encode("utf-8", "surrogatepass")
    if not overwrite and _has_other(output, written):
        message = f"{output} would be overwritten; allow it with --overwrite, or name another file"
        raise BridgeError(ErrorCode.OPTION, message)
    write_all({output: written})
    return ExitCode.OK


def _has_other(path: str, written: bytes) -> bool:
    """Return whether a file has other contents than those that would be written; an empty file has none."""
    if not os.path.isfile(path) or not (size := os.path.getsize(path)):
        return False
    if size != len(written):
        return True
    with open(path, "rb") as file:
        return file.read() != written
