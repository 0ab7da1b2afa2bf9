"""What each format can hold, as a table to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..checks.capabilities import Feature, capabilities
from ..formats.adapter import Adapter


class Line(NamedTuple):
    """One feature: what it is called, and how well each format holds it."""

    feature: str
    levels: tuple[str, ...]


class Matrix(NamedTuple):
    """Formats (id and title) by features."""

    formats: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def matrix_of(adapters: Sequence[Adapter]) -> Matrix:
    """The matrix of some formats, without those that need something that is not installed."""
    loaded = [(adapter, found) for adapter in adapters if (found := capabilities(adapter)) is not None]
    return Matrix(
        tuple((adapter.id, adapter.title) for adapter, _ in loaded),
        tuple(Line(feature, tuple(found[feature] for _, found in loaded)) for feature in Feature),
    )
