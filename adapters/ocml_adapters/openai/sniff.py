"""Whether JSON is what Chat Completions takes or gives, and nothing else: other servers' messages look alike."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import ELSEWHERE


def sniff(source: Source) -> int:
    """Certain of responses and preference lines, fairly sure of messages."""
    if isinstance(source, list):
        return _of_messages(cast("list[Json]", source))
    if not isinstance(source, dict):
        return 0
    document = cast("dict[str, Json]", source)
    messages, choices, given = document.get("messages"), document.get("choices"), document.get("input")
    if isinstance(messages, list):
        return _of_messages(cast("list[Json]", messages)) if messages else 1
    if isinstance(given, dict) and "messages" in given and "preferred_output" in document:
        return 3
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    return 3 if isinstance(first, dict) and "message" in first else 0


def _of_messages(items: list[Json]) -> int:
    roles = [isinstance(item, dict) and isinstance(cast("dict[str, Json]", item).get("role"), str) for item in items]
    if not any(roles):
        # JSON lines of transcripts: no list of messages, but its reader says what to do with it.
        return int(any(isinstance(item, dict) and "messages" in item for item in items))
    return 1 if any(key in item for item in items if isinstance(item, dict) for key in ELSEWHERE) else 2
