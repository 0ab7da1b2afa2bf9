"""Whether a text is InternLM2, by what only it has; whether JSON is its token ids."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json
from ocml_bridge.text.im import is_escaped

from .syntax import IDS, IM, UNUSED

_OWN: Final = (UNUSED.start, UNUSED.end, IM.action_start, f"name={IM.plugin}", f"name={IM.interpreter}")


def sniff(source: Source) -> int:
    """Certain where a token stands that only InternLM2 has, possibly where one stands that ChatML has too."""
    if not isinstance(source, str) or is_escaped(source):
        return 0
    if any(token in source for token in _OWN):
        return 3
    return 1 if IM.start in source else 0


def sniff_tokens(source: Source) -> int:
    """Certain of a list of integers that are all ids of its vocabulary, where a message begins in it."""
    if not isinstance(source, list):
        return 0
    items, most = cast("list[Json]", source), max(IDS.values())
    return 3 if IDS[IM.start] in items and all(type(item) is int and 0 <= item <= most for item in items) else 0
