"""Envelopes that were read or written once are remembered: documents that differ in their units alone share them.

What is remembered of what stands around messages is shared by all conversations that have it, so nobody changes it;
outputs are made anew. Large envelopes count for more, and where there are too many, all are forgotten. Most are met
once, so one is learned when it is met again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple, cast

from ...common.memo import Memo
from ...errors import BridgeError
from ...json_values.form import Object
from ...loss import Finding, Log
from ...model import ByFormat, Completion, Json, Transcript
from ...model.ownership import unpack
from ...units.grammar import Enclosed, Parted, State, Unit
from ...units.places import Label, with_labels
from ...units.reader import UnitReader
from ...units.writer import UnitWriter
from ..around import fields_of, packed
from .probes import probe

SIZE: Final = 4_000_000
"""How many bytes of envelopes a reader or writer remembers."""
_OVERHEAD: Final = 1000
"""What one takes beside its bytes."""
LONGEST_LABEL: Final = 200
"""How long a text around units is at most that is expected to be another in each document, in characters."""
_LARGEST_LABEL: Final = 10**15
_BLANK: Final[dict[type[str] | type[int], Json]] = {str: "label", int: 0}
"""What stands for labels in the envelope that documents have in common."""
_UNKNOWN: Any = object()
"""Stands for what was not met before."""
_MET: Any = object()
"""Stands for what is learned when it is met again: many an envelope, such as one with a date, is the only one."""

# --- reading ----------------------------------------------------------------------------------------------------------


class _Read:
    """What an envelope is read as.

    Args:
        parted: it, without units.
        findings: what is noticed of it.

    Attributes:
        labels: its members that are values; a probe stands there for each.
    """

    __slots__ = ("around", "cut_off", "document", "findings", "labels")

    def __init__(self, parted: Parted, findings: Sequence[Finding]) -> None:
        self.findings: Final = findings
        self.labels: Sequence[Label] = ()
        self.around: Final = parted.around
        self.cut_off: Final = parted.cut_off
        self.document: Final = parted.document


class OpenedEnvelopes:
    """Takes documents apart, those with one envelope alike.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitReader) -> None:
        self._grammar: Final = grammar
        self._known = Memo[bytes, _Read | None](SIZE)

    def part(self, source: str | Json, log: Log) -> Parted | Completion:
        """As `UnitReader.part`."""
        emptied = self._grammar.emptied(source)
        if emptied is None:
            return self._grammar.part(source, log)
        envelope: Json = emptied.envelope
        values: Sequence[str] = ()
        if emptied.labels:
            envelope, values = _without_labels(cast("Object", envelope), emptied.labels)
        key = packed(envelope)
        if key is None:
            return self._grammar.part(source, log)
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            self._known.keep(key, _MET, 2 * len(key) + _OVERHEAD)
        elif found is _MET:
            found = self._known[key] = self._learned(unpack(key), emptied.labels)
        if found is None or found is _UNKNOWN:
            return self._grammar.part(source, log)
        log.findings += found.findings
        labels = found.labels
        around = with_labels(found.around, labels, values)
        return Parted(emptied.units, around, found.cut_off, found.document, found, labels, values)

    def _learned(self, envelope: Json, keys: Sequence[str]) -> _Read | None:
        """What an envelope is read as; None where there is no conversation in it, or a label is none."""
        found = self._read(envelope)
        kinds = _kinds_of(cast("Object", envelope), keys) if keys else {}
        if found is None or not kinds:
            return found
        members = cast("Object", envelope)
        made = self._read({**members, **{key: probe(number) for number, key in enumerate(kinds)}})
        homes = {} if made is None else {key: home for home, own in (made.around.extras or {}).items() for key in own}
        if made is None or not homes.keys() >= kinds.keys():
            return None
        made.labels = [Label(homes[key], key, number, kind) for number, (key, kind) in enumerate(kinds.items())]
        blank = with_labels(made.around, made.labels, [str(members[key]) for key in kinds])
        same = (blank, made.cut_off, made.findings) == (found.around, found.cut_off, found.findings)
        return made if same else None

    def _read(self, envelope: Json) -> _Read | None:
        log = Log()
        try:
            parted = self._grammar.part(envelope, log)
        except BridgeError:
            return None
        return None if isinstance(parted, Completion) else _Read(parted, log.findings)


