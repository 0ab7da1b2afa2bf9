"""Rows that hold several conversations: each of these becomes a record of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..split import Part, split
from .batch import Outcome, Settings, convert_batch
from .nested import Nested
from .records import Record


def outcomes_of(rows: Sequence[Record], settings: Settings) -> Iterator[tuple[Record, Outcome]]:
    """The records of rows with what became of each, in order.

    A row is taken apart only where its conversion says that it holds several conversations (OCB-SEVERAL).
    """
    for row, outcome in zip(rows, convert_batch((row.value for row in rows), settings), strict=True):
        records = _conversations(row, outcome, settings)
        if records:
            yield from zip(records, convert_batch((record.value for record in records), settings), strict=True)
        else:
            yield row, outcome


def _conversations(row: Record, outcome: Outcome, settings: Settings) -> list[Record]:
    """A row's conversations as records; none where it is one, or cannot be taken apart."""
    if (
        isinstance(row.value, (BridgeError, Nested))
        or outcome.error is None
        or outcome.error.code is not ErrorCode.SEVERAL
    ):
        return []
    try:
        parts = split(row.value, settings.source, options=settings.options)
    except BridgeError:
        return []
    return [_record(row, part, number) for number, part in enumerate(parts, 1)]


def _record(row: Record, part: Part, number: int) -> Record:
    """One conversation of a row: its place in it, its own text, and the other fields of the row."""
    place: dict[str, Json] = {"offset": part.place.offset, "path": part.place.path}
    known = {name: value for name, value in place.items() if value is not None}
    return Record(part.value, {**row.where, "conversation": number, **known}, part.value, row.fields)
