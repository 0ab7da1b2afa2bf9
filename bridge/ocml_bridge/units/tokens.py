"""What a format of token ids says of its ids, so that places in the text that they spell are places among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from .grammar import Unit


class Counted(NamedTuple):
    """How many tokens there are of each unit.

    Attributes:
        front: before the first.
        sizes: of each unit: of what stands before its body, of its body, and behind it.
    """

    front: int
    sizes: Sequence[tuple[int, int, int]]


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
    def size(self, text: str) -> int:
        """How many tokens there are of a text that is no content."""

    @abstractmethod
    def counted(self, units: Sequence[Unit], output: Sequence[Any]) -> Counted | None:
        """How many tokens of an output there are of each of its units; None where that is found by their ends alone."""
