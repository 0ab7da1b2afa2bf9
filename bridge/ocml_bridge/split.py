"""Split a document that holds several conversations, and read them one by one.

The adapter of the format finds the boundaries (`Adapter.split`); they are the ones at which `read` raises OCB-SEVERAL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from . import registry
from .convert import Reading, read
from .detection import explain, opened
from .errors import BridgeError
from .formats.adapter import DEFAULT, Adapter, Kind, Options, Source
from .formats.boundary import Place
from .formats.source import decode
from .loss import Log


class Part(NamedTuple):
    """One conversation of a document.

    Attributes:
        value: its text, or its JSON value.
        place: its position in the document.
    """

    value: Source | bytes
    place: Place


def split(data: Source | bytes, source: str | Adapter | None = None, *, options: Options = DEFAULT) -> tuple[Part, ...]:
    """Split a document into its conversations, in linear time.

    Args:
        data: as for `read`.
        source: the format id; None to detect it.
        options: how to read.

    Raises:
        BridgeError: if the format cannot be detected, or the data cannot be decoded or split.
    """
    adapter, options, value = _opened(data, source, options)
    return _parts(adapter, value, options)


def read_all(
    data: Source | bytes, source: str | Adapter | None = None, *, options: Options = DEFAULT, strict: bool = False
) -> Iterator[Reading]:
    """Read every conversation of a document, also of a document that holds only one.

    Each conversation is read when the iterator reaches it. If it cannot be read, or `strict` refuses it, `next` raises
    the error with its position in the whole document; the `next` after that reads the following conversation.

    Args:
        data: as for `read`: text, JSON, JSON lines.
        source: the format id, `id` or `id:dialect`, or an adapter; None to detect it.
        options: how to read.
        strict: refuse a conversation that the reader had to repair.

    Returns:
        The readings in order; `place` is the position of each in the document.

    Raises:
        BridgeError: if the format cannot be detected, or the data cannot be decoded or split.
    """
    adapter, options, value = _opened(data, source, options)
    parts = _parts(adapter, value, options)
    if len(parts) == 1:  # Read the data itself, so that findings about its bytes are reported as well.
        parts = (parts[0]._replace(value=data),)
    if source is None:  # The format of the whole was detected: do not detect it again for each part.
        options = replace(options, force_format=True)
    return map(partial(_reading, adapter=adapter, options=options, strict=strict), parts)


def _opened(data: Source | bytes, source: str | Adapter | None, options: Options) -> tuple[Adapter, Options, Source]:
    """Return the adapter for a document, the options with the dialect, and its text or JSON value."""
    if source is None:
        adapter, value = opened(data, Log())
        return adapter, options, value
    adapter, dialect = registry.adapter(source)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    try:
        return adapter, options, decode(data, adapter.kind, Log())
    except BridgeError as error:
        raise explain(error, data, adapter) from error.__cause__


def _parts(adapter: Adapter, value: Source, options: Options) -> tuple[Part, ...]:
    pieces = [(0, value)] if adapter.split is None else adapter.split(value, options)
    return tuple(_placed(pieces, adapter.kind))


def _placed(pieces: Sequence[tuple[int, Source]], kind: Kind) -> Iterator[Part]:
    """Yield the parts of a document with their positions.

    Args:
        pieces: the offset (text) or index (JSON) of each part, and the part.
        kind: whether they are text or JSON.
    """
    line = column = 1
    for at, value in pieces:
        if kind is Kind.JSON:
            yield Part(value, Place(path=f"/{at}" if len(pieces) > 1 else ""))
            continue
        text = str(value)
        yield Part(text, Place(at, line, column))
        newlines = text.count("\n")
        line += newlines
        column = len(text) - text.rfind("\n") if newlines else column + len(text)


def _reading(part: Part, *, adapter: Adapter, options: Options, strict: bool) -> Reading:
    try:
        reading = read(part.value, adapter, options=options, strict=strict)
    except BridgeError as error:
        raise part.place.moved(error, json=adapter.kind is Kind.JSON) from error.__cause__
    reading.place = part.place
    return reading
