"""Make columns of values inside of columns: for a plan, `data.conversation[0].messages` names a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..model import Json
from .fitting import as_list, as_object
from .layout import Object, parsed, parsed_or_none


def with_places(row: Object, places: Sequence[str]) -> Object:
    """Return a row with the values at some places as further columns, named by their places.

    The columns that hold them stay, unless they hold nothing else.

    Args:
        row: the row; it is not changed.
        places: names of columns, and places in columns; the name of a column is not read as a place.
    """
    found: Object = {}
    steps_inside: dict[str, list[Sequence[str]]] = {}
    for place in places:
        if place in row or (steps := _steps(place)) is None or steps[0] not in row:
            continue
        value = _value_at(row, steps)
        if value is not None:
            found[place] = value
            steps_inside.setdefault(steps[0], []).append(steps[1:])
    used_up = {column for column, inner in steps_inside.items() if _is_all(parsed(row[column], ""), inner)}
    return {**{name: each for name, each in row.items() if name not in used_up}, **found} if found else row


def _is_all(value: Json, places: Sequence[Sequence[str]]) -> bool:
    """Return whether some places in a value are all of it."""
    if any(not steps for steps in places):
        return True
    items = as_list(value)
    members = as_object(value) if items is None else {str(at): each for at, each in enumerate(items)}
    return bool(members) and all(
        _is_all(each, [steps[1:] for steps in places if steps[0] == name]) for name, each in (members or {}).items()
    )


_PLACE: Final = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])+")
_STEP: Final = re.compile(r"[^.\[\]]+")


def _steps(place: str) -> list[str] | None:
    return _STEP.findall(place) if _PLACE.fullmatch(place) else None


def _value_at(row: Object, steps: Sequence[str]) -> Json:
    """Return the value at a place; None if there is none. The column may be JSON text."""
    value: Json = row
    for depth, step in enumerate(steps):
        value = parsed_or_none(value) if depth == 1 and isinstance(value, str) else value
        members, items = as_object(value), as_list(value)
        if members is not None and step in members:
            value = members[step]
        elif items is not None and step.isdecimal() and int(step) < len(items):
            value = items[int(step)]
        else:
            return None
    return value
