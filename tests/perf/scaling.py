"""How time and memory grow with a document, for every reader and every writer."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from time import process_time
from typing import Any, Final, NamedTuple

import orjson

from ocml_bridge import BridgeError, Document, Transcript, formats, read, write

KILO: Final = 1000
SIZES: Final = tuple(kilobytes * KILO for kilobytes in (1, 10, 100, 1_000, 10_000, 50_000))
"""Bytes of the documents whose time is measured."""
MEMORY_SIZES: Final = (1_000 * KILO, 8_000 * KILO)
"""Bytes of those whose memory is measured, which takes several times as long."""
_LEAST: Final = 0.05
"""Seconds: what takes less is repeated until it takes so long."""
_LONG: Final = 1.0
"""Seconds: what takes longer is run twice, and five times as long, once."""


class Speed(NamedTuple):
    """Time of a reader and a writer for a document of one size.

    Attributes:
        format: the format id.
        bytes: the size of the document in that format.
        read: nanoseconds for each byte.
        write: likewise, for fit, write, the report and the bytes.
    """

    format: str
    bytes: int
    read: float
    write: float


class Memory(NamedTuple):
    """The peak memory of a reader and a writer beside their input, in bytes for each byte of text."""

    format: str
    bytes: int
    read: float
    write: float


class Allowed(NamedTuple):
    """The memory that a reader and a writer may take beside their input, in bytes for each byte of text."""

    read: float
    write: float


_ALLOWED: Final = {
    "ocm-2.2": Allowed(18, 12),
    "harmony-tokens": Allowed(25, 65),
    "internlm2-tokens": Allowed(25, 85),
}


def allowed(name: str) -> Allowed:
    """What is promised of a format."""
    return _ALLOWED.get(name, Allowed(12, 12))


def document(conversations: Sequence[bytes], size: int, name: str) -> tuple[Document, bytes]:
    """One long conversation of about that many bytes in a format, and those bytes."""
    messages: list[Any] = []
    tools: list[Any] | None = None
    grown = 0
    for data in islice(cycle(conversations), 2 * size // min(map(len, conversations)) + 2):
        request = orjson.loads(data)
        tools = tools or request.get("tools")
        for message in request["messages"]:
            if grown < size:
                messages.append(message)
                grown += len(orjson.dumps(message))
    while True:
        request = {"messages": messages, **({"tools": tools} if tools and size > SIZES[0] else {})}
        made = read(orjson.dumps(request), "openai").transcript
        data = write(made, name).data
        if len(data) <= 1.3 * size or len(messages) <= 1:
            return made, data
        messages = messages[: max(1, round(len(messages) * size / len(data)))]


def readable() -> list[str]:
    """The formats that can be read and written here: token ids only with their libraries and vocabularies."""
    return [name for name in formats() if _is_writable(name)]


def _is_writable(name: str) -> bool:
    try:
        write(Transcript(()), name)
    except BridgeError:
        return False
    return True


def speed(conversations: Sequence[bytes], name: str, size: int) -> Speed:
    """Time a reader and a writer on a document of about that many bytes."""
    made, data = document(conversations, size, name)
    return Speed(
        name,
        len(data),
        _seconds(lambda: read(data, name)) / len(data) * 1e9,
        _seconds(lambda: write(made, name).data) / len(data) * 1e9,
    )


def memory(conversations: Sequence[bytes], name: str, size: int) -> Memory:
    """The peak of a reader and a writer on a document of about that many bytes."""
    made, data = document(conversations, size, name)
    return Memory(
        name,
        len(data),
        _peak(lambda: read(data, name)) / len(data),
        _peak(lambda: write(made, name).data) / len(data),
    )


def all_speeds(
    conversations: Sequence[bytes], largest: int, report: Callable[[str], None] = lambda _: None
) -> list[Speed]:
    """Every format at every size up to the largest, in bytes."""
    out: list[Speed] = []
    for name in readable():
        report(f"time of {name}")
        out += [speed(conversations, name, size) for size in SIZES if size <= largest]
    return out


def all_memory(
    conversations: Sequence[bytes], largest: int, report: Callable[[str], None] = lambda _: None
) -> list[Memory]:
    """Every format at both sizes, unless they are larger than the largest, in bytes."""
    out: list[Memory] = []
    for name in readable():
        report(f"memory of {name}")
        out += [memory(conversations, name, size) for size in MEMORY_SIZES if size <= largest]
    return out


def _seconds(run: Callable[[], object]) -> float:
    """CPU seconds of one run, the best of some; a run that is short, many times."""
    gc.collect()
    best = taken = _taken(run, 1)
    if taken > _LONG:
        return min(taken, _taken(run, 1)) if taken < 5 * _LONG else taken
    times = 1
    for _ in range(3):
        while (taken := _taken(run, times)) < _LEAST:
            times = max(times * 2, round(times * _LEAST / max(taken, 1e-4)) + 1)
        best = min(best, taken / times)
    return best


def _taken(run: Callable[[], object], times: int) -> float:
    begun = process_time()
    for _ in range(times):
        run()
    return process_time() - begun


def _peak(run: Callable[[], object]) -> int:
    run()  # caches are filled by what comes first, whatever its size
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
