"""Read and make the notes of one format: the values in `extras` and `layout` under its id."""

from __future__ import annotations

from typing import Any, Final, cast

from . import ByFormat, Message

_NONE: Final[dict[str, Any]] = {}
MERGED: Final = "merged"
"""The key of the layout that marks a message which was read from the same unit as the previous one."""


class Notes:
    """The notes of one format.

    Args:
        home: the key of the format in `extras` and `layout`.
    """

    __slots__ = ("home",)

    def __init__(self, home: str) -> None:
        self.home: Final = home

    def of(self, place: ByFormat | None) -> dict[str, Any]:
        """Return the notes in `extras` or `layout`, or an empty object; do not change the result."""
        if place is None:
            return _NONE
        notes: Any = place.get(self.home, _NONE)
        return cast("dict[str, Any]", notes) if isinstance(notes, dict) else _NONE

    def is_merged(self, layout: ByFormat | None) -> bool:
        """Return whether a message with this layout was read from the same unit as the previous one."""
        return self.of(layout).get(MERGED) is True

    def together(self, *places: ByFormat | None) -> dict[str, Any]:
        """Return the notes of several places as one new object; the value of the last place wins.

        Args:
            places: `extras` and `layout` as messages have them, by format id; not notes that `of` returned.
        """
        merged: dict[str, Any] = {}
        for place in places:
            merged.update(self.of(place))
        return merged

    def adding(self, place: ByFormat | None, more: dict[str, Any]) -> ByFormat | None:
        """Return `extras` or `layout` with more notes of this format, and with those of other formats."""
        return {**(place or {}), self.home: {**self.of(place), **more}} if more else place

    def by_format(self, notes: dict[str, Any]) -> ByFormat | None:
        """Return `extras` or `layout` with only these notes, or None if there are none."""
        return {self.home: notes} if notes else None

    def add_to(self, message: Message, extras: dict[str, Any], layout: dict[str, Any]) -> None:
        """Add extras and layout to a message that was read; what it has already takes precedence."""
        message.extras = self.by_format({**extras, **self.of(message.extras)})
        message.layout = self.by_format({**layout, **self.of(message.layout)})
