"""A change made in a process that has the product loaded: the code of its functions is put in their places."""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, cast

from ocml_bridge.common.memo import Memo

from .drawing import Mutant

Place = tuple[str, int]


def write(root: Path, path: str, text: str) -> None:
    """Write a file of the copy: what is not loaded yet, and processes that are started, take it from there."""
    new = root / f"{path}.new"
    new.write_text(text, "utf-8")
    os.replace(new, root / path)  # the old one may be a hard link


class Loaded:
    """The functions and the caches of the product that are loaded: found once, as that takes longer than a test."""

    def __init__(self) -> None:
        self._functions: defaultdict[str, list[FunctionType]] = defaultdict(list)
        self._clear: list[Callable[[], None]] = []
        gc.unfreeze()  # what somebody has frozen is not among the objects otherwise
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                self._functions[each.__code__.co_filename].append(each)
            elif isinstance(each, Memo):
                self._clear.append(cast("Memo[Any, Any]", each).clear)
            elif isinstance(each, functools._lru_cache_wrapper) and each.__module__.startswith("ocml_"):  # pyright: ignore[reportPrivateUsage]
                self._clear.append(each.cache_clear)
        gc.freeze()  # a process that is made for a mutant need not look through all this

    def patch(self, root: Path, mutant: Mutant) -> None:
        """Give all functions of a changed file their changed code, and forget what they had answered before."""
        file = os.fspath(root / mutant.path)
        before, after = (
            dict(_codes(compile(text, file, "exec", dont_inherit=True))) for text in (mutant.before, mutant.after)
        )
        changed = {place: code for place, code in after.items() if place in before and before[place] != code}
        for each in self._functions[file]:
            code = changed.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
            if code is not None:
                each.__code__ = code
        for clear in self._clear:
            clear()


def forget() -> None:
    """Forget the answers that the product has given, so that what is asked again is found again.

    What is made once and for all, such as a vocabulary, stays: there a cache has no bound.
    """
    modules = [module for name, module in sys.modules.items() if name.startswith("ocml_")]
    for each in (value for module in modules for value in [*vars(module).values()]):
        if isinstance(each, Memo):
            each.clear()
        elif isinstance(each, functools._lru_cache_wrapper) and each.cache_info().maxsize is not None:  # pyright: ignore[reportPrivateUsage]
            each.cache_clear()


def _codes(code: CodeType) -> Iterator[tuple[Place, CodeType]]:
    """The code of each function in a module, by its name and its line."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield (each.co_qualname, each.co_firstlineno), each
            yield from _codes(each)
