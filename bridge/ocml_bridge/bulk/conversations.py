"""Split rows that hold several conversations into a record for each."""

from __future__ import annotations

from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..split import Part, split
from .batch import Outcome, Settings, outcome_of
from .containers.nested import Nested
from .kept_members import converted
from .records import Job, Record


def outcomes_of(row: Record, job: Job) -> list[tuple[Record, Outcome]]:
    """Return the records of a row with their outcomes, in order.

    A row is split only if its conversion fails because it holds several conversations (OCB-SEVERAL).
    """
    whole = converted(row, job)
    records = _conversations(row, whole[1], job.settings)
    return [(record, outcome_of(record.value, job.settings)) for record in records] or [whole]


def _conversations(row: Record, outcome: Outcome, settings: Settings) -> list[Record]:
    """Return the conversations of a row as records; none if it is one conversation, or cannot be split."""
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
    """Return one conversation of a row as a record: its place in the row, its text, and the other fields of the row."""
    place: dict[str, Json] = {"offset": part.place.offset, "path": part.place.path}
    known = {name: value for name, value in place.items() if value is not None}
    return Record(part.value, {**row.where, "conversation": number, **known}, part.value, row.fields)
