"""Who sees what of a stream (OpenChatML 2.2 §4, §5, §9, §11): hidden messages are not passed on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..events import Delta, End, Event, RefusalDelta, Start
from ..visibility import END_USER, NAMES, Visibility

APPLICATION: Final = Visibility(NAMES - {"system", "developer", "analysis"}, debug=True)
"""What a program sees that runs the tools: calls too, but no private reasoning and nothing that it was instructed."""


class Filter:
    """Passes on what is to be seen. What a message is, is known by its beginning.

    Args:
        visibility: what is to be seen.
    """

    def __init__(self, visibility: Visibility = END_USER) -> None:
        self._visibility = visibility
        self._hidden: set[int] = set()

    def apply(self, events: Iterable[Event]) -> list[Event]:
        """The events that are to be seen, findings and the end of the stream among them."""
        return [event for event in events if not self._hides(event)]

    def _hides(self, event: Event) -> bool:
        if isinstance(event, Start):
            if self._visibility.hides(event.message) is not None:
                self._hidden.add(event.number)
                return True
            return False
        if isinstance(event, (Delta, RefusalDelta, End)):
            return event.number in self._hidden
        return False
