"""What reads and writes each format unit by unit."""

from __future__ import annotations

from functools import lru_cache

from ..adapter import Adapter, Options
from ..added_tokens import added_to
from ..plans.reading import PlanReader
from ..plans.writing import PlanWriter
from ..units.reader import UnitReader
from ..units.writer import UnitWriter
from .reading import Reader
from .writing import Writer


def reader_for(adapter: Adapter, options: Options) -> Reader | PlanReader | None:
    """What reads a format unit by unit; None where it is read by document, or plans are off."""
    if adapter.reads_units is None:
        return None
    reader = _reader(adapter, options)
    return reader if isinstance(reader, Reader) or _is_planned(adapter, options) else None


def writer_for(adapter: Adapter, options: Options) -> Writer | PlanWriter | None:
    """What writes a format unit by unit with some options; None where it is written by document, or plans are off."""
    if adapter.writes_units is None:
        return None
    writer = _writer(adapter, options)
    return writer if isinstance(writer, Writer) or _is_planned(adapter, options) else None


def _is_planned(adapter: Adapter, options: Options) -> bool:
    """Whether plans are on. Tokens that the options name are looked for in whole texts."""
    if not options.plans or options.bos is not None or options.eos is not None:
        return False
    return not options.special_tokens or added_to(adapter, options) is None


@lru_cache(maxsize=64)
def _reader(adapter: Adapter, options: Options) -> Reader | PlanReader | None:
    if adapter.reads_units is None:
        return None
    try:
        grammar = adapter.reads_units(options)
    except TypeError:  # not moved yet
        grammar = adapter.reads_units()
    return Reader(grammar, plans=options.plans) if isinstance(grammar, UnitReader) else PlanReader(grammar)


@lru_cache(maxsize=64)
def _writer(adapter: Adapter, options: Options) -> Writer | PlanWriter | None:
    if adapter.writes_units is None:
        return None
    grammar = adapter.writes_units(options)
    return Writer(grammar, plans=options.plans) if isinstance(grammar, UnitWriter) else PlanWriter(grammar)
