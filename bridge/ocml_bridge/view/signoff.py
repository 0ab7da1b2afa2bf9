"""Hold the content of a migration's sign-off page: outcomes, losses, and examples of each."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A record.

    Attributes:
        place: its file, and the number of its line.
        note: a sentence about its losses or its error.
        before: the record in the input; None if it is not known.
        after: the record in the output; None if it has none, or if it is not known.
    """

    place: str
    note: str
    before: str | None = None
    after: str | None = None


class Entry(NamedTuple):
    """A code.

    Attributes:
        code: the code.
        records: the number of records with it.
        how: the numbers of places that were lost or changed, in words.
        examples: some of the records.
    """

    code: str
    records: int
    how: str
    examples: tuple[Example, ...]


class Group(NamedTuple):
    """Losses of one class.

    Attributes:
        name: the class.
        records: the number of records without a worse class.
        entries: its codes, those of most records first.
    """

    name: str
    records: int
    entries: tuple[Entry, ...]


class SignOff(NamedTuple):
    """A migration.

    Attributes:
        source: the format that was read.
        target: the format that was written.
        records: the number of records that were read.
        outcomes: the numbers of converted, lossy and quarantined records.
        losses: the losses by class.
        quarantine: the quarantined records by reason.
        findings: what was repaired in reading.
        read: the number of characters of text that were read.
        written: the number of characters of text that were written.
        slowest: the slowest records, each with its time.
        largest: the largest records, each with its size.
        inputs: files and folders, each with the number of its records and its output.
        more: the number of further inputs.
        failures: the inputs that could not be read, with reasons.
    """

    source: str
    target: str
    records: int
    outcomes: tuple[tuple[str, int], ...]
    losses: tuple[Group, ...]
    quarantine: tuple[Entry, ...]
    findings: tuple[Entry, ...]
    read: int
    written: int
    slowest: tuple[tuple[str, str], ...]
    largest: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, int, str], ...]
    more: int
    failures: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Return whether every record was converted, and none lost content."""
        return not self.quarantine and not self.failures and all(group.name != "content" for group in self.losses)

    @property
    def verdict(self) -> str:
        """Return the outcome in a sentence."""
        counts = dict(self.outcomes)
        whole, lossy, out = (counts.get(name, 0) for name in ("converted", "lossy", "quarantined"))
        if self.failures or out:
            return f"{out:,} of {self.records:,} records are quarantined."
        return "Every record was converted whole." if not lossy else f"{whole:,} whole, {lossy:,} with losses."
