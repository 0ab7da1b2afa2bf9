"""The same spans counted otherwise: in bytes, in tokens, and in a text that was changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from .span import Span, SpanKind


def in_bytes(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Spans of characters, as spans of the bytes of UTF-8.

    Args:
        spans: all of a text, in order.
        text: the text.
    """
    if text.isascii():
        return tuple(spans)
    return _measured(spans, (len(text[span.start : span.end].encode("utf-8", "surrogateescape")) for span in spans))


def in_tokens(spans: Sequence[Span], ends: Sequence[int]) -> tuple[Span, ...]:
    """Spans of a text, as spans of its tokens. A token that stands in two of them belongs to the later one.

    Args:
        spans: all of a text, in order.
        ends: where each token ends in it, counted as the spans are.
    """
    out: list[Span] = []
    begin = 0
    for span in spans:
        end = bisect_right(ends, span.end, begin)
        if end > begin:
            out.append(span._replace(start=begin, end=end))
        begin = end
    return tuple(out)


def behind_breaks(spans: Sequence[Span], text: str, broken: str, mark: str) -> tuple[Span, ...]:
    """Spans of a text, as spans of the same text in which something was broken.

    Args:
        spans: all of a text, in order.
        text: the text.
        broken: the text with some more marks in it.
        mark: one character.
    """
    sizes: list[int] = []
    at = 0
    for span in spans:
        size = 0
        for character in text[span.start : span.end]:
            while broken[at + size] == mark != character:
                size += 1
            size += 1
        sizes.append(size)
        at += size
    return _measured(spans, sizes)


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


def renumbered(spans: Sequence[Span], origins: Sequence[int]) -> tuple[Span, ...]:
    """Spans of a document some of whose messages were left out, by their paths in the whole.

    Args:
        spans: by paths of what was left.
        origins: for each message of that, its index in the whole.
    """
    return rerooted(spans, [f"/messages/{index}" for index in origins])


def rerooted(spans: Sequence[Span], origins: Sequence[str], weights: Sequence[float | None] = ()) -> tuple[Span, ...]:
    """Spans of a document that was made of another, by their paths in that.

    Args:
        spans: by paths of what was made.
        origins: for each message of that, the path of what it was made of. Of one that was made of no message, there is
            no more to point at.
        weights: of the messages of the other, None for one that has none of its own; where they are given, they count.
    """
    out: list[Span] = []
    known: dict[str, tuple[str, float | None]] = {}
    for start, end, path, kind, sampled, weight in spans:
        origin = known.get(path)
        if origin is None:
            origin = known[path] = _origin(path, origins, weights)
        if sampled and origin[1] is not None:
            weight = origin[1]
        out.append(_new(Span, (start, end, origin[0], kind, sampled, weight)))
    return tuple(out)


def _origin(path: str, origins: Sequence[str], weights: Sequence[float | None]) -> tuple[str, float | None]:
    """A path as one into what it was made of, with the weight of the message there."""
    index, rest = _steps(path)
    if 0 <= index < len(origins):
        path = origins[index]
        index = _steps(path)[0]
        path = path + rest if index >= 0 else path
    return path, weights[index] if 0 <= index < len(weights) else None


@lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[int, str]:
    """The index of the message that a path leads to or into, -1 for any other, and what the path has behind that."""
    found = _MESSAGE.match(path)
    return (-1, "") if found is None else (int(found[1]), path[found.end() :])


def behind_prompt(spans: Sequence[Span], text: str, prompt: str) -> tuple[Span, ...]:
    """Spans of a text in which frames that begin like a prompt are sampled from behind that.

    Args:
        spans: all of a text, in order.
        text: the text.
        prompt: what a model goes on with, from the token on that begins the frame.
    """
    out: list[Span] = []
    given = 0
    for span in spans:
        if prompt and span.kind is SpanKind.HEADER and not span.sampled and text.startswith(prompt, span.start):
            given = span.start + len(prompt)
        if span.sampled and span.start < given:
            cut = min(span.end, given)
            prompted = span._replace(end=cut, sampled=False, weight=0)
            if out and out[-1][2:] == prompted[2:]:
                prompted = prompted._replace(start=out.pop().start)
            out.append(prompted)
            span = span._replace(start=cut)
        if span.start < span.end:
            out.append(span)
    return tuple(out)


def index_of(path: str) -> int | None:
    """The index of the message that a path leads to or into; None for any other."""
    found = _MESSAGE.match(path)
    return None if found is None else int(found[1])


_MESSAGE: Final = re.compile(r"/messages/(\d+)")
_new: Final[Any] = tuple[Any, ...].__new__


def spans_of_text(output: Any) -> tuple[Span, ...]:
    """The spans of a text to be completed, which no message is part of."""
    return (Span(0, len(output), "/content", SpanKind.BODY, False, 0),) if output else ()


def _measured(spans: Sequence[Span], sizes: Iterable[int]) -> tuple[Span, ...]:
    """Spans one behind the other, of other sizes."""
    out: list[Span] = []
    at = 0
    for span, size in zip(spans, sizes, strict=True):
        out.append(span._replace(start=at, end=at + size))
        at += size
    return tuple(out)
