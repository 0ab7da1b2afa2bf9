"""Detect JSON of Chat Completions, and tell it from similar messages of other formats."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import ELSEWHERE, is_withheld


def sniff(source: Source) -> int:
    """Return how sure it is that a source is in the format: 3 for responses and preference lines, 2 for messages."""
    if isinstance(source, list):
        return _of_messages(cast("list[Json]", source))
    if not isinstance(source, dict):
        return 0
    document = cast("dict[str, Json]", source)
    messages, choices, preference_input = document.get("messages"), document.get("choices"), document.get("input")
    if isinstance(messages, list):
        return _of_messages(cast("list[Json]", messages)) if messages else 1
    if isinstance(preference_input, dict) and "messages" in preference_input and "preferred_output" in document:
        return 3
    if is_withheld(choices):
        return 3
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    return 3 if isinstance(first, dict) and "message" in first else 0


def _of_messages(items: list[Json]) -> int:
    roles = [isinstance(item, dict) and isinstance(cast("dict[str, Json]", item).get("role"), str) for item in items]
    if not any(roles):
        # A list of documents is no list of messages, but the reader's error explains how to convert it.
        return int(any(isinstance(item, dict) and "messages" in item for item in items))
    return 1 if any(key in item for item in items if isinstance(item, dict) for key in ELSEWHERE) else 2
