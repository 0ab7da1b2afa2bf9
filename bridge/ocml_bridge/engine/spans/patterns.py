"""Patterns: the pieces of all units of a plan as columns, which each unit adds to the columns of an output's spans."""

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
    """A piece of a unit that is a content or an id.

    Attributes:
        number: its index among the pieces.
        at: the index of its message in the unit.
        is_id: whether it is an id.
        encode: as `ContentClass.encode`, of a content; None if it is written unchanged.
    """

    number: int
    at: int
    is_id: bool
    encode: Callable[[str], Any] | None


class Pattern(NamedTuple):
    """The pieces of the units of a plan.

    Attributes:
        cells: the pieces.
        fillings: those of them that are contents and ids.
        sizes: the length of each piece; 0 for a content or an id.
        kinds: the kind of each piece.
        sampled: whether each piece would be written by a model.
        weights: the weight of each piece, if its message has no weight.
        paths: returns the path of each piece, given the paths of the messages (`paths_below`).
    """

    cells: Sequence[Cell]
    fillings: Sequence[Filling]
    sizes: Sequence[int]
    kinds: Sequence[SpanKind]
    sampled: Sequence[bool]
    weights: Sequence[float]
    paths: Callable[[Sequence[str]], Sequence[str]]

    def sizes_of(self, items: Sequence[Item], start: int) -> Sequence[int]:
        """Return the length of each piece in a unit whose first message is the item at an index."""
        sizes = [*self.sizes]
        for number, at, is_id, encode in self.fillings:
            _, content, call_id = items[start + at]
            if is_id:
                sizes[number] = len(call_id or "")
            else:
                sizes[number] = len(content if encode is None else str(encode(str(content))))
        return sizes


class Ids(NamedTuple):
    """The pieces of the units of a plan in token ids, if they have one content at most.

    Attributes:
        sizes: the length of each piece in ids; 0 for the content.
        content: the index of the content among the pieces; None if it is empty.
        front: the ids before the content.
        back: the ids after the content.
    """

    sizes: Sequence[int]
    content: int | None
    front: Sequence[int]
    back: Sequence[int]


def pattern_of(plan: Plan, grammar: UnitWriter, marks: FrameMarks) -> Pattern:
    """Return the pattern of the units of a plan.

    Args:
        plan: any plan.
        grammar: the format's writer of units.
        marks: which tokens begin and end its frames.
    """
    pieces = cells(pieces_of_plan(grammar, plan), marks, answers=plan.items[0][0].role == "assistant")
    fillings = tuple(
        Filling(number, slot.at, is_id := slot.field == "call_id", None if is_id else plan.classes[slot.at].encode)
        for number, (_, _, _, _, slot) in enumerate(pieces)
        if slot is not None
    )
    return Pattern(
        pieces,
        fillings,
        tuple([max(cell.size, 0) for cell in pieces]),
        tuple([cell.kind for cell in pieces]),
        tuple([cell.sampled for cell in pieces]),
        tuple([1 if cell.sampled else 0 for cell in pieces]),
        _getter([*map(_path_number, pieces)]),
    )


def ids_of(plan: Plan, pattern: Pattern, grammar: UnitWriter, tokens: Tokens) -> Ids | None:
    """Return the pieces of the units of a plan in ids; None if they have several fillings, or an id spans two pieces.

    Args:
        plan: any plan.
        pattern: its pattern.
        grammar: the format's writer of units.
        tokens: the format's tokens.
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
"""How many paths `paths_below` returns for each message."""


def _path_number(cell: Cell) -> int:
    """Return the index of the path of a piece among the paths of all messages of a unit."""
    if cell.at < 0:
        return 0
    return _PATHS * cell.at + (1 if cell.slot is None else 2 if cell.slot.field == "content" else 3)


def _getter(numbers: Sequence[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda paths: [paths[number] for number in numbers]


@lru_cache(maxsize=4096)
def paths_of(index: int) -> tuple[str, str, str, str]:
    """Return the paths of the message at an index, as `paths_below` does."""
    return paths_below(f"/messages/{index}")


def paths_below(path: str) -> tuple[str, str, str, str]:
    """Return the paths for the pieces of a message: none, that of the message, of its content, and of its call id."""
    return "", path, f"{path}/content", f"{path}/call_id"
