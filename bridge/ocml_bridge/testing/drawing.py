"""Run a check on drawn values, the same in each run, and make what fails small in reasonable time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_TRIES: Final = 500
"""How often a value that fails is made smaller, or is tried to be."""
_HEALTH: Final = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def draw(strategy: SearchStrategy[T], law: Callable[[T], object], examples: int | None) -> None:
    """Run a check on drawn values; raise what it raises for the smallest one that was found.

    Args:
        strategy: draws the values.
        law: raises an exception for a value that breaks it.
        examples: the number of values; None for `max_examples` of the profile of Hypothesis that is loaded.
    """
    configured = settings(
        max_examples=settings().max_examples if examples is None else examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=_HEALTH,
        report_multiple_bugs=False,
    )
    run: Callable[[], None] = configured(given(strategy)(_Patience(law).check))
    run()


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
