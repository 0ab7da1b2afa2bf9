"""Store spans as columns, for speed: a unit adds to each column at once; objects are made only when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, compress
from typing import Any, Final

from .span import Span, SpanKind


@dataclass(slots=True)
class Columns:
    """The spans of an output in order, one column for each field. Spans of size 0 are not shown.

    Attributes:
        sizes: the length of each span, in characters or in tokens.
        paths: the path of each span; likewise `kinds`, `sampled` and `weights`, as in `Span`.
    """

    sizes: list[int] = field(default_factory=list[int])
    paths: list[str] = field(default_factory=list[str])
    kinds: list[SpanKind] = field(default_factory=list[SpanKind])
    sampled: list[bool] = field(default_factory=list[bool])
    weights: list[float] = field(default_factory=list[float])

    def add(self, size: int, path: str, kind: SpanKind, weight: float | None = None) -> None:
        """Append a span, unless its size is 0.

        Args:
            size: its length.
            path: its path.
            kind: its kind.
            weight: its weight in training, if a model would have sampled it; else None.
        """
        if not size:
            return
        self.sizes.append(size)
        self.paths.append(path)
        self.kinds.append(kind)
        self.sampled.append(weight is not None)
        self.weights.append(weight or 0)

    def insert(self, number: int, size: int, path: str, kind: SpanKind) -> None:
        """Insert a span that is not sampled before the one with an index."""
        self.sizes.insert(number, size)
        self.paths.insert(number, path)
        self.kinds.insert(number, kind)
        self.sampled.insert(number, False)
        self.weights.insert(number, 0)

    def copy(self) -> Columns:
        """Return a copy that may be changed."""
        return Columns([*self.sizes], [*self.paths], [*self.kinds], [*self.sampled], [*self.weights])

    def measured(self, sizes: Sequence[int]) -> Columns:
        """Return the same spans with other sizes; the other columns are shared."""
        return Columns([*sizes], self.paths, self.kinds, self.sampled, self.weights)

    @property
    def starts(self) -> list[int]:
        """The offset of each span."""
        return [*accumulate(self.sizes[:-1], initial=0)]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans as objects, without those of size 0."""
        ends = [*accumulate(self.sizes)]
        columns: tuple[list[Any], ...] = [0, *ends], ends, self.paths, self.kinds, self.sampled, self.weights
        if not all(self.sizes):
            columns = tuple([*compress(column, self.sizes)] for column in columns)
        return tuple(map(_span, zip(*columns, strict=False)))


def of_text(text: str) -> Columns:
    """Return the only span of a text to complete: a body."""
    columns = Columns()
    columns.add(len(text), "/content", SpanKind.BODY)
    return columns


_span: Final[Any] = partial(tuple[Any, ...].__new__, Span)
