"""Documents that are converted once, as most are: nothing of them was remembered from an earlier round.

Each target has documents of its own. The last ones are timed; those before them warm up, as in a process that has been
running for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Final, NamedTuple

import orjson

from ocml_bridge import BridgeError, Options, convert

from .documents import third
from .pairs import SOURCE, TARGETS

DRAWN: Final = ("generated", "real", "calls")
"""The thirds that have documents enough, and records of calls."""
BEFORE: Final = 1000
"""How many conversations are converted before those that are timed, if there are so many."""
PART: Final = 20
"""How many conversations are timed together: one alone is shorter than the clock is exact."""
ROUNDS: Final = 5
"""How often what is not timed once is timed; the best counts."""
_WITHOUT_MEMORY: Final = Options(plans=False)


class Once(NamedTuple):
    """How long documents take, in units of `orjson.loads` and `dumps` of the same requests.

    Attributes:
        third: which documents.
        target: the format that is written from `openai`.
        once: the first time, in the median part.
        again: the best of several times after it, in the median part.
        conversations: how many were timed.
    """

    third: str
    target: str
    once: float
    again: float
    conversations: int


def all_once(count: int, report: Callable[[str], None]) -> list[Once]:
    """Measure some conversations of each third with each target; a third with too few of them is left out.

    Args:
        count: how many are timed for each target.
        report: takes lines about the progress.
    """
    out: list[Once] = []
    for name in DRAWN:
        documents = [orjson.dumps(request) for request in third(name, (BEFORE + count) * len(TARGETS))]
        documents = [data for data in documents if _is_taken(data)]
        if len(documents) < (count + PART) * len(TARGETS):
            report(f"once: there are not enough documents of {name}")
            continue
        report(f"once: {name}, {len(documents)} conversations")
        for at, target in enumerate(TARGETS):
            own = documents[at :: len(TARGETS)]
            out.append(_measured(name, target, own[:-count], own[-count:]))
    return out


def _is_taken(data: bytes) -> bool:
    """Whether a document is converted; another reader and another writer meet it here, which remember nothing."""
    try:
        for target in TARGETS:
            convert(data, source=SOURCE, target=target, options=_WITHOUT_MEMORY)
    except BridgeError:
        return False
    return True


def _measured(name: str, target: str, before: Sequence[bytes], documents: Sequence[bytes]) -> Once:
    def work(part: Sequence[bytes]) -> None:
        for data in part:
            convert(data, source=SOURCE, target=target)

    def bound(part: Sequence[bytes]) -> None:
        for data in part:
            orjson.dumps(orjson.loads(data))

    work(before)
    parts = [documents[at : at + PART] for at in range(0, len(documents) - PART + 1, PART)]
    first = [_seconds(work, part) for part in parts]
    again = [min(_seconds(work, part) for _ in range(ROUNDS)) for part in parts]
    least = [min(_seconds(bound, part) for _ in range(ROUNDS)) for part in parts]
    once, repeated = (median(a / b for a, b in zip(times, least, strict=True)) for times in (first, again))
    return Once(name, target, once, repeated, PART * len(parts))


def _seconds(work: Callable[[Sequence[bytes]], None], part: Sequence[bytes]) -> float:
    begun = process_time()
    work(part)
    return process_time() - begun
