"""Make the table of what each format can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..checks.capabilities import Feature, capabilities
from ..formats.adapter import Adapter


class Line(NamedTuple):
    """A feature: its name, and how well each format holds it."""

    feature: str
    levels: tuple[str, ...]


class Matrix(NamedTuple):
    """Formats (id and title) by features."""

    formats: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def matrix_of(adapters: Sequence[Adapter]) -> Matrix:
    """Return the matrix of some formats, without those whose libraries are not installed."""
    loaded = [(adapter, found) for adapter in adapters if (found := capabilities(adapter)) is not None]
    return Matrix(
        tuple((adapter.id, adapter.title) for adapter, _ in loaded),
        tuple(Line(feature, tuple(found[feature] for _, found in loaded)) for feature in Feature),
    )
