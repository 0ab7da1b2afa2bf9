"""Spans by columns: a unit adds to each at once, what changes all of them changes one, objects are made in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, compress
from typing import Any, Final

from .span import Span, SpanKind


@dataclass(slots=True)
class Columns:
    """The spans of an output, in order. A piece that turns out to have no size is none.

    Attributes:
        sizes: how long each is, in characters or in tokens.
        paths: what it says; `kinds`, `sampled` and `weights` likewise.
    """

    sizes: list[int] = field(default_factory=list[int])
    paths: list[str] = field(default_factory=list[str])
    kinds: list[SpanKind] = field(default_factory=list[SpanKind])
    sampled: list[bool] = field(default_factory=list[bool])
    weights: list[float] = field(default_factory=list[float])

    def add(self, size: int, path: str, kind: SpanKind, weight: float | None = None) -> None:
        """Add a piece behind the others, if it has any size.

        Args:
            size: how long it is.
            path: what it says.
            kind: what it is.
            weight: what it counts, where a model would have written it; else None.
        """
        if not size:
            return
        self.sizes.append(size)
        self.paths.append(path)
        self.kinds.append(kind)
        self.sampled.append(weight is not None)
        self.weights.append(weight or 0)

    def insert(self, number: int, size: int, path: str, kind: SpanKind) -> None:
        """Put a piece that no model would have written before another."""
        self.sizes.insert(number, size)
        self.paths.insert(number, path)
        self.kinds.insert(number, kind)
        self.sampled.insert(number, False)
        self.weights.insert(number, 0)

    def copy(self) -> Columns:
        """The same pieces, which may be changed."""
        return Columns([*self.sizes], [*self.paths], [*self.kinds], [*self.sampled], [*self.weights])

    def measured(self, sizes: Sequence[int]) -> Columns:
        """The same pieces of other sizes."""
        return Columns([*sizes], self.paths, self.kinds, self.sampled, self.weights)

    @property
    def starts(self) -> list[int]:
        """Where each piece begins."""
        return [*accumulate(self.sizes[:-1], initial=0)]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans as objects."""
        ends = [*accumulate(self.sizes)]
        columns: tuple[list[Any], ...] = [0, *ends], ends, self.paths, self.kinds, self.sampled, self.weights
        if not all(self.sizes):
            columns = tuple([*compress(column, self.sizes)] for column in columns)
        return tuple(map(_span, zip(*columns, strict=False)))


def of_text(text: str) -> Columns:
    """A text to be completed, which no message is part of, as one body."""
    columns = Columns()
    columns.add(len(text), "/content", SpanKind.BODY)
    return columns


_span: Final[Any] = partial(tuple[Any, ...].__new__, Span)
