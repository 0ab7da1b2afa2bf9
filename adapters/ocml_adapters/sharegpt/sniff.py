"""Detect ShareGPT rows."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json

from .syntax import SPEAKERS, TEXTS, turns_of


def sniff(source: Source) -> int:
    """Return how sure it is that a source is in the format.

    3 if its turns have `from` or `value`, or are under a key of the format; for a list of rows, the lowest result.
    """
    result = turns_of(source)
    if result is None:
        rows = cast("list[Json]", source) if isinstance(source, list) else []
        return min((sniff(cast("Object", row)) if isinstance(row, dict) else 0 for row in rows), default=0)
    key, turns = result
    if not turns:
        return 1
    has_own_keys = all(SPEAKERS[0] in cast("Object", turn) or TEXTS[0] in cast("Object", turn) for turn in turns)
    return 3 if has_own_keys or key is not None else 0
