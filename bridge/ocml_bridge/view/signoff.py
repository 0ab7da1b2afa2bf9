"""A migration as a person signs it off: what became of its records, what they lost, and examples of each."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """One record.

    Attributes:
        place: where it stands: its file, and the number of its line.
        note: what happened to it, in a sentence.
        before: as it stood; None where that is not known.
        after: as it was written; None for nothing, and where that is not known.
    """

    place: str
    note: str
    before: str | None = None
    after: str | None = None


class Entry(NamedTuple):
    """One code.

    Attributes:
        code: the code.
        records: how many records have it.
        how: how many places of them were lost or changed, in words.
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
        records: how many records have lost nothing worse.
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
        records: how many records were read.
        outcomes: how many were converted, lossy and quarantined.
        losses: what was lost, by class.
        quarantine: what is quarantined, by reason.
        findings: what was mended in reading.
        read: how many characters of what was said were read.
        written: how many of them were written.
        slowest: records that took longest, each with how long.
        largest: the largest records, each with its size.
        inputs: files and folders, each with how many records it has and where they went.
        more: how many more inputs there are.
        failures: what could not be read, and why.
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
        """Whether every record was converted, and none lost anything that was said."""
        return not self.quarantine and not self.failures and all(group.name != "content" for group in self.losses)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        counts = dict(self.outcomes)
        whole, lossy, out = (counts.get(name, 0) for name in ("converted", "lossy", "quarantined"))
        if self.failures or out:
            return f"{out:,} of {self.records:,} records are quarantined."
        return "Every record was converted whole." if not lossy else f"{whole:,} whole, {lossy:,} with losses."
