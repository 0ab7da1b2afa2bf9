"""What has to wait: the end of a chunk that may be the beginning of a control token."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..text.control import BREAK


class Hold:
    """Tells which end of a text has to wait for what follows: one that a token, or a broken one, begins with.

    Args:
        tokens: what may stand in the text and must not be cut. No token's first character stands inside another one.
        runs: whether the first character doubled is an escape, so that a run of it waits as a whole.
        also: further characters that wait where a text ends with them, as one run.
        look: further characters that a text has to be looked at for.
    """

    def __init__(self, tokens: Iterable[str], *, runs: bool = False, also: str = "", look: str = "") -> None:
        known = tuple(tokens)
        self._beginnings: Final = frozenset(token[:size] for token in known for size in range(1, len(token)))
        firsts = "".join(sorted({token[0] for token in known}))
        self._firsts: Final = firsts
        self._runs: Final = runs
        self._also: Final = also
        looked_for = firsts + also + look
        self.one: Final = looked_for if len(looked_for) == 1 else ""
        """The only character that `special` looks for; "" where there are several."""
        self.special: Final = re.compile(f"[{re.escape(looked_for)}]").search
        """Finds whether a text needs to be looked at at all."""

    def cut(self, text: str) -> int:
        """Where the end of a text that has to wait begins: its length where nothing has to."""
        at = max(map(text.rfind, self._firsts))
        if at >= 0 and text[at] + text[at + 1 :].lstrip(BREAK) in self._beginnings:
            while self._runs and at and text[at - 1] == text[at]:
                at -= 1
            return at
        return len(text.rstrip(self._also)) if self._also else len(text)
