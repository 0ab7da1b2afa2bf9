"""Read bytes, write whole files, and print messages on stderr, one line each."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final, TextIO

import click

from ..common.unicode import from_utf_16
from ..errors import BridgeError, ErrorCode, ExitCode, with_options
from ..loss import Finding, Loss, LossClass, Severity

PROGRAM: Final = "ocml-convert"
STANDARD: Final = "-"
"""The file name that means standard input or output."""
SHOWN: Final = 10
"""The number of warnings of one kind that are printed; the others are counted."""

Note = Finding | Loss

_COLOURS: Final = {Severity.LOST: "red", Severity.CHANGED: "yellow", Severity.LAYOUT: "bright_black"}


class CommandError(Exception):
    """An error that ends the command, with its line and exit status.

    Attributes:
        line: the line for stderr, without the program's name.
        status: the exit status.
    """

    def __init__(self, line: str, status: int) -> None:
        super().__init__(line)
        self.line = line
        self.status = status


# --- messages ---------------------------------------------------------------------------------------------------------


def one_line(text: str) -> str:
    """Return text for a terminal: line breaks, escape codes and other control characters are escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(name: str) -> str:
    """Return a file name for messages."""
    return "<stdin>" if name == STANDARD else name


def describe(error: BridgeError, name: str | None = None) -> str:
    """Return an error as one line: file, line and column if they are known, the code, the path in the document."""
    place = [] if name is None else [shown(name)]
    if error.line is not None:
        place += [str(error.line), str(error.column)]
    at = f" at {error.path}" if error.path else ""
    return f"{':'.join(place)}{': ' if place else ''}{error.code}{at}: {with_options(error.message)}"


def say(text: str, *, colour: str | None = None) -> None:
    """Print a line on stderr; it is coloured only on a terminal, and if `NO_COLOR` is not set."""
    line = one_line(text)
    if colour is not None and not os.environ.get("NO_COLOR"):
        line = click.style(line, fg=colour)
    click.echo(line, err=True)


def warn(name: str, notes: Sequence[Note], *, verbose: bool = False) -> None:
    """Print findings or losses: the first ones that matter, and the number of the others by code.

    Args:
        name: the name of the file.
        notes: findings or losses.
        verbose: print all of them, those of spelling and metadata too.
    """
    matter = notes if verbose else [note for note in notes if matters(note)]
    listed = matter if verbose else matter[:SHOWN]
    for note in listed:
        say(warning(name, note), colour=_COLOURS[note.severity])
    if more := matter[len(listed) :]:
        say(f"{shown(name)}: and {len(more)} more: {_counts(more)}")


def matters(note: Note) -> bool:
    """Return whether a finding or loss is printed without --verbose; others are counted in the summary."""
    if isinstance(note, Loss) and note.loss_class is LossClass.BOOKKEEPING:
        return False
    return note.severity is not Severity.LAYOUT


def warning(name: str, note: Note) -> str:
    """Return a finding or loss as a line."""
    return f"{shown(name)}: warning[{note.code}] {note.severity} {note.path or 'document'}: {note.detail}"


def _counts(notes: Sequence[Note]) -> str:
    return ", ".join(f"{count} {code}" for code, count in Counter(str(note.code) for note in notes).most_common())


# --- files ------------------------------------------------------------------------------------------------------------


@contextmanager
def about(name: str) -> Generator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except BridgeError as error:
        raise CommandError(describe(error, name), error.exit_code) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{shown(name)}: {ErrorCode.IO}: {_reason(name, error)}", ExitCode.FAILED) from error


def _reason(name: str, error: OSError) -> str:
    """Return the reason why a file cannot be read or written, and advice if it is known."""
    reason = error.strerror or str(error)
    folder = os.path.dirname(name)
    if isinstance(error, FileNotFoundError) and folder and not os.path.isdir(folder):
        return f"{reason}: there is no folder {folder}"
    if isinstance(error, IsADirectoryError):
        return f"{reason}; name a file"
    return reason


def read_bytes(name: str) -> bytes:
    """Return the content of a file, or of standard input; in UTF-8, if it is in UTF-16.

    Raises:
        CommandError: where it cannot be read.
    """
    with about(name):
        if name != STANDARD:
            with open(name, "rb") as file:
                return from_utf_16(file.read())
        return from_utf_16(standard_input().read())


def standard_input() -> BinaryIO:
    """Return standard input as bytes; on a terminal, print what the command waits for.

    Raises:
        OSError: if it is closed.
    """
    source = _bytes_of(sys.stdin)
    if sys.stdin.isatty():
        say(f"{PROGRAM}: reading from the terminal; end the input with Ctrl-D, or name a file (see '{PROGRAM} --help')")
    return source


def _bytes_of(stream: TextIO | None) -> BinaryIO:
    if stream is None:
        raise OSError(errno.EBADF, "the stream is closed")
    return stream.buffer


def write_all(outputs: Mapping[str, bytes]) -> None:
    """Write files completely or not at all, and none if one cannot be written; `-` is standard output.

    Raises:
        CommandError: if one cannot be written.
    """
    staged: dict[str, str] = {}
    try:
        for name, data in outputs.items():
            with about(name):
                if _is_replaceable(name):
                    staged[name] = _stage(name, data)
        for name, data in outputs.items():
            with about("<stdout>" if name == STANDARD else name):
                if name in staged:
                    os.replace(staged.pop(name), os.path.realpath(name))
                else:
                    pour(name, data + line_end(name, data))
    finally:
        for temporary in staged.values():
            with suppress(OSError):
                os.unlink(temporary)


def _is_replaceable(name: str) -> bool:
    """Return whether a path is a regular file or does not exist; devices and pipes are not replaced."""
    try:
        return name != STANDARD and stat.S_ISREG(os.stat(name).st_mode)
    except FileNotFoundError:
        return True


def _stage(name: str, data: bytes) -> str:
    """Write a new file, with the mode of the file that it will replace, in the same folder."""
    target = os.path.realpath(name)
    temporary = os.path.join(os.path.dirname(target), f".{PROGRAM}-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def line_end(name: str, data: bytes) -> bytes:
    """Return a line break if the next line of a terminal would follow the data directly; files get none."""
    if name != STANDARD or sys.stdout is None or not sys.stdout.isatty():
        return b""
    return b"" if data.endswith(b"\n") or not data else b"\n"


def pour(name: str, data: bytes) -> None:
    """Write to standard output, or to a file that is not regular, without buffering.

    Raises:
        OSError: if that fails; nothing remains in the buffer.
    """
    if name != STANDARD:
        with open(name, "wb") as file:
            file.write(data)
        return
    out = _bytes_of(sys.stdout)
    try:
        out.write(data)
        out.flush()
    except OSError:
        silence_stdout()
        raise


def silence_stdout() -> None:
    """Discard the buffer of a standard output that is closed, so that no error is printed at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
