"""Split texts into pieces that alternate: what separates strings, and the strings, some of which are contents.

A JSON text is split at its quotation marks, a text of frames at its tokens. Both take C code only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Final, Protocol

import orjson

from ...json_values import jsontext
from ...model import Json
from ...units.reader import UnitReader

LONGEST: Final = 200_000
"""How long a text may be that is split, in bytes or characters."""


class Pieces:
    """A text, split into pieces.

    Args:
        pieces: what separates strings, and the strings as they are spelled, in turns. For JSON, they are bytes, and
            what separates strings is first; for a text of frames, they are texts, and a string is first.
        outside: what separates the strings of the text.

    Attributes:
        pieces: as given.
        outside: as given.
    """

    __slots__ = ("outside", "pieces")

    def __init__(self, pieces: list[Any], outside: Any) -> None:
        self.pieces: Final = pieces
        self.outside: Final = outside


class Splitter(Protocol):
    """Splits the texts of a format.

    Attributes:
        first: the index of the first string among the pieces; every second piece from there on is one.
    """

    first: ClassVar[int]

    def split(self, data: str | bytes) -> Pieces | None:
        """Split a text; return None if it is certainly not one of the format."""
        ...

    def with_numbers(self, text: Pieces) -> Pieces | None:
        """Return a text whose numbers are strings, too; None if it has no numbers."""
        ...

    def values(self, strings: Sequence[Any]) -> list[str] | None:
        """Return the values of strings as they are spelled; None if one is not valid."""
        ...

    def key(self, strings: tuple[Any, ...]) -> Hashable:
        """Return the strings as part of a cache key."""
        ...

    def is_key(self, pieces: Sequence[Any], at: int) -> bool:
        """Return whether a string is the key of a member."""
        ...

    def is_number(self, pieces: Sequence[Any], at: int) -> bool:
        """Return whether a string is a number."""
        ...

    def spelled(self, text: str) -> Any:
        """Return how the value of a string is spelled."""
        ...

    def joined(self, pieces: Sequence[Any]) -> str | bytes:
        """Return the text that has these pieces."""
        ...

    def source(self, pieces: Sequence[Any]) -> str | Json:
        """Return what a reader takes for the text that has these pieces.

        Raises:
            BridgeError: if it is not valid.
        """
        ...


_BACKSLASH: Final = re.compile(rb"\\\\")
_QUOTE: Final = re.compile(rb'\\"')
"""Match escapes. They split bytes twice as fast as `bytes.split` with the same two bytes."""
_SPELLED_BACKSLASH: Final = rb"\u005c"
_SPELLED_QUOTE: Final = rb"\u0022"
"""The same characters, spelled without a backslash before a quotation mark."""
_NUMBER: Final = re.compile(rb"([0-9][0-9.eE+-]*)")
"""Matches a number outside of strings, without the minus sign before it."""


class JsonSplitter:
    """Splits JSON texts."""

    first: ClassVar[int] = 1

    def split(self, data: str | bytes) -> Pieces | None:
        """Split a JSON text; return None if it is certainly not JSON."""
        try:
            text = data.encode() if isinstance(data, str) else data
        except UnicodeEncodeError:
            return None
        if _QUOTE.search(text) is not None:
            text = _SPELLED_QUOTE.join(_QUOTE.split(_SPELLED_BACKSLASH.join(_BACKSLASH.split(text))))
        pieces = text.split(b'"')
        return Pieces(pieces, b'"'.join(pieces[::2])) if len(pieces) % 2 and len(pieces) > 1 else None

    def with_numbers(self, text: Pieces) -> Pieces | None:
        """Return a text whose numbers are strings, too, behind the others; None separates them."""
        first, *others = _NUMBER.split(text.outside)
        pieces = [*text.pieces]
        for number in others[::2]:
            pieces += number, None
        # A str: what is outside of numbers must not equal what is outside of strings in a text with zeros.
        return Pieces(pieces, b"0".join((first, *others[1::2])).decode("latin-1")) if others else None

    def values(self, strings: Sequence[bytes]) -> list[str] | None:
        """Return the values of strings as they are spelled; None if one is not valid."""
        try:
            return orjson.loads(b'["' + b'","'.join(strings) + b'"]')
        except orjson.JSONDecodeError:
            return None

    def key(self, strings: tuple[bytes, ...]) -> bytes:
        """Return the strings as part of a cache key."""
        return b'"'.join(strings)

    def is_key(self, pieces: Sequence[Any], at: int) -> bool:
        """Return whether a string is the key of a member."""
        return not self.is_number(pieces, at) and pieces[at + 1].lstrip().startswith(b":")

    def is_number(self, pieces: Sequence[bytes | None], at: int) -> bool:
        """Return whether a string is a number."""
        return pieces[at + 1] is None

    def spelled(self, text: str) -> bytes:
        """Return how the value of a string is spelled."""
        return jsontext.dumps(text)[1:-1]

    def joined(self, pieces: Sequence[Any]) -> bytes:
        """Return the text that has these pieces."""
        if None not in pieces:
            return b'"'.join(pieces)
        first = pieces.index(None) - 1
        numbers, texts = iter(pieces[first::2]), [*pieces[:first]]
        texts[::2] = [_NUMBER.sub(lambda _: next(numbers), outside) for outside in texts[::2]]
        return b'"'.join(texts)

    def source(self, pieces: Sequence[Any]) -> Json:
        """Return the value of the JSON text that has these pieces.

        Raises:
            BridgeError: OCB-JSON or OCB-LIMIT if it is not valid.
        """
        return jsontext.loads(self.joined(pieces))


class FrameSplitter:
    """Splits texts of frames.

    Args:
        pieces: `UnitReader.pieces` of their format.
    """

    first: ClassVar[int] = 0

    def __init__(self, pieces: Callable[[str], list[str] | None]) -> None:
        self._pieces: Final = pieces

    def split(self, data: str | bytes) -> Pieces | None:
        """Split a text; return None if it is not UTF-8, or has no token."""
        try:
            text = data if isinstance(data, str) else data.decode()
        except UnicodeDecodeError:
            return None
        pieces = self._pieces(text)
        return Pieces(pieces, "".join(pieces[1::2])) if pieces is not None and len(pieces) > 1 else None

    def with_numbers(self, text: Pieces) -> None:
        """Return None: texts of frames have no numbers."""

    def values(self, strings: Sequence[str]) -> list[str]:
        """Return the strings, which are spelled as they are."""
        return [*strings]

    def key(self, strings: tuple[str, ...]) -> tuple[str, ...]:
        """Return the strings as part of a cache key: they are few."""
        return strings

    def is_key(self, pieces: Sequence[str], at: int) -> bool:  # noqa: ARG002
        """Return False: texts of frames have no members."""
        return False

    def is_number(self, pieces: Sequence[str], at: int) -> bool:  # noqa: ARG002
        """Return False: texts of frames have no numbers."""
        return False

    def spelled(self, text: str) -> str:
        """Return a text, which is spelled as it is."""
        return text

    def joined(self, pieces: Sequence[str]) -> str:
        """Return the text that has these pieces."""
        return "".join(pieces)

    source = joined


def splitter_for(grammar: UnitReader) -> Splitter | None:
    """Return the splitter of a format's texts; None if they are always parsed."""
    if not grammar.are_only_values(()):  # not even no texts
        return None
    return JsonSplitter() if grammar.pieces("") is None else FrameSplitter(grammar.pieces)
