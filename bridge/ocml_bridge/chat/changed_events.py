"""`ChangingDecoder`: a decoder that changes the events of another one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ..events import Decoder, Event, Reason


class ChangingDecoder(Decoder):
    """A decoder that changes the events of another one.

    Args:
        source: the other decoder.
    """

    def __init__(self, source: Decoder) -> None:
        self._source = source

    @abstractmethod
    def changed(self, events: Sequence[Event]) -> list[Event]:
        """Return the events that stand in place of the next ones of the other decoder."""

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Decode the next chunk."""
        return self.changed(self._source.feed(data))

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Decode the next token ids."""
        return self.changed(self._source.feed_tokens(ids))

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream."""
        return self.changed(self._source.finish(reason))

    def cancel(self) -> list[Event]:
        """End the stream because the client disconnected."""
        return self.changed(self._source.cancel())
