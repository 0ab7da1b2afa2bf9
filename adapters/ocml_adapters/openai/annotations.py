"""Read and write the annotations of a text: the sources that it cites."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final, cast

from ocml_bridge.chat.citations import CitationTable, Kind, Place, places
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Citation, Content, Json, Part, Text, replace

from .syntax import HOME, VENDOR

_RANGE: Final = {"start_index": "start", "end_index": "end"}
TABLE: Final = CitationTable(
    HOME,
    (
        Kind(
            "url_citation",
            {**_RANGE, "title": "title", "url": "url", "content": "cited_text"},
            "url",
            {"start_index": 0, "end_index": 0, "title": ""},
        ),
    ),
    VENDOR,
)
"""The citations of a text; the member `content`, with the cited text, is OpenRouter's."""


def cited(content: Content, value: Json) -> Content | None:
    """Return content with the citations of its annotations; None if one is not understood, or belongs to no text.

    Args:
        content: the content as it was read.
        value: the value of `annotations`.
    """
    raws: Any = value
    if not isinstance(raws, ARRAY) or not raws:
        return None
    parts = list(parts_of(content)) if content else []
    texts = [index for index, part in enumerate(parts) if isinstance(part, Text)]
    grounds = dict(zip(texts, places([cast("Text", parts[index]).text for index in texts]), strict=True))
    starts = [(place.at, index) for index, place in grounds.items() if place.length]
    found: dict[int, list[Citation]] = {}
    before = -1
    for raw in raws:
        opened = _opened(raw)
        index = _place_of(opened, grounds, starts)
        citation = None if index is None else TABLE.read(opened, grounds[index])
        if index is None or citation is None or index < before:
            return None
        found.setdefault(index, []).append(citation)
        before = index
    for index, citations in found.items():
        parts[index] = replace(cast("Text", parts[index]), citations=tuple(citations))
    return tuple(parts)


def annotations_of(parts: Sequence[Part], at: int = 0) -> list[Json]:
    """Return the annotations of content, without sources that are no page.

    Args:
        parts: the parts of a message.
        at: the number of characters before them.
    """
    texts = [part for part in parts if isinstance(part, Text)]
    out: list[Json] = []
    for text, (before, length) in zip(texts, places([text.text for text in texts]), strict=True):
        out += map(_nested, TABLE.write_all(text.citations, Place(at + before, length)))
    return out


def _opened(raw: Json) -> Json:
    """Return an annotation as one object with its type; None if it has another shape."""
    if not isinstance(raw, OBJECT):
        return None
    members: Object = raw
    kind: Any = members.get("type")
    inner: Any = members.get(kind) if isinstance(kind, str) else None
    if list(members) != ["type", kind] or not isinstance(inner, OBJECT) or "type" in inner:
        return None
    return {"type": kind, **inner}


def _nested(annotation: Json) -> Object:
    opened = members_of(annotation)
    kind = opened["type"]
    return {"type": kind, kind: without(opened, "type")}


def _place_of(opened: Json, grounds: dict[int, Place], starts: list[tuple[int, int]]) -> int | None:
    """Return the index of the part of an annotation: the only text, or else the one that has all of its characters.

    Args:
        opened: the annotation.
        grounds: the places of all texts, by the indices of their parts.
        starts: for each text that is not empty, the number of characters before it, and the index of its part.
    """
    if len(grounds) == 1:
        return next(iter(grounds))
    start, end = (opened.get(key) if isinstance(opened, OBJECT) else None for key in _RANGE)
    if type(start) is not int or type(end) is not int or start > end:
        return None
    last = bisect_right(starts, start, key=itemgetter(0)) - 1
    if last < 0:
        return None
    at, index = starts[last]
    is_between_two = start == end == at and last > 0
    return index if end <= at + grounds[index].length and not is_between_two else None
