"""Decode the bytes of a stream as UTF-8; chunks may cut a character in two."""

from __future__ import annotations

import codecs


class Characters:
    """Decodes chunks of bytes; invalid bytes become U+FFFD.

    Attributes:
        is_cut: whether the last chunk ended inside a character.
    """

    def __init__(self) -> None:
        self.is_cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def decode(self, data: str | bytes) -> str:
        """Return the characters that a chunk completes; a text is returned as it is."""
        if isinstance(data, str):
            return data
        if not self.is_cut:
            try:
                return data.decode()
            except UnicodeDecodeError:  # it is invalid, or it ends inside a character
                pass
        text = self._decoder.decode(data)
        self.is_cut = bool(self._decoder.getstate()[0])
        return text

    def finish(self) -> str:
        """Return U+FFFD for a character that is not complete; otherwise an empty text."""
        self.is_cut = False
        return self._decoder.decode(b"", final=True)
