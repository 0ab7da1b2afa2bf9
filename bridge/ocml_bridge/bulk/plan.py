"""What a run is to do, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from heapq import nlargest
from typing import Any

from .. import __version__
from ..json_values import jsontext
from ..model import Json
from .fences import NO_LIMITS, Limits
from .journal import Progress
from .records import MOST_COSTS, Cost, Input, Job
from .selection import Choice, Selection
from .tally import Tally


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do.

    Attributes:
        inputs: what to convert, in order.
        job: how.
        jobs: in how many processes.
        limit: how many files, lines and rows to convert in all; None for all there are.
        resume: whether to continue the run that the output folder has.
        limits: what one record may cost.
        overwrite: whether outputs may take the place of files that the folder's last run did not make of the same
            inputs.
        choice: which records to convert; None for all.
    """

    inputs: tuple[Input, ...]
    job: Job
    jobs: int = 1
    limit: int | None = None
    resume: bool = False
    limits: Limits = NO_LIMITS
    overwrite: bool = False
    choice: Choice | None = None

    def signature(self) -> dict[str, Any]:
        """What makes outputs what they are, as JSON values: a run is continued only with the same."""
        job = asdict(self.job)
        del job["folder"], job["keep_going"]
        inputs: list[Json] = [[item.kind, item.path, item.output, item.quarantine, item.into] for item in self.inputs]
        signature = {"version": __version__, "limit": self.limit, **job, "inputs": inputs}
        if self.choice is not None:
            signature["choice"] = asdict(self.choice)
        return jsontext.loads(jsontext.dumps(signature))  # as the journal gives it back: tuples are lists there


@dataclass(slots=True)
class Finished:
    """How a run ended.

    Attributes:
        inputs: what became of each input that was reached, by its index.
        stopped: whether it ended early because of a quarantined record.
        costs: the slowest and the largest rows of this run, each with its input.
        selection: which records were left out; None where all were converted.
    """

    inputs: dict[int, Progress] = field(default_factory=dict[int, Progress])
    stopped: bool = False
    costs: list[tuple[int, Cost]] = field(default_factory=list[tuple[int, Cost]])
    selection: Selection | None = None

    def add_costs(self, index: int, costs: Iterable[Cost]) -> None:
        """Keep the slowest and the largest rows."""
        known = {(at, cost.seconds): (at, cost) for at, cost in (*self.costs, *((index, cost) for cost in costs))}
        slow = nlargest(MOST_COSTS, known.values(), key=lambda each: each[1].seconds)
        large = nlargest(MOST_COSTS, known.values(), key=lambda each: each[1].size)
        self.costs = [*slow, *(each for each in large if each not in slow)]

    @property
    def tally(self) -> Tally:
        """The counts of all inputs together."""
        total = Tally()
        for progress in self.inputs.values():
            total.merge(progress.tally)
        return total
