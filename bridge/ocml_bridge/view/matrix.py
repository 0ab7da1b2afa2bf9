"""What each format can hold, as a table to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..adapter import Adapter, Feature


class Line(NamedTuple):
    """One feature: what it is called, and how well each format holds it."""

    feature: str
    levels: tuple[str, ...]


class Matrix(NamedTuple):
    """Formats (id and title) by features."""

    formats: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def matrix_of(adapters: Sequence[Adapter]) -> Matrix:
    """The matrix of some formats, from their capabilities."""
    return Matrix(
        tuple((adapter.id, adapter.title) for adapter in adapters),
        tuple(
            Line(str(feature), tuple(str(adapter.capabilities.level(feature)) for adapter in adapters))
            for feature in Feature
        ),
    )
