"""What a thing to measure is: one way to do one job, ours or a peer's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

OURS: Final = "ocml-convert"


def as_it_is(data: bytes) -> bytes:
    """The input of most works: the conversation as it is stored."""
    return data


@dataclass(frozen=True, slots=True)
class Work:
    """One way to do one job, on one conversation after another.

    Attributes:
        id: its short name, the same as long as it measures the same.
        job: which job it does, one of `works.JOBS`.
        by: the distribution that does it.
        does: what is inside the timing, for people.
        run: the work itself, from what `prepare` made.
        prepare: from the conversation's bytes to what the work starts from; outside the timing.
        sample: it is measured on every n-th part of the corpus: for works that take long.
        first: the first part it is measured on, where another work would leave it something in a cache.
        text: what of its output is looked at for what was kept.
        losses: the report of losses in the output; None where there is no such report.
    """

    id: str
    job: str
    by: str
    does: str
    run: Callable[[Any], Any]
    prepare: Callable[[bytes], Any] = as_it_is
    sample: int = 1
    first: int = 0
    text: Callable[[Any], Any] | None = None
    losses: Callable[[Any], Any] | None = None


def library(name: str) -> Any:
    """A peer's module. Found at run time: none of them needs to be installed, and few have types.

    Raises:
        ImportError: where it is not installed.
    """
    return import_module(name)
