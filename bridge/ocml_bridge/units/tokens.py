"""What a format of token ids says of its ids, so that places in the text that they spell are places among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .grammar import Unit


class Tokens(ABC):
    """The tokens of a format's outputs."""

    @abstractmethod
    def text_of(self, unit: Unit) -> str:
        """The text that a unit spells."""

    @abstractmethod
    def spelled(self, output: Sequence[Any]) -> str:
        """The text that some tokens spell."""

    @abstractmethod
    def ends(self, output: Sequence[Any]) -> Sequence[int]:
        """Where each of them ends in that text, in bytes."""

    def read(self, output: Sequence[Any]) -> tuple[str, Sequence[int]]:
        """Both."""
        return self.spelled(output), self.ends(output)

    @abstractmethod
    def encode(self, text: str) -> Sequence[Any]:
        """The tokens of a text that is no content, by itself."""
