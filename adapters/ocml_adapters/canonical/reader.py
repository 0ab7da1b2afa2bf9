"""Canonical JSON → document, validated."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document
from ocml_bridge.model.codec import from_json

from .earlier import current


def read(source: Source, options: Options, log: Log) -> Document:
    """Read canonical JSON, also that of an earlier schema.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first place that does not fit the schema.
    """
    return from_json(current(source, log))
