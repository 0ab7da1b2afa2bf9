"""Detect InternLM2-Chat as text by the tokens that only this format has, and as token ids."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json
from ocml_bridge.text.im import has_no_header_line

from .syntax import IDS, IM, UNUSED

_OF_THIS_FORMAT: Final = (UNUSED.start, UNUSED.end, IM.action_start, f"name={IM.plugin}", f"name={IM.interpreter}")


def sniff(source: Source) -> int:
    """Return 3 for a text with a token of this format alone, 1 for frames alone, which ChatML also has, else 0."""
    if not isinstance(source, str) or has_no_header_line(source):
        return 0
    if any(token in source for token in _OF_THIS_FORMAT):
        return 3
    return 1 if IM.start in source else 0


def sniff_tokens(source: Source) -> int:
    """Return 3 for a list of integers that are ids of the vocabulary and include the beginning of a message, else 0."""
    if not isinstance(source, list):
        return 0
    items, most = cast("list[Json]", source), max(IDS.values())
    return 3 if IDS[IM.start] in items and all(type(item) is int and 0 <= item <= most for item in items) else 0
