"""Decode a stream of JSON objects, in Server-Sent Events or one after another: the base class of these decoders."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import ClassVar, Final, NamedTuple, cast

from ..chat.turns import is_hosted
from ..errors import BridgeError
from ..events import Decoder, Delta, Event, Named, Reason, Stop
from ..json_values import jsontext
from ..json_values.form import Object
from ..loss import FindingCode, Severity
from ..model import Document, Json, Message
from ..options import Options
from .decoder import LiveLog, settle
from .enclosed import opened
from .identity import named_in
from .repeats import Frame, MoreText, Repeats
from .sse import ServerEvent
from .utf8 import Characters
from .values import Values

_COMPLETE: Final = frozenset({None, "stop", "tool_calls"})
"""Reasons of a caller that do not override the reason of the stream."""
_EVENT_END: Final = "\n\n"
DONE: Final = "[DONE]"
"""The data of the last event of some servers."""


class _Parsed(NamedTuple):
    """An event that was taken.

    Attributes:
        name: its name.
        data: its data.
        value: the same, parsed.
    """

    name: str | None
    data: str
    value: Object


class ArrivingDecoder(Decoder, ABC):
    """A decoder of one stream.

    Args:
        options: how to read.

    Attributes:
        options: how to read.
        log: receives findings and events.
        failed: whether the stream could not be read, or the server reported an error.
        done: whether the stream has announced its end.
        closed: whether the stream was finished, and all events were emitted.
    """

    varying: ClassVar[Collection[str]] = ()
    """The keys of members that differ from event to event and say nothing (`Repeats`)."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.log = LiveLog()
        self.failed = self.done = self.closed = False
        self._values = Values()
        self._utf8 = Characters()
        self._repeats = Repeats(self.varying)
        self._events_before = 0
        """The number of events before those of the last object."""
        self._noted: set[str] = set()
        self._named = Named()

    @abstractmethod
    def take(self, value: Object, name: str | None) -> None:
        """Take one more object.

        Args:
            value: the object.
            name: the name of its server-sent event; None if it has none.
        """

    def more_text(self, _value: Object, /) -> MoreText | None:
        """Return what an object has, if it only has more text of a message that has begun.

        It is called after `take` took the object, and must change nothing.
        """
        return None

    @property
    def delta(self) -> Delta | None:
        """The event that the last object gave; None if it gave others or none."""
        events = self.log.events[self._events_before :]
        return events[0] if len(events) == 1 and isinstance(events[0], Delta) else None

    def announced(self) -> None:
        """Take the announcement that the stream is over."""
        self.done = True

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

    def take_all(self, arrived: Iterable[ServerEvent]) -> _Parsed | None:
        """Take events, one after another, until the decoder is closed; return the last one, if it was an object.

        Later events are not even parsed, as they would not be in a later chunk.
        """
        last = None
        for name, data in arrived:
            last = self._take_data(name, data)
            if self.is_closed:
                break
        return last

    def _take_data(self, name: str | None, data: str) -> _Parsed | None:
        """Take an event; report data that is no object."""
        if data.strip().startswith(DONE):
            self.announced()
            return None
        value = jsontext.loads(data)
        if not isinstance(value, dict):
            self.note("an event is not an object; it is left out")
            return None
        members = opened(cast("Object", value))
        self._events_before = len(self.log.events)
        self.take(members, name)
        return _Parsed(name, data, members)

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk of the stream, cut anywhere.

        Raises:
            BridgeError: OCB-JSON if the data is not JSON; OCB-LIMIT if a value is too long.
        """
        if self.is_closed:
            return []
        text = self._utf8.decode(data)
        at, length = 0, len(text)
        while at < length:
            end = self._repeats.take(text, at)
            if end == at:
                found = text.find(_EVENT_END, at)
                end = length if found < 0 else found + len(_EVENT_END)
                self._feed(text[at:end])
                if self.is_closed:
                    break
            at = end
        return self.log.take()

    def _feed(self, text: str) -> None:
        """Take at most one server-sent event, which does not just repeat the one before."""
        self._repeats.forget()
        try:
            last = self.take_all(self._values.events(text))
        except BridgeError:
            self.failed = True
            raise
        if last is not None and self.options.plans and not self.is_closed and self._values.is_idle:
            frame = _frame_of(last, text)
            if frame is not None:
                self._repeats.learn(frame, last.value, self.more_text)

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return its last events. A second call returns none."""
        if self.closed:
            return []
        if not self.is_closed:
            # If the last value is incomplete, the stream was cut off inside it.
            with suppress(BridgeError):
                self.take_all(self._values.events(self._utf8.finish()))
                self.take_all(self._values.finish())
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


def _frame_of(event: _Parsed, text: str) -> Frame | None:
    """Return an event as it stands at the end of a text; None if it has other fields, or several lines of data."""
    start = text.rfind(event.data)
    before, behind = _BEFORE.search(text[: max(start, 0)]), text[start + len(event.data) :]
    if start < 0 or before is None or behind.strip() or (event.name or None) != before[2]:
        return None
    return Frame(before[1], event.data, behind)


_BEFORE: Final = re.compile(r"(?:\A|\n)((?:(?:event: ?([^\r\n]*)\r?\n)?data: ?)?)\Z")
"""Matches what stands before the data of an event: the beginning of its line, and a line with its name."""
