"""Timing, interleaved: each part of the corpus goes through all works before the next part does.

Whatever slows the machine down for a while slows all works down. Times are CPU time of this process. For each part the
best of all rounds counts, so that a ratio compares the same conversations at their best; medians stand beside.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Any, Final

from .work import Work

PART: Final = 100
"""How many conversations a part is."""


@dataclass(slots=True)
class Times:
    """What one work took.

    Attributes:
        work: the work.
        parts: for each part that was measured, by its number: the seconds of each round.
        counts: how many conversations a part has.
    """

    work: Work
    parts: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    counts: dict[int, int] = field(default_factory=dict[int, int])

    def best(self, parts: Sequence[int]) -> float:
        """Seconds for those parts, each at its best."""
        return sum(min(self.parts[part]) for part in parts)

    def rounds(self, parts: Sequence[int]) -> list[float]:
        """Seconds for those parts in each round."""
        return [sum(times) for times in zip(*(self.parts[part] for part in parts), strict=True)]

    @property
    def microseconds(self) -> float:
        """For one conversation, at its best."""
        return self.best(list(self.parts)) / sum(self.counts.values()) * 1e6

    @property
    def median(self) -> float:
        """Microseconds for one conversation in the median round."""
        return median(self.rounds(list(self.parts))) / sum(self.counts.values()) * 1e6


def ratio(one: Times, other: Times) -> tuple[float, float]:
    """How many times longer `one` takes than `other`, on the conversations that both were measured on.

    Returns:
        The ratio of the best, and the median of the ratios of the rounds.
    """
    shared = sorted(one.parts.keys() & other.parts.keys())
    by_round = zip(one.rounds(shared), other.rounds(shared), strict=True)
    return one.best(shared) / other.best(shared), median(a / b for a, b in by_round)


def measure(
    works: Sequence[Work], corpus: Sequence[bytes], rounds: int, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Times]:
    """Measure works on a corpus.

    Args:
        works: what to measure.
        corpus: conversations as bytes.
        rounds: how often each is measured.
        tell: hears of the progress.

    Returns:
        The times by the work's id.
    """
    parts = [corpus[at : at + PART] for at in range(0, len(corpus), PART)]
    times = {work.id: Times(work) for work in works}
    inputs = {work.id: _inputs(work, parts) for work in works}
    for work in works:
        for number, given in inputs[work.id].items():
            times[work.id].counts[number] = len(given)
            times[work.id].parts[number] = []
    _warm_up(works, inputs)
    gc.collect()
    gc.freeze()
    try:
        for lap in range(rounds):
            tell(f"round {lap + 1} of {rounds}")
            order = [*works[lap % len(works) :], *works[: lap % len(works)]]
            for number in range(len(parts)):
                for work in order:
                    if number in inputs[work.id]:
                        times[work.id].parts[number].append(_time(work.run, inputs[work.id][number]))
    finally:
        gc.unfreeze()
    return times


def _inputs(work: Work, parts: Sequence[Sequence[bytes]]) -> dict[int, list[Any]]:
    return {
        at: [work.prepare(data) for data in part] for at, part in enumerate(parts) if at % work.sample == work.first
    }


def _warm_up(works: Sequence[Work], inputs: dict[str, dict[int, list[Any]]]) -> None:
    for work in works:
        for given in next(iter(inputs[work.id].values()), ())[:20]:
            work.run(given)


def _time(run: Callable[[Any], Any], inputs: Sequence[Any]) -> float:
    begun = process_time()
    for given in inputs:
        run(given)
    return process_time() - begun
