"""Define the command `view`, which shows a document in the terminal or as a page, or what a format keeps of it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..convert import Reading
from ..errors import BridgeError, ErrorCode, ExitCode
from ..formats.adapter import Options
from ..model import Transcript
from .convert import refuse_same_file
from .files import named_files, read_each
from .output import PROGRAM, STANDARD, CommandError, about, describe, one_line, read_bytes, say, shown, write_all
from .parameters import FILE, force_option, format_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..view import Visibility

_WIDTH = 100
"""The number of columns if the output is not a terminal."""


@click.command()
@click.argument("files", type=FILE, nargs=-1, metavar="[FILE]...")
@format_option("-f", "--from", "source", text="Read this format. Without it, the format is detected.")
@force_option
@click.option("--debug", is_flag=True, help="Show what end users do not see: instructions, reasoning, tools' data.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page to FILE, with everything in it.")
@format_option("--compare", "target", text="Show beside it what this format keeps of it, each loss at its message.")
def view(
    files: tuple[str, ...], source: str | None, force_format: bool, debug: bool, html: str | None, target: str | None
) -> int:
    """Show FILE (or standard input) as a conversation.

    System and developer messages, private reasoning and commentary are hidden, and counted; --debug shows them. With
    several files, a folder, or a file with several conversations, all are shown; a page has a list of them.
    """
    names = [*named_files(files or (STANDARD,))]
    refuse_same_file({name if len(names) > 1 else "the input": name for name in names}, {"--html": html})
    # Imported here, because only this command needs it.
    from ..view import DEBUG, END_USER

    visibility = DEBUG if debug else END_USER
    chats, errors = _read(names, source, Options(force_format=force_format))
    if target is not None and len(chats) != 1:
        raise BridgeError(ErrorCode.OPTION, f"--compare takes one conversation, and the input has {len(chats)}")
    if len(chats) == 1 and not errors:
        name, reading = chats[0]
        with about(names[0]):
            page = (_page if html is not None else _shown)(reading, target, visibility, os.path.basename(name))
    else:
        page = (_pages if html is not None else _listed)(chats, visibility, names)
    write_all({STANDARD if html is None else html: page.encode("utf-8", "backslashreplace")})
    for name, reading in chats:
        others = len(reading.transcript.alternatives or ()) if isinstance(reading.transcript, Transcript) else 0
        if others:
            say(f"{shown(name)}: {others:,} other {'answer is' if others == 1 else 'answers are'} not shown")
    for line in errors:
        say(f"{PROGRAM}: {line}")
    return ExitCode.INVALID if errors else ExitCode.OK


Chat = tuple[str, Reading]
"""A conversation, and its name: that of its file, with its place if there are several."""


def _read(names: list[str], source: str | None, options: Options) -> tuple[list[Chat], list[str]]:
    """Return the conversations of files, and the errors of those that cannot be read.

    Raises:
        CommandError: if the only file cannot be read.
    """
    chats: list[Chat] = []
    errors: list[str] = []
    for name in names:
        try:
            data = read_bytes(name)
            with about(name):
                readings, broken = read_each(data, source, options)
        except CommandError as error:
            if len(names) == 1:
                raise
            errors.append(error.line)
            continue
        several = len(readings) + len(broken) > 1
        chats += [(_called(name, reading, several=several), reading) for reading in readings]
        errors += [describe(error, name) for error in broken]
    return chats, errors


def _called(name: str, reading: Reading, *, several: bool) -> str:
    place = reading.place
    return f"{shown(name)}:{place.line if place.path is None else place.path}" if several else shown(name)


def _common(names: list[str]) -> str:
    """Return a name for several files: their common folder, or the one file."""
    if len(names) == 1:
        return os.path.basename(shown(names[0]))
    return os.path.basename(_folder(names)) or "conversations"


def _folder(names: Sequence[str]) -> str:
    """Return the common folder of several files."""
    return os.path.commonpath([os.path.dirname(os.path.abspath(name)) for name in names])


def _pages(chats: list[Chat], visibility: Visibility, names: list[str]) -> str:
    from ..view import view_of
    from ..view.html import NamedView, views_page

    # Files in a folder are named relative to it.
    above = f"{_folder(names)}{os.sep}" if len(names) > 1 else ""
    views = [
        NamedView(
            os.path.abspath(called).removeprefix(above) if above else called,
            each.source,
            view_of(each.transcript, each.findings, visibility),
        )
        for called, each in chats
    ]
    return views_page(views, name=_common(names))


def _listed(chats: list[Chat], visibility: Visibility, _: list[str]) -> str:
    """Return the conversations one after another, each below its name."""
    return "\n".join(f"{_heading(name)}\n\n{_shown(each, None, visibility, name)}" for name, each in chats)


def _heading(name: str) -> str:
    line = one_line(name)
    return f"── {line} {'─' * max(2, _WIDTH - len(line) - 4)}"


def _shown(reading: Reading, target: str | None, visibility: Visibility, _: str) -> str:
    return _printed(_drawn(reading, target, visibility))


def _page(reading: Reading, target: str | None, visibility: Visibility, name: str) -> str:
    from ..view import compare, view_of
    from ..view.html import comparison_page, view_page

    if target is None:
        view = view_of(reading.transcript, reading.findings, visibility)
        return view_page(view, name=name, source=reading.source)
    comparison = compare(reading.transcript, target, reading.findings, visibility=visibility)
    return comparison_page(comparison, name=name, source=reading.source)


def _drawn(reading: Reading, target: str | None, visibility: Visibility) -> RenderableType:
    from ..view import compare, view_of
    from ..view.terminal import of_comparison, of_view

    if target is None:
        return of_view(view_of(reading.transcript, reading.findings, visibility))
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
