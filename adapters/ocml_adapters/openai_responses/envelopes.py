"""Documents without their items: how they are taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ocml_bridge.adapter import Source
from ocml_bridge.errors import BridgeError
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.units.grammar import Enclosed, Parted
from ocml_bridge.units.heads import Item

from .form import by_format, notes_in
from .items import ABSENT, MADE_UP, made_up_id
from .messages import Instructions
from .shapes import INPUT, Shell, is_incomplete, read_shell, write_shell
from .spelling import is_state

Place = Callable[[int], str]
"""Index of a unit → JSON pointer to it."""


def part(source: Json, log: Log) -> Parted:
    """A document without its items; what else there is to know of it is where they stand.

    Args:
        source: the document.
        log: takes what is noticed.

    Raises:
        BridgeError: as `read_shell`.
    """
    shell = read_shell(source, log)
    return Parted(shell.units, shell.around(), False, shell.place)


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
    extras, layout = notes_in(message.extras), notes_in(message.layout)
    if message.end is not None and "status" not in extras and "status" not in layout:
        own = by_format({**layout, "status": ABSENT}) or {}
        items[-1] = (head.replaced(end=None, layout={**(message.layout or {}), **own}), content, call_id)


# --- writing ----------------------------------------------------------------------------------------------------------


def enclose(units: list[Any], around: Transcript) -> Enclosed:
    """The document around its items, and what it reads as.

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
    _place(items, notes_in(around.extras).get(INPUT))
    for at, item in enumerate(items):
        if item.__class__ is dict and item.get("id") == MADE_UP:
            items[at] = {**item, "id": made_up_id(item["type"], at)}
    written, shell = _readable(around, items)
    image = shell.around()
    if image != around:
        written = write_shell(image, items)
    return Enclosed(written, image)


def _place(items: list[Json], state: Json) -> None:
    """Put items in which nobody says anything among the others, each at its place."""
    for entry in cast("list[Json]", state) if isinstance(state, list) else []:
        one = cast("Object", entry) if isinstance(entry, dict) else {}
        at, item = one.get("at"), cast("Object", one.get("item"))
        if set(one) == {"at", "item"} and type(at) is int and item.__class__ is dict and is_state(item):
            items.insert(max(at, int(bool(items) and isinstance(items[0], Instructions))), item)


def _readable(around: Transcript, items: list[Json]) -> tuple[Source, Shell]:
    """A document, and as what it is read; without what it remembers of its shape if that misleads."""
    try:
        written = write_shell(around, items)
        shell = read_shell(written, Log())
        if _same(shell.units, items):
            return written, shell
    except BridgeError:
        pass
    written = write_shell(replace(around, extras=None, layout=None), items)
    return written, read_shell(written, Log())


def _same(units: Sequence[Json], items: Sequence[Json]) -> bool:
    """Whether units are these items; a text stands for the message that it is read as."""
    return len(units) == len(items) and all(
        one is other or one == other for one, other in zip(units, items, strict=True)
    )
