"""Write the files of a range, which are then joined in order into those of the input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import BinaryIO, Final

from .durable import discard

KINDS: Final = ("output", "quarantine", "ledger")
"""The files of a part; empty ones are not created."""


class Part:
    """The files of one range, while they are written."""

    def __init__(self, path: str | None) -> None:
        """Begin the files.

        Args:
            path: the beginning of the files' paths; None to write nothing.
        """
        self._path = path
        self._files: dict[str, BinaryIO] = {}
        if path is not None:
            discard_part(path)

    def write(self, pieces: Sequence[bytes]) -> None:
        """Append the data of a chunk, in the order of `KINDS`."""
        for kind, data in zip(KINDS, pieces, strict=True):
            if not data or self._path is None:
                continue
            if kind not in self._files:
                self._files[kind] = open(f"{self._path}.{kind}", "wb")  # noqa: SIM115  # closed by `__exit__`
            self._files[kind].write(data)

    def __enter__(self) -> Part:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for file in self._files.values():
            file.close()


def join(part: str, kind: str, file: BinaryIO) -> int:
    """Append a file of a part to a file of the input, and return its size in bytes."""
    try:
        source = open(f"{part}.{kind}", "rb")  # noqa: SIM115
    except FileNotFoundError:
        return 0
    with source:
        left = size = os.fstat(source.fileno()).st_size
        file.flush()
        while left > 0:
            left -= _copy(source.fileno(), file.fileno(), left)
    return size


def _copy(source: int, target: int, size: int) -> int:
    """Copy bytes from one file to another at their offsets, in the kernel if it can, and return their number."""
    if hasattr(os, "copy_file_range"):
        try:
            if copied := os.copy_file_range(source, target, size):
                return copied
        except OSError:  # these file systems cannot
            pass
    data = os.read(source, min(size, 1 << 20))
    if not data:
        raise OSError("a part is shorter than it was")
    return os.write(target, data)


def discard_part(part: str) -> None:
    """Remove the files of a part."""
    for kind in KINDS:
        discard(f"{part}.{kind}")
