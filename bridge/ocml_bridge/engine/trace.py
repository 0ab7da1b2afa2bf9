"""Define the trace of how an output was written, unit by unit: for its spans, and for the plan of the output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..units.grammar import State, Unit
from .plans.learning import Plan


class Step(NamedTuple):
    """How a unit was written.

    Attributes:
        start: the index of its first item.
        stop: the index after its last item.
        plan: its plan; None if the grammar spelled it.
        state: the state after the unit before it.
        last: whether nothing follows.
    """

    start: int
    stop: int
    plan: Plan | None
    state: State
    last: bool


class Trace:
    """How an output was written.

    Attributes:
        steps: how each unit was written.
        units: the units as they are written; three texts for one whose plan has no `build`.
        order: if messages were moved before, the index of each in the document; otherwise None.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.units: list[Unit] = []
        self.order: Sequence[int] | None = None

    @property
    def whole(self) -> list[Unit]:
        """The units, with the texts of each joined."""
        if len(self.units) == len(self.steps):
            return self.units
        pieces = iter(self.units)
        return [
            next(pieces)
            if step.plan is None or step.plan.build is not None
            else "".join((next(pieces), next(pieces), next(pieces)))
            for step in self.steps
        ]
