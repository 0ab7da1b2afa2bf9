"""Caches tools one by one, as they are read and as they are written.

Documents declare the same tools in ever new lists: a dataset of calls draws a few from thousands for each record, and a
client sends those that it needs next. So lists hardly repeat, but tools do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..common.memo import Memo
from ..model import Json, Tool
from ..model.cache_keys import fields_of_tool, packed
from ..model.ownership import unpack

Read = TypeVar("Read")
Written = TypeVar("Written")
SIZE: Final = 1_000_000
"""The size of the cache of a reader or a writer of tools, in bytes of its keys."""
LARGEST: Final = 50_000
"""The maximal size of a tool in a cache, in bytes."""
_NOT_CACHED: Any = object()
"""The default of look-ups in a cache, in which None may be a result."""


def cached_reader(read: Callable[[Json], Read]) -> Callable[[Json], Read]:
    """Return a reader of one tool that caches its results. They are shared, so nobody may change them.

    Args:
        read: reads the JSON value of a tool. Its result depends on nothing else.
    """
    cache = Memo[bytes, Read](SIZE)

    def cached(raw: Json) -> Read:
        key = packed(raw)
        if key is None or len(key) > LARGEST:
            return read(raw)
        found: Any = cache.get(key, _NOT_CACHED)
        # A copy is read, as the caller may change its own value.
        return cache.keep(key, read(unpack(key)), len(key)) if found is _NOT_CACHED else found

    return cached


def cached_writer(write: Callable[[Tool], Written]) -> Callable[[Tool], Written]:
    """Return a writer of one tool that caches its results. They are shared, so nobody may change them.

    Args:
        write: returns what a tool is written as. That depends on nothing else.
    """
    cache = Memo[bytes, Written](SIZE)

    def cached(tool: Tool) -> Written:
        key = packed(fields_of_tool(tool))
        if key is None or len(key) > LARGEST:
            return write(tool)
        found: Any = cache.get(key, _NOT_CACHED)
        return cache.keep(key, write(tool), len(key)) if found is _NOT_CACHED else found

    return cached
