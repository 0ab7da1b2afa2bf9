"""Files that hold neither a transcript nor records: pages, archives, databases."""

from __future__ import annotations

from typing import Final

from ..detection import looks
from ..recognise import file_of, recognise

_ENDINGS: Final = frozenset(
    {".xls", ".xlsx", ".docx", ".pdf", ".html", ".htm", ".db", ".sqlite", ".sqlite3"}
    | {".avro", ".orc", ".pkl", ".pickle", ".npy", ".npz", ".7z", ".zip", ".tar", ".tgz", ".rar"}
)
BEGINNING: Final = 1 << 16
"""How much of a file is looked at."""


def unread(end: str, begins: bytes) -> str | None:
    """What a file is that is not read, as a sentence; None for any other file.

    Args:
        end: of its name, such as `.html`.
        begins: its first bytes.
    """
    named = end.lower() in _ENDINGS
    found = recognise(begins[:BEGINNING]) if named else file_of(begins)
    if found is not None:
        return f"this {looks(found)}"
    return f"no {end.lower()} file is read" if named else None
