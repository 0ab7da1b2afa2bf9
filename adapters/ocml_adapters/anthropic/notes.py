"""What Anthropic Messages keeps in extras and layout."""

from __future__ import annotations

from typing import Final

from ocml_bridge.form import Object
from ocml_bridge.model import ByFormat

from .syntax import HOME

_EMPTY: Final[Object] = {}


def notes_in(by_format: ByFormat | None) -> Object:
    """What is kept; an empty object, which nobody changes, where nothing is."""
    return by_format.get(HOME, _EMPTY) if by_format is not None else _EMPTY


def by_format(notes: Object) -> ByFormat | None:
    """Extras or layout in which this is kept; None where there is nothing to keep."""
    return {HOME: notes} if notes else None
