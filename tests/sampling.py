"""How many documents a test draws, and which ordered pairs of formats it checks with each.

There are as many pairs as formats squared, so in a normal run each document is checked against some of them: its time
does not grow with every format. Which ones is drawn with the document, so that all pairs have their turn, and a failure
is found again. A long run has all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ocml_bridge import formats

THOROUGH = 100
"""How many examples a test draws in the profile `thorough`, unless it sets another number with `examples`."""

T = TypeVar("T")
Pairs = dict[str, list[str]]
"""Source → its targets."""

AT_ONCE = 30
"""About how many pairs a document is checked with."""


def examples(thorough: int) -> settings:
    """Return the settings of a test that draws another number of examples than most.

    Args:
        thorough: how many it draws in the profile `thorough`; in a profile with fewer examples it draws in proportion.
    """
    return settings(max_examples=max(1, thorough * min(settings().max_examples, THOROUGH) // THOROUGH))


def sweep(cases: Iterable[T], each: int) -> list[T]:
    """Return all cases in the profile `thorough`, and one of so many in others.

    For tests that go through many combinations, which are marked `sweep`.

    Args:
        cases: the combinations, in an order in which neighbours are alike.
        each: how many cases there are for one that is returned; no divisor of the length of what changes fastest.
    """
    return [*cases][:: 1 if settings().max_examples >= THOROUGH else each]


def every_pair() -> Pairs:
    """All ordered pairs."""
    return {source: list(formats()) for source in formats()}


def some_pairs(at_once: int = AT_ONCE) -> SearchStrategy[Pairs]:
    """Some of the ordered pairs: each of them is in as many samples as any other."""
    pairs = list(product(formats(), formats()))
    step = max(1, round(len(pairs) / at_once))
    return st.integers(0, step - 1).map(lambda start: _by_source(pairs[start::step]))


def some_formats(at_once: int) -> SearchStrategy[list[str]]:
    """Some of the formats, each as often as any other."""
    return st.integers(0, _steps(at_once) - 1).map(lambda start: formats_in_turn(start, at_once))


def formats_in_turn(number: int, at_once: int) -> list[str]:
    """Return about `at_once` formats for the document with this number; the next documents get the others."""
    step = _steps(at_once)
    return list(formats()[number % step :: step])


def _steps(at_once: int) -> int:
    return max(1, round(len(formats()) / at_once))


def _by_source(pairs: Sequence[tuple[str, str]]) -> Pairs:
    found: Pairs = {}
    for source, target in pairs:
        found.setdefault(source, []).append(target)
    return found
