"""Detect Gemini's requests, responses and contents."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json

from .syntax import CANDIDATES, CONTENTS, PARTS, SYSTEM, in_all_spellings, is_enclosed, keys, listed, opened


def sniff(source: Source) -> int:
    """Return 3 for requests and responses, 2 for lists of contents, 1 for an empty request or response, else 0."""
    if isinstance(source, list):
        items = cast("list[Json]", source)
        return 2 if items and all(map(_is_content, items)) else 0
    if not isinstance(source, dict):
        return 0
    given = cast("Object", source)
    document = keys(opened(given) if is_enclosed(given) else given)
    contents, candidates = listed(document.get(CONTENTS)), document.get(CANDIDATES)
    if isinstance(contents, list):
        items = cast("list[Json]", contents)
        return 3 if items and all(map(_is_content, items)) else 3 if SYSTEM in document else int(not items)
    if isinstance(candidates, list):
        items = cast("list[Json]", candidates)
        return (3 if items else 1) if all(map(_is_candidate, items)) else 0
    return 3 if "usageMetadata" in document and ("modelVersion" in document or "promptFeedback" in document) else 0


_OF_CANDIDATES: Final = frozenset(
    in_all_spellings(dict.fromkeys(("content", "finishReason", "index", "safetyRatings", "tokenCount")))
)
"""Members of candidates, one of which each of them has; datasets have candidates of their own (LLM-Blender)."""


def _is_candidate(item: Json) -> bool:
    """Return whether a value is a candidate, which may be empty."""
    return isinstance(item, dict) and (not item or not _OF_CANDIDATES.isdisjoint(cast("Object", item)))


def _is_content(item: Json) -> bool:
    """Return whether a value is a content: its parts have no `type`, unlike those of other formats."""
    if not isinstance(item, dict):
        return False
    content = cast("Object", item)
    parts, role = listed(content.get(PARTS)), content.get("role", "user")
    if not isinstance(parts, list) or not (role is None or isinstance(role, str)):
        return False
    return all(map(_is_part, cast("list[Json]", parts)))


def _is_part(part: Json) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and "type" not in part)
