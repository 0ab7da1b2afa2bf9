"""Whether JSON is what the Responses API takes or gives."""

from __future__ import annotations

from ocml_bridge.adapter import Source
from ocml_bridge.recognise import recognise

from .syntax import HOME


def sniff(source: Source) -> int:
    """Certain where an item, a part or a member is there that nothing else has."""
    found = recognise(source)
    return 3 if found is not None and found.certain and found.kind.format == HOME else 0
