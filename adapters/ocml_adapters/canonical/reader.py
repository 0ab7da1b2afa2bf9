"""Canonical JSON → document, validated."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Json
from ocml_bridge.model.codec import from_json

from .syntax import REQUIRED


def read(source: Source, options: Options, log: Log) -> Document:
    """Read canonical JSON.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first place that does not fit the schema.
    """
    return from_json(source)


def sniff(source: Source) -> int:
    """Certain where `type` says so."""
    if not isinstance(source, dict):
        return 0
    document = cast("dict[str, Json]", source)
    kind = document.get("type")
    return 3 if isinstance(kind, str) and REQUIRED.get(kind) in document else 0
