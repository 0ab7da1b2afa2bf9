"""Whether JSON is a ShareGPT row."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json

from .syntax import SPEAKERS, TEXTS, turns_of


def sniff(source: Source) -> int:
    """Certain of rows and lists whose turns have `from` and `value`, of rows that call them conversations, of lists."""
    found = turns_of(source)
    if found is None:
        rows = cast("list[Json]", source) if isinstance(source, list) else []
        return min((sniff(cast("Object", row)) if isinstance(row, dict) else 0 for row in rows), default=0)
    name, turns = found
    if not turns:
        return 1
    spelled = all(SPEAKERS[0] in cast("Object", turn) or TEXTS[0] in cast("Object", turn) for turn in turns)
    return 3 if spelled or name is not None else 0
