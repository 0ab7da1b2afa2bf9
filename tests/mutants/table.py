"""What came of the mutants of each package."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .drawing import Mutant, count, draw
from .trying import Found

HEAD = """| package | changes | seed | tried | noticed | equivalent | not noticed | share | of all (95 %) |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
SAME = Path(__file__).with_name("equivalent.toml")


class Table:
    """Draws mutants and counts what came of them.

    Args:
        root: the copy of the checkout.
        packages: the files of each.
        wanted: the names of those that are tried.
        sample: how many mutants of each are drawn; 0 for all.
        seed: of the sample.
        show: whether what is not noticed is printed.
    """

    def __init__(
        self,
        root: Path,
        packages: Mapping[str, tuple[str, ...]],
        wanted: Iterable[str],
        *,
        sample: int,
        seed: int,
        show: bool,
    ) -> None:
        self._root, self._packages, self._wanted = root, packages, wanted
        self._sample, self._seed, self._show = sample, seed, show
        entries = tomllib.loads(SAME.read_text("utf-8"))["same"]
        self._same: set[str] = {entry["change"] for entry in entries}
        self._rows: dict[str, str] = {}
        self._found: list[Found] = []

    def mutants(self) -> Iterator[Mutant]:
        """All that is to be tried; a row is printed when a package is done."""
        print(HEAD, end="", flush=True)
        for name in self._wanted:
            self._found, paths = [], self._packages[name]
            yield from draw(self._root, paths, self._sample, self._seed)
            self._rows[name] = self._row(name, count(self._root, paths))
            print(self._rows[name], end="", flush=True)

    def add(self, found: Found) -> None:
        """Take what came of a mutant."""
        self._found.append(found)
        if self._show and not found.noticed and found.mutant.key not in self._same:
            why = found.by or f"{found.tests} tests run it"
            print(f"\n{found.mutant.diff}\n{why}\n{found.mutant.key}\n", flush=True)

    def _row(self, name: str, every: int) -> str:
        noticed = sum(each.noticed for each in self._found)
        same = sum(not each.noticed and each.mutant.key in self._same for each in self._found)
        tried = len(self._found) - same
        low, high = interval(noticed, tried)
        share = f"{noticed / tried:.0%}" if tried else ""
        return (
            f"| `{name}` | {every:,} | {self._seed} | {len(self._found)} | {noticed} | {same or ''} "
            f"| {tried - noticed or ''} | {share} | {low:.0%} to {high:.0%} |\n"
        )

    def renewed(self, earlier: str) -> str:
        """An earlier table with the rows of this one, in the order of the packages."""
        rows = {line.split("`")[1]: f"{line}\n" for line in earlier.splitlines() if "`" in line} | self._rows
        return HEAD + "".join(rows[name] for name in self._packages if name in rows)


def interval(good: int, every: int) -> tuple[float, float]:
    """Where the share of a whole lies by Wilson's interval of 95 %, going by a sample of it."""
    if not every:
        return 0.0, 1.0
    z = 1.96
    share, weight = good / every, 1 + z * z / every
    middle = share + z * z / (2 * every)
    reach = z * math.sqrt(share * (1 - share) / every + z * z / (4 * every * every))
    return (middle - reach) / weight, (middle + reach) / weight
