"""What reads and writes each format, kept with all that it has learned."""

from __future__ import annotations

from functools import lru_cache

from ..formats.adapter import Adapter, Options
from .reading import Reader
from .writing import Writer


@lru_cache(maxsize=64)
def reader_for(adapter: Adapter, options: Options) -> Reader:
    """What reads a format with some options."""
    return Reader(adapter.reads_units(options), plans=options.plans)


@lru_cache(maxsize=64)
def writer_for(adapter: Adapter, options: Options) -> Writer:
    """What writes a format with some options."""
    return Writer(adapter.writes_units(options), plans=options.plans, marks=adapter.frame_marks)
