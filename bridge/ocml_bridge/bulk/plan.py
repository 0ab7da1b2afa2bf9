"""Hold the plan and the result of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from heapq import nlargest
from typing import Any

from .. import __version__
from ..json_values import jsontext
from ..model import Json
from .records import MOST_COSTS, Cost, Input, Job
from .running.journal import Progress
from .running.limits import NO_LIMITS, Limits
from .selection import Choice, Selection
from .tally import Tally


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs and options of a run.

    Attributes:
        inputs: the inputs, in order.
        job: how to convert them.
        jobs: the number of processes.
        limit: the number of files, lines and rows to convert in all; None for all.
        resume: whether to continue the run of the output folder.
        limits: the limits of one record.
        overwrite: whether outputs may replace files that the folder's last run did not make from the same inputs.
        choice: the records to convert; None for all.
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
        """Return what outputs depend on, as JSON values: a run is continued only with the same signature."""
        job = asdict(self.job)
        del job["folder"], job["keep_going"]
        inputs: list[Json] = [[item.kind, item.path, item.output, item.quarantine, item.into] for item in self.inputs]
        signature = {"version": __version__, "limit": self.limit, **job, "inputs": inputs}
        if self.choice is not None:
            signature["choice"] = asdict(self.choice)
        return jsontext.loads(jsontext.dumps(signature))  # as it is read from the journal, with lists for tuples


@dataclass(slots=True)
class Finished:
    """The result of a run.

    Attributes:
        inputs: the progress of each input that was reached, by its index.
        stopped: whether it ended early because of a quarantined record.
        costs: the slowest and the largest rows of this run, each with the index of its input.
        selection: the records that were left out; None if all were converted.
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
        """Return the counts of all inputs together."""
        total = Tally()
        for progress in self.inputs.values():
            total.merge(progress.tally)
        return total
