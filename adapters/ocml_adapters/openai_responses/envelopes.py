"""Requests as their envelopes and their items; what an envelope and the items in it tell of one another."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, cast

from ocml_bridge.form import Object
from ocml_bridge.model import Json, Transcript
from ocml_bridge.units.grammar import Emptied
from ocml_bridge.units.heads import Item

from .items import ABSENT, MADE_UP, made_up_id
from .messages import INSTRUCTIONS, Instructions
from .shapes import INPUT, OUTPUT, is_incomplete, state_in
from .spelling import is_state
from .syntax import NOTES

Place = Callable[[int], str]
"""Index of a unit → JSON pointer to it."""

# --- reading ----------------------------------------------------------------------------------------------------------


def emptied(source: Json) -> Emptied | None:
    """A request as its envelope and its items; None for a document of another shape, or with items that say nothing."""
    units: Json = cast("Object", source).get(INPUT) if source.__class__ is dict else None
    if units.__class__ is not list or state_in(cast("list[Json]", units)):
        return None
    request = cast("Object", source)
    before: Json = request.get(INSTRUCTIONS)
    if OUTPUT in request or "request" in request:
        return None
    if before.__class__ is str and before:
        envelope: Object = {**request, INPUT: [], INSTRUCTIONS: INSTRUCTIONS}
        return Emptied(envelope, [Instructions(before), *cast("list[Json]", units)])
    return Emptied({**request, INPUT: []}, cast("list[Json]", units))


def cut_short(items: list[Item], around: Transcript) -> None:
    """Let the last answer be one that was cut off, where the document alone says so. It changes the list.

    Args:
        items: the messages.
        around: what stands around them.
    """
    if not items or not is_incomplete(around) or items[-1][0].role != "assistant":
        return
    head, content, call_id = items[-1]
    message = head.message("", None)
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    if message.end is not None and "status" not in extras and "status" not in layout:
        own = NOTES.by_format({**layout, "status": ABSENT}) or {}
        items[-1] = (head.replaced(end=None, layout={**(message.layout or {}), **own}), content, call_id)


# --- writing ----------------------------------------------------------------------------------------------------------


def items_of(units: list[Any], around: Transcript) -> list[Any]:
    """The items of a document, with what is said before all of them, and with those in which nobody says anything.

    Args:
        units: items, and lists of items; the first may be what is said before all of them.
        around: what stands around them.
    """
    items: list[Any] = []
    for unit in units:
        if unit.__class__ is list:
            items += unit
        else:
            items.append(unit)
    if items and items[0].keys() == {MADE_UP}:
        items[0] = Instructions(items[0][MADE_UP])
    _place(items, NOTES.of(around.extras).get(INPUT))
    for at, item in enumerate(items):
        if item.__class__ is dict and item.get("id") == MADE_UP:
            items[at] = {**item, "id": made_up_id(item["type"], at)}
    return items


def _place(items: list[Json], state: Json) -> None:
    """Put items in which nobody says anything among the others, each at its place."""
    for entry in cast("list[Json]", state) if isinstance(state, list) else []:
        one = cast("Object", entry) if isinstance(entry, dict) else {}
        at, item = one.get("at"), cast("Object", one.get("item"))
        if set(one) == {"at", "item"} and type(at) is int and item.__class__ is dict and is_state(item):
            items.insert(max(at, int(bool(items) and isinstance(items[0], Instructions))), item)


def outline(units: list[Any], around: Transcript) -> Hashable | None:
    """Whether a request says something before its items; None for a document of another shape."""
    layout = NOTES.of(around.layout)
    if "shape" in layout or INPUT in layout or INPUT in NOTES.of(around.extras):
        return None
    prompted = bool(units) and units[0].__class__ is dict and units[0].keys() == {MADE_UP}
    # A request without items may not even have a key for them.
    return prompted if len(units) > prompted else None


def refilled(envelope: Object, items: list[Any]) -> Object:
    """A request with other items in an envelope."""
    if items and isinstance(items[0], Instructions):
        envelope[INSTRUCTIONS], items = str(items[0]), items[1:]
    envelope[INPUT] = items
    return envelope
