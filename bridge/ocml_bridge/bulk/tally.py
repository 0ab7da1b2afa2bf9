"""Count the outcomes of a migration, by status and by code, with the first examples of each. Counts can be added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..chat.substance import NOTHING, Characters
from ..errors import BridgeError, ErrorCode
from ..loss import CLASSES, Finding, Loss, LossClass, LossCode, Severity
from ..model import Json
from .batch import Outcome, Status

EXAMPLES: Final = 3
"""The number of examples that are kept for each code."""
_SHORT: Final = 300
"""The maximal length of an example's detail, in characters."""


@dataclass(slots=True)
class Entry:
    """Counts of one code.

    Attributes:
        records: the number of records.
        places: the number of places in them.
        severities: the number of places that were lost, changed, or layout.
        examples: the first examples.
    """

    records: int = 0
    places: int = 0
    severities: Counter[str] = field(default_factory=Counter[str])
    examples: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])

    def merge(self, other: Entry) -> None:
        """Add later counts."""
        self.records += other.records
        self.places += other.places
        self.severities += other.severities
        self.examples += other.examples[: EXAMPLES - len(self.examples)]

    def to_json(self) -> dict[str, Json]:
        """Return the entry as JSON values."""
        counts: dict[str, Json] = {"records": self.records, "places": self.places}
        return {**counts, **dict(sorted(self.severities.items())), "examples": list[Json](self.examples)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Entry:
        """Return the entry of JSON values, as `to_json` returned them."""
        known = {"class", "records", "places", "examples"}
        severities = Counter({key: count for key, count in value.items() if key not in known})
        return cls(value["records"], value["places"], severities, list(value["examples"]))


Entries = dict[str, Entry]


@dataclass(slots=True)
class Tally:
    """Counts of the outcomes of records.

    Attributes:
        records: the number of records.
        rows: the number of files, lines and rows that they are from; one may hold several conversations.
        outcomes: the number of records by status.
        lossy: the number of lossy records by the worst class of their losses.
        characters: the characters of text in the converted records, and in their outputs.
        losses: entries by loss code, layout included.
        findings: entries by finding code.
        errors: entries by the error code of quarantined records.
    """

    records: int = 0
    outcomes: Counter[str] = field(default_factory=lambda: Counter({str(status): 0 for status in Status}))
    lossy: Counter[str] = field(default_factory=lambda: Counter({str(each): 0 for each in LossClass}))
    characters: Characters = NOTHING
    losses: Entries = field(default_factory=Entries)
    findings: Entries = field(default_factory=Entries)
    errors: Entries = field(default_factory=Entries)
    rows: int = 0

    def add(self, outcome: Outcome, where: dict[str, Json]) -> None:
        """Count one record."""
        self.records += 1
        self.outcomes[str(outcome.status)] += 1
        if outcome.status is Status.LOSSY:
            self.lossy[str(outcome.loss_class)] += 1
        if outcome.characters is not None:
            self.characters = self.characters.plus(outcome.characters)
        _count(self.losses, outcome.losses, where)
        _count(self.findings, outcome.findings, where)
        if outcome.error is not None:
            entry = self.errors.setdefault(str(outcome.error.code), Entry())
            entry.merge(Entry(1, 1, examples=[{**where, **position(outcome.error)}]))

    def mend(self, code: str, where: Mapping[str, Json], outcomes: Iterable[Outcome]) -> None:
        """Replace the count of a quarantined record by those of its new outcomes.

        Args:
            code: the code of its previous error.
            where: its place in the input.
            outcomes: the outcomes of its conversations.
        """
        self.records -= 1
        self.outcomes[str(Status.QUARANTINED)] -= 1
        entry = self.errors.get(code, Entry())
        entry.records, entry.places = entry.records - 1, entry.places - 1
        entry.examples = [each for each in entry.examples if not where.items() <= each.items()]
        if not entry.records:
            self.errors.pop(code, None)
        for outcome in outcomes:
            self.add(outcome, dict(where))

    def merge(self, other: Tally, about: Mapping[str, Json] | None = None) -> None:
        """Add later counts; `about` is added to each of their examples."""
        self.records += other.records
        self.rows += other.rows
        self.outcomes.update(other.outcomes)  # `+=` would drop the zeros
        self.lossy.update(other.lossy)
        self.characters = self.characters.plus(other.characters)
        pairs = ((self.losses, other.losses), (self.findings, other.findings), (self.errors, other.errors))
        for own, others in pairs:
            for code, entry in others.items():
                located = [{**(about or {}), **example} for example in entry.examples]
                own.setdefault(code, Entry()).merge(Entry(entry.records, entry.places, entry.severities, located))

    def check(self, rows_read: int, what: str) -> None:
        """Check that the counts agree, and that they agree with the number of rows read.

        Raises:
            BridgeError: OCB-INTERNAL if they do not.
        """
        lossy, counted = self.outcomes[Status.LOSSY], self.outcomes.total()
        if not (rows_read == self.rows <= self.records == counted and lossy == self.lossy.total()):
            counts = ", ".join(f"{count} {status}" for status, count in self.outcomes.items())
            message = (
                f"{what}: the counts do not add up: {rows_read} rows read, {self.rows} taken apart into "
                f"{self.records} records, {counts}, {self.lossy.total()} by class"
            )
            raise BridgeError(ErrorCode.INTERNAL, message)

    @property
    def written(self) -> int:
        """Return the number of records with an output."""
        return self.outcomes[Status.CONVERTED] + self.outcomes[Status.LOSSY]

    @property
    def quarantined(self) -> int:
        """Return the number of quarantined records."""
        return self.outcomes[Status.QUARANTINED]

    def summary(self) -> dict[str, Json]:
        """Return the counts of records and characters, without those of codes, as JSON values."""
        return {
            "outcomes": dict(self.outcomes),
            "lossy": dict(self.lossy),
            "characters": self.characters._asdict(),
        }

    def to_json(self) -> dict[str, Json]:
        """Return the counts as JSON values."""
        return {
            "records": self.records,
            "rows": self.rows,
            **self.summary(),
            "losses": {
                code: {"class": str(CLASSES[LossCode(code)]), **entry} for code, entry in _entries(self.losses).items()
            },
            "findings": _entries(self.findings),
            "errors": _entries(self.errors),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Tally:
        """Return the counts of JSON values, as `to_json` returned them."""
        kinds = (
            {code: Entry.from_json(entry) for code, entry in value[kind].items()}
            for kind in ("losses", "findings", "errors")
        )
        characters = Characters(**value["characters"])
        return cls(
            value["records"],
            Counter(value["outcomes"]),
            Counter(value["lossy"]),
            characters,
            *kinds,
            rows=value["rows"],
        )


def position(error: BridgeError) -> dict[str, Json]:
    """Return an error for a report: its code, its message, and its position in the record."""
    known = {"offset": error.offset, "line": error.line, "column": error.column, "path": error.path}
    place: dict[str, Json] = {key: value for key, value in known.items() if value is not None}
    return {"code": str(error.code), "message": error.message[:_SHORT], "position": place or None}


def _count(entries: Entries, notes: Sequence[Loss | Finding], where: dict[str, Json]) -> None:
    if not notes:
        return
    kinds: dict[tuple[str, Severity], int] = {}
    for code, severity, _path, _detail in notes:  # most are one of few kinds
        kinds[code, severity] = kinds.get((code, severity), 0) + 1
    seen: set[str] = set()
    for (code, severity), places in kinds.items():
        entry = entries.get(code)  # codes are strings
        if entry is None:
            entry = entries[str(code)] = Entry()
        entry.places += places
        entry.severities[_SEVERITIES[severity]] += places
        if code not in seen:
            seen.add(code)
            entry.records += 1
            if len(entry.examples) < EXAMPLES:
                note = next(note for note in notes if note.code == code)
                short = {"severity": str(note.severity), "path": note.path, "detail": note.detail[:_SHORT]}
                entry.examples.append({**where, **short})


_SEVERITIES: Final = {each: str(each) for each in Severity}


def _entries(entries: Entries) -> dict[str, dict[str, Json]]:
    return {code: entry.to_json() for code, entry in sorted(entries.items())}
