"""Places inside of columns: `data.conversation[0].messages` is a column of its own for a plan that names it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..errors import BridgeError
from ..model import Json
from .fitting import as_list, as_object
from .layout import Object, parsed


def opened(row: Object, places: Sequence[str]) -> Object:
    """A row with what stands at some places, each as a column of that name.

    The columns that they are in stay, but for those that hold nothing else.

    Args:
        row: the row; it is not changed.
        places: names of columns, and places in columns; a name that a row has is no place.
    """
    found: Object = {}
    emptied: set[str] = set()
    for place in places:
        if place in row or (steps := _steps(place)) is None or steps[0] not in row:
            continue
        value, alone = _value_at(row, steps)
        if value is not None:
            found[place] = value
            emptied |= {steps[0]} if alone else set()
    return {**{name: each for name, each in row.items() if name not in emptied}, **found} if found else row


_PLACE: Final = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])+")
_STEP: Final = re.compile(r"[^.\[\]]+")


def _steps(place: str) -> list[str] | None:
    return _STEP.findall(place) if _PLACE.fullmatch(place) else None


def _value_at(row: Object, steps: Sequence[str]) -> tuple[Json, bool]:
    """What stands at a place, None for nothing; and whether nothing stands beside it. A column may be JSON text."""
    value: Json = row
    alone = True
    for depth, step in enumerate(steps):
        try:
            value = parsed(value, "") if depth == 1 else value
        except BridgeError:
            return None, False
        members, items = as_object(value), as_list(value)
        if members is not None and step in members:
            value = members[step]
        elif items is not None and step.isdecimal() and int(step) < len(items):
            value = items[int(step)]
        else:
            return None, False
        alone = alone and (depth == 0 or len(members if members is not None else items or ()) == 1)
    return value, alone
