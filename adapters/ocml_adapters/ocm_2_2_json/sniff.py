"""Whether JSON is the interchange of OpenChatML 2.2, by its keys."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Source
from ocml_bridge.model import Json

from .syntax import CHANNEL, ROLE, THINKING, TOOL_CALL


def sniff(source: Source) -> int:
    """Certain where an object has a key that only this format has; possible where it has a role and a text."""
    items = cast("list[Json]", source) if isinstance(source, list) else [source]
    objects = [cast("dict[str, Json]", item) for item in items if isinstance(item, dict)]
    if not objects or len(objects) != len(items) or not all(isinstance(item.get(ROLE), str) for item in objects):
        return 0
    return 3 if any(key in item for item in objects for key in (CHANNEL, TOOL_CALL, THINKING)) else 1
