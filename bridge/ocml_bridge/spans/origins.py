"""Spans of a document that was made of another, by their paths in that: of a prompt, of a document without thoughts."""

from __future__ import annotations

from collections.abc import Sequence

from .columns import Columns
from .positions import steps
from .span import SpanKind


def renumbered(columns: Columns, origins: Sequence[int]) -> Columns:
    """Spans of a document some of whose messages were left out, by their paths in the whole.

    Args:
        columns: by paths of what was left.
        origins: for each message of that, its index in the whole.
    """
    return rerooted(columns, [f"/messages/{index}" for index in origins])


def rerooted(columns: Columns, origins: Sequence[str], weights: Sequence[float | None] = ()) -> Columns:
    """Spans of a document that was made of another, by their paths in that.

    Args:
        columns: by paths of what was made.
        origins: for each message of that, the path of what it was made of. Of one that was made of no message, there is
            no more to point at.
        weights: of the messages of the other, None for one that has none of its own; where they are given, they count.
    """
    paths = {path: _origin(path, origins) for path in {*columns.paths}}
    sizes, kinds, sampled, counts = columns.sizes, columns.kinds, columns.sampled, columns.weights
    if any(weight is not None for weight in weights):
        own = {path: _weight(origin, weights) for path, origin in paths.items()}
        rows = zip(columns.paths, sampled, counts, strict=True)
        counts = [
            weight if not is_sampled or (other := own[path]) is None else other for path, is_sampled, weight in rows
        ]
    return Columns(sizes, [*map(paths.__getitem__, columns.paths)], kinds, sampled, counts)


def _origin(path: str, origins: Sequence[str]) -> str:
    """A path as one into what it was made of."""
    index, rest = steps(path)
    if not 0 <= index < len(origins):
        return path
    return origins[index] + rest if steps(origins[index])[0] >= 0 else origins[index]


def _weight(path: str, weights: Sequence[float | None]) -> float | None:
    index, _ = steps(path)
    return weights[index] if 0 <= index < len(weights) else None


def behind_prompt(columns: Columns, text: str, prompt: str) -> Columns:
    """Spans of a text in which frames that begin like a prompt are sampled from behind that.

    Args:
        columns: all of a text, in order.
        text: the text.
        prompt: what a model goes on with, from the token on that begins the frame.
    """
    size, starts, rows = len(prompt), columns.starts, zip(columns.kinds, columns.sampled, columns.sizes, strict=True)
    openings = [
        number
        for number, (kind, sampled, own) in enumerate(rows)
        if kind is SpanKind.HEADER and not sampled and own < size and text.startswith(prompt, starts[number])
    ]
    if not openings:
        return columns
    prompted = columns.copy()
    for number in reversed(openings):
        _prompt(prompted, number, size - prompted.sizes[number])
    return prompted


def _prompt(columns: Columns, before: int, left: int) -> None:
    """Let no model have written so many characters behind a piece. It changes the columns."""
    number = before + 1
    while left > 0 and number < len(columns.sizes):
        size, path, kind = columns.sizes[number], columns.paths[number], columns.kinds[number]
        if columns.sampled[number]:
            given = min(size, left)
            columns.sizes[number] -= given
            if not columns.sampled[before] and (columns.paths[before], columns.kinds[before]) == (path, kind):
                columns.sizes[before] += given
            else:
                columns.insert(number, given, path, kind)
                before, number = number, number + 1
        elif size:
            before = number
        left -= size
        number += 1
