"""Document → canonical JSON."""

from __future__ import annotations

from typing import Any, cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Transcript
from ocml_bridge.model.codec import to_json

from .earlier import distinct


def write(document: Document, options: Options, log: Log) -> Source:
    """The document as JSON values, defaults left out."""
    values = to_json(document)
    if isinstance(document, Transcript):
        distinct(cast("dict[str, Any]", values))
    return values
