"""Which ordered pairs of formats one drawn document is held to.

There are as many pairs as formats squared, so in a normal run each document is held to some of them: its time does not
grow with every format. Which ones is drawn with the document, so that all pairs have their turn, and a failure is found
again. A long run has all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ocml_bridge import formats

Pairs = dict[str, list[str]]
"""Source → its targets."""

AT_ONCE = 50
"""About how many pairs a document is held to."""


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
    step = max(1, round(len(formats()) / at_once))
    return st.integers(0, step - 1).map(lambda start: list(formats()[start::step]))


def _by_source(pairs: Sequence[tuple[str, str]]) -> Pairs:
    found: Pairs = {}
    for source, target in pairs:
        found.setdefault(source, []).append(target)
    return found
