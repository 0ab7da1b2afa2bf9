"""Caches a reader and a writer for each format and options, with all the plans that they have learned."""

from __future__ import annotations

from functools import lru_cache

from ..formats.adapter import Adapter, Options
from .reading import Reader
from .writing import Writer


@lru_cache(maxsize=64)
def reader_for(adapter: Adapter, options: Options) -> Reader:
    """Return the reader of a format with these options."""
    return Reader(adapter.reads_units(options), plans=options.plans)


@lru_cache(maxsize=64)
def writer_for(adapter: Adapter, options: Options) -> Writer:
    """Return the writer of a format with these options."""
    return Writer(adapter.writes_units(options), plans=options.plans, marks=adapter.frame_marks)
