"""Compact JSON text as it arrives: remove white space, and shorten escapes and numbers."""

from __future__ import annotations

import re
from typing import Final

from ..json_values import jsontext

_SPACE: Final = re.compile(r"[ \t\r\n]+")
_WORD: Final = re.compile(r'[^ \t\r\n{}\[\]:,"]+')
_PLAIN: Final = re.compile(r'[^"\\]+')
_ESCAPE: Final = re.compile(
    r'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])'
)
_UNFINISHED_ESCAPE: Final = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z"
)
"""The beginning of an escape, at the end of the text."""


class Compactor:
    """Compact JSON text that arrives in pieces, cut anywhere.

    Only an incomplete number, word or escape waits for more text. Text that is not JSON is passed on without its white
    space.
    """

    def __init__(self) -> None:
        self._quoted = False
        self._word: list[str] = []
        self._rest = ""

    def feed(self, text: str) -> str:
        """Take more text; return the compact JSON that is certain."""
        text, self._rest = self._rest + text, ""
        out: list[str] = []
        at = 0
        while at < len(text):
            at = self._inside(text, at, out) if self._quoted else self._outside(text, at, out)
        return "".join(out)

    def finish(self) -> str:
        """End the text; return what waits."""
        rest, self._rest = self._rest, ""
        return self._ended_word() + rest

    def _outside(self, text: str, at: int, out: list[str]) -> int:
        word = _WORD.match(text, at)
        if word is not None:
            self._word.append(word[0])
            return word.end()
        out.append(self._ended_word())
        space = _SPACE.match(text, at)
        if space is not None:
            return space.end()
        self._quoted = text[at] == '"'
        out.append(text[at])
        return at + 1

    def _ended_word(self) -> str:
        word, self._word = "".join(self._word), []
        span = jsontext.parse(word) if word else None
        return word if span is None else jsontext.text_of(span.value) or word

    def _inside(self, text: str, at: int, out: list[str]) -> int:
        plain = _PLAIN.match(text, at)
        if plain is not None:
            out.append(plain[0])
            return plain.end()
        if text[at] == '"':
            self._quoted = False
            out.append('"')
            return at + 1
        if _UNFINISHED_ESCAPE.match(text, at) is not None:
            self._rest = text[at:]
            return len(text)
        escape = _ESCAPE.match(text, at)
        if escape is None:
            out.append("\\")
            return at + 1
        out.append(_shortest(escape[0]))
        return escape.end()


def _shortest(escape: str) -> str:
    """Return the shortest spelling of an escape."""
    span = jsontext.parse(f'"{escape}"')
    short = None if span is None else jsontext.text_of(span.value)
    return escape if short is None else short[1:-1]
