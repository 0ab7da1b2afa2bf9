"""Locks of files: one process holds one at a time, until it closes the file or ends."""

from __future__ import annotations

import sys
from typing import BinaryIO, Final

_FAR: Final = 0x7FFF_FFFE
"""The byte that is locked on Windows, where no other process can read it: one after the end of any file."""

if sys.platform == "win32":
    import msvcrt

    def lock(file: BinaryIO) -> None:
        """Lock a file.

        Raises:
            OSError: where another process holds the lock, or the file system has none.
        """
        at = file.tell()
        try:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(at)

else:
    import fcntl

    def lock(file: BinaryIO) -> None:
        """Lock a file.

        Raises:
            OSError: where another process holds the lock, or the file system has none.
        """
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
