"""Things by name, `package.module:name`, imported when they are used and not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def find(name: str) -> Any:
    """What a name stands for.

    Raises:
        ImportError: where the module cannot be imported.
        AttributeError: where it has no such name.
    """
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


class Lazy:
    """A function by its name, imported when it is first called.

    Args:
        name: `package.module:name`.
        first: its first arguments, where it is always called with these.
    """

    __slots__ = ("_first", "_found", "name")

    def __init__(self, name: str, *first: Any) -> None:
        self.name = name
        self._first = first
        self._found: Any = None

    def __repr__(self) -> str:
        return f"Lazy({', '.join(map(repr, (self.name, *self._first)))})"

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        if self._found is None:
            self._found = find(self.name)
        return self._found(*self._first, *arguments)
