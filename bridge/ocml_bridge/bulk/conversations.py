"""Rows that hold several conversations: each of these becomes a record of its own."""

from __future__ import annotations

from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..split import Part, split
from .batch import Outcome, Settings, outcome_of
from .columns_beside import converted
from .nested import Nested
from .records import Job, Record


def outcomes_of(row: Record, job: Job) -> list[tuple[Record, Outcome]]:
    """The records of a row with what became of each, in order.

    A row is taken apart only where its conversion says that it holds several conversations (OCB-SEVERAL).
    """
    whole = converted(row, job)
    records = _conversations(row, whole[1], job.settings)
    return [(record, outcome_of(record.value, job.settings)) for record in records] or [whole]


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
