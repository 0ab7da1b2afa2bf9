"""The same spans counted otherwise: in bytes, in tokens, and in a text that was changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
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


def renumbered(spans: Sequence[Span], origins: Sequence[int]) -> tuple[Span, ...]:
    """Spans of a document some of whose messages were left out, by their paths in the whole.

    Args:
        spans: by paths of what was left.
        origins: for each message of that, its index in the whole.
    """
    return rerooted(spans, [f"/messages/{index}" for index in origins])


def rerooted(spans: Sequence[Span], origins: Sequence[str]) -> tuple[Span, ...]:
    """Spans of a document that was made of another, by their paths in that.

    Args:
        spans: by paths of what was made.
        origins: for each message of that, the path of what it was made of. Of one that was made of no message, there is
            no more to point at.
    """
    out: list[Span] = []
    for span in spans:
        found = _MESSAGE.match(span.path)
        if found is not None and int(found[1]) < len(origins):
            origin = origins[int(found[1])]
            rest = span.path[found.end() :] if _MESSAGE.match(origin) else ""
            span = span._replace(path=origin + rest)
        out.append(span)
    return tuple(out)


_MESSAGE: Final = re.compile(r"/messages/(\d+)")


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
