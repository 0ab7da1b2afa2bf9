"""Who sees what of a stream (OpenChatML 2.2 §4, §5, §9, §11): hidden messages are not passed on."""

from __future__ import annotations

from collections.abc import Iterable

from ..chat.turns import parts_of
from ..chat.visibility import END_USER, Visibility
from ..events import Delta, Encoder, End, Event, RefusalDelta, Signed, Start
from ..loss import Loss


class Filter:
    """Passes on what is to be seen. What a message is, is known by its beginning.

    Of a message that begins with a thought marker (§7) and is shown, no text is passed on: which part of it follows the
    marker is not told.

    Args:
        visibility: what is to be seen.
    """

    def __init__(self, visibility: Visibility = END_USER) -> None:
        self._visibility = visibility
        self._hidden: set[int] = set()
        self._silent: set[int] = set()

    def apply(self, events: Iterable[Event]) -> list[Event]:
        """The events that are to be seen, findings and the end of the stream among them."""
        return [event for event in events if not self._hides(event)]

    def _hides(self, event: Event) -> bool:
        if isinstance(event, (Delta, RefusalDelta)):
            return event.number in self._silent
        if isinstance(event, (Signed, End)):
            return event.number in self._hidden
        if isinstance(event, Start):
            number, message, _ = event
            if self._visibility.hides(message) is not None:
                self._hidden.add(number)
                self._silent.add(number)
            elif any(self._visibility.hides_part(part) for part in parts_of(message.content)):
                self._silent.add(number)
            return number in self._hidden
        return False


class FilteredEncoder:
    """An encoder that is given what its readers may see, and nothing else.

    Args:
        target: writes it.
        visibility: what is to be seen.
    """

    def __init__(self, target: Encoder, visibility: Visibility) -> None:
        self._target = target
        self._filter = Filter(visibility)

    @property
    def losses(self) -> list[Loss]:
        """What could not be said, or was hidden; complete when the stream is over."""
        return self._target.losses

    def showing(self, visibility: Visibility) -> FilteredEncoder:
        """The same encoder with something else to be seen, before it has encoded anything."""
        return FilteredEncoder(self._target, visibility)

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The chunks that events make, those that are hidden aside."""
        return self._target.encode(self._filter.apply(events))

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """What stands behind everything."""
        return self._target.finish(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Say that the stream broke."""
        return self._target.fail(code, message)
