"""Work and memory, counted: a busy machine changes nothing."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from cProfile import Profile
from functools import (
    _lru_cache_wrapper,  # pyright: ignore[reportPrivateUsage]
    lru_cache,
)
from types import FunctionType
from typing import cast

from ocml_bridge.common.memo import Memo


def forget() -> None:
    """Empty the caches of bounded size: what they save depends on what came before."""
    for cache in _caches(len(sys.modules)):
        cache()


@lru_cache(1)
def _caches(_modules: int) -> list[Callable[[], None]]:
    """What empties each of them, of so many modules as there are: more are imported when they are needed."""
    found: list[Callable[[], None]] = []
    for name, module in list(sys.modules.items()):
        if name.startswith("ocml_"):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    cache = cast("_lru_cache_wrapper[object]", value)
                    if cache.cache_parameters()["maxsize"]:
                        found.append(cache.cache_clear)
                elif isinstance(value, FunctionType):  # a cache may belong to a decorated function
                    cells = [cell.cell_contents for cell in value.__closure__ or ()]
                    found += [cell.clear for cell in cells if isinstance(cell, Memo)]
                elif isinstance(value, Memo):
                    found.append(value.clear)
    return found


def calls_of(run: Callable[[], object]) -> int:
    """How many functions are called, in Python and in C."""
    forget()
    profile = Profile()
    profile.enable()
    try:
        run()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def peak_of(run: Callable[[], object]) -> int:
    """The peak of allocated bytes, the lower of two runs.

    Python's own table of interned strings grows at times, by megabytes, while something else is counted.
    """
    return min(_peak_of(run), _peak_of(run))


def _peak_of(run: Callable[[], object]) -> int:
    forget()
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
