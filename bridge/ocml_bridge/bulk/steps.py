"""What happens in a run, one thing after the other, and what comes of each."""

from __future__ import annotations

from typing import NamedTuple

from .outputs import Prepared
from .records import Done, Range


class Step(NamedTuple):
    """Something that happens in a run.

    Attributes:
        input: which input it is about.
        piece: a range of it; None where it begins or ends.
        error: why it cannot be read on; None where it can.
        last: whether this is the end of the input.
        prepare: inputs whose outputs are complete, and are to be made ready for their places, each with how many files,
            lines and rows of it were read.
    """

    input: int
    piece: Range | None = None
    error: str | None = None
    last: bool = False
    prepare: tuple[tuple[int, int], ...] = ()


class Landed(NamedTuple):
    """A step and what came of it.

    Attributes:
        step: the step.
        done: what came of its range.
        part: where the range was written, as the beginning of file names.
        prepared: what the outputs hold that were to be made ready.
    """

    step: Step
    done: Done | None = None
    part: str | None = None
    prepared: tuple[Prepared, ...] = ()
