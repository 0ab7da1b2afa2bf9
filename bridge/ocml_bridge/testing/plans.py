"""Check that results are the same with plans and without."""

from __future__ import annotations

from dataclasses import replace

from ..convert import read, write
from ..errors import BridgeError
from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Document
from ..report.policy import LENIENT


def _times(options: Options) -> range:
    """Return how often to convert a document: with plans twice, because an envelope gets a plan at its second use."""
    return range(2 if options.plans else 1)


def everything_written(document: Document, target: str | Adapter, options: Options) -> object:
    """Return all results of writing a document, or the message of the error that it raises."""
    try:
        result = [write(document, target, options=options, policy=LENIENT) for _ in _times(options)][-1]
    except BridgeError as error:
        return str(error)
    return result.encode(), sorted(map(repr, result.losses)), result.order, result.characters, result.origins


def everything_read(data: bytes, source: str | Adapter, options: Options) -> object:
    """Return all results of reading a document, or the message of the error that it raises."""
    try:
        reading = [read(data, source, options=options) for _ in _times(options)][-1]
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


def plans_change_nothing(document: Document, adapter: str | Adapter, options: Options = DEFAULT) -> None:
    """Check that a document is written, and its output read, the same with plans and without.

    Args:
        document: any document.
        adapter: a format id, or an adapter.
        options: how to write and read.
    """
    planned, plain = replace(options, plans=True, force_format=True), replace(options, plans=False, force_format=True)
    assert everything_written(document, adapter, planned) == everything_written(document, adapter, plain)
    try:
        data = write(document, adapter, options=plain, policy=LENIENT).encode()
    except BridgeError:
        return
    assert everything_read(data, adapter, planned) == everything_read(data, adapter, plain)
