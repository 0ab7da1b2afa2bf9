"""Notes: what one format keeps in `extras` and `layout`, the two places that have room for every format by its id."""

from __future__ import annotations

from typing import Any, Final, cast

from . import ByFormat

_NONE: Final[dict[str, Any]] = {}


class Notes:
    """Reads and makes the notes of one format.

    Args:
        home: the id that they are kept under.
    """

    __slots__ = ("home",)

    def __init__(self, home: str) -> None:
        self.home: Final = home

    def of(self, place: ByFormat | None) -> dict[str, Any]:
        """The notes in a place; where there are none, an empty object that nobody may change."""
        if place is None:
            return _NONE
        found: Any = place.get(self.home, _NONE)
        return cast("dict[str, Any]", found) if isinstance(found, dict) else _NONE

    def together(self, *places: ByFormat | None) -> dict[str, Any]:
        """The notes of several places as one new object; of a key that is in two of them, the later value."""
        found: dict[str, Any] = {}
        for place in places:
            found.update(self.of(place))
        return found

    def by_format(self, notes: dict[str, Any]) -> ByFormat | None:
        """A place in which these are the only notes; None where there is nothing to keep."""
        return {self.home: notes} if notes else None
