"""Detect canonical documents."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import REQUIRED


def sniff(source: Source) -> int:
    """Return 3 for an object with the `type` and the member of a canonical document, or a list of these, else 0."""
    if isinstance(source, list):
        return min(map(sniff, cast("list[Json]", source)), default=0)
    if not isinstance(source, dict):
        return 0
    document = cast("dict[str, Json]", source)
    kind = document.get("type")
    return 3 if isinstance(kind, str) and REQUIRED.get(kind) in document else 0
