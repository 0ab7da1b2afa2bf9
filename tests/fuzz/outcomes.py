"""What came of fuzzing each target, as the table of docs/testing.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

HEAD = """| target | seconds | inputs | edges, to begin with | edges, in the end | kept | finds |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


class Outcome(NamedTuple):
    """What came of a target."""

    name: str
    seconds: float
    inputs: int
    first: int
    edges: int
    kept: int
    finds: int

    def row(self) -> str:
        """The line of the table."""
        numbers = (f"{number:,}" for number in (self.inputs, self.first, self.edges, self.kept))
        return f"| `{self.name}` | {self.seconds:.0f} | {' | '.join(numbers)} | {self.finds or ''} |"


def total(rows: Sequence[str]) -> str:
    """The last line of a table, which counts its rows."""
    cells = [[_number(cell) for cell in row.split("|")[2:-1]] for row in rows]
    seconds, inputs, _, _, kept, finds = (sum(column) for column in zip(*cells, strict=True))
    return f"| {len(rows)} targets | {seconds:,} | {inputs:,} | | | {kept:,} | {finds} |"


def _number(cell: str) -> int:
    return int(cell.strip().replace(",", "") or 0)


def renewed(earlier: str, outcomes: Iterable[Outcome], targets: Iterable[str]) -> str:
    """An earlier table with the rows of these outcomes, in the order of the targets; one that is gone has no row."""
    rows = {line.split("`")[1]: line for line in earlier.splitlines() if "`" in line}
    rows |= {each.name: each.row() for each in outcomes}
    ordered = [rows[name] for name in targets if name in rows]
    return "\n".join((HEAD, *ordered, total(ordered), ""))
