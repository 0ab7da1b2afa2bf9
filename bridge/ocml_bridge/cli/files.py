"""Read several files: those of folders, and the conversations in each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..convert import Reading, read
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Options
from ..split import read_all


def named_files(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the files that arguments name; those in a folder sorted by name, without hidden ones."""
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
    """Return the conversations of a file, and the errors of those that cannot be read.

    Args:
        data: the file.
        source: its format; None to detect it.
        options: how to read.
        several: whether it may hold several conversations.

    Raises:
        BridgeError: if none of them can be read.
    """
    try:
        return [read(data, source, options=options)], []
    except BridgeError as error:
        if error.code is not ErrorCode.SEVERAL or not several:
            raise
        return each_of(read_all(data, source, options=options))


def each_of(readings: Iterator[Reading]) -> tuple[list[Reading], list[BridgeError]]:
    """Return the readings, and the errors of those that cannot be read."""
    found: list[Reading] = []
    errors: list[BridgeError] = []
    while True:
        try:
            found.append(next(readings))
        except StopIteration:
            return found, errors
        except BridgeError as error:
            errors.append(error)
