"""Several conversations in one text or JSON value, taken one by one; each format says where its own begin."""

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
        place: where it stands in the document.
    """

    value: Source | bytes
    place: Place


def split(data: Source | bytes, source: str | Adapter | None = None, *, options: Options = DEFAULT) -> tuple[Part, ...]:
    """Take a document apart, in linear time: the same boundaries that `read` refuses (OCB-SEVERAL).

    Args:
        data: as `read` takes it.
        source: the format id; None to detect it.
        options: how to read.

    Raises:
        BridgeError: where what it is cannot be told, or where boundaries cannot be looked for.
    """
    found, dialect, value = _opened(data, source)
    return _parts(found, dialect, value, options)


def read_all(
    data: Source | bytes, source: str | Adapter | None = None, *, options: Options = DEFAULT, strict: bool = False
) -> Iterator[Reading]:
    """Read every conversation of a document; one that holds a single conversation gives one.

    Each is read when it is asked for. One that cannot be read, or that `strict` refuses, raises in its turn, with its
    place in the whole document; `next` goes on behind it.

    Args:
        data: as `read` takes it: text, JSON, JSON lines.
        source: the format id, with a dialect where wanted, or an adapter; None to detect it.
        options: how to read.
        strict: refuse a conversation that had to be mended.

    Returns:
        The readings in order; `place` says where each one stood.

    Raises:
        BridgeError: where it cannot be told what the document is, or where its conversations begin.
    """
    found, dialect, value = _opened(data, source)
    parts = _parts(found, dialect, value, options)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    if len(parts) == 1:  # read as it was given, so that what is noticed of its bytes is told, too
        parts = (parts[0]._replace(value=data),)
    if source is None:  # what the whole is, is not asked again of each
        options = replace(options, force_format=True)
    return map(partial(_reading, found=found, options=options, strict=strict), parts)


def _opened(data: Source | bytes, source: str | Adapter | None) -> tuple[Adapter, str | None, Source]:
    """The adapter and dialect that read a document, and its text or JSON value."""
    if source is None:
        found, value = opened(data, Log())
        return found, None, value
    found, dialect = registry.adapter(source)
    try:
        return found, dialect, decode(data, found.kind, Log())
    except BridgeError as error:
        raise explain(error, data, found) from error.__cause__


def _parts(found: Adapter, dialect: str | None, value: Source, options: Options) -> tuple[Part, ...]:
    if dialect is not None:
        options = replace(options, dialect=dialect)
    pieces = [(0, value)] if found.split is None else found.split(value, options)
    return tuple(_placed(pieces, found.kind))


def _placed(pieces: Sequence[tuple[int, Source]], kind: Kind) -> Iterator[Part]:
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


def _reading(part: Part, *, found: Adapter, options: Options, strict: bool) -> Reading:
    try:
        reading = read(part.value, found, options=options, strict=strict)
    except BridgeError as error:
        raise part.place.moved(error, json=found.kind is Kind.JSON) from error.__cause__
    reading.place = part.place
    return reading
