"""Detect responses of the Responses API. Other documents are detected by marks: the types of their items and parts."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object


def sniff(source: Source) -> int:
    """Return 3 for an object that is named a response and has output, otherwise 0."""
    document = cast("Object", source) if isinstance(source, dict) else {}
    return 3 if document.get("object") == "response" and "output" in document else 0
