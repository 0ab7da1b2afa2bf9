"""Translate the spans of a document that was made from another one, such as a prompt, to paths into the other one."""

from __future__ import annotations

from collections.abc import Sequence

from .columns import Columns
from .positions import steps
from .span import SpanKind


def renumbered(columns: Columns, origins: Sequence[int]) -> Columns:
    """Return spans with paths into the document from which some messages were dropped.

    Args:
        columns: the spans, with paths into the document without these messages.
        origins: for each message of that document, its index in the whole one.
    """
    return rerooted(columns, [f"/messages/{index}" for index in origins])


def rerooted(columns: Columns, origins: Sequence[str], weights: Sequence[float | None] = ()) -> Columns:
    """Return spans with paths into the document from which theirs was made.

    Args:
        columns: the spans, with paths into their own document.
        origins: for each message of their document, the path of what it was made from. If that is not a message, all
            spans of the message get this path.
        weights: the training weights of the messages of the other document, None for a message without one; they
            replace those of sampled spans.
    """
    paths = {path: _origin(path, origins) for path in {*columns.paths}}
    sizes, kinds, sampled, counts = columns.sizes, columns.kinds, columns.sampled, columns.weights
    if any(weight is not None for weight in weights):
        by_path = {path: _weight(origin, weights) for path, origin in paths.items()}
        rows = zip(columns.paths, sampled, counts, strict=True)
        counts = [
            weight if not is_sampled or (other := by_path[path]) is None else other for path, is_sampled, weight in rows
        ]
    return Columns(sizes, [*map(paths.__getitem__, columns.paths)], kinds, sampled, counts)


def _origin(path: str, origins: Sequence[str]) -> str:
    """Return the path in the other document for a path."""
    index, rest = steps(path)
    if not 0 <= index < len(origins):
        return path
    return origins[index] + rest if steps(origins[index])[0] >= 0 else origins[index]


def _weight(path: str, weights: Sequence[float | None]) -> float | None:
    index, _ = steps(path)
    return weights[index] if 0 <= index < len(weights) else None


def behind_prompt(columns: Columns, text: str, prompt: str) -> Columns:
    """Mark the beginning of each frame that equals the end of a prompt as not sampled.

    Args:
        columns: the spans of a text, in order.
        text: the text.
        prompt: the open turn of a prompt, from the token that begins its frame; the model samples what comes after it.
    """
    size, starts, rows = len(prompt), columns.starts, zip(columns.kinds, columns.sampled, columns.sizes, strict=True)
    openings = [
        number
        for number, (kind, sampled, length) in enumerate(rows)
        if kind is SpanKind.HEADER and not sampled and length < size and text.startswith(prompt, starts[number])
    ]
    if not openings:
        return columns
    prompted = columns.copy()
    for number in reversed(openings):
        _prompt(prompted, number, size - prompted.sizes[number])
    return prompted


def _prompt(columns: Columns, before: int, left: int) -> None:
    """Mark some characters after a span as not sampled; the columns are changed.

    Args:
        columns: the spans.
        before: the index of the span.
        left: the number of characters.
    """
    number = before + 1
    while left > 0 and number < len(columns.sizes):
        size, path, kind = columns.sizes[number], columns.paths[number], columns.kinds[number]
        if columns.sampled[number]:
            moved = min(size, left)
            columns.sizes[number] -= moved
            if not columns.sampled[before] and (columns.paths[before], columns.kinds[before]) == (path, kind):
                columns.sizes[before] += moved
            else:
                columns.insert(number, moved, path, kind)
                before, number = number, number + 1
        elif size:
            before = number
        left -= size
        number += 1
