"""Decides whether attempts are made that cost about as much in vain as they save if they succeed."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 64
"""How many more attempts fail than succeed before none is made any more."""
_DOUBT: Final = 2
"""How much an unlikely attempt counts against making attempts again, in likely ones."""


class Payoff:
    """Counts attempts that succeed and that fail, and, while none is made, those that would probably succeed.

    Attributes:
        pays: whether attempts are to be made.
    """

    __slots__ = ("_score", "pays")

    def __init__(self) -> None:
        self.pays = True
        self._score = 0

    def succeeded(self) -> None:
        """Count an attempt that succeeded."""
        if self._score < PATIENCE:
            self._score += 1

    def failed(self) -> None:
        """Count an attempt that failed."""
        self._score -= 1
        self.pays = self._score > -PATIENCE

    def skipped(self, *, likely: bool) -> None:
        """Count an attempt that was not made.

        Args:
            likely: whether it would probably have succeeded, now or after another one.
        """
        self._score = self._score + 1 if likely else max(self._score - _DOUBT, -PATIENCE)
        self.pays = self._score > 0
