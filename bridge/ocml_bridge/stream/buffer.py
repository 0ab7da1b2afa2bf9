"""What has to wait: the end of a chunk that may be the beginning of a control token."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..text.control import BREAK, NUMBER


class Hold:
    """Tells which end of a text has to wait for what follows: one that a token, or a broken one, begins with.

    Args:
        tokens: what may stand in the text and must not be cut. No token's first character stands inside another one.
        numbered: the same with `#` for a number.
        runs: whether the first character doubled is an escape, so that a run of it waits as a whole.
        line_end: whether the line end that a text ends with waits, too: it may belong to the token that follows.
        look: further characters that a text has to be looked at for.
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
        known = (*tokens, *(before for before, _ in parts))
        whole = "|".join(f"{re.escape(before)}({NUMBER}{_optional(behind[:-1])})?" for before, behind in parts)
        self._beginnings: Final = frozenset(token[:size] for token in known for size in range(1, len(token)))
        self._numbered: Final = re.compile(whole).fullmatch if parts else None
        firsts = "".join(sorted({token[0] for token in known}))
        self._firsts: Final = firsts
        self._runs: Final = runs
        self._line_end: Final = line_end
        looked_for = firsts + look
        self.inside: Final = re.compile(f"[{re.escape(looked_for)}]").search
        """Finds whether a text needs to be looked at whose end, where that has to wait, was cut off."""
        looked_for += "\r\n" if line_end else ""
        self.one: Final = looked_for if len(looked_for) == 1 else ""
        """The only character that `special` looks for; "" where there are several."""
        self.special: Final = re.compile(f"[{re.escape(looked_for)}]").search
        """Finds whether a text needs to be looked at at all."""

    def cut(self, text: str) -> int:
        """Where the end of a text that has to wait begins: its length where nothing has to."""
        end, at = len(text), max(map(text.rfind, self._firsts))
        if at >= 0 and self._begins(text[at] + text[at + 1 :].lstrip(BREAK)):
            while self._runs and at and text[at - 1] == text[at]:
                at -= 1
            end = at
        return _before_line_end(text, end) if self._line_end else end

    def _begins(self, text: str) -> bool:
        """Whether a token begins with a text, and goes on."""
        return text in self._beginnings or (self._numbered is not None and self._numbered(text) is not None)


def _optional(text: str) -> str:
    """A pattern of all beginnings of a text."""
    return f"(?:{re.escape(text[0])}{_optional(text[1:])})?" if text else ""


def _before_line_end(text: str, end: int) -> int:
    """Where the line end before `end` begins; a reader may count one carriage return too many to it."""
    at = end - 1 if text.endswith("\n", 0, end) else end
    while end - at < 3 and text.endswith("\r", 0, at):
        at -= 1
    return at
