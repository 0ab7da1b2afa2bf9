"""What encoders share that write one answer as JSON, in pieces as it comes or whole at its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Final, cast

from ..chat.turns import is_call, is_hosted
from ..chat.visibility import is_private
from ..engine.reading import transcript_of
from ..errors import ErrorCode
from ..events import Answer, Delta, End, Event, Named, Reason, RefusalDelta, Signed, Start, Stop
from ..formats.adapter import Options
from ..json_values import jsontext
from ..json_values.form import Object
from ..json_values.parameters import members_of
from ..loss import Log, Loss, LossCode, Severity
from ..model import Document, Json, Message, Settings, Transcript, Usage, replace
from ..report.narrowing import drop_empty, drop_message
from ..report.report import report
from ..units.arrange import arrival_losses
from ..units.reader import UnitReader
from ..wires.tool_alphabet import ToolAlphabet
from .identity import repeated_identity

_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer is cut off",
    "error": "the answer is cut off: what arrived cannot be read",
}
"""What a client is told where the answer is not whole and nobody said why. Nobody hears why one was cancelled."""


class ResponseEncoder(ABC):
    """An encoder of one answer: what the assistant says in it, and what a client puts together of that.

    Args:
        answer: its id, model, time and index, where the stream does not say them; it gives ids to calls that have none.
        options: how to write, and how to read back what was written.

    Attributes:
        losses: what could not be said; complete when the stream is over.
        reason: why the answer is over, once it is whole.
        heads: what the beginnings of its messages say, by their numbers.
        written: the number of each message of which something was written, and what it is here.
        calls: how many calls it makes.
        opened: whether the beginning of the answer is written.
        over: whether nothing more is written.
    """

    stream: ClassVar[str]
    """The stream id, for losses."""
    reads: ClassVar[type[UnitReader]]
    """What reads a response."""
    whole: ClassVar[bool] = False
    """Whether nothing is written before the end, and then one response; nothing of an answer that is not whole."""
    joined: ClassVar[frozenset[str]] = frozenset()
    """What becomes one message where several stand side by side."""
    names: ClassVar[ToolAlphabet | None] = None
    """The names that tools may have; None where they may have any."""

    def __init__(self, answer: Answer, options: Options) -> None:
        self.losses: list[Loss] = []
        self.reason: Reason | None = None
        self.heads: dict[int, Message] = {}
        self.written: list[tuple[int, str]] = []
        self.calls = 0
        self.over = False
        self._options = options
        self._ids: set[str] = set()
        self._names = None if self.names is None else self.names.streamed(answer.tools)
        self.opened = False
        self._settings: Settings | None = None
        self.identify(answer)

    # --- of a format --------------------------------------------------------------------------------------------------

    def arranged(self, events: Iterable[Event]) -> Iterable[Event]:
        """Events in the order in which the format tells them."""
        return events

    def accepts(self, message: Message) -> bool:
        """Whether the format has a place for a message that begins."""
        return message.role == "assistant"

    def hosts(self, _call: Message, /) -> bool:
        """Whether the format has a place for a call of an API's own tool; a client would take it for one of its own."""
        return False

    def identify(self, answer: Answer) -> None:
        """Take what is known of the answer; more may be known before its beginning is written."""
        self._answer = answer

    def open(self) -> list[bytes]:
        """The beginning of the answer."""
        return []

    @abstractmethod
    def start(self, number: int, message: Message, /) -> list[bytes]:
        """A message begins."""

    @abstractmethod
    def more(self, number: int, text: str, /) -> list[bytes]:
        """More text of a message that has begun."""

    def refuse(self, number: int, text: str, /) -> list[bytes]:
        """More text of its refusal; a format without refusals has it as text."""
        return self.more(number, text)

    def sign(self, _number: int, _message: Message, /) -> list[bytes]:
        """The text of a message is whole, and signed; a format that says so at any time waits for the end."""
        return []

    def end(self, _number: int, _message: Message, /) -> list[bytes]:
        """A message is complete."""
        return []

    def interrupt(self) -> list[bytes]:
        """The answer is over, whole or not: what is said of messages that have not ended."""
        return []

    @abstractmethod
    def complete(self, reason: Reason) -> list[bytes]:
        """The answer is whole: why it is over."""

    @abstractmethod
    def error(self, code: str, message: str) -> list[bytes]:
        """The answer broke off."""

    @abstractmethod
    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """What stands behind a whole answer: the numbers of tokens that the caller gives, the end of the stream."""

    @abstractmethod
    def wire(self) -> Object:
        """The response as a client has it by now; an empty object where there is none."""

    def response(self, usage: dict[str, object] | None) -> Object:
        """The response of a whole answer."""
        self.tail(usage)
        return self.wire()

    def close(self) -> None:
        """Nothing more is written."""
        self.over = True

    # --- for a format -------------------------------------------------------------------------------------------------

    def opening(self) -> list[bytes]:
        """The beginning of the answer, if it is not written yet."""
        opened, self.opened = self.opened, True
        return [] if opened else self.open()

    def call_id(self, call: Message) -> str:
        """The id of a call that begins, or one made up for it that no call before has."""
        index, self.calls = self.calls, self.calls + 1
        call_id = call.call_id or self._answer.id_of_call(index)
        if not call.call_id and call_id in self._ids:
            call_id = f"{call_id}_{index}"
        self._ids.add(call_id)
        return call_id

    def start_of(self, message: Message) -> Message:
        """A message that begins, with the name that it is told by."""
        return self.named(message)

    def named(self, message: Message) -> Message:
        """A call with a name that the format has, and any other message."""
        return message if self._names is None else self._names(message)

    @property
    def model(self) -> str:
        """The name of the model: where neither caller nor stream says it the document's, too late for a stream."""
        own = self._settings.model if self.whole and self._settings is not None else None
        return self._answer.model or own or ""

    @property
    def usage(self) -> Usage | None:
        """The numbers of tokens that the document tells."""
        return None if self._settings is None else self._settings.usage

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The pieces that events make, each complete in itself; none behind the end of the answer."""
        out: list[bytes] = []
        for event in self.arranged(events):
            if type(event) is Delta:  # nearly every one is
                number, text = event
                if text and number in self.heads and not self.over:
                    out += self.more(number, text)
            else:
                out += self.take(event)
        return [] if self.whole else out

    def take(self, event: Event) -> list[bytes]:
        """The pieces of one event that is not more text."""
        if self.over and not isinstance(event, Stop):
            return []
        match event:
            case RefusalDelta(number, text):
                return self.refuse(number, text) if text and number in self.heads else []
            case Start(number, message, hosted):
                if not self.accepts(message) or ((hosted or is_hosted(message)) and not self.hosts(message)):
                    return []
                message = self.heads[number] = self.start_of(message)
                return self.start(number, message)
            case Signed(number, signature):
                return (
                    self.sign(number, replace(self.heads[number], signature=signature)) if number in self.heads else []
                )
            case End(number, message):
                return self.end(number, self.named(message)) if number in self.heads else []
            case Named() if not self.opened:
                self.identify(self._answer.named(event))
                return []
            case Stop():
                return self._stop(event)
            case _:
                return []

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        self._settings = stop.document.settings if isinstance(stop.document, Transcript) else None
        if not self.over:
            out = self.interrupt()
            if reason in _ERRORS:
                out += self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[reason])
            elif reason != "cancelled":
                self.reason = "stop" if reason == "tool_calls" and not self.calls else reason
                out += [*self.opening(), *self.complete(self.reason)]
            self.close()
        self.losses = self.account(stop)
        return out

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """What stands behind the answer, or the whole of it; nothing where it is not whole.

        Args:
            usage: the numbers of tokens that the caller knows, by the names of Chat Completions; None for what the
                document tells.
        """
        if not self.over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        if self.reason is None:
            return []
        return [jsontext.dumps(self.response(usage))] if self.whole else self.tail(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """An error, once; nothing comes behind it."""
        if self.over:
            return []
        out = self.error(str(code), message)
        self.close()
        return [] if self.whole else out

    # --- what could not be said ---------------------------------------------------------------------------------------

    def account(self, stop: Stop) -> list[Loss]:
        """What a document says and a client does not know."""
        wire = self.wire()
        image = transcript_of(self.reads(self._options), wire, Log()) if wire else Transcript()
        settings = None if self._settings is None else self.known(image.settings or Settings(), self._settings)
        extras = repeated_identity(stop.document.extras, wire) if isinstance(stop.document, Transcript) else None
        image = replace(image, layout=None, extras=extras, settings=None if settings == Settings() else settings)
        order = [index for number in self.order() if (index := stop.place(number)) is not None]
        return losses_of(stop.document, image, order, target=self.stream)

    def known(self, image: Settings, document: Settings) -> Settings:
        """What a client knows of the settings that a document has: the model by its name, and numbers of tokens.

        A number that the document does not have, and that is told because APIs want one, does not count.
        """
        names = [field.name for field in fields(Usage) if getattr(document.usage, field.name, None) is not None]
        numbers = {name: getattr(image.usage, name) for name in names} if image.usage is not None else {}
        model = image.model if image.model == document.model else None
        return Settings(model=model, usage=Usage(**numbers) if numbers else None)

    def order(self) -> Sequence[int]:
        """The number of each message of the image."""
        out: list[int] = []
        before = ""
        for number, kind in self.written:
            if kind != before or kind not in self.joined:
                out.append(number)
            before = kind
        return out


def losses_of(document: Document, image: Transcript, order: Sequence[int], *, target: str) -> list[Loss]:
    """Everything that a document says and a client does not know.

    Args:
        document: what was to be said.
        image: what a client reads.
        order: for each message of the image its index in the document; several that became one are counted once, and
            one that is in pieces is counted with each.
        target: the stream id.
    """
    log = Log()
    pieces = Counter(order)
    places = [*pieces]
    if isinstance(document, Transcript):
        for index, message in enumerate(document.messages):
            if index not in pieces:
                leave_out(message, index, log, target)
            elif pieces[index] > 1:
                detail = f"{target} has this message in pieces, with others between them"
                log.lose(LossCode.ORDER, f"/messages/{index}", detail, Severity.CHANGED)
        log.losses += arrival_losses(places, target)
        image = replace(image, messages=_whole(image.messages, order))
    report(document, image, log, target=target, order=places)
    return log.losses


def _whole(messages: Sequence[Message], order: Sequence[int]) -> tuple[Message, ...]:
    """The messages of an image, those put together that are pieces of one text.

    Args:
        messages: of the image.
        order: as for `losses_of`.
    """
    out: list[Message] = []
    first: dict[int, int] = {}
    for at, message in enumerate(messages):
        index = order[at] if at < len(order) else -1 - at
        place = first.setdefault(index, len(out))
        if place == len(out):
            out.append(message)
        elif isinstance(message.content, str) and isinstance(out[place].content, str):
            out[place] = replace(out[place], content=f"{out[place].content}{message.content}")
    return tuple(out)


def leave_out(message: Message, index: int, log: Log, target: str) -> None:
    """Report that an answer does not have a message.

    Args:
        message: of the document.
        index: its place there.
        log: takes the loss.
        target: the stream id.
    """
    if message.content == "" and not is_call(message) and not is_private(message):
        drop_empty(message, index, log, _why_left_out(message, target), target=target)
    else:
        drop_message(log, index, _why_left_out(message, target))


def _why_left_out(message: Message, target: str) -> str:
    if message.role != "assistant":
        return f"{target} has no place for messages of other roles: it is one answer of the assistant"
    if is_call(message):
        return f"{target} has no place for a call of a tool that only another API has"
    if not message.content:
        return f"{target} has no place for a message without text"
    if is_private(message):
        return f"{target} leaves this message out: it is hidden from end users"
    return f"{target} has no place for anything in this message"


# --- numbers of tokens ------------------------------------------------------------------------------------------------

_NAMES: Final = {
    "input_tokens": ("prompt_tokens", "input_tokens"),
    "output_tokens": ("completion_tokens", "output_tokens"),
    "total_tokens": ("total_tokens",),
}
"""Number → its names in Chat Completions and in the formats that came behind it."""
_DETAILS: Final = {
    "cached_tokens": ("prompt_tokens_details", "input_tokens_details"),
    "reasoning_tokens": ("completion_tokens_details", "output_tokens_details"),
}
"""Number → the names of the objects that it may stand in."""


def usage_in(given: dict[str, object] | None) -> Usage | None:
    """The numbers of tokens that a caller gives; None where there are none."""
    members = cast("dict[str, Any]", given or {})
    found = {name: [members.get(key) for key in keys] for name, keys in _NAMES.items()}
    found |= {name: [_inner(members.get(key), name) for key in keys] for name, keys in _DETAILS.items()}
    numbers = {name: number for name, values in found.items() for number in values if type(number) is int}
    return Usage(**numbers) if numbers else None


def _inner(value: Json, name: str) -> Json:
    return members_of(value).get(name)
