"""Text as ordinary token ids of o200k_harmony and back, by the fastest encoder that is installed.

`toktok-rs` takes a tenth of the official encoder's time, and time in proportion to the text whatever the text is; its
vocabulary is part of it. Where it is not installed, the official encoder (`vocabulary`) does everything. Special tokens
are not the encoder's: `tokens` cuts texts and ids at them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Protocol

from ocml_bridge.errors import BridgeError, ErrorCode

from .vocabulary import load_encoding


class Encoder(Protocol):
    """Ordinary tokens only: whatever a text says, none of its ids is that of a special token."""

    def encode(self, text: str, /) -> list[int]:
        """The ids of a text; half of a surrogate pair becomes U+FFFD."""
        ...

    def decode(self, ids: Sequence[int], /) -> bytes:
        """The bytes of ids, which may begin and end inside a character."""
        ...


@cache
def load_encoder() -> Encoder:
    """The encoder, loaded once per process (0.2 s).

    Raises:
        BridgeError: DEPENDENCY or VOCABULARY, where there is neither `toktok-rs` nor the official encoder.
    """
    try:
        # Its functions on ids are no part of the API that toktok-rs promises to keep: a release without them counts as
        # not installed, and so does the older package of the same import name.
        tokenizer: Any = importlib.import_module("toktok")._encoding("o200k_harmony")
        return _Fast(tokenizer.encode_ordinary, tokenizer.encode_bytes, tokenizer.decode_bytes)
    except (ImportError, AttributeError, KeyError):
        return _Official()


NEWER: Final = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1add\u1ae0-\u1aeb\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1\U00010940-\U0001e6ff\U0002b73a-\U00033479]"
)
"""The letters, marks and digits of Unicode 17, which the official encoder, at Unicode 16, takes for punctuation.

From U+10940 on, whole ranges of rare scripts stand for those among them: a search in few ranges is fast.
"""
LEADS: Final = tuple(b"\xe0\xe1\xea\xf0")
"""What such a character begins with in UTF-8. To look for four bytes takes a tenth of the time of that search."""
_LONG_S: Final = "'\u017f".encode()
"""The official encoder, which looks for `'s` in either case, finds it in this, too."""


class _Fast:
    """`toktok-rs`, but for texts that it would cut otherwise than the official encoder does."""

    def __init__(
        self,
        encode: Callable[[str], list[int]],
        encode_bytes: Callable[[bytes], list[int]],
        decode: Callable[[Sequence[int]], bytes],
    ) -> None:
        self._encode = encode
        self._encode_bytes = encode_bytes
        self.decode = decode

    def encode(self, text: str, /) -> list[int]:
        if text.isascii():
            return self._encode(text)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return self.encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        if _LONG_S in data:
            return _official().encode(text)
        for lead in LEADS:
            if lead in data and NEWER.search(text):
                return _official().encode(text)
        return self._encode_bytes(data)


class _Official:
    """The official encoder."""

    def __init__(self) -> None:
        self._encoding = load_encoding()

    def encode(self, text: str, /) -> list[int]:
        try:
            return self._encoding.encode(text, allowed_special=_NONE, disallowed_special=())
        except BaseException as error:
            # A run of a million characters is too long for its regular expressions; it panics, which is no `Exception`.
            if type(error).__name__ != "PanicException":
                raise
            message = "a run of characters is too long for the official encoder; toktok-rs takes it in most texts"
            raise BridgeError(ErrorCode.LIMIT, message) from error

    def decode(self, ids: Sequence[int], /) -> bytes:
        return self._encoding.decode(ids, errors="surrogateescape").encode("utf-8", "surrogateescape")


_NONE: Final = frozenset[str]()
_official: Final = cache(_Official)
