"""Envelopes that were read or written once are remembered: documents that differ in their units alone share them.

What is remembered of what stands around messages is shared by all conversations that have it, so nobody changes it;
outputs are made anew. Large envelopes count for more, and where there are too many, all are forgotten. Most are met
once, so one is learned when it is met again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from ..errors import BridgeError
from ..loss import Finding, Log
from ..memo import Memo
from ..model import ByFormat, Completion, Json, Transcript
from ..ownership import unpack
from ..units.grammar import Enclosed, Parted, State, Unit
from ..units.reader import UnitReader
from ..units.writer import UnitWriter
from .around import fields_of, packed

SIZE: Final = 4_000_000
"""How many bytes of envelopes a reader or writer remembers."""
_OVERHEAD: Final = 1000
"""What one takes beside its bytes."""
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
    """

    __slots__ = ("around", "cut_off", "document", "findings")

    def __init__(self, parted: Parted, findings: Sequence[Finding]) -> None:
        self.findings: Final = findings
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
        key = None if emptied is None else packed(emptied.envelope)
        if emptied is None or key is None:
            return self._grammar.part(source, log)
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            self._known.keep(key, _MET, 2 * len(key) + _OVERHEAD)
        elif found is _MET:
            found = self._known[key] = self._learned(unpack(key))
        if found is None or found is _UNKNOWN:
            return self._grammar.part(source, log)
        log.findings += found.findings
        return Parted(emptied.units, found.around, found.cut_off, found.document, found)

    def _learned(self, envelope: Json) -> _Read | None:
        """What an envelope is read as; None where there is no conversation in it."""
        log = Log()
        try:
            parted = self._grammar.part(envelope, log)
        except BridgeError:
            return None
        return None if isinstance(parted, Completion) else _Read(parted, log.findings)


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
