"""Find the end of a chunk that may be the beginning of a control token, and so must wait for the next chunk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..text.control import BREAK, NUMBER


class Hold:
    """Find which end of a text must wait for what follows, because a token, broken or not, may begin with it.

    Args:
        tokens: the tokens that must not be cut. The first character of a token occurs nowhere else in a token.
        numbered: patterns of tokens that contain a number, with `#` in its place.
        runs: whether the first character, doubled, is an escape, so that a run of it waits as a whole.
        line_end: whether a newline at the end of a text also waits, because it may belong to the token that follows.
        look: further special characters.
    """

    def __init__(
        self,
        tokens: Iterable[str],
        numbered: Iterable[str] = (),
        *,
        runs: bool = False,
        line_end: bool = False,
        look: str = "",
    ) -> None:
        parts = [token.split("#") for token in numbered]
        beginnings = (*tokens, *(before for before, _ in parts))
        numbered_pattern = "|".join(f"{re.escape(before)}({NUMBER}{_optional(after[:-1])})?" for before, after in parts)
        self._beginnings: Final = frozenset(token[:size] for token in beginnings for size in range(1, len(token)))
        self._numbered: Final = re.compile(numbered_pattern).fullmatch if parts else None
        firsts = "".join(sorted({token[0] for token in beginnings}))
        self._firsts: Final = firsts
        self._runs: Final = runs
        self._line_end: Final = line_end
        special_characters = firsts + look
        self.inside: Final = re.compile(f"[{re.escape(special_characters)}]").search
        """Search a text without its waiting end for a special character."""
        special_characters += "\r\n" if line_end else ""
        self.one: Final = special_characters if len(special_characters) == 1 else ""
        """The only special character; "" if there are several."""
        self.special: Final = re.compile(f"[{re.escape(special_characters)}]").search
        """Search a text for a special character; a text without one can be passed on at once."""

    def cut(self, text: str) -> int:
        """Return the index from which a text must wait for what follows: its length if nothing must."""
        end, at = len(text), max(map(text.rfind, self._firsts))
        if at >= 0 and self._begins(text[at] + text[at + 1 :].lstrip(BREAK)):
            while self._runs and at and text[at - 1] == text[at]:
                at -= 1
            end = at
        return _before_line_end(text, end) if self._line_end else end

    def _begins(self, text: str) -> bool:
        """Return whether a text is the beginning of a longer token."""
        return text in self._beginnings or (self._numbered is not None and self._numbered(text) is not None)


def _optional(text: str) -> str:
    """Return a pattern of all beginnings of a text."""
    return f"(?:{re.escape(text[0])}{_optional(text[1:])})?" if text else ""


def _before_line_end(text: str, end: int) -> int:
    """Return the index of the line end before `end`; up to two carriage returns may belong to it."""
    at = end - 1 if text.endswith("\n", 0, end) else end
    while end - at < 3 and text.endswith("\r", 0, at):
        at -= 1
    return at
