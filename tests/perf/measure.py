"""Timing, interleaved: each part of the corpus goes through all works before the next part does.

Whatever slows the machine down for a while slows all works down. Each distribution has a process of its own, so that
none works in the memory that another has left behind; one of them works at a time. Times are CPU time. For each part
the best of all rounds counts, so that a ratio compares the same conversations at their best; medians are given, too.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from statistics import median
from time import process_time
from typing import Any, Final, Protocol

from .corpus import conversations
from .work import Work

PART: Final = 250
"""How many conversations a part is."""
WARM_UP: Final = 20
"""How many of a part only warm a work up and are not timed: another process worked meanwhile."""


@dataclass(slots=True)
class Times:
    """What one work took.

    Attributes:
        work: the work.
        counts: for each part that is measured, by its number: how many conversations it has.
        parts: for each part: the seconds of each round.
    """

    work: Work
    counts: dict[int, int]
    parts: dict[int, list[float]] = field(default_factory=dict[int, list[float]])

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


class Place(Protocol):
    """Where works are timed."""

    def counts(self, work: str) -> dict[int, int]:
        """How many conversations of each part a work is measured on."""
        ...

    def time(self, work: str, part: int) -> float:
        """CPU seconds of a work for a part."""
        ...


class Here:
    """Works timed in this process."""

    def __init__(self, works: Iterable[Work], corpus: Sequence[bytes]) -> None:
        """Make the inputs of all works."""
        parts = [corpus[at : at + PART] for at in range(0, len(corpus) - WARM_UP, PART)]
        self._works = {work.id: work for work in works}
        self._inputs = {work.id: _inputs(work, parts) for work in self._works.values()}

    def counts(self, work: str) -> dict[int, int]:
        """See `Place`."""
        return {part: len(given) - WARM_UP for part, given in self._inputs[work].items()}

    def time(self, work: str, part: int) -> float:
        """See `Place`."""
        run, inputs = self._works[work].run, self._inputs[work][part]
        for given in inputs[:WARM_UP]:
            run(given)
        begun = process_time()
        for given in inputs[WARM_UP:]:
            run(given)
        return process_time() - begun


def _inputs(work: Work, parts: Sequence[Sequence[bytes]]) -> dict[int, list[Any]]:
    return {
        at: [work.prepare(data) for data in part] for at, part in enumerate(parts) if at % work.sample == work.first
    }


class Apart:
    """Works timed in a process of their own."""

    def __init__(self, link: Connection) -> None:
        """Talk to a process that runs `_serve`."""
        self._link = link
        self._counts: dict[str, dict[int, int]] = link.recv()

    def counts(self, work: str) -> dict[int, int]:
        """See `Place`."""
        return self._counts[work]

    def time(self, work: str, part: int) -> float:
        """See `Place`."""
        self._link.send((work, part))
        return self._link.recv()


@contextmanager
def apart(load: Callable[[], Iterable[Work]], names: set[str], count: int) -> Generator[Apart]:
    """A process for some works.

    Args:
        load: gives the works there; a function of a module.
        names: which of them are measured.
        count: how many conversations of the corpus.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, load, names, count), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Apart(ours)
        ours.send(None)
    finally:
        ours.close()
        process.join()


def _serve(link: Connection, load: Callable[[], Iterable[Work]], names: set[str], count: int) -> None:
    works = [work for work in load() if work.id in names]
    place = Here(works, list(conversations(count)))
    # What is there already is no garbage, and need not be looked through again and again.
    gc.collect()
    gc.freeze()
    link.send({name: place.counts(name) for name in names})
    while (asked := link.recv()) is not None:
        link.send(place.time(*asked))


def measure(
    places: Iterable[tuple[Work, Place]], rounds: int, report: Callable[[str], None] = print
) -> dict[str, Times]:
    """Measure works, each in its place; gives their times by the work's id."""
    found = list(places)
    times = {work.id: Times(work, place.counts(work.id)) for work, place in found}
    numbers = sorted({number for each in times.values() for number in each.counts})
    for lap in range(rounds):
        report(f"round {lap + 1} of {rounds}")
        turn = lap % len(found)
        for number in numbers:
            for work, place in found[turn:] + found[:turn]:
                if number in times[work.id].counts:
                    times[work.id].parts.setdefault(number, []).append(place.time(work.id, number))
    return times


def measure_apart(
    sources: Iterable[tuple[Callable[[], Iterable[Work]], Sequence[Work]]],
    count: int,
    rounds: int,
    report: Callable[[str], None] = print,
) -> dict[str, Times]:
    """Measure works in processes of their own.

    Args:
        sources: for each process: the function that gives its works there, and those that are measured.
        count: how many conversations of the corpus.
        rounds: how often each is measured.
        report: takes lines about the progress.
    """
    with ExitStack() as running:
        places: list[tuple[Work, Place]] = []
        for load, works in sources:
            if works:
                report(f"{works[0].by}: {', '.join(work.id for work in works)}")
                place = running.enter_context(apart(load, {work.id for work in works}, count))
                places += [(work, place) for work in works]
        return measure(places, rounds, report)
