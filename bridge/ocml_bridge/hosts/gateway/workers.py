"""Work beside the event loop that holds it up as little as it can."""

from __future__ import annotations

import gc
import threading
import traceback
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, TypeVar, cast

LARGE: Final = 65_536
"""From this many bytes on, what is converted waits its turn beside the event loop, which goes on meanwhile."""
_MANY: Final = 1_000
"""How many items are freed at once."""
_DEPTH: Final = 8
"""How deep in a value large containers are looked for."""
_SHARED: Final = (type, ModuleType, FunctionType, MethodType)
"""What belongs to the program, and is nobody's value."""

Given = TypeVar("Given")
Made = TypeVar("Made")


def uncollected(work: Callable[[Given], Made], given: Given) -> Made:
    """What a function makes, while the cyclic collector waits.

    What it throws away is freed bit by bit, behind it.
    """
    with _COLLECTOR, _BIN.emptied():
        try:
            return work(given)
        except BaseException as error:
            _forget(error)
            raise


def discard(value: object) -> None:
    """Throw a value away that may be large, as soon as nobody else needs it.

    The last reference to a conversation of a hundred thousand messages frees millions of objects in one go, and all
    threads wait for that. Inside of `uncollected` they are freed a thousand at a time.
    """
    _BIN.add(value)


class _Collector:
    """The cyclic collector, put off while anyone asks: it stops all threads while it looks at everything there is.

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
    """What one thread's work throws away."""

    def __init__(self) -> None:
        self._items: list[list[Any]] | None = None

    def add(self, value: object) -> None:
        if self._items is not None:
            self._items += _crowds(value)

    @contextmanager
    def emptied(self) -> Generator[None]:
        """Hold on to the items of what is thrown away inside, and let go of them behind it."""
        items = self._items = []
        try:
            yield
        finally:
            self._items = None
            for each in items:
                while each:
                    del each[-_MANY:]


def _crowds(value: object) -> list[list[Any]]:
    """The items of the large containers in a value; not of those in these items."""
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
    """Let go of what the frames hold that an error came through."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


_COLLECTOR = _Collector()
_BIN = _Bin()
