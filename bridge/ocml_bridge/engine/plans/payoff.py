"""Decides whether attempts are made that cost, in vain, about half of what they save if they succeed."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 1024
"""How low the score falls before no attempts are made any more: the first documents of a dataset always fail."""
SHORTEST: Final = 128
"""How far the score has to rise again, at least, before attempts are made again."""
LONGEST: Final = 64 * SHORTEST
"""The same, at most."""
_DOUBT: Final = 2
"""How many attempts that succeed, or are likely to, make up for one that fails, or is unlikely to."""


class Payoff:
    """Counts attempts that succeed and that fail, and, while none is made, those that would probably succeed.

    Attributes:
        pays: whether attempts are to be made.
    """

    __slots__ = ("_pause", "_score", "pays")

    def __init__(self) -> None:
        self.pays = True
        self._score = 0
        self._pause = SHORTEST
        """How long the next pause is; it doubles after attempts of which none succeeded."""

    def succeeded(self) -> None:
        """Count an attempt that succeeded."""
        self._pause = SHORTEST
        if self._score < PATIENCE:
            self._score += 1

    def failed(self) -> None:
        """Count an attempt that failed."""
        self._score -= _DOUBT
        if self._score <= -PATIENCE:
            self.pays = False
            self._score = -self._pause
            self._pause = min(2 * self._pause, LONGEST)

    def skipped(self, *, likely: bool) -> None:
        """Count an attempt that was not made.

        Args:
            likely: whether it would probably have succeeded, now or after another one.
        """
        self._score = self._score + 1 if likely else max(self._score - _DOUBT, -self._pause)
        self.pays = self._score > 0
