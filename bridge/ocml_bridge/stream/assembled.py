"""What decoders share whose document is what a reader reads of the answer that their chunks make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Final, Self, cast

from ..errors import BridgeError, ErrorCode
from ..events import Delta, End, Event, Reason, Start, Stop
from ..form import Object
from ..loss import FindingCode, Severity
from ..model import Json, Message, Transcript
from .decoder import LiveLog, header_of, settle, tell, text_of
from .values import DONE, Arrived, Values

_COMPLETE: Final = frozenset({None, "stop", "tool_calls"})
"""Reasons given from outside that leave it to the stream why it is over."""


class AssemblingDecoder(ABC):
    """A decoder of one answer. Its messages end together with it, but for those of which no more can come.

    Attributes:
        log: takes findings and events.
        over: why the answer is over, by what came; None while it does not say.
    """

    def __init__(self) -> None:
        self.log = LiveLog()
        self.over: Reason | None = None
        self._values = Values()
        self._lengths: list[int] = []
        self._ended = 0
        self._noted: set[str] = set()
        self._failed = False
        self._done = False
        self._closed = False

    # --- of a format --------------------------------------------------------------------------------------------------

    @abstractmethod
    def take(self, value: Object, name: str | None) -> None:
        """Take one more object; `start` and `more` say what it tells at once."""

    @abstractmethod
    def document(self, reason: Reason | None) -> Transcript:
        """What a reader reads of the answer so far."""

    # --- for a format -------------------------------------------------------------------------------------------------

    def start(self, message: Message) -> int:
        """Say that a message begins; its number."""
        number = len(self._lengths)
        self._lengths.append(0)
        header = header_of(message)
        header.continues = number > 0
        self.log.events.append(Start(number, header))
        return number

    def more(self, number: int, text: str) -> None:
        """Say more of a message."""
        if text:
            self._lengths[number] += len(text)
            self.log.events.append(Delta(number, text))

    def end(self, message: Message) -> None:
        """Say that the first message that has not ended does: no more of it can come, and others come behind it."""
        number, self._ended = self._ended, self._ended + 1
        if more := text_of(message)[self._lengths[number] :]:
            self.log.events.append(Delta(number, more))
        self.log.events.append(End(number, message))

    def note(self, detail: str) -> None:
        """Say what had to be mended, once."""
        if detail not in self._noted:
            self._noted.add(detail)
            self.log.find(FindingCode.SHAPE, "", detail)

    def fail(self, error: Json) -> None:
        """The server says that it cannot go on."""
        self._failed = True
        reason = cast("Object", error).get("message") if isinstance(error, dict) else error
        detail = (
            f"the server cut the stream off: {reason}"
            if isinstance(reason, str) and reason
            else "the server cut the stream off"
        )
        self.log.find(FindingCode.TRUNCATED, "", detail, Severity.LOST)

    @property
    def begun(self) -> int:
        """How many messages have begun."""
        return len(self._lengths)

    # --- the stream ---------------------------------------------------------------------------------------------------

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk of the stream, cut anywhere.

        Raises:
            BridgeError: OCB-JSON for data that is not JSON, OCB-LIMIT for what is too long.
        """
        if self._is_closed:
            return []
        try:
            self._take(self._values.events(data))
        except BridgeError:
            self._failed = True
            raise
        return self.log.take()

    @property
    def _is_closed(self) -> bool:
        return self._closed or self._failed or self._done

    def feed_tokens(self, _ids: Sequence[int | str], /) -> list[Event]:
        """Chunks are text.

        Raises:
            BridgeError: OCB-OPTION.
        """
        raise BridgeError(ErrorCode.OPTION, "this stream is text; to stream token ids, use harmony-tokens")

    def _take(self, arrived: Iterable[Arrived]) -> None:
        for name, value in arrived:
            if self._is_closed:
                return
            if value == DONE:
                self._done = True
            elif isinstance(value, dict):
                self.take(cast("Object", value), name)
            else:
                self.note("an event is not an object; it is left out")

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes; a second time there is nothing to say."""
        if self._closed:
            return []
        if not self._is_closed:
            with suppress(BridgeError):
                self._take(self._values.finish())
        self._closed = True
        if reason is None and self.over is None and not self._failed:
            self.log.find(FindingCode.TRUNCATED, "", "the stream ends before the answer ends", Severity.LOST)
        try:
            document = self.document(reason)
        except BridgeError:  # what came makes no answer
            self._failed, document = True, Transcript()
        self._end(document.messages)
        return [*self.log.take(), Stop(self._reason(reason, document), document)]

    def _reason(self, reason: Reason | None, document: Transcript) -> Reason:
        if self._failed:
            return "error"
        if reason not in _COMPLETE:
            return cast("Reason", reason)
        if self.over is None and reason is None:
            return "truncated"
        return settle(self.over or reason, document)

    def _end(self, messages: Sequence[Message]) -> None:
        begun = len(self._lengths)
        for message in messages[self._ended : begun]:
            self.end(message)
        for number, message in enumerate(messages[begun:], begun):
            tell(self.log, number, message)

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self.finish("cancelled")

    def copy(self) -> Self:
        """A decoder that goes on from here; takes time in proportion to what was read."""
        return deepcopy(self)


def merged(values: Sequence[Json]) -> Json:
    """What the values of one member in several chunks say together: lists are continued, objects by member.

    Of anything else the last one counts, as chunks tell again what they told.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    last = known[-1]
    if all(value == last for value in known):
        return last
    if all(isinstance(value, list) for value in known):
        return [item for value in known for item in cast("list[Json]", value)]
    if all(isinstance(value, dict) for value in known):
        objects = cast("list[Object]", known)
        keys = dict.fromkeys(key for value in objects for key in value)
        return {key: merged([value[key] for value in objects if key in value]) for key in keys}
    return last
