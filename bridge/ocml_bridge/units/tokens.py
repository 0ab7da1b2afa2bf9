"""`Tokens`: what a format of token ids defines so that its outputs have spans.

Spans are found in the text that the ids spell; then the places in the text are converted to places among the ids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .grammar import Unit


class Tokens(ABC):
    """Converts the token ids of a format's outputs to text and back."""

    @abstractmethod
    def text_of(self, unit: Unit) -> str:
        """Return the text that a unit spells."""

    @abstractmethod
    def spelled(self, output: Sequence[Any]) -> str:
        """Return the text that tokens spell."""

    @abstractmethod
    def ends(self, output: Sequence[Any]) -> Sequence[int]:
        """Return where each token ends in the text that they spell, in bytes of UTF-8."""

    def read(self, output: Sequence[Any]) -> tuple[str, Sequence[int]]:
        """Return `spelled` and `ends` of tokens."""
        return self.spelled(output), self.ends(output)

    @abstractmethod
    def encode(self, text: str) -> Sequence[Any]:
        """Return the tokens of a text outside of contents, such as a header, encoded by itself."""
