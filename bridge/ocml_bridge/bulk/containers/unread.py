"""Recognise files that hold neither a transcript nor records: pages, archives, databases."""

from __future__ import annotations

from typing import Final

from ...detection import looks
from ...recognise import file_of, recognise

_ENDINGS: Final = frozenset(
    {".xls", ".xlsx", ".docx", ".pdf", ".html", ".htm", ".db", ".sqlite", ".sqlite3"}
    | {".avro", ".orc", ".pkl", ".pickle", ".npy", ".npz", ".7z", ".zip", ".tar", ".tgz", ".rar"}
)
BEGINNING: Final = 1 << 16
"""The number of bytes of a file that are looked at."""


def unread(end: str, begins: bytes) -> str | None:
    """Return a sentence about what a file is that is not read; None for any other file.

    Args:
        end: the ending of its name, such as `.html`.
        begins: its first bytes.
    """
    named = end.lower() in _ENDINGS
    found = recognise(begins[:BEGINNING]) if named else file_of(begins)
    if found is not None:
        return f"this {looks(found)}"
    return f"no {end.lower()} file is read" if named else None
