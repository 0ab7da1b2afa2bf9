"""Write files that are on the disk completely or not at all: with a temporary name, fsync, and a rename."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final


def partial_name(path: str) -> str:
    """Return the path at which a file is written until it is complete: hidden, in its folder, the same in each run."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.partial")


@contextmanager
def whole_file(path: str) -> Generator[BinaryIO]:
    """Open a file for writing, and move it to its path when it is complete."""
    temporary = partial_name(path)
    try:
        with open(temporary, "wb") as file:
            yield file
            sync(file)
        os.replace(temporary, path)
    except BaseException:
        discard(temporary)
        raise


def sync(file: BinaryIO) -> None:
    """Flush a file to the disk."""
    file.flush()
    os.fsync(file.fileno())


_FAILING: Final = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
"""Errors of the disk itself."""


def sync_folder(folder: str) -> None:
    """Flush the names in a folder to the disk, if the system can.

    Raises:
        OSError: if the disk is full or fails.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _FAILING:
            raise


def sync_folders(folders: Iterable[str], top: str) -> None:
    """Flush the names in folders to the disk, and those of their parents up to a common folder, `top`."""
    found: set[str] = set()
    for folder in folders:
        while folder not in found:
            found.add(folder)
            if len(folder) <= len(top):
                break
            folder = os.path.dirname(folder)
    for folder in sorted(found):
        sync_folder(folder)


def discard(path: str) -> None:
    """Remove a file if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(path)


MOVES: Final = ".ocml-convert.moves"
"""The file in an output folder that lists the files to be moved together."""
Note = Callable[[dict[str, Any]], None]
"""Takes the value `then` of moves that are finished; it may be called twice with the same value."""


def move_together(folder: str, moves: Sequence[tuple[str | None, str]], then: Mapping[str, Any], note: Note) -> None:
    """Move files to their paths, all or none: `finish_moves` completes moves that were interrupted.

    Args:
        folder: the output folder.
        moves: the current and the new path of each file; None as the current path to remove the file at the new path.
        then: JSON values that are true once the files are moved.
        note: takes these values.
    """
    with whole_file(os.path.join(folder, MOVES)) as file:
        file.write(json.dumps({"moves": moves, "then": dict(then)}).encode())
    sync_folder(folder)
    finish_moves(folder, note)


def finish_moves(folder: str, note: Note) -> None:
    """Finish the moves that a folder lists, if there are any, and pass their value `then` to `note`."""
    path = os.path.join(folder, MOVES)
    try:
        with open(path, "rb") as file:
            plan = json.loads(file.read())
    except FileNotFoundError:
        return
    moves: list[tuple[str | None, str]] = plan["moves"]
    for source, target in moves:
        if source is None:
            discard(target)
        elif os.path.exists(source):
            os.replace(source, target)
    for place in {os.path.dirname(target) for _, target in moves}:
        sync_folder(place)
    note(plan["then"])
    discard(path)
