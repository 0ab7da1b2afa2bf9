"""Answers that are remembered: a dict that does not grow without end."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(dict[Key, Value]):
    """Some of the answers given so far; it is for the caller not to keep what is large.

    Args:
        size: how many are kept; then it begins anew.
    """

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def keep(self, key: Key, value: Value) -> Value:
        """Remember an answer, and give it."""
        if len(self) >= self.size:
            self.clear()
        self[key] = value
        return value
