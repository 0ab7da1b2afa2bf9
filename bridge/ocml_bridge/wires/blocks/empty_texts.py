"""Leave out empty texts beside other blocks: they say nothing, so only the layout of their neighbours stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ...json_values.form import without
from ...json_values.parameters import items_of
from ...model import Json

BESIDE: Final = "empty texts"
"""The key of the layout with two lists: the empty texts before the blocks of a message, and those after them."""


class Edges(NamedTuple):
    """The empty texts that are left out around the blocks of one message.

    Attributes:
        first: how many of the message's own first blocks are empty texts.
        last: how many of its own last blocks are.
        before: how many empty texts precede its other blocks; 0 if it is not the first message.
        after: how many empty texts follow its other blocks.
    """

    first: int = 0
    last: int = 0
    before: int = 0
    after: int = 0

    @property
    def layout(self) -> dict[str, Json]:
        """The layout of the message."""
        return {BESIDE: [[""] * self.before, [""] * self.after]} if self.before or self.after else {}


def edges_of(runs: Sequence[Sequence[bool]]) -> list[Edges | None]:
    """Return which empty texts of a wire message are left out.

    Empty texts between other parts of one message are not, and neither are those of a wire message without other
    blocks.

    Args:
        runs: for each message of a wire message, whether each of its blocks is a text that is empty, without other
            members.

    Returns:
        For each message its edges; None if it consists of empty texts, so that it is left out.
    """
    if all(map(all, runs)) or not any(map(any, runs)):
        return [Edges()] * len(runs)
    out: list[Edges | None] = []
    last, before = -1, 0
    for index, run in enumerate(runs):
        first = next((at for at, is_empty in enumerate(run) if not is_empty), len(run))
        previous = out[last] if last >= 0 else None
        if previous is None:
            before += first
        else:
            out[last] = previous._replace(after=previous.after + first)
        if first == len(run):
            out.append(None)
            continue
        after = next(at for at, is_empty in enumerate(reversed(run)) if not is_empty)
        out.append(Edges(first, after, before if previous is None else 0, after))
        last = index
    return out


def around(layout: dict[str, Json]) -> tuple[int, int]:
    """Return how many empty texts are written before and after the blocks of a message with this layout."""
    lists = items_of(layout.get(BESIDE))
    before, after = lists if len(lists) == 2 else (None, None)
    return len(items_of(before)), len(items_of(after))


def without_first(layout: dict[str, Json]) -> dict[str, Json]:
    """Return the layout of a message that is not the first of its wire message: no empty texts precede it."""
    rest = without(layout, BESIDE)
    return {**rest, **Edges(after=around(layout)[1]).layout}
