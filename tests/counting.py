"""Work and memory, counted: a busy machine changes nothing."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]
from types import FrameType
from typing import cast

from ocml_bridge.memo import Memo


def forget() -> None:
    """Empty the caches of bounded size: what they save depends on what came before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("ocml_"):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    cache = cast("_lru_cache_wrapper[object]", value)
                    if cache.cache_parameters()["maxsize"]:
                        cache.cache_clear()
                elif isinstance(value, Memo):
                    value.clear()


def calls_of(run: Callable[[], object]) -> int:
    """How many functions are called, in Python and in C."""
    seen = 0

    def hook(frame: FrameType, event: str, argument: object) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")

    forget()
    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen


def peak_of(run: Callable[[], object]) -> int:
    """The most bytes that are held at once."""
    forget()
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
