"""Convert the positions of spans to bytes, to tokens, or to a changed text, and find the range of a path."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from .span import Span


def in_bytes(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Convert spans of characters to spans of UTF-8 bytes.

    Args:
        spans: the spans of a text, in order.
        text: the text.
    """
    return tuple(_measured(spans, sizes_in_bytes([span.end - span.start for span in spans], text)))


def in_tokens(spans: Sequence[Span], ends: Sequence[int]) -> tuple[Span, ...]:
    """Convert spans of a text to spans of its tokens. A token in two spans belongs to the later one.

    Args:
        spans: the spans of a text, in order.
        ends: the end of each token, in the same unit as the spans.
    """
    return tuple(_measured(spans, sizes_in_tokens([span.end - span.start for span in spans], ends)))


def _measured(spans: Sequence[Span], sizes: Sequence[int]) -> Iterator[Span]:
    """Yield consecutive spans with other sizes, without those of size 0."""
    for span, (start, end) in zip(spans, pairwise(accumulate(sizes, initial=0)), strict=True):
        if start < end:
            yield span._replace(start=start, end=end)


def sizes_in_bytes(sizes: Sequence[int], text: str) -> Sequence[int]:
    """Return the sizes of the pieces of a text in UTF-8 bytes.

    Args:
        sizes: the sizes of all pieces, in characters.
        text: the text.
    """
    if text.isascii():
        return sizes
    places = pairwise(accumulate(sizes, initial=0))
    return [len(text[start:end].encode("utf-8", "surrogateescape")) for start, end in places]


def sizes_in_tokens(sizes: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return the sizes of the pieces of a text in tokens. A token in two pieces belongs to the later one.

    Args:
        sizes: the sizes of all pieces.
        ends: the end of each token, in the same unit as the sizes.
    """
    out: list[int] = []
    begin = 0
    for place in accumulate(sizes):
        end = bisect_right(ends, place, begin)
        out.append(end - begin)
        begin = end
    return out


def sizes_behind_breaks(sizes: Sequence[int], text: str, broken: str, mark: str) -> list[int]:
    """Return the sizes of the pieces of a text after tokens in it were broken by a mark.

    Args:
        sizes: the sizes of all pieces, in characters.
        text: the text.
        broken: the text with marks inserted.
        mark: the mark, one character.
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
    """Return the range of the output for each path of the spans, and for each parent path up to the message.

    Args:
        spans: the spans of the output, in order.
    """
    by_path: dict[str, tuple[int, int]] = {}
    for span in spans:
        path = span.path
        while path not in ("", "/messages"):
            by_path[path] = by_path.get(path, span)[0], span.end
            path = path.rpartition("/")[0]
    return by_path


def place_in(by_path: Mapping[str, tuple[int, int]], path: str) -> tuple[int, int] | None:
    """Return the range of a path, or of its nearest parent that has one; None if there is none.

    Args:
        by_path: the result of `ranges`.
        path: a JSON pointer.
    """
    while path and path not in by_path:
        path = path.rpartition("/")[0]
    return by_path.get(path)


def index_of(path: str) -> int | None:
    """Return the index of the message that a path is in; None for a path outside of messages."""
    index, _ = steps(path)
    return None if index < 0 else index


@lru_cache(maxsize=4096)
def steps(path: str) -> tuple[int, str]:
    """Split a path into the index of its message and the rest; (-1, "") for a path outside of messages."""
    match = _MESSAGE.match(path)
    return (-1, "") if match is None else (int(match[1]), path[match.end() :])


_MESSAGE: Final = re.compile(r"/messages/(\d+)")
