"""The pieces of units that were written by one plan: found once, as columns that each such unit adds to an output's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ...spans.frames import Cell, FrameMarks, cells
from ...spans.span import SpanKind
from ...units.heads import Item
from ...units.tokens import Tokens
from ...units.writer import UnitWriter
from ..plans.learning import Plan
from .places import pieces_of_plan


class Filling(NamedTuple):
    """Where a unit has a content or an id.

    Attributes:
        number: which of its pieces that is.
        at: which message of the unit it is of.
        is_id: whether it is an id.
        encode: how a content stands there; None for one that stands there as it is.
    """

    number: int
    at: int
    is_id: bool
    encode: Callable[[str], Any] | None


class Pattern(NamedTuple):
    """The pieces of units that are alike.

    Attributes:
        cells: the pieces.
        fillings: which of them are fillings and ids.
        sizes: of each piece; 0 for a content and an id.
        kinds: what each is.
        sampled: whether a model would have written it.
        weights: what each counts, where its message has no weight of its own.
        paths: takes the paths of all pieces from those that its messages have.
    """

    cells: Sequence[Cell]
    fillings: Sequence[Filling]
    sizes: Sequence[int]
    kinds: Sequence[SpanKind]
    sampled: Sequence[bool]
    weights: Sequence[float]
    paths: Callable[[Sequence[str]], Sequence[str]]

    def sizes_of(self, items: Sequence[Item], start: int) -> Sequence[int]:
        """How many characters each piece has in a unit whose messages begin at an index of some items."""
        sizes = [*self.sizes]
        for number, at, is_id, encode in self.fillings:
            _, content, call_id = items[start + at]
            if is_id:
                sizes[number] = len(call_id or "")
            else:
                sizes[number] = len(content if encode is None else str(encode(str(content))))
        return sizes


class Ids(NamedTuple):
    """The same for units of token ids that have one content.

    Attributes:
        sizes: of each piece, in ids; 0 for the content.
        content: which of the pieces that is; None where it is empty.
        front: the ids before the content.
        back: and behind it.
    """

    sizes: Sequence[int]
    content: int | None
    front: Sequence[int]
    back: Sequence[int]


def pattern_of(plan: Plan, grammar: UnitWriter, marks: FrameMarks) -> Pattern:
    """The pieces of the units of a plan.

    Args:
        plan: any.
        grammar: the format's.
        marks: what its tokens mean.
    """
    found = cells(pieces_of_plan(grammar, plan), marks, answers=plan.items[0][0].role == "assistant")
    fillings = tuple(
        Filling(number, slot.at, is_id := slot.field == "call_id", None if is_id else plan.classes[slot.at].encode)
        for number, (_, _, _, _, slot) in enumerate(found)
        if slot is not None
    )
    return Pattern(
        found,
        fillings,
        tuple([max(cell.size, 0) for cell in found]),
        tuple([cell.kind for cell in found]),
        tuple([cell.sampled for cell in found]),
        tuple([1 if cell.sampled else 0 for cell in found]),
        _taker([*map(_number_of, found)]),
    )


def ids_of(plan: Plan, pattern: Pattern, grammar: UnitWriter, tokens: Tokens) -> Ids | None:
    """The ids of the units of a plan; None where they have several fillings, or ids that stand in two pieces.

    Args:
        plan: any.
        pattern: its pieces.
        grammar: the format's.
        tokens: its tokens.
    """
    if len(pattern.fillings) > 1:
        return None
    fixed = [piece for piece in pieces_of_plan(grammar, plan) if isinstance(piece, str)]
    front, back, text = [*tokens.encode(fixed[0])], [*tokens.encode("".join(fixed[1:]))], "".join(fixed)
    places = pairwise(accumulate(pattern.sizes, initial=0))
    pieces = [tokens.encode(text[start:end]) for start, end in places]
    if [*chain.from_iterable(pieces)] != front + back:
        return None
    return Ids([*map(len, pieces)], pattern.fillings[0].number if pattern.fillings else None, front, back)


_PATHS: Final = 4
"""How many paths a message has here."""


def _number_of(cell: Cell) -> int:
    """Which of the paths that the messages of a unit have here says what a piece does."""
    if cell.at < 0:
        return 0
    return _PATHS * cell.at + (1 if cell.slot is None else 2 if cell.slot.field == "content" else 3)


def _taker(numbers: Sequence[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda paths: [paths[number] for number in numbers]


@lru_cache(maxsize=4096)
def paths_of(index: int) -> tuple[str, str, str, str]:
    """The paths of a message, as a pattern takes them: none, its own, and those of its content and its id."""
    return paths_below(f"/messages/{index}")


def paths_below(path: str) -> tuple[str, str, str, str]:
    """The same of a message at a path."""
    return "", path, f"{path}/content", f"{path}/call_id"
