"""Find names that a schema of Arrow's repeats, and an object of JSON cannot: of columns, or of a struct's members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any


def repeated_name(schema: Any, columns: Collection[str] | None = None) -> str | None:
    """Return a sentence about a repeated name; None if all names differ.

    Args:
        schema: a schema of Arrow's.
        columns: the columns that become JSON; None for all.
    """
    for name, count in _repeated(schema.names):
        if columns is None or name in columns:
            return f"{count} columns are named {name!r}"
    for field in schema:
        if columns is None or field.name in columns:
            for name, count in _within(field.type):
                return f"{count} members of the column {field.name!r} are named {name!r}"
    return None


def _repeated(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    return ((name, count) for name, count in Counter(names).items() if count > 1)


def _within(kind: Any) -> Iterator[tuple[str, int]]:
    """Yield the repeated names of struct members in a type, with their counts."""
    if hasattr(kind, "__iter__"):
        fields = [*kind]
        yield from _repeated([field.name for field in fields])
        inner = [field.type for field in fields]
    else:
        parts = ("value_type", "key_type", "item_type", "storage_type")
        inner = [getattr(kind, part) for part in parts if hasattr(kind, part)]
    for each in inner:
        yield from _within(each)
