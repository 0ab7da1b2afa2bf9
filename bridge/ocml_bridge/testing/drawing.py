"""Run a check on drawn values, the same in each run, and make what fails small in reasonable time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar
from warnings import catch_warnings, filterwarnings

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_TRIES: Final = 500
"""How often a value that fails is made smaller, or is tried to be."""
_HEALTH: Final = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def draw(
    strategy: SearchStrategy[T],
    law: Callable[[T], object],
    examples: int | None,
    show: Callable[[T], str] = repr,
) -> None:
    """Run a check on drawn values; raise what it raises for the smallest one that was found, with a note of the value.

    Args:
        strategy: draws the values.
        law: raises an exception for a value that breaks it.
        examples: the number of values; None for `max_examples` of the profile of Hypothesis that is loaded.
        show: returns the value as text, for the note.
    """
    configured = settings(
        max_examples=settings().max_examples if examples is None else examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=_HEALTH,
        report_multiple_bugs=False,
        phases=[phase for phase in settings().phases if phase is not Phase.explain],
    )
    patience = _Patience(law)
    run: Callable[[], None] = configured(given(strategy)(patience.check))
    try:
        with catch_warnings():
            filterwarnings("ignore", "Generating overly large repr")  # of a strategy, for an error that names none
            run()
    except Exception as error:
        if patience.failing:
            # In place of the notes of Hypothesis, which show a document by its classes.
            error.__notes__ = [f"found for {show(patience.failing[-1])}"]
        raise


class _Patience:
    """Passes whatever is tried after many tries to make a failing value smaller, so that the search for one ends."""

    def __init__(self, law: Callable[[Any], object]) -> None:
        self.law = law
        self.tries = 0
        self.failing: list[Any] = []

    def check(self, value: Any) -> None:
        self.tries += bool(self.failing)
        if self.tries > _TRIES and value not in self.failing:
            return
        try:
            self.law(value)
        except Exception:
            self.failing.append(value)
            raise
