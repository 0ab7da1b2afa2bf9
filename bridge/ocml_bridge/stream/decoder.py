"""Decode a stream of text: UTF-8, control tokens that chunks cut in two, and the end of a stream.

Each text format gives a `Reading`, which feeds the scanner and the header parser of its batch reader as text arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, cast

from ..chat.turns import is_call, is_hosted, is_thought
from ..chat.visibility import is_private
from ..common.unicode import without_mark
from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Delta, End, Event, PartEnd, Reason, Start, Stop
from ..loss import Finding, FindingCode, Log, Severity
from ..model import Document, Message, Part, Text, Thought, Transcript
from ..units.pairing import pair
from .buffer import Hold
from .utf8 import Characters

WAITING: Final = 4_096
"""The maximum length of text that waits for the rest of a token, in characters."""
PENDING: Final = 1_048_576
"""The maximum length of text that a reading holds back because its meaning is not known yet, in characters."""


_new: Final = cast("Callable[[type[Delta], tuple[int, str]], Delta]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]
"""Builds a `Delta` without calling its constructor, which is faster."""


class LiveLog(Log):
    """A log whose findings are also events, in order with the others.

    Attributes:
        events: the events that were not taken yet.
        ended: the messages of the `End` events that were taken.
    """

    __slots__ = ("ended", "events")

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.ended: list[Message] = []

    def find(self, code: FindingCode, path: str, detail: str, severity: Severity = Severity.CHANGED) -> None:
        """Report what a reader mended or assumed, also as an event."""
        finding = Finding(code, severity, path, detail)
        self.findings.append(finding)
        self.events.append(finding)

    def take(self) -> list[Event]:
        """Return the events since the last call."""
        events, self.events = self.events, []
        for event in events:
            if type(event) is End:
                self.ended.append(event.message)
        return events


class Reading(Protocol):
    """A format's reader, fed piece by piece. It puts its events into the log that it was created with.

    Attributes:
        running: the index of the message whose text is passed on as it arrives; -1 if all text must be pushed. If an
            index, the decoder appends text without special characters to `body` and does not push it.
        body: the pieces of that message's text.
    """

    running: int
    body: list[str]

    @property
    def pending(self) -> int:
        """The number of characters that wait until their meaning is known."""
        ...

    def push(self, text: str) -> None:
        """Take the next text, which does not end inside a token."""
        ...

    def implied(self) -> str:
        """Return the token at which the engine stopped and which it removed; "" if no message is open."""
        ...

    def close(self) -> Document:
        """End the text: emit the missing events, and return the document that the batch reader returns for the text."""
        ...


def emit_message(log: LiveLog, index: int, message: Message, so_far: str | None = None) -> None:
    """Emit the events of a whole message, except those that were emitted already.

    Args:
        log: receives the events.
        index: the index of the message.
        message: the message as it was read.
        so_far: the text for which deltas were emitted; None if `Start` was not emitted either.
    """
    if so_far is None:
        log.events.append(Start(index, header_of(message)))
    rest = text_of(message)[len(so_far or "") :]
    if rest:
        log.events.append(Delta(index, rest))
    log.events.append(End(index, message))


def rest_of(number: int, message: Message, length: int = 0, done: int = 0) -> Iterator[Delta | PartEnd]:
    """Yield the deltas of a message's text, and the ends of its parts, except those that were emitted.

    Only an answer has parts that end: those of a thought, a call or a reply are not the answer's.

    Args:
        number: the number of the message.
        message: the whole message.
        length: the number of characters for which deltas were emitted.
        done: the number of parts whose ends were emitted.
    """
    parts: Sequence[Part] = () if isinstance(message.content, str) else message.content
    texts = [part.text if isinstance(part, Text) else "" for part in parts]
    arrived = length - sum(map(len, texts[:done]))
    is_answer = message.role == "assistant" and not (is_call(message) or is_private(message))
    if not is_answer or done >= len(texts) or arrived > len(texts[done]):  # or its parts were not separated
        if rest := text_of(message)[length:]:
            yield Delta(number, rest)
        return
    for at in range(done, len(texts)):
        if rest := texts[at][arrived:]:
            yield Delta(number, rest)
        if at < len(texts) - 1:
            yield PartEnd(number, parts[at])
        arrived = 0


def header_of(message: Message) -> Message:
    """Return a message with the fields of the header only, and with its thought markers, which make it private."""
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
    """Return the joined texts of a message, as deltas have them."""
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content if part.type == "text")


class TextDecoder(Decoder):
    """A decoder of a text format.

    Args:
        reading: the format's reading.
        hold: finds which end of a text may be part of a token.
        log: the log into which the reading puts its events.
    """

    def __init__(self, reading: Reading, hold: Hold, log: LiveLog) -> None:
        self._reading = reading
        self._hold = hold
        self._special = hold.special
        self._inside = hold.inside
        self._one = hold.one
        self._log = log
        self._utf8 = Characters()
        self._waiting = ""
        self._started = False
        self._error: ErrorCode | None = None
        self._over = False

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk.

        Raises:
            BridgeError: if the text is not in the format; OCB-LIMIT if too much of it waits for its meaning.
        """
        text = self._utf8.decode(data)
        reading = self._reading
        number = reading.running
        # The fast path of nearly every chunk. Searching one character is faster than searching any of several.
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
        """End the stream; return its last events. A second call returns none."""
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
        final_reason = settle(reason, document) if self._error is None else "error"
        events = self._log.take()
        return [*events, Stop(final_reason, document, self._error, declaration_at(self._log.ended, document))]

    def _rest(self, reason: Reason | None) -> Document:
        self._push(self._waiting + self._utf8.finish())
        if reason == "stop":
            self._push(self._reading.implied())
        return self._reading.close()


def declaration_at(messages: Sequence[Message], document: Document) -> int | None:
    """Return the number of the message that became the document's declared tools; None if none did.

    Args:
        messages: the messages of the `End` events.
        document: the document at the end of the stream.
    """
    if not isinstance(document, Transcript) or document.tools is None or len(messages) <= len(document.messages):
        return None
    for number, (message, document_message) in enumerate(zip(messages, document.messages, strict=False)):
        if message.role != document_message.role or text_of(message) != text_of(document_message):
            return number
    return len(document.messages)


def settle(reason: Reason | None, document: Document, hosts: Callable[[Message], bool] = is_hosted) -> Reason:
    """Return why a stream is over, from the engine's reason and the last messages of the document.

    If the answer ends within a call, the call is incomplete whatever the engine says: `length`, so that nobody runs it.

    Args:
        reason: the engine's reason; None if the stream just ended.
        document: the document.
        hosts: returns whether the API runs a call itself; nobody has to answer such a call.
    """
    if reason not in (None, "stop", "tool_calls"):
        return reason
    messages = document.messages if isinstance(document, Transcript) else ()
    last = messages[-1] if messages and messages[-1].role == "assistant" else None
    if reason is None and (last is None or last.end is None or is_thought(last)):
        return "truncated"
    if last is not None and last.end is None and is_call(last):
        return "length"
    others = (at for at in range(len(messages) - 1, -1, -1) if messages[at].role not in _OF_ANSWERS)
    answer = messages[next(others, -1) + 1 :]
    waiting = [at for at, message in enumerate(answer) if is_call(message) and not hosts(message)]
    answered = set(pair(answer).values()) if waiting else set[int]()
    return "stop" if answered.issuperset(waiting) else "tool_calls"


_OF_ANSWERS: Final = frozenset({"assistant", "tool"})
"""The roles of an answer's messages: the results of tools that the API runs stand in it."""
