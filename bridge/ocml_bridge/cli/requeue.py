"""Define the command `requeue`, which puts mended records of a quarantine into their places."""

from __future__ import annotations

import click

from ..errors import ExitCode
from .output import PROGRAM, about, read_bytes, say
from .parameters import FILE


@click.command()
@click.argument("folder", type=FILE, metavar="OUT")
@click.argument("mended", type=FILE, metavar="MENDED.jsonl")
def requeue(folder: str, mended: str) -> int:
    """Put corrected records back: into the outputs, and out of the quarantine.

    OUT is the output folder of 'ocml-convert batch --ledger'. MENDED.jsonl has lines of its quarantines with a
    corrected 'raw'. They are converted with the options of that run.
    """
    # Imported here, because other commands do not need it.
    from ..bulk.requeue import requeue as put

    lines = [line for line in read_bytes(mended).splitlines() if line.strip()]
    with about(mended):
        found = put(folder, lines)
    counts = f"{found.placed:,} put back, {found.still:,} quarantined again, {found.unknown:,} not in the quarantine"
    say(f"{PROGRAM}: {counts}")
    return ExitCode.SOME_FAILED if found.still or found.unknown else ExitCode.OK
