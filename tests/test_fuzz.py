"""The targets of fuzzing are run on their first inputs; `python tests/fuzz` makes further ones (docs/testing.md)."""

from __future__ import annotations

from itertools import islice

import pytest

from fuzz.outcomes import HEAD, Outcome, renewed
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


def test_a_run_of_some_targets_renews_their_rows_alone() -> None:
    before = renewed("", [Outcome("b", 10, 1_000, 5, 7, 20, 0), Outcome("gone", 1, 1, 1, 1, 1, 1)], ["b", "gone"])
    after = renewed(before, [Outcome("a", 2.4, 30, 1, 2, 3, 1)], ["a", "b"])
    assert after.splitlines() == [
        *HEAD.splitlines(),
        "| `a` | 2 | 30 | 1 | 2 | 3 | 1 |",
        "| `b` | 10 | 1,000 | 5 | 7 | 20 |  |",
        "| 2 targets | 12 | 1,030 | | | 23 | 1 |",
    ]
