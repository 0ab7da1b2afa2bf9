"""A document that was written as a row of plans: what makes the output of another that is like it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ..model import Transcript
from ..plans.learning import Plan
from ..units.grammar import State, Unit
from ..units.heads import Head, Item
from ..units.writer import TOOLS
from .tracing import Trace
from .written import Written

Build = Callable[[Sequence[Item]], Unit]
"""Makes an output of the items of a document."""
Follows = Callable[[Head], bool]
"""Whether all that is written of a message but its content and id follows from its head, as the format says."""
Refill = Callable[[list[Unit]], Unit]
"""Puts units into an envelope."""
Seal = Callable[[list[Unit], Transcript, State], Refill | None]
"""Gives what puts other units into the envelope of some; None where it is one of a kind."""


class Place(NamedTuple):
    """Where an item that is written comes from.

    Attributes:
        at: the index of the item in the document.
        call_id: the id that was made for it; None where it has its own, or none.
    """

    at: int
    call_id: str | None


def build_of(written: Written, items: Sequence[Item], follows: Follows, seal: Seal) -> Build | None:
    """What makes the output of a document that is like one; None where not all of its units were written by plans.

    Args:
        written: what was written of it, and traced.
        items: its items.
        follows: as `UnitWriter.follows`.
        seal: gives what puts units that are no text into their envelope.
    """
    places, trace = _places(written, items), written.trace
    if places is None or trace is None or trace.order is not None:
        return None
    if isinstance(written.output, str):
        return _text_of(trace, places, follows, written.output)
    return _value_of(trace, places, follows, seal)


def _places(written: Written, items: Sequence[Item]) -> list[Place | None] | None:
    """For each item that was written where it comes from, None for declared tools; None where one was changed."""
    origins = range(len(written.items)) if written.origins is None else written.origins
    places: list[Place | None] = []
    for origin, (_, content, call_id) in zip(origins, written.items, strict=True):
        if origin == TOOLS:
            places.append(None)
            continue
        _, own_content, own_id = items[origin]
        if content is not own_content or (own_id is not None and call_id not in (None, own_id)):
            return None
        places.append(Place(origin, call_id if own_id is None else None))
    return places


# --- text -------------------------------------------------------------------------------------------------------------

_Hole = tuple[int, int]
"""A place in a text: the index of an item, and which of its fields stands there."""
_CONTENT, _ID = 1, 2


def _text_of(trace: Trace, places: Sequence[Place | None], follows: Follows, output: str) -> Build | None:
    """What makes a text: what stands between contents and ids is always the same."""
    pieces: list[str | _Hole] = []
    at = 0
    for start, stop, plan, _, _ in trace.steps:
        size = 3 if plan is not None and plan.build is None else 1
        group = [place for place in places[start:stop] if place is not None]
        if not group:
            pieces += trace.units[at : at + size]
        elif plan is not None and all(follows(item[0]) for item in plan.items) and len(group) == stop - start:
            pieces += _pieces(plan, group)
        else:
            return None
        at += size
    inner = "".join(trace.units)
    if not inner or inner not in output:
        return None
    front, _, behind = output.partition(inner)
    literals: list[str] = [""]
    holes: list[_Hole] = []
    for piece in (front, *pieces, behind):
        if isinstance(piece, str):
            literals[-1] += piece
        else:
            holes.append(piece)
            literals.append("")
    frame: list[Any] = [""] * (len(literals) + len(holes))
    frame[::2] = literals

    def build(items: Sequence[Item]) -> str:
        out = frame.copy()
        out[1::2] = [items[at][field] for at, field in holes]
        return "".join(out)

    return build


def _pieces(plan: Plan, group: Sequence[Place]) -> list[str | _Hole]:
    """The pieces of a unit that a plan makes."""
    known: dict[str, str | _Hole] = {}
    for (_, content, call_id), (at, made) in zip(plan.items, group, strict=True):
        known[str(content)] = (at, _CONTENT)
        if call_id is not None:
            known[call_id] = (at, _ID) if made is None else made
    known.pop("", None)
    text = plan.build(plan.items) if plan.build is not None else f"{plan.before}{plan.items[0][1]}{plan.after}"
    return [known.get(piece, piece) for piece in re.split("(" + "|".join(map(re.escape, known)) + ")", text)]


# --- values -----------------------------------------------------------------------------------------------------------


def _value_of(trace: Trace, places: Sequence[Place | None], follows: Follows, seal: Seal) -> Build | None:
    """What makes a JSON value: its units, each by its plan, in their envelope."""
    row: list[tuple[Callable[[Sequence[Item]], Unit], Callable[[Sequence[Item]], Sequence[Item]]]] = []
    for start, stop, plan, _, _ in trace.steps:
        group = [place for place in places[start:stop] if place is not None]
        if (
            plan is None
            or plan.build is None
            or not all(follows(item[0]) for item in plan.items)
            or len(group) < stop - start
        ):
            return None
        row.append((plan.build, _taker(group)))
    refill = seal(trace.units, trace.around, trace.state)
    if refill is None:
        return None
    return lambda items: refill([make(take(items)) for make, take in row])


def _taker(group: Sequence[Place]) -> Callable[[Sequence[Item]], Sequence[Item]]:
    """What takes the items of a unit out of those of its document."""
    start = group[0].at
    if group == [(at, None) for at in range(start, start + len(group))]:
        return itemgetter(slice(start, start + len(group)))
    return lambda items: [items[at] if made is None else (items[at][0], items[at][1], made) for at, made in group]
