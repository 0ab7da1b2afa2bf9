"""What happens in a run, one thing after the other, and what comes of each."""

from __future__ import annotations

from typing import NamedTuple

from .outputs import Addition, Prepared, Sizes
from .records import Done, Range


class Step(NamedTuple):
    """Something that happens in a run.

    Attributes:
        input: which input it is about.
        piece: a range of it; None where it begins or ends.
        error: why it cannot be read on; None where it can.
        last: whether this is the end of the input.
        append: what is to be added to the files of inputs.
        prepare: inputs whose outputs are complete, and are to be made ready for their places, each with how many files,
            lines and rows of it were read.
    """

    input: int
    piece: Range | None = None
    error: str | None = None
    last: bool = False
    append: tuple[Addition, ...] = ()
    prepare: tuple[tuple[int, int], ...] = ()

    @property
    def is_errand(self) -> bool:
        """Whether it is about files that are written, and not about what is read: nothing waits for its turn."""
        return bool(self.append or self.prepare)


class Landed(NamedTuple):
    """A step and what came of it.

    Attributes:
        step: the step.
        done: what came of its range.
        part: where the range was written, as the beginning of file names.
        appended: how long the files are that something was to be added to.
        prepared: what the outputs hold that were to be made ready.
    """

    step: Step
    done: Done | None = None
    part: str | None = None
    appended: tuple[Sizes, ...] = ()
    prepared: tuple[Prepared, ...] = ()
