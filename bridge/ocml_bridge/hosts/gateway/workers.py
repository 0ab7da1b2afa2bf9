"""Run work outside of the event loop, with as little delay for it as possible."""

from __future__ import annotations

import gc
import threading
import traceback
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, TypeVar, cast

LARGE: Final = 65_536
"""The size in bytes from which on a conversion runs in a worker thread, one after another."""
_MANY: Final = 1_000
"""The number of items that are freed at once."""
_DEPTH: Final = 8
"""The depth in a value to which large containers are looked for."""
_SHARED: Final = (type, ModuleType, FunctionType, MethodType)
"""Types of objects that belong to the program, and to no value."""

Given = TypeVar("Given")
Made = TypeVar("Made")


def uncollected(work: Callable[[Given], Made], given: Given) -> Made:
    """Return the result of a function, during which the cyclic collector is paused.

    Values that it discards are freed in steps after it.
    """
    with _COLLECTOR, _BIN.emptied():
        try:
            return work(given)
        except BaseException as error:
            _forget(error)
            raise


def discard(value: object) -> None:
    """Discard a value that may be large, as soon as it is not needed.

    Freeing the last reference to a conversation of a hundred thousand messages frees millions of objects at once,
    during which all threads wait. Inside of `uncollected` they are freed a thousand at a time.
    """
    _BIN.add(value)


class _Collector:
    """Pauses the cyclic collector while anyone needs it: it stops all threads while it looks at all objects.

    Conversions make millions of objects and no cycles.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0

    def __enter__(self) -> None:
        with self._lock:
            self._under_way += 1
            gc.disable()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._under_way -= 1
            if not self._under_way:
                gc.enable()


class _Bin(threading.local):
    """The values that one thread's work discards."""

    def __init__(self) -> None:
        self._items: list[list[Any]] | None = None

    def add(self, value: object) -> None:
        if self._items is not None:
            self._items += _items_of_large(value)

    @contextmanager
    def emptied(self) -> Generator[None]:
        """Keep the items of values that are discarded inside the block, and free them after it."""
        items = self._items = []
        try:
            yield
        finally:
            self._items = None
            for each in items:
                while each:
                    del each[-_MANY:]


def _items_of_large(value: object) -> list[list[Any]]:
    """Return the items of the large containers in a value, but not of those in these items."""
    found: list[list[Any]] = []
    seen: set[int] = set()
    level: list[object] = [value]
    for _ in range(_DEPTH):
        below: list[object] = []
        for each in level:
            if id(each) in seen or isinstance(each, _SHARED):
                continue
            seen.add(id(each))
            items = _items(each)
            if len(items) > _MANY:
                found.append(list(items))
            else:
                below += gc.get_referents(each)
        level = below
    return found


def _items(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("Collection[object]", value) if isinstance(value, list | tuple) else ()


def _forget(error: BaseException | None) -> None:
    """Clear the frames of an error's traceback."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


_COLLECTOR = _Collector()
_BIN = _Bin()
