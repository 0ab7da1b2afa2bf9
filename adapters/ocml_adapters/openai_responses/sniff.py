"""Whether JSON is what the Responses API takes or gives, where no item, part or member tells it."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object


def sniff(source: Source) -> int:
    """Certain of what calls itself a response; what else it has is told by marks that nothing else has."""
    document = cast("Object", source) if isinstance(source, dict) else {}
    return 3 if document.get("object") == "response" and "output" in document else 0
