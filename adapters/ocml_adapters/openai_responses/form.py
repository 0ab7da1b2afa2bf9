"""What the Responses API keeps in extras and layout, beside the forms of its objects (`ocml_bridge.form`)."""

from __future__ import annotations

from ocml_bridge.form import Object
from ocml_bridge.model import ByFormat

from .syntax import HOME


def notes_in(by_format: ByFormat | None) -> Object:
    """What the Responses API keeps in extras or layout; an empty object where it keeps nothing."""
    return by_format[HOME] if by_format is not None and HOME in by_format else {}


def by_format(notes: Object) -> ByFormat | None:
    """Extras or layout in which the Responses API keeps something; None where there is nothing to keep."""
    return {HOME: notes} if notes else None
