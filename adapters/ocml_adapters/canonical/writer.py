"""Document → canonical JSON."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document
from ocml_bridge.model.codec import to_json


def write(document: Document, options: Options, log: Log) -> Source:
    """The document as JSON values, defaults left out."""
    return to_json(document)
