"""Caches envelopes: what stands around the units of a document, such as the model, the tools and the parameters.

An envelope is learned the second time it is met, as most are met once. A reader caches what it reads as: all
conversations with the envelope share that, so it is never changed. A writer caches the envelope as it is written,
packed, and unpacks it for each output. Large envelopes count more in the size of a cache; if it is full, it is cleared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple, cast

from ...common.memo import Memo
from ...errors import BridgeError
from ...json_values.form import Object
from ...loss import Finding, Log
from ...model import ByFormat, Completion, Json, Transcript
from ...model.cache_keys import fields_of, packed
from ...model.ownership import unpack
from ...units.grammar import Enclosed, SplitDocument, State, Unit
from ...units.planned_items import LABEL_LENGTHS, Label, with_labels
from ...units.reader import UnitReader
from ...units.writer import UnitWriter
from .probes import probe

SIZE: Final = 4_000_000
"""The size of the cache of a reader or a writer, in bytes."""
_OVERHEAD: Final = 1000
"""How many bytes an entry counts in addition to its envelope."""
_LARGEST_LABEL: Final = 10 ** LABEL_LENGTHS[int][-1]
_BLANK: Final[dict[type[str] | type[int], Json]] = {str: "label", int: 0}
"""The placeholder of a label in the cache key, by the type of the label."""
_NOT_CACHED: Any = object()
"""The default of look-ups in a cache, in which None says that an envelope cannot be learned."""
_MET_ONCE: Any = object()
"""The cache entry of an envelope that was met once."""

# --- reading ----------------------------------------------------------------------------------------------------------


class _ReadEnvelope:
    """What an envelope reads as.

    Args:
        split: what `UnitReader.split_units` returned for the envelope.
        findings: the findings of the envelope.

    Attributes:
        around: as `SplitDocument` has it, with probes in place of the labels.
        cut_off: as `SplitDocument` has it.
        document: as `SplitDocument` has it.
        findings: as given.
        labels: the members of `around` that are values.
    """

    __slots__ = ("around", "cut_off", "document", "findings", "labels")

    def __init__(self, split: SplitDocument, findings: Sequence[Finding]) -> None:
        self.findings: Final = findings
        self.labels: Sequence[Label] = ()
        self.around: Final = split.around
        self.cut_off: Final = split.cut_off
        self.document: Final = split.document


class OpenedEnvelopes:
    """Splits documents into units, with a cache of what their envelopes read as.

    Args:
        grammar: the format's reader of units.
    """

    def __init__(self, grammar: UnitReader) -> None:
        self._grammar: Final = grammar
        self._cache = Memo[bytes, _ReadEnvelope | None](SIZE)

    def split_units(self, source: str | Json, log: Log) -> SplitDocument | Completion:
        """Return what `UnitReader.split_units` returns; the envelope of the result is its cache key."""
        split = self._grammar.split_envelope(source)
        if split is None:
            return self._grammar.split_units(source, log)
        envelope: Json = split.envelope
        values: Sequence[str] = ()
        if split.labels:
            envelope, values = _without_labels(cast("Object", envelope), split.labels)
        key = packed(envelope)
        if key is None:
            return self._grammar.split_units(source, log)
        read = self._cache.get(key, _NOT_CACHED)
        if read is _NOT_CACHED:
            self._cache.keep(key, _MET_ONCE, 2 * len(key) + _OVERHEAD)
        elif read is _MET_ONCE:
            read = self._cache[key] = self._learned(unpack(key), split.labels)
        if read is None or read is _NOT_CACHED:
            return self._grammar.split_units(source, log)
        log.findings += read.findings
        labels = read.labels
        around = with_labels(read.around, labels, values)
        return SplitDocument(split.units, around, read.cut_off, read.document, read, labels, values)

    def _learned(self, envelope: Json, keys: Sequence[str]) -> _ReadEnvelope | None:
        """Read an envelope, with probes in place of its labels.

        Args:
            envelope: the document without units, with the placeholders of labels.
            keys: the keys of the labels.

        Returns:
            None if it is not an envelope of conversations, or if a label does not simply become a member of extras.
        """
        blank = self._read(envelope)
        types = _label_types(cast("Object", envelope), keys) if keys else {}
        if blank is None or not types:
            return blank
        members = cast("Object", envelope)
        probed = self._read({**members, **{key: probe(number) for number, key in enumerate(types)}})
        extras = {} if probed is None else probed.around.extras or {}
        homes = {key: home for home, home_extras in extras.items() for key in home_extras}
        if probed is None or not homes.keys() >= types.keys():
            return None
        probed.labels = [Label(homes[key], key, number, kind) for number, (key, kind) in enumerate(types.items())]
        around = with_labels(probed.around, probed.labels, [str(members[key]) for key in types])
        same = (around, probed.cut_off, probed.findings) == (blank.around, blank.cut_off, blank.findings)
        return probed if same else None

    def _read(self, envelope: Json) -> _ReadEnvelope | None:
        log = Log()
        try:
            split = self._grammar.split_units(envelope, log)
        except BridgeError:
            return None
        return None if isinstance(split, Completion) else _ReadEnvelope(split, log.findings)


def _label_types(envelope: Object, keys: Sequence[str]) -> dict[str, type[str] | type[int]]:
    """Return the types of those labels that may be values, by key."""
    return {key: kind for key in keys if (kind := _label_type(envelope[key])) is not None}


def _label_type(value: Json) -> type[str] | type[int] | None:
    if isinstance(value, str):
        return str if len(value) in LABEL_LENGTHS[str] else None
    return int if value.__class__ is int and abs(cast("int", value)) <= _LARGEST_LABEL else None


def _without_labels(envelope: Object, keys: Sequence[str]) -> tuple[Object, list[str]]:
    """Return an envelope with placeholders in place of its labels, and the labels as values."""
    types = _label_types(envelope, keys)
    return {**envelope, **{key: _BLANK[kind] for key, kind in types.items()}}, [str(envelope[key]) for key in types]


# --- writing ----------------------------------------------------------------------------------------------------------


class _WrittenEnvelope(NamedTuple):
    """An envelope as it is written.

    Attributes:
        envelope: the output without units, packed.
        image: what it reads as; None if it reads as what was to be written.
        cut_off: as `Enclosed` has it.
    """

    envelope: bytes
    image: Transcript | None
    cut_off: bool


class SealedEnvelopes:
    """Puts envelopes around units, with a cache of how envelopes are written.

    Args:
        grammar: the format's writer of units.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._cache = Memo[Hashable, _WrittenEnvelope | None](SIZE)
        self._last: tuple[Transcript | None, Hashable, _WrittenEnvelope] = (
            None,
            None,
            _WrittenEnvelope(b"", None, cut_off=False),
        )
        """The last envelope: requests that are read by one plan share what stands around their messages."""

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return what `UnitWriter.enclose` returns."""
        grammar = self._grammar
        local = _local(around, grammar.home)
        # The cache key has no alternatives, and no header and open turn, which only a format with a home leaves out.
        is_whole = local.alternatives is None and (local is around or grammar.home is not None)
        units_key = grammar.envelope_key(units, local, state) if is_whole else None
        if units_key is None:
            return grammar.enclose(units, around, state)
        last_around, last_key, written = self._last
        if last_around is not local or last_key != units_key:
            written = self._cached(units, local, state, units_key)
            if written is None:
                return grammar.enclose(units, around, state)
            self._last = local, units_key, written
        output = grammar.with_units(unpack(written.envelope), units, local)
        return Enclosed(output, local if written.image is None else written.image, written.cut_off)

    def _cached(
        self, units: list[Unit], around: Transcript, state: State, units_key: Hashable
    ) -> _WrittenEnvelope | None:
        """Return an envelope from the cache, or learn it; None if it was met the first time, or cannot be learned."""
        fields = packed(fields_of(around))
        if fields is None:
            return None
        key = units_key, fields
        written = self._cache.get(key, _NOT_CACHED)
        if written is _NOT_CACHED:
            self._cache.keep(key, _MET_ONCE, 3 * len(fields) + _OVERHEAD)
            return None
        if written is _MET_ONCE:
            written = self._cache[key] = self._learned(self._grammar.enclose(list(units), around, state), around)
        return written

    def _learned(self, enclosed: Enclosed, around: Transcript) -> _WrittenEnvelope | None:
        split = self._grammar.split_envelope(enclosed.output)
        envelope = None if split is None else packed(split.envelope)
        if envelope is None:
            return None
        return _WrittenEnvelope(envelope, None if enclosed.around == around else enclosed.around, enclosed.cut_off)


def _local(around: Transcript, home: str | None) -> Transcript:
    """Return what an envelope may depend on: all but extras and layout of other formats, the header, the open turn."""
    extras, layout = _only(around.extras, home), _only(around.layout, home)
    if extras is around.extras and layout is around.layout and around.header is around.open_turn is None:
        return around
    alternatives = around.alternatives
    return Transcript(
        (), around.tools, settings=around.settings, alternatives=alternatives, extras=extras, layout=layout
    )


def _only(by_format: ByFormat | None, home: str | None) -> ByFormat | None:
    if by_format is None or home is None or (len(by_format) == 1 and home in by_format):
        return by_format
    return {home: by_format[home]} if home in by_format else None
