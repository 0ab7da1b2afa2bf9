"""The readers and writers by plans of each format, and the switch that turns them off."""

from __future__ import annotations

from functools import lru_cache

from ..adapter import Adapter, Options
from ..added_tokens import added_to
from .reading import PlanReader
from .writing import PlanWriter


def reader_for(adapter: Adapter, options: Options) -> PlanReader | None:
    """What reads a format unit by unit; None where it is read by document, or plans are off."""
    return _reader(adapter) if adapter.reads_units is not None and _is_planned(adapter, options) else None


def writer_for(adapter: Adapter, options: Options) -> PlanWriter | None:
    """What writes a format unit by unit with some options; None where it is written by document, or plans are off."""
    return _writer(adapter, options) if adapter.writes_units is not None and _is_planned(adapter, options) else None


def _is_planned(adapter: Adapter, options: Options) -> bool:
    """Whether plans are on. Tokens that the options name are looked for in whole texts."""
    if not options.plans or options.bos is not None or options.eos is not None:
        return False
    return not options.special_tokens or added_to(adapter, options) is None


@lru_cache(maxsize=64)
def _reader(adapter: Adapter) -> PlanReader | None:
    return None if adapter.reads_units is None else PlanReader(adapter.reads_units())


@lru_cache(maxsize=64)
def _writer(adapter: Adapter, options: Options) -> PlanWriter | None:
    return None if adapter.writes_units is None else PlanWriter(adapter.writes_units(options))
