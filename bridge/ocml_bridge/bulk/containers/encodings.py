"""Decode inputs: UTF-8, or UTF-16 with a byte order mark, as Windows and Excel write it."""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF16, BOM_UTF16_BE, BOM_UTF16_LE
from typing import Any, BinaryIO, Final, cast

from ...common.unicode import BOM
from ...detection import explain
from ...errors import BridgeError, ErrorCode
from ..records import CHUNK_BYTES

_MARKS: Final = (BOM_UTF16_LE, BOM_UTF16_BE)
_MOST_BYTES: Final = 4
"""The maximal number of bytes of a character in UTF-8."""


SEPARATOR: Final = b"\x1e"
"""The character before each record of a JSON text sequence (RFC 7464)."""


def decoded(data: bytes) -> str:
    """Return the text of a record, without a byte order mark.

    Raises:
        BridgeError: OCB-ENCODING if it is not UTF-8, with what to do.
    """
    try:
        return data.decode().removeprefix(BOM)
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start}"
        raise explain(BridgeError(ErrorCode.ENCODING, message, offset=error.start), data) from None


def is_wide(path: str) -> bool:
    """Return whether a plain file is in UTF-16; False if it cannot be read, which is reported when it is read."""
    try:
        with open(path, "rb") as file:
            return os.path.isfile(path) and file.read(len(BOM_UTF16)) in _MARKS
    except OSError:
        return False


def with_encoding(content: BinaryIO) -> tuple[BinaryIO, bool]:
    """Return a content from its beginning, and whether it is in UTF-16. Closing it leaves the given content open."""
    begins = content.read(len(BOM_UTF16))
    return cast("BinaryIO", io.BufferedReader(_Rejoined(begins, content), CHUNK_BYTES)), begins in _MARKS


def in_utf8(content: BinaryIO) -> BinaryIO:
    """Return a content in UTF-8, converted if it is in UTF-16."""
    whole, wide = with_encoding(content)
    return cast("BinaryIO", io.BufferedReader(_Narrowed(whole), CHUNK_BYTES)) if wide else whole


class _Rejoined(io.RawIOBase):
    """A content whose first bytes were read already. Closing it leaves the content open.

    Args:
        begins: the bytes that were read.
        content: the rest.
    """

    def __init__(self, begins: bytes, content: BinaryIO) -> None:
        self._begins = begins
        self._content = content

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read as many bytes as fit into a buffer."""
        data = self._begins or self._content.read(len(buffer))
        self._begins = b""
        buffer[: len(data)] = data
        return len(data)


class _Narrowed(io.RawIOBase):
    """A content in UTF-16 as UTF-8; halves of surrogate pairs are kept.

    Args:
        content: the content with its byte order mark.
    """

    def __init__(self, content: BinaryIO) -> None:
        self._text = io.TextIOWrapper(content, "utf-16", "surrogatepass", newline="")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read as many bytes as fit into a buffer.

        Raises:
            OSError: if it is not UTF-16.
        """
        try:
            text = self._text.read(len(buffer) // _MOST_BYTES)
        except UnicodeDecodeError as error:
            raise OSError(f"not {error.encoding}: {error.reason}") from error
        data = text.encode("utf-8", "surrogatepass")
        buffer[: len(data)] = data
        return len(data)
