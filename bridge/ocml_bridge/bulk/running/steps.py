"""Define the steps of a run, and their results."""

from __future__ import annotations

from typing import NamedTuple

from ..records import Range, RangeResult
from .outputs import Addition, Prepared, Sizes


class Step(NamedTuple):
    """A step of a run.

    Attributes:
        input: the index of the input.
        piece: a range of it; None at its beginning and its end.
        error: the reason why it cannot be read any further; None if it can.
        last: whether this is the end of the input.
        append: parts to append to the files of inputs.
        prepare: inputs with complete outputs to prepare, each with the number of its files, lines and rows.
    """

    input: int
    piece: Range | None = None
    error: str | None = None
    last: bool = False
    append: tuple[Addition, ...] = ()
    prepare: tuple[tuple[int, int], ...] = ()

    @property
    def is_output_task(self) -> bool:
        """Return whether the step only writes files, so that it need not wait for steps that read."""
        return bool(self.append or self.prepare)


class StepResult(NamedTuple):
    """A step and its result.

    Attributes:
        step: the step.
        done: the result of its range.
        part: the beginning of the names of the files that the range was written to.
        appended: the sizes of the files that parts were appended to.
        prepared: the counts of the prepared outputs.
    """

    step: Step
    done: RangeResult | None = None
    part: str | None = None
    appended: tuple[Sizes, ...] = ()
    prepared: tuple[Prepared, ...] = ()
