"""Decode a stream of values, such as Server-Sent Events with JSON: the base class of these decoders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol, cast

from ..chat.turns import is_hosted
from ..errors import BridgeError
from ..events import Decoder, Event, Named, Reason, Stop
from ..json_values.form import Object
from ..loss import FindingCode, Severity
from ..model import Document, Json, Message
from .decoder import LiveLog, settle
from .identity import named_in

_COMPLETE: Final = frozenset({None, "stop", "tool_calls"})
"""Reasons of a caller that do not override the reason of the stream."""


class Arrivals(Protocol):
    """A parser of the chunks of a stream."""

    def events(self, data: str | bytes, /) -> Iterable[Any]:
        """Take the next chunk; yield the values that it completes."""
        ...


class ArrivingDecoder(Decoder, ABC):
    """A decoder of one stream.

    Args:
        arrivals: parses its chunks.

    Attributes:
        log: receives findings and events.
        failed: whether the stream could not be read, or the server reported an error.
        done: whether the stream has announced its end.
        closed: whether the stream was finished, and all events were emitted.
    """

    def __init__(self, arrivals: Arrivals) -> None:
        self.log = LiveLog()
        self.failed = self.done = self.closed = False
        self._arrivals = arrivals
        self._noted: set[str] = set()
        self._named = Named()

    @abstractmethod
    def take_one(self, arrived: Any) -> None:
        """Take one value of the stream."""

    @abstractmethod
    def rest(self) -> Iterable[Any]:
        """End the parsing; yield the values that are complete although nothing ends them."""

    @abstractmethod
    def stop(self, reason: Reason | None) -> Stop:
        """End the stream: take its last events to the log, and return the event that stops it.

        Args:
            reason: the caller's reason; None if the stream just ended.
        """

    def hosts(self, call: Message, /) -> bool:
        """Return whether the API runs a call itself."""
        return is_hosted(call)

    @property
    def is_closed(self) -> bool:
        """Whether further values are ignored."""
        return self.closed or self.failed or self.done

    def take_all(self, arrived: Iterable[Any]) -> None:
        """Take values, one after another, until the decoder is closed.

        Later values are not even parsed, as they would not be in a later chunk.
        """
        for value in arrived:
            self.take_one(value)
            if self.is_closed:
                return

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk of the stream, cut anywhere.

        Raises:
            BridgeError: OCB-JSON if the data is not JSON; OCB-LIMIT if a value is too long.
        """
        if self.is_closed:
            return []
        try:
            self.take_all(self._arrivals.events(data))
        except BridgeError:
            self.failed = True
            raise
        return self.log.take()

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return its last events. A second call returns none."""
        if self.closed:
            return []
        if not self.is_closed:
            # If the last value is incomplete, the stream was cut off inside it.
            with suppress(BridgeError):
                self.take_all(self.rest())
        self.closed = True
        stop = self.stop(reason)
        return [*self.log.take(), stop]

    def reason_of(self, document: Document, reason: Reason | None, over: Reason | None) -> Reason:
        """Return why a stream is over.

        Args:
            document: the document.
            reason: the caller's reason.
            over: why the answer is over, according to the stream; None if the stream does not say it.
        """
        if self.failed:
            return "error"
        if reason not in _COMPLETE:
            return cast("Reason", reason)
        if over is None and reason is None:
            return "truncated"
        return settle(over or reason, document, self.hosts)

    def note(self, detail: str) -> None:
        """Report what had to be mended, once for each text."""
        if detail not in self._noted:
            self._noted.add(detail)
            self.log.find(FindingCode.SHAPE, "", detail)

    def name(self, members: Object) -> None:
        """Emit the id, the model and the time of the answer, if they are new.

        Args:
            members: the members of a response around its messages.
        """
        named = named_in(members, self._named)
        if named != self._named:
            self._named = named
            self.log.events.append(named)

    def fail(self, error: Json) -> None:
        """Report that the server cut the stream off.

        Args:
            error: the server's error: an object with a `message`, or a text.
        """
        self.failed = True
        reason = cast("Object", error).get("message") if isinstance(error, dict) else error
        has_reason = isinstance(reason, str) and reason
        detail = f"the server cut the stream off: {reason}" if has_reason else "the server cut the stream off"
        self.log.find(FindingCode.TRUNCATED, "", detail, Severity.LOST)
