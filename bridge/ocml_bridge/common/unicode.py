"""Decode UTF-16; remove a byte order mark, and halves of surrogate pairs, which UTF-8 cannot encode."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final

from ..loss import FindingCode, Log, Severity

BOM: Final = "\ufeff"
"""The byte order mark, which is removed from the beginning of a text before any format reads it."""


def from_utf_16(data: bytes) -> bytes:
    """Return data in UTF-8 with its byte order mark, if it is in UTF-16; other data unchanged."""
    for mark, encoding in ((BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark) and data != mark:
            try:
                return data.decode(encoding).encode()
            except UnicodeDecodeError:
                return data
    return data


def without_mark(text: str, log: Log) -> str:
    """Return the text of a document without the byte order mark at its beginning; report the mark to the log."""
    if not text.startswith(BOM):
        return text
    log.find(FindingCode.BYTE_ORDER_MARK, "", "the byte order mark at the beginning is left out", Severity.LAYOUT)
    return text[1:]


def is_unicode(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair, so that UTF-8 can encode it."""
    if text.isascii():
        return True
    # The fastest encoders that detect halves: UTF-32 if the text is stored with four bytes a character, else UTF-16.
    is_wide = text.__sizeof__() >= 4 * len(text)
    try:
        text.encode("utf-32-le" if is_wide else "utf-16-le")
    except UnicodeEncodeError:
        return False
    return True


def in_unicode(text: str) -> str:
    r"""Return a text in which halves of surrogate pairs are spelled as in JSON: `\ud800`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
