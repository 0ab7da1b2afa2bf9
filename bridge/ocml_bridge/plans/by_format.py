"""The readers and writers by plans of each format, and the switch that turns them off."""

from __future__ import annotations

from functools import lru_cache

from ..adapter import Adapter, Options
from .reading import PlanReader
from .writing import PlanWriter


def reader_for(adapter: Adapter, options: Options) -> PlanReader | None:
    """What reads a format unit by unit; None where it is read by document, or plans are off."""
    # Tokens that the options name are read as the edges of a whole text.
    by_units = options.plans and options.bos is None and options.eos is None
    return _reader(adapter) if by_units and adapter.reads_units is not None else None


def writer_for(adapter: Adapter, options: Options) -> PlanWriter | None:
    """What writes a format unit by unit with some options; None where it is written by document, or plans are off."""
    return _writer(adapter, options) if options.plans and adapter.writes_units is not None else None


@lru_cache(maxsize=64)
def _reader(adapter: Adapter) -> PlanReader | None:
    return None if adapter.reads_units is None else PlanReader(adapter.reads_units())


@lru_cache(maxsize=64)
def _writer(adapter: Adapter, options: Options) -> PlanWriter | None:
    return None if adapter.writes_units is None else PlanWriter(adapter.writes_units(options))
