"""Remove the messages from a stream that its readers must not see (OpenChatML 2.2 §4, §5, §9, §11)."""

from __future__ import annotations

from collections.abc import Iterable

from ..chat.turns import parts_of
from ..chat.visibility import END_USER, Visibility
from ..events import Delta, Encoder, End, Event, PartEnd, RefusalDelta, Signed, Start
from ..loss import Loss
from .order import Settled


class Filter:
    """Filter events: keep those of visible messages, which is decided at the `Start` of each.

    If a visible message begins with a thought marker (§7), its deltas are removed: they do not tell which text follows
    the marker.

    Args:
        visibility: who the readers are, and what they may see.
    """

    def __init__(self, visibility: Visibility = END_USER) -> None:
        self._visibility = visibility
        self._hidden: set[int] = set()
        self._silent: set[int] = set()

    def apply(self, events: Iterable[Event]) -> list[Event]:
        """Return the visible events, with all findings and the end of the stream."""
        silent = self._silent
        return [
            event
            for event in events
            if (event.number not in silent if type(event) is Delta else not self._hides(event))
        ]

    def _hides(self, event: Event) -> bool:
        if isinstance(event, (RefusalDelta, PartEnd)):
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
    """An encoder that passes only visible events to another encoder.

    Args:
        target: the other encoder.
        visibility: who the readers are, and what they may see.
        whole: whether the encoder writes the answer as a whole. Then each message is shown or hidden as what it is at
            its end; a stream has to decide at its beginning.
    """

    def __init__(self, target: Encoder, visibility: Visibility, *, whole: bool = False) -> None:
        self._target = target
        self._filter = Filter(visibility)
        self._whole = whole
        self._settled = Settled() if whole else None

    @property
    def losses(self) -> list[Loss]:
        """The losses, also of messages that were hidden; complete when the stream is over."""
        return self._target.losses

    def showing(self, visibility: Visibility) -> FilteredEncoder:
        """Return an encoder with another visibility; only before this one has encoded anything."""
        return FilteredEncoder(self._target, visibility, whole=self._whole)

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the chunks of the visible events."""
        if self._settled is not None:
            events = self._settled.take(events)
        return self._target.encode(self._filter.apply(events))

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the output after the last message."""
        return self._target.finish(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the output for an error that broke the stream."""
        return self._target.fail(code, message)
