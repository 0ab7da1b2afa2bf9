"""The same spans counted otherwise: in bytes, in tokens, and in a text that was changed; and where a path stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from .span import Span


def in_bytes(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Spans of characters, as spans of the bytes of UTF-8.

    Args:
        spans: all of a text, in order.
        text: the text.
    """
    return tuple(_measured(spans, sizes_in_bytes([span.end - span.start for span in spans], text)))


def in_tokens(spans: Sequence[Span], ends: Sequence[int]) -> tuple[Span, ...]:
    """Spans of a text, as spans of its tokens. A token that stands in two of them belongs to the later one.

    Args:
        spans: all of a text, in order.
        ends: where each token ends in it, counted as the spans are.
    """
    return tuple(_measured(spans, sizes_in_tokens([span.end - span.start for span in spans], ends)))


def _measured(spans: Sequence[Span], sizes: Sequence[int]) -> Iterator[Span]:
    """Spans one behind the other, of other sizes."""
    for span, (start, end) in zip(spans, pairwise(accumulate(sizes, initial=0)), strict=True):
        if start < end:
            yield span._replace(start=start, end=end)


def sizes_in_bytes(sizes: Sequence[int], text: str) -> Sequence[int]:
    """How many bytes of UTF-8 the pieces of a text have.

    Args:
        sizes: of all of them, in characters.
        text: the text.
    """
    if text.isascii():
        return sizes
    places = pairwise(accumulate(sizes, initial=0))
    return [len(text[start:end].encode("utf-8", "surrogateescape")) for start, end in places]


def sizes_in_tokens(sizes: Sequence[int], ends: Sequence[int]) -> list[int]:
    """How many tokens the pieces of a text have. One that stands in two of them belongs to the later one.

    Args:
        sizes: of all of them.
        ends: where each token ends in the text, counted as the sizes are.
    """
    out: list[int] = []
    begin = 0
    for place in accumulate(sizes):
        end = bisect_right(ends, place, begin)
        out.append(end - begin)
        begin = end
    return out


def sizes_behind_breaks(sizes: Sequence[int], text: str, broken: str, mark: str) -> list[int]:
    """How long the pieces of a text are in the same text in which something was broken.

    Args:
        sizes: of all of them.
        text: the text.
        broken: the text with some more marks in it.
        mark: one character.
    """
    out: list[int] = []
    at = 0
    for start, end in pairwise(accumulate(sizes, initial=0)):
        size = 0
        for character in text[start:end]:
            while broken[at + size] == mark != character:
                size += 1
            size += 1
        out.append(size)
        at += size
    return out


def ranges(spans: Sequence[Span]) -> dict[str, tuple[int, int]]:
    """For each place that spans name, and those above it up to its message, where it is in the output.

    Args:
        spans: all of the output, in order.
    """
    found: dict[str, tuple[int, int]] = {}
    for span in spans:
        path = span.path
        while path not in ("", "/messages"):
            found[path] = found.get(path, span)[0], span.end
            path = path.rpartition("/")[0]
    return found


def place_in(found: Mapping[str, tuple[int, int]], path: str) -> tuple[int, int] | None:
    """Where what stands at a path, or at the nearest place above it, is; None where it is not there."""
    while path and path not in found:
        path = path.rpartition("/")[0]
    return found.get(path)


def index_of(path: str) -> int | None:
    """The index of the message that a path leads to or into; None for any other."""
    index, _ = steps(path)
    return None if index < 0 else index


@lru_cache(maxsize=4096)
def steps(path: str) -> tuple[int, str]:
    """The index of the message that a path leads to or into, -1 for any other, and what the path has behind that."""
    found = _MESSAGE.match(path)
    return (-1, "") if found is None else (int(found[1]), path[found.end() :])


_MESSAGE: Final = re.compile(r"/messages/(\d+)")
