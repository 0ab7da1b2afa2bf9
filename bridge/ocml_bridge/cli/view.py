"""The command `view`: a document in the terminal or as a page, alone or beside what a format gives back of it."""

from __future__ import annotations

import io
import os
import shlex
import sys
from typing import TYPE_CHECKING

import click

from ..adapter import Options
from ..convert import Reading, read
from ..errors import BridgeError, ErrorCode
from .convert import refuse_same_file
from .output import PROGRAM, STANDARD, about, read_bytes, shown, write_all
from .parameters import FILE, force_option, format_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..view import Visibility

_WIDTH = 100
"""Columns, where the output is no terminal."""


@click.command(context_settings={"allow_extra_args": True})
@click.argument("file", type=FILE, default=STANDARD, metavar="[FILE]")
@click.pass_context
@format_option("-f", "--from", "source", text="Read this format. Without it, the format is detected.")
@force_option
@click.option("--debug", is_flag=True, help="Show what end users do not see: instructions, reasoning, tools' data.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page to FILE, with everything in it.")
@format_option("--compare", "target", text="Show beside it what this format keeps of it, each loss at its message.")
def view(
    context: click.Context,
    file: str,
    source: str | None,
    force_format: bool,
    debug: bool,
    html: str | None,
    target: str | None,
) -> None:
    """Show FILE (or standard input) as a conversation.

    System and developer messages, private reasoning and commentary are hidden, and counted; --debug shows them.
    """
    _refuse_several(file, len(context.args))
    refuse_same_file({"the input": file}, {"--html": html})
    # Imported here: what only this command needs.
    from ..view import DEBUG, END_USER

    visibility = DEBUG if debug else END_USER
    data = read_bytes(file)
    with about(file):
        reading = read(data, source, options=Options(force_format=force_format))
        name = os.path.basename(shown(file))
        if html is not None:
            page = _page(reading, target, visibility, name)
        else:
            page = _printed(_drawn(reading, target, visibility))
    write_all({STANDARD if html is None else html: page.encode("utf-8", "backslashreplace")})


def _refuse_several(name: str, more: int) -> None:
    """Refuse several files, and a folder.

    Raises:
        BridgeError: OCB-OPTION with a command to type.
    """
    if more > 0:
        why = f"view shows one file, not {more + 1}"
    elif name != STANDARD and os.path.isdir(name):
        why = f"{name} is a folder, and view shows one file"
        name = next((entry.path for entry in sorted(os.scandir(name), key=_name) if entry.is_file()), "FILE")
    else:
        return
    raise BridgeError(ErrorCode.OPTION, f"{why}: {shlex.join([PROGRAM, 'view', name])}")


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _page(reading: Reading, target: str | None, visibility: Visibility, name: str) -> str:
    from ..view import compare, tell
    from ..view.html import comparison_page, story_page

    if target is None:
        story = tell(reading.transcript, reading.findings, visibility)
        return story_page(story, name=name, source=reading.source)
    comparison = compare(reading.transcript, target, reading.findings, visibility=visibility)
    return comparison_page(comparison, name=name, source=reading.source)


def _drawn(reading: Reading, target: str | None, visibility: Visibility) -> RenderableType:
    from ..view import compare, tell
    from ..view.terminal import of_comparison, of_story

    if target is None:
        return of_story(tell(reading.transcript, reading.findings, visibility))
    return of_comparison(compare(reading.transcript, target, reading.findings, visibility=visibility))


def _printed(drawn: RenderableType) -> str:
    from rich.console import Console

    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(
        file=io.StringIO(), force_terminal=terminal, width=None if terminal else _WIDTH, highlight=False, markup=False
    )
    with console.capture() as captured:
        console.print(drawn)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())
