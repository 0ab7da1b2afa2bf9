"""Files that appear whole or not at all, and stay: a temporary name, fsync, rename."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final


def partial_name(path: str) -> str:
    """Where a file is written until it is whole: hidden, beside its place, and the same after every start."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.partial")


@contextmanager
def whole_file(path: str, *, suffix: str = "") -> Generator[BinaryIO]:
    """A file to write, which takes its place when it is complete."""
    temporary = partial_name(path) + suffix
    try:
        with open(temporary, "wb") as file:
            yield file
            settle(file)
        os.replace(temporary, path)
    except BaseException:
        discard(temporary)
        raise


def settle(file: BinaryIO) -> None:
    """Let what was written reach the disk."""
    file.flush()
    os.fsync(file.fileno())


_FAILING: Final = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
"""What is wrong with a disk, and not with what is asked of it."""


def settle_folder(folder: str) -> None:
    """Let names in a folder reach the disk; not every system can.

    Raises:
        OSError: where the disk is full or fails.
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


def settle_folders(folders: Iterable[str], top: str) -> None:
    """Let names in folders reach the disk, and the names of those folders up to the one that they all stand in."""
    found: set[str] = set()
    for folder in folders:
        while folder not in found:
            found.add(folder)
            if len(folder) <= len(top):
                break
            folder = os.path.dirname(folder)
    for folder in sorted(found):
        settle_folder(folder)


def discard(path: str) -> None:
    """Remove a file that may be there."""
    with suppress(FileNotFoundError):
        os.unlink(path)


MOVES: Final = ".ocml-convert.moves"
"""What says, in an output folder, which files are to be moved to their places together."""
Note = Callable[[dict[str, Any]], None]
"""Takes what else is so when files were moved; it may be told the same twice."""


def move_together(folder: str, moves: Sequence[tuple[str | None, str]], then: Mapping[str, Any], note: Note) -> None:
    """Move files to their places, all of them or none: what is killed in between is finished by `finish_moves`.

    Args:
        folder: the output folder.
        moves: where each file is, and where it goes; None for one that is not to be there any more.
        then: what else is so when they are there, as JSON values.
        note: takes that.
    """
    with whole_file(os.path.join(folder, MOVES)) as file:
        file.write(json.dumps({"moves": moves, "then": dict(then)}).encode())
    settle_folder(folder)
    finish_moves(folder, note)


def finish_moves(folder: str, note: Note) -> None:
    """Move what was to be moved, if there is anything, and note what else is so then."""
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
        settle_folder(place)
    note(plan["then"])
    discard(path)
