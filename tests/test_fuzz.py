"""The targets of fuzzing run, each on what it begins with; `python tests/fuzz` makes more (docs/testing.md)."""

from __future__ import annotations

from itertools import islice

import pytest

from fuzz.targets import Target, table

TARGETS = table()


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds(name: str) -> None:
    _take(TARGETS[name], 2)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_all_its_seeds(name: str) -> None:
    _take(TARGETS[name], None)


def _take(target: Target, most: int | None) -> None:
    taken = 0
    for seed in islice(target.seeds(), most):
        target.run(seed)
        taken += 1
    assert taken
