"""Files that appear whole or not at all, and stay: a temporary name, fsync, rename."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import BinaryIO


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


def settle_folder(folder: str) -> None:
    """Let names in a folder reach the disk; not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def discard(path: str) -> None:
    """Remove a file that may be there."""
    with suppress(FileNotFoundError):
        os.unlink(path)
