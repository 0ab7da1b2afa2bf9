"""Whether JSON is a canonical document."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import REQUIRED


def sniff(source: Source) -> int:
    """Certain where `type` says so; of a list, where each item's does."""
    if isinstance(source, list):
        return min(map(sniff, cast("list[Json]", source)), default=0)
    if not isinstance(source, dict):
        return 0
    document = cast("dict[str, Json]", source)
    kind = document.get("type")
    return 3 if isinstance(kind, str) and REQUIRED.get(kind) in document else 0