def _kinds_of(envelope: Object, keys: Sequence[str]) -> dict[str, type[str] | type[int]]:
    """The keys of labels that are values, each with what makes a label of a value."""
    return {key: kind for key in keys if (kind := _kind_of(envelope[key])) is not None}


def _kind_of(value: Json) -> type[str] | type[int] | None:
    if isinstance(value, str):
        return str if 0 < len(value) <= LONGEST_LABEL else None
    return int if value.__class__ is int and abs(cast("int", value)) <= _LARGEST_LABEL else None


def _without_labels(envelope: Object, keys: Sequence[str]) -> tuple[Object, list[str]]:
    """An envelope with labels that all others have, too, and its own as values."""
    kinds = _kinds_of(envelope, keys)
    return {**envelope, **{key: _BLANK[kind] for key, kind in kinds.items()}}, [str(envelope[key]) for key in kinds]


# --- writing ----------------------------------------------------------------------------------------------------------


class _Written(NamedTuple):
    """An envelope as it is written, and what it reads as; None where that is what was to stand there."""

    envelope: bytes
    image: Transcript | None
    cut_off: bool


class SealedEnvelopes:
    """Writes envelopes around units, those with the same in them alike.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._known = Memo[Hashable, _Written | None](SIZE)
        self._last: tuple[Transcript | None, Hashable, _Written] = None, None, _Written(b"", None, cut_off=False)
        """What was written last: requests that are read alike share what stands around their messages."""

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """As `UnitWriter.enclose`."""
        grammar = self._grammar
        own = _local(around, grammar.home)
        outline = None if own.alternatives is not None else grammar.outline(units, own, state)
        if outline is None:
            return grammar.enclose(units, around, state)
        last, its_outline, found = self._last
        if last is not own or its_outline != outline:
            found = self._found(units, own, state, outline)
            if found is None:
                return grammar.enclose(units, around, state)
            self._last = own, outline, found
        output = grammar.refilled(unpack(found.envelope), units, own)
        return Enclosed(output, own if found.image is None else found.image, found.cut_off)

    def _found(self, units: list[Unit], around: Transcript, state: State, outline: Hashable) -> _Written | None:
        """How an envelope like one is written; None where that is not to be remembered."""
        fields = packed(fields_of(around))
        if fields is None:
            return None
        key = outline, fields
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            self._known.keep(key, _MET, 3 * len(fields) + _OVERHEAD)
            return None
        if found is _MET:
            found = self._known[key] = self._learned(self._grammar.enclose(list(units), around, state), around)
        return found

    def _learned(self, enclosed: Enclosed, around: Transcript) -> _Written | None:
        emptied = self._grammar.emptied(enclosed.output)
        envelope = None if emptied is None else packed(emptied.envelope)
        if envelope is None:
            return None
        return _Written(envelope, None if enclosed.around == around else enclosed.around, enclosed.cut_off)


def _local(around: Transcript, home: str | None) -> Transcript:
    """What stands around messages, as far as an envelope may depend on it: nothing that only other formats say."""
    extras, layout = _home(around.extras, home), _home(around.layout, home)
    if extras is around.extras and layout is around.layout and around.header is around.open_turn is None:
        return around
    alternatives = around.alternatives
    return Transcript(
        (), around.tools, settings=around.settings, alternatives=alternatives, extras=extras, layout=layout
    )


def _home(by_format: ByFormat | None, home: str | None) -> ByFormat | None:
    if by_format is None or home is None or (len(by_format) == 1 and home in by_format):
        return by_format
    return {home: by_format[home]} if home in by_format else None
