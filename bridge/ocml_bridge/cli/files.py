"""What several files hold: those of a folder, and the conversations of each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..convert import Reading, read
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Options
from ..split import read_all


def named_files(arguments: Sequence[str]) -> Iterator[str]:
    """The files that arguments name: those in a folder in the order of their names, but hidden ones."""
    for argument in arguments:
        if not os.path.isdir(argument):
            yield argument
            continue
        for folder, inner, names in os.walk(argument):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))


def read_each(
    data: bytes, source: str | None, options: Options, *, several: bool = True
) -> tuple[list[Reading], list[BridgeError]]:
    """The conversations of a file, and why the rest of it cannot be read.

    Args:
        data: the file.
        source: its format; None to detect it.
        options: how to read.
        several: whether it may hold several conversations.

    Raises:
        BridgeError: where none of it can be read.
    """
    try:
        return [read(data, source, options=options)], []
    except BridgeError as error:
        if error.code is not ErrorCode.SEVERAL or not several:
            raise
        return each_of(read_all(data, source, options=options))


def each_of(readings: Iterator[Reading]) -> tuple[list[Reading], list[BridgeError]]:
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
