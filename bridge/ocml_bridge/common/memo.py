"""Answers that are remembered: a dict that does not grow without end."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(dict[Key, Value]):
    """Some of the answers given so far; it is for the caller not to keep what is large.

    Args:
        size: how many are kept, or how much they weigh together; then it begins anew.
    """

    __slots__ = ("size", "weight")

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = 0

    def keep(self, key: Key, value: Value, weight: int = 1) -> Value:
        """Remember an answer, and give it.

        Args:
            key: the question.
            value: the answer.
            weight: how many of the others it counts for.
        """
        self.weight += weight
        if self.weight > self.size:
            self.clear()
            self.weight = weight
        self[key] = value
        return value


class Meetings:
    """Counts how often things are met; it keeps a number for each, not the thing, and begins anew where there are many.

    Args:
        size: how many are counted at once.
    """

    __slots__ = ("_counts",)

    def __init__(self, size: int) -> None:
        self._counts = Memo[int, int](size)

    def met(self, thing: Hashable) -> int:
        """Count a meeting; how many there were, this one included."""
        number = hash(thing)
        count = self._counts.get(number, 0) + 1
        return self._counts.keep(number, count, 1 if count == 1 else 0)
