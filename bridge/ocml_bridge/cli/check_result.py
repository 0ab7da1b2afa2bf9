"""Hold what `check` found in a file, as lines to print and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..convert import Reading
from ..errors import BridgeError
from ..formats.boundary import Place
from ..formats.comparison import Comparison
from ..model import Json, Transcript
from .output import describe, shown, warning


class Checked(NamedTuple):
    """The results for one file.

    Attributes:
        name: the name of the file.
        readings: the conversations that could be read.
        errors: the errors of the others.
        compared: the comparison with the official reader, message by message.
    """

    name: str
    readings: Sequence[Reading] = ()
    errors: Sequence[BridgeError] = ()
    compared: Sequence[Comparison] = ()

    @property
    def conversations(self) -> int:
        """Return the number of conversations, readable or not."""
        return len(self.readings) + len(self.errors)

    @property
    def findings(self) -> int:
        """Return the number of findings."""
        return sum(len(one.findings) for one in self.readings)

    @property
    def is_clean(self) -> bool:
        """Return whether there are no findings and no differences."""
        return not self.findings and all(one.verdict == "same" for one in self.compared)

    def lines(self) -> Iterator[str]:
        """Yield the lines to print: one for each finding, each error, and each message that was compared."""
        for one in self.readings:
            at = _at(self.name, one.place) if self.conversations > 1 else self.name
            yield from (warning(at, finding) for finding in one.findings)
        yield from (describe(error, self.name) for error in self.errors)
        yield from map(_verdict, self.compared)

    def report(self) -> dict[str, Json]:
        """Return the findings as JSON."""
        if self.conversations == len(self.readings) == 1:
            return _report(self.readings[0])
        return {
            "conversations": [_report(one) for one in self.readings],
            "errors": [_error(error) for error in self.errors],
        }

    def summary(self) -> str:
        """Return the format, and the numbers of messages, findings and errors."""
        transcripts = [one.transcript for one in self.readings if isinstance(one.transcript, Transcript)]
        messages = sum(len(transcript.messages) for transcript in transcripts)
        several = self.conversations > 1
        parts = [_counted(self.conversations, "conversation")] if several else []
        if self.readings:
            parts.insert(0, self.readings[0].source)
            parts.append(_counted(messages, "message") if several or transcripts else "a text to complete")
            parts.append(_counted(self.findings, "finding"))
        if self.errors:
            parts.append(_counted(len(self.errors), "error"))
        return f"{shown(self.name)}: {', '.join(parts)}"


def total(checked: Sequence[Checked]) -> str:
    """Return the numbers of findings and errors in all files."""
    findings, errors = sum(each.findings for each in checked), sum(len(each.errors) for each in checked)
    return f"in all: {_counted(len(checked), 'file')}, {_counted(findings, 'finding')}, {_counted(errors, 'error')}"


def _at(file: str, place: Place) -> str:
    """Return the name of a file with the place of one of its conversations, as errors have it."""
    return f"{file}:{place.line}:{place.column}" if place.path is None else f"{file}:{place.path}"


def _report(reading: Reading) -> dict[str, Json]:
    return {"source": reading.source, "findings": [finding._asdict() for finding in reading.findings]}


def _error(error: BridgeError) -> Json:
    return {key: value for key, value in error.to_json().items() if isinstance(value, (str, int))}


def _verdict(one: Comparison) -> str:
    """Return a line on one message: the verdict, and each field that differs."""
    ours, theirs = one.ours or {}, one.theirs or {}
    fields = (
        [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)] if one.verdict == "differs" else []
    )
    differences = [f"{name}: ours {_quoted(ours.get(name))}, theirs {_quoted(theirs.get(name))}" for name in fields]
    who = " ".join(f"{name}={value}" for name, value in (one.ours or theirs).items() if name != "content")
    where = "after the messages" if one.index is None else f"message {one.index}"
    return "; ".join(part for part in (f"{where} {one.verdict} {who}", *differences, one.detail) if part)


def _quoted(value: str | None) -> str:
    return "nothing" if value is None else repr(value if len(value) <= 60 else f"{value[:57]}...")


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
