"""Bounded caches."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(dict[Key, Value]):
    """A bounded cache: a dict that is emptied when it is full. Callers must not cache large values.

    Args:
        size: the maximum total weight of the entries; by default, each entry weighs 1.
    """

    __slots__ = ("size", "weight")

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = 0

    def keep(self, key: Key, value: Value, weight: int = 1) -> Value:
        """Add an entry, and return its value.

        Args:
            key: the cache key.
            value: the value.
            weight: the weight of the entry.
        """
        self.weight += weight
        if self.weight > self.size:
            self.clear()
            self.weight = weight
        self[key] = value
        return value


class Meetings:
    """Counts how often values occur. It stores hashes, not the values, and starts again when it is full.

    Args:
        size: the maximum number of values.
    """

    __slots__ = ("_counts",)

    def __init__(self, size: int) -> None:
        self._counts = Memo[int, int](size)

    def met(self, value: Hashable) -> int:
        """Count one occurrence of a value; return the number of its occurrences so far."""
        number = hash(value)
        count = self._counts.get(number, 0) + 1
        return self._counts.keep(number, count, 1 if count == 1 else 0)

    def is_due(self, value: Hashable, least: int = 1) -> bool:
        """Count one occurrence of a value; return whether to try something with it now: less and less often.

        Args:
            value: the value.
            least: how often it must have occurred; from then on, it is due after each doubling of its occurrences.
        """
        count = self.met(value)
        return count >= least and count & (count - 1) == 0
