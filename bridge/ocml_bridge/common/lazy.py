"""Import objects by name (`package.module:name`) when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def find(name: str) -> Any:
    """Return the object with a name `package.module:name`.

    Raises:
        ImportError: if the module cannot be imported.
        AttributeError: if it has no such attribute.
    """
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


class Lazy:
    """A function that is imported when it is first called.

    Args:
        name: its name, `package.module:name`.
        first: the first arguments of every call.
    """

    __slots__ = ("_first", "_function", "name")

    def __init__(self, name: str, *first: Any) -> None:
        self.name = name
        self._first = first
        self._function: Any = None

    def __repr__(self) -> str:
        return f"Lazy({', '.join(map(repr, (self.name, *self._first)))})"

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        if self._function is None:
            self._function = find(self.name)
        return self._function(*self._first, *arguments)
