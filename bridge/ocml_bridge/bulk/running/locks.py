"""Lock files: one process holds the lock of a file, until it closes the file or ends."""

from __future__ import annotations

import sys
from typing import BinaryIO, Final

_FAR: Final = 0x7FFF_FFFE
"""The byte that is locked on Windows, where other processes cannot read it: after the end of any file."""

if sys.platform == "win32":
    import msvcrt

    def lock(file: BinaryIO) -> None:
        """Lock a file.

        Raises:
            OSError: if another process holds the lock, or the file system has no locks.
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
            OSError: if another process holds the lock, or the file system has no locks.
        """
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
