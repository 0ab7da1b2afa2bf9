"""Canonical JSON → document, validated."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.boundary import several_documents
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Json
from ocml_bridge.model.codec import from_json

from .earlier import current


def read(source: Source, options: Options, log: Log) -> Document:
    """Read canonical JSON, also that of an earlier schema.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first place that does not fit the schema; OCB-SEVERAL for a list of
            documents.
    """
    if isinstance(source, list) and source != []:
        raise several_documents(cast("list[Json]", source))
    return from_json(current(source, log))


def split(source: Source, options: Options) -> list[tuple[int, Source]]:
    """The documents of a list, each with its index; else the one that a source is."""
    return list(enumerate(cast("list[Json]", source))) if isinstance(source, list) else [(0, source)]
