"""What there is to a text before any format looks at it: a mark at its beginning, and whether UTF-8 can hold it."""

from __future__ import annotations

from typing import Final

from ..loss import FindingCode, Log, Severity

BOM: Final = "\ufeff"
"""The byte order mark, which is taken away from the beginning of a text before any format reads it."""


def without_mark(text: str, log: Log) -> str:
    """The text of a whole document without the byte order mark at its beginning; that it was there is noted."""
    if not text.startswith(BOM):
        return text
    log.find(FindingCode.BYTE_ORDER_MARK, "", "the byte order mark at the beginning is left out", Severity.LAYOUT)
    return text[1:]


def is_unicode(text: str) -> bool:
    """Whether no half of a surrogate pair stands in a text."""
    if text.isascii():
        return True
    # These encoders are the fastest that look for halves: the wide one where characters are stored wide already.
    wide = text.__sizeof__() >= 4 * len(text)
    try:
        text.encode("utf-32-le" if wide else "utf-16-le")
    except UnicodeEncodeError:
        return False
    return True
