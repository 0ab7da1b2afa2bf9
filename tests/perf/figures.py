"""Everything measured in one run, as JSON values: what `docs/speed.json` has and the page is made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from . import keeps, machine, once, pairs, peers, scaling, startup
from .corpus import SEED, conversations, describe
from .measure import Times, measure_apart, ratio
from .work import OURS, Work
from .works import GOALS, OURS_MEASURED, Goal, ours

Figures = dict[str, Any]

STARTS: Final = 20
"""How often each process is started."""
SCALED: Final = 500
"""How many conversations long documents are made of."""
PAIRED: Final = 150
"""How many conversations of each third every pair of formats is measured on."""


def collect(count: int, rounds: int, largest: int, report: Callable[[str], None]) -> Figures:
    """Measure everything.

    Args:
        count: conversations of the corpus.
        rounds: how often each work is measured.
        largest: bytes of the largest document of the part about growth; 0 leaves that part out.
        report: takes lines about the progress.
    """
    report(f"{count} conversations from seed {SEED}")
    corpus = list(conversations(count))
    found = peers.load()
    sources = [(ours, OURS_MEASURED), *((peer.load, peer.works) for peer in found)]
    left_out = {work.id: reason for _, works in sources for work in works if (reason := _refusal(work, corpus[0]))}
    sources = [(load, [work for work in works if work.id not in left_out]) for load, works in sources]
    works = [work for _, each in sources for work in each]
    times = measure_apart(sources, count, rounds, report)
    report("starting processes")
    starts = startup.measure_starts(STARTS)
    return {
        "machine": machine.describe(),
        "corpus": {"seed": SEED, **describe(corpus)},
        "rounds": rounds,
        "peers": [{"name": peer.name, "version": peer.version, "missing": peer.missing} for peer in found],
        "left_out": left_out,
        "works": [_work(work, times) for work in works],
        "goals": [_goal(goal, times, starts) for goal in GOALS],
        "starts": {name: {"does": startup.STARTS[name][0], **start._asdict()} for name, start in starts.items()},
        "keeps": keeps.outcomes(works, report),
        **(growth(corpus[:SCALED], largest, report) if largest else {}),
        **paired(PAIRED, rounds, report),
    }


def paired(count: int, rounds: int, report: Callable[[str], None]) -> Figures:
    """Every pair of formats, documents that are converted once, and what single features cost."""
    return {
        "pairs": [ratio._asdict() for ratio in pairs.all_pairs(count, rounds, report)],
        "once": [figure._asdict() for figure in once.all_once(count, report)],
        "features": [cost._asdict() for cost in pairs.all_features(count, rounds, report)],
    }


def _refusal(work: Work, data: bytes) -> str:
    """Why a work cannot be measured here, such as ours that needs the official encoder; "" where it can."""
    try:
        work.run(work.prepare(data))
    except Exception as error:  # whatever another's library raises, the others are measured
        return f"{type(error).__name__}: {error}"
    return ""


def growth(corpus: Sequence[bytes], largest: int, report: Callable[[str], None]) -> Figures:
    """Time and memory by the size of a document."""
    return {
        "speeds": [speed._asdict() for speed in scaling.all_speeds(corpus, largest, report)],
        "memory": [peak._asdict() for peak in scaling.all_memory(corpus, largest, report)],
    }


def _work(work: Work, times: dict[str, Times]) -> Figures:
    own = times[work.id]
    compared = next((other for other in OURS_MEASURED if other.job == work.job), OURS_MEASURED[0])
    best, middle = ratio(own, times[compared.id])
    return {
        "id": work.id,
        "job": work.job,
        "by": work.by,
        "does": work.does,
        "conversations": sum(own.counts.values()),
        "microseconds": round(own.microseconds, 1),
        "median": round(own.median, 1),
        "ours": None if work.by == OURS else compared.id,
        "ratio": round(best, 3),
        "ratio_median": round(middle, 3),
    }


def _goal(goal: Goal, times: dict[str, Times], starts: dict[str, startup.Start]) -> Figures:
    best: float | None = None
    middle: float | None = None
    if goal.ours in starts and goal.peer in starts:
        one, other = starts[goal.peer], starts[goal.ours]
        best, middle = one.best / other.best, one.median / other.median
    elif goal.ours in times and goal.peer in times:
        best, middle = ratio(times[goal.peer], times[goal.ours])
    return {**goal._asdict(), "ratio": best, "ratio_median": middle, "reached": _is_reached(goal, best)}


def _is_reached(goal: Goal, best: float | None) -> bool | None:
    """Whether the peer takes so many times as long as ours; None where that was not measured or nothing is demanded."""
    if best is None or (goal.at_least is None and goal.at_most is None):
        return None
    return best >= (goal.at_least or 0) and best * (goal.at_most or best) >= 1


def save(figures: Figures, path: Path) -> None:
    """Write figures as JSON that is easy to compare: one entry a line."""
    path.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")


def load(path: Path) -> Figures:
    """Read what `save` wrote."""
    return json.loads(path.read_text("utf-8"))
