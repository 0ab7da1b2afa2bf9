"""Convert bytes of a stream to what a decoder takes: text, or token ids."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from ..errors import BridgeError, ErrorCode

CHUNK: Final = 65_536
"""The maximal number of bytes that are read at once; fewer are passed on as soon as they are there."""
_DIGITS: Final = "0123456789"
_LONGEST: Final = 10
_NUMBERS: Final = re.compile(r"[0-9]+|[^0-9\[\],\s]")


def chunks(source: BinaryIO) -> Iterator[bytes]:
    """Yield bytes as they arrive, without waiting for full chunks."""
    read = getattr(source, "read1", source.read)
    while data := read(CHUNK):
        yield data


class Utf8:
    """Decodes bytes to text; bytes that are not UTF-8 become U+FFFD.

    Attributes:
        is_broken: whether there were any bytes that are not UTF-8.
    """

    def __init__(self) -> None:
        self.is_broken = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Return the text that the next bytes complete."""
        state = self._decoder.getstate()
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self.is_broken = True
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._decoder.setstate(state)
            return self._decoder.decode(data, final)


class Numbers:
    """Decodes text to token ids: numbers in JSON arrays, or with white space or commas between them."""

    def __init__(self) -> None:
        self._rest = ""
        self._offset = 0

    def feed(self, text: str, *, final: bool = False) -> list[int]:
        """Return the numbers that the next text completes; a number at its end may be incomplete.

        Raises:
            BridgeError: OCB-SHAPE with the offset of text that is not a number.
        """
        text = self._rest + text
        end = len(text) if final else len(text.rstrip(_DIGITS))
        out: list[int] = []
        for found in _NUMBERS.finditer(text):
            if found[0][0] not in _DIGITS or len(found[0]) > _LONGEST:
                at = self._offset + found.start()
                raise BridgeError(ErrorCode.SHAPE, f"{found[0][:20]!r} at character {at} is not a token id", offset=at)
            if found.start() < end:
                out.append(int(found[0]))
        self._rest, self._offset = text[end:], self._offset + end
        return out
