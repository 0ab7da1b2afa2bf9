"""What the decoders of all text formats share: UTF-8, control tokens cut in two, and how a stream ends.

A format gives a `Reading`: its batch reader's scanner and header code, fed as text arrives.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Final, Protocol, Self, cast

from ..chat.turns import is_call, is_thought
from ..common.unicode import without_mark
from ..errors import BridgeError, ErrorCode
from ..events import Delta, End, Event, Reason, Start, Stop
from ..loss import Finding, FindingCode, Log, Severity
from ..model import Document, Message, Thought, Transcript
from .buffer import Hold

WAITING: Final = 4_096
"""The longest end of a text that waits for the rest of a token, in characters."""
PENDING: Final = 1_048_576
"""The longest text that a reading keeps back because its meaning is not known yet, in characters."""


_new: Final = cast("Callable[[type[Delta], tuple[int, str]], Delta]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]
"""Makes a delta without the detour through its class."""


class LiveLog(Log):
    """A log whose findings are events, in their place among the others.

    Attributes:
        events: those that nobody took yet.
        ended: the messages of those that were taken.
    """

    __slots__ = ("ended", "events")

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.ended: list[Message] = []

    def find(self, code: FindingCode, path: str, detail: str, severity: Severity = Severity.CHANGED) -> None:
        """Note something that a reader mended or assumed, and say so at once."""
        found = Finding(code, severity, path, detail)
        self.findings.append(found)
        self.events.append(found)

    def take(self) -> list[Event]:
        """The events since the last time."""
        events, self.events = self.events, []
        self.ended += [event.message for event in events if isinstance(event, End)]
        return events


class Reading(Protocol):
    """A format's reader, fed piece by piece; it puts its events into the log that it was made with.

    Attributes:
        running: the index of the message whose text is passed on as it comes, or -1 where everything has to be looked
            at. Text that holds nothing special is then appended to `body` without further ado.
        body: the pieces of that text.
    """

    running: int
    body: list[str]

    @property
    def pending(self) -> int:
        """How many characters wait for their meaning to be known."""
        ...

    def push(self, text: str) -> None:
        """Take the next text; it is never cut inside a token."""
        ...

    def implied(self) -> str:
        """The token that an engine stopped at and took away; "" where no message is open."""
        ...

    def close(self) -> Document:
        """There is no more text: say the rest, and give the document that the reader of the whole text gives."""
        ...


def tell(log: LiveLog, index: int, message: Message, so_far: str | None = None) -> None:
    """Say a whole message, or what has not been said of it.

    Args:
        log: where to.
        index: of the message.
        message: as it was read.
        so_far: the text that was said already; None where the message has not begun.
    """
    if so_far is None:
        log.events.append(Start(index, header_of(message)))
    rest = text_of(message)[len(so_far or "") :]
    if rest:
        log.events.append(Delta(index, rest))
    log.events.append(End(index, message))


def header_of(message: Message) -> Message:
    """What a message's header says, and the thought markers in it, which make it private."""
    content = message.content
    markers = "" if isinstance(content, str) else tuple(part for part in content if isinstance(part, Thought))
    return Message(
        message.role,
        markers or "",
        message.name,
        message.channel,
        message.recipient,
        message.call_id,
        message.intent,
        message.content_type,
        message.constraint,
        None,
        message.continues,
    )


def text_of(message: Message) -> str:
    """A message's texts, as deltas give them."""
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content if part.type == "text")


class TextDecoder:
    """A decoder of a text format.

    Args:
        reading: the format's.
        hold: its tokens.
        log: the one that the reading puts its events into.
    """

    def __init__(self, reading: Reading, hold: Hold, log: LiveLog) -> None:
        self._reading = reading
        self._hold = hold
        self._special = hold.special
        self._inside = hold.inside
        self._one = hold.one
        self._log = log
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._started = False
        self._error: ErrorCode | None = None
        self._over = False

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk.

        Raises:
            BridgeError: where the text is not of the format, or OCB-LIMIT where too much of it has no meaning yet.
        """
        text = data if isinstance(data, str) else self._utf8.decode(data)
        reading = self._reading
        number = reading.running
        # Nearly every chunk comes through here. One character is looked for faster than any of several.
        if number >= 0 and not self._waiting and (self._one not in text if self._one else not self._special(text)):
            if not text:
                return []
            reading.body.append(text)
            return [_new(Delta, (number, text))]
        if self._over or self._error is not None:
            return []
        text = self._waiting + text
        at = self._hold.cut(text)
        self._waiting, text = text[at:], text[:at]
        if number < 0 or self._inside(text):
            self._push(text)
        elif text:
            reading.body.append(text)
            self._log.events.append(_new(Delta, (number, text)))
        if len(self._waiting) > WAITING or reading.pending > PENDING:
            raise self._fail(
                BridgeError(ErrorCode.LIMIT, "a message's header or body is too long without its next control token")
            )
        return self._log.take()

    def feed_tokens(self, _ids: Sequence[int | str], /) -> list[Event]:
        """Token ids mean something in token formats only.

        Raises:
            BridgeError: OCB-OPTION.
        """
        raise BridgeError(ErrorCode.OPTION, "this stream is text; to stream token ids, use harmony-tokens")

    def _push(self, text: str) -> None:
        if text and not self._started:
            self._started, text = True, without_mark(text, self._log)
        if text:
            try:
                self._reading.push(text)
            except BridgeError as error:
                raise self._fail(error) from error.__cause__

    def _fail(self, error: BridgeError) -> BridgeError:
        self._error = error.code
        self._reading.running = -1
        return error

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes; a second time there is nothing to say."""
        if self._over:
            return []
        self._over = True
        document: Document = Transcript()
        try:
            if self._error is None:
                document = self._rest(reason)
        except BridgeError as error:
            self._fail(error)
        self._reading.running = -1
        why = settle(reason, document) if self._error is None else "error"
        events = self._log.take()
        return [*events, Stop(why, document, self._error, lifted(self._log.ended, document))]

    def _rest(self, reason: Reason | None) -> Document:
        self._push(self._waiting + self._utf8.decode(b"", final=True))
        if reason == "stop":
            self._push(self._reading.implied())
        return self._reading.close()

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self.finish("cancelled")

    def copy(self) -> Self:
        """A decoder that goes on from here; takes time in proportion to what was read."""
        return deepcopy(self)


def lifted(messages: Sequence[Message], document: Document) -> int | None:
    """The number of the message that was told and that the document has as its declared tools."""
    if not isinstance(document, Transcript) or document.tools is None or len(messages) <= len(document.messages):
        return None
    for number, (one, other) in enumerate(zip(messages, document.messages, strict=False)):
        if one.role != other.role or text_of(one) != text_of(other):
            return number
    return len(document.messages)


def settle(reason: Reason | None, document: Document) -> Reason:
    """Why a stream is over, by what the engine says and by what came."""
    if reason not in (None, "stop", "tool_calls"):
        return reason
    messages = document.messages if isinstance(document, Transcript) else ()
    answer: list[Message] = []
    for message in reversed(messages):
        if message.role != "assistant":
            break
        answer.append(message)
    if reason is None and (not answer or answer[0].end is None or is_thought(answer[0])):
        return "truncated"
    return "tool_calls" if any(map(is_call, answer)) else "stop"
