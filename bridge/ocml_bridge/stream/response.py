"""Encode one answer as JSON, in chunks as it arrives or whole at its end: the base class of these encoders.

At the end, the encoder reads back the response that a client has assembled, and reports what the document has and the
response has not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from json.encoder import encode_basestring_ascii
from typing import ClassVar, Final

from ..chat.turns import is_call, recipient_of
from ..engine.reading import transcript_of
from ..errors import ErrorCode
from ..events import Answer, Delta, End, Event, Named, PartEnd, Reason, RefusalDelta, Signed, Start, Stop
from ..formats.adapter import Options
from ..json_values import jsontext
from ..json_values.form import Object
from ..loss import Finding, FindingCode, Log, Loss
from ..model import ByFormat, Message, Part, Settings, Transcript, Usage, replace
from ..units.reader import UnitReader
from ..wires.tool_alphabet import ToolAlphabet
from .identity import repeated_identity
from .response_losses import losses_of, losses_of_unwritten
from .running import running_text
from .usage import with_total

_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer is cut off",
    "error": "the answer is cut off: what arrived cannot be read",
}
"""The error messages for answers that are not complete, if nobody says why. A client that cancelled one gets none."""


class ResponseEncoder(ABC):
    """An encoder of one answer of the assistant.

    Args:
        answer: its id, model, time and index, if the stream does not have them; it gives ids to calls that have none.
        options: how to write, and how to read back what was written.

    Attributes:
        losses: the losses; complete when the stream is over.
        reason: why the answer is over; None if it is not complete.
        heads: the messages that are written, as they began, by number.
        written: the number and the format's kind of each message of which something was written.
        calls: the number of calls in the answer.
        opened: whether the beginning of the answer is written.
        extras: the extras of the document, which is known at the end of the stream.
        running: by number, what writes more text of a message if nothing else has come since its last text.
        over: whether nothing more is written.
    """

    stream: ClassVar[str]
    """The stream id, for losses."""
    reads: ClassVar[type[UnitReader]]
    """The reader of a response."""
    whole: ClassVar[bool] = False
    """Whether one response is written at the end, instead of chunks; nothing is written of an incomplete answer."""
    joined: ClassVar[frozenset[str]] = frozenset()
    """The kinds of which adjacent messages are read back as one message."""
    parallel: ClassVar[bool] = False
    """Whether more text of a message is written in the same way whatever has come since its last text."""
    names: ClassVar[ToolAlphabet | None] = None
    """The names that tools may have; None if any."""
    endings: ClassVar[tuple[str, ...]] = ()
    """The members of a response that say why the answer is over, and that are also extras of a document."""

    def __init__(self, answer: Answer, options: Options) -> None:
        self.losses: list[Loss] = []
        self.reason: Reason | None = None
        self.heads: dict[int, Message] = {}
        self.written: list[tuple[int, str]] = []
        self.calls = 0
        self.over = False
        self.running: dict[int, Callable[[str], bytes]] = {}
        self._options = options
        self._ids: set[str] = set()
        self._freeform = frozenset(map(recipient_of, answer.freeform))
        self._names = None if self.names is None else self.names.streamed(answer.tools)
        self.opened = False
        self._settings: Settings | None = None
        self.extras: ByFormat | None = None
        self._errors = dict(_ERRORS)
        self.identify(answer)

    # --- what a format defines ----------------------------------------------------------------------------------------

    def arranged(self, events: Iterable[Event]) -> Iterable[Event]:
        """Return events in the order in which the format writes them."""
        return events

    def accepts(self, message: Message) -> bool:
        """Return whether the format has a place for a message that begins."""
        return message.role == "assistant"

    def hosts(self, _call: Message, /) -> bool:
        """Return whether the format has a place for a call that an API runs itself, so that no client would run it."""
        return False

    def as_custom(self, call: Message, /) -> Message:
        """Return a call of a tool that takes a text, as the format marks it; unchanged if it has no such calls."""
        return call

    def identify(self, answer: Answer) -> None:
        """Take the id, the model and the time of the answer, which may change until its beginning is written."""
        self._answer = answer

    def open(self) -> list[bytes]:
        """Write the beginning of the answer."""
        return []

    @abstractmethod
    def start(self, number: int, message: Message, /) -> list[bytes]:
        """Write the beginning of a message."""

    @abstractmethod
    def more(self, number: int, text: str, /) -> list[bytes]:
        """Write more text of a message that has begun."""

    def refuse(self, number: int, text: str, /) -> list[bytes]:
        """Write more text of a message's refusal; a format without refusals writes it as text."""
        return self.more(number, text)

    def end_part(self, _number: int, _part: Part, /) -> list[bytes]:
        """Write the end of a part; by default a message has one text, and its other parts come at its end."""
        return []

    def sign(self, _number: int, _message: Message, /) -> list[bytes]:
        """Write the signature of a message whose text is complete; by default it is written at the end."""
        return []

    def end(self, _number: int, _message: Message, /) -> list[bytes]:
        """Write the end of a message."""
        return []

    def interrupt(self) -> list[bytes]:
        """Write the ends of messages that have not ended when the answer is over, complete or not."""
        return []

    @abstractmethod
    def complete(self, reason: Reason) -> list[bytes]:
        """Write why a complete answer is over."""

    @abstractmethod
    def error(self, code: str, message: str) -> list[bytes]:
        """Write an error that ends the answer."""

    @abstractmethod
    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write the end of the stream after a complete answer, with the numbers of tokens that the caller gives."""

    @abstractmethod
    def wire(self) -> Object:
        """Return the response that a client has assembled so far; an empty object if it has none."""

    def response(self, usage: dict[str, object] | None) -> Object:
        """Return the response of a complete answer."""
        self.tail(usage)
        return self.wire()

    def close(self) -> None:
        """Write nothing more."""
        self.over = True
        self.running.clear()

    # --- what a format calls ------------------------------------------------------------------------------------------

    def opening(self) -> list[bytes]:
        """Write the beginning of the answer, if it is not written yet."""
        opened, self.opened = self.opened, True
        return [] if opened else self.open()

    def run_on(
        self,
        number: int,
        event: bytes,
        take: Callable[[str], object],
        quote: Callable[[str], str] = encode_basestring_ascii,
    ) -> None:
        """Write further text of a message, until anything else comes, as the same event with another text.

        Args:
            number: the number of the message.
            event: the event with `PLACE` as its text.
            take: takes a text that is written, as `more` does.
            quote: returns a text as a string of JSON.
        """
        running = running_text(event, take, quote)
        if running is not None:
            self.running[number] = running.write

    def call_id(self, call: Message) -> str:
        """Return the id of a call that begins, or a new id if it has none."""
        index, self.calls = self.calls, self.calls + 1
        call_id = call.call_id or self._answer.id_of_call(index)
        if not call.call_id and call_id in self._ids:
            call_id = f"{call_id}_{index}"
        self._ids.add(call_id)
        return call_id

    def start_of(self, message: Message) -> Message:
        """Return a message that begins, with the name that is written."""
        return self.named(message)

    def named(self, message: Message) -> Message:
        """Return a call with a name that the format allows; any other message unchanged."""
        return message if self._names is None else self._names(message)

    def _typed(self, message: Message) -> Message:
        """Return a call of one of the client's tools that take a text as such a call; any other message unchanged."""
        is_custom = message.recipient in self._freeform and is_call(message) and message.constraint is None
        return self.as_custom(message) if is_custom else message

    @property
    def model(self) -> str:
        """The name of the model: of the caller or the stream, else of the document if the output is not streamed."""
        document_model = self._settings.model if self.whole and self._settings is not None else None
        return self._answer.model or document_model or ""

    @property
    def usage(self) -> Usage | None:
        """The numbers of tokens in the document, with their total."""
        return None if self._settings is None else with_total(self._settings.usage)

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the chunks of events; none after the end of the answer."""
        out: list[bytes] = []
        running = self.running
        for event in events:
            if type(event) is Delta and (write := running.get(event.number)) is not None:
                if event.text:  # nearly every event
                    out.append(write(event.text))
            else:
                out += self._encode(event)
        return [] if self.whole else out

    def _encode(self, event: Event) -> list[bytes]:
        """Return the chunks of an event, and of those that have waited for it."""
        out: list[bytes] = []
        for each in self.arranged((event,)):
            if not self.parallel:
                self.running.clear()
            if isinstance(each, Delta):
                number, text = each
                if text and number in self.heads and not self.over:
                    out += self.more(number, text)
            else:
                out += self.take(each)
        return out

    def take(self, event: Event) -> list[bytes]:
        """Return the chunks of one event that is no `Delta`."""
        if self.over and not isinstance(event, Stop):
            return []
        match event:
            case RefusalDelta(number, text):
                return self.refuse(number, text) if text and number in self.heads else []
            case Start(number, message, hosted):
                if not self.accepts(message) or (hosted and not self.hosts(message)):
                    return []
                message = self.heads[number] = self._typed(self.start_of(message))
                return self.start(number, message)
            case PartEnd(number, part):
                return self.end_part(number, part) if number in self.heads else []
            case Signed(number, signature):
                return (
                    self.sign(number, replace(self.heads[number], signature=signature)) if number in self.heads else []
                )
            case End(number, message):
                return self.end(number, self._typed(self.named(message))) if number in self.heads else []
            case Named() if not self.opened:
                self.identify(self._answer.named(event))
                return []
            case Finding(FindingCode.TRUNCATED, _, _, detail):
                self._errors["error"] = detail
                return []
            case Stop():
                return self._stop(event)
            case _:
                return []

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        if isinstance(stop.document, Transcript):
            self._settings, self.extras = stop.document.settings, stop.document.extras
        if not self.over:
            out = self.interrupt()
            if reason in _ERRORS:
                out += self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, self._errors[reason])
            elif reason != "cancelled":
                self.reason = "stop" if reason == "tool_calls" and not self.calls else reason
                out += [*self.opening(), *self.complete(self.reason)]
            self.close()
        is_written = not self.whole or self.reason is not None
        self.losses = self.account(stop) if is_written else losses_of_unwritten(stop.document, target=self.stream)
        return out

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the end of the stream, or the whole response; nothing if the answer is not complete.

        Args:
            usage: the numbers of tokens, by the names of Chat Completions; None for those of the document.
        """
        if not self.over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        if self.reason is None:
            return []
        return [jsontext.dumps(self.response(usage))] if self.whole else self.tail(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the chunks of an error, which ends the answer; nothing if it is over."""
        if self.over:
            return []
        out = self.error(str(code), message)
        self.close()
        return [] if self.whole else out

    # --- losses -------------------------------------------------------------------------------------------------------

    def account(self, stop: Stop) -> list[Loss]:
        """Return the losses: what the document has, and the response of a client has not."""
        wire = self.wire()
        image = transcript_of(self.reads(self._options), wire, Log()) if wire else Transcript()
        settings = None if self._settings is None else self.known(image.settings or Settings(), self._settings)
        extras = repeated_identity(self.extras, wire, self.endings)
        image = replace(image, layout=None, extras=extras, settings=None if settings == Settings() else settings)
        order = [stop.place(number) for number in self.order()]
        joined = [(number, first) for number, first in self._runs() if first is not None and first != number]
        joins = {stop.place(number): stop.place(first) for number, first in joined}
        return losses_of(stop.document, image, order, joins, target=self.stream)

    def known(self, image: Settings, document: Settings) -> Settings:
        """Return the settings of a document that a client has: model, numbers of tokens, and whether it was filtered.

        Numbers that the document does not have are omitted: they were written only because APIs require them.

        Args:
            image: the settings that the client reads.
            document: the settings of the document.
        """
        names = [field.name for field in fields(Usage) if getattr(document.usage, field.name, None) is not None]
        numbers = {name: getattr(image.usage, name) for name in names} if image.usage is not None else {}
        model = image.model if image.model == document.model else None
        filtered = image.filtered if image.filtered == document.filtered else None
        return Settings(model=model, usage=Usage(**numbers) if numbers else None, filtered=filtered)

    def order(self) -> Sequence[int]:
        """Return the number of each message of the image."""
        return [number for number, first in self._runs() if first is None]

    def _runs(self) -> Iterator[tuple[int, int | None]]:
        """Yield for each block the number of its message, and of the message that it is read as more of, or None."""
        first, before = 0, ""
        for number, kind in self.written:
            begins = kind != before or kind not in self.joined
            first, before = number if begins else first, kind
            yield number, None if begins else first
