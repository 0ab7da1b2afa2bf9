"""Events → events of the Messages API, as they come (the stream `anthropic-sse`), or one response (`anthropic`).

Blocks stand one after the other: a text or a thought ends where another message begins; calls wait for the one before
to end. What clients put together is put together here, too, and read back: what it does not say is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Json, Message, Settings, Transcript, Usage, replace
from ocml_bridge.stream.assembled import losses_of
from ocml_bridge.stream.order import InOrder
from ocml_bridge.turns import FUNCTIONS, is_call, name_of

from .assembly import Assembly
from .blocks import write_block
from .events import Events
from .ids import lawful
from .nearest import is_thought
from .notes import notes_in, type_of
from .settings import write_settings
from .spelling import with_object
from .syntax import TEXT, THINKING, TOOL_USE
from .units import WireReader

STREAM: Final = "anthropic-sse"
_REASONS: Final[dict[Reason, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer broke off",
    "error": "the answer broke off: what came cannot be read",
}
"""What a client is told where the answer is not whole and nobody said why. Nobody hears why one was cancelled."""


class EventEncoder:
    """An encoder of one answer.

    Args:
        answer: its id and model; it gives ids to calls that have none.
        options: how to read back what was written.

    Attributes:
        losses: what could not be said; complete when the stream is over.
        reason: why the answer is over, once it is whole.
    """

    def __init__(self, answer: Answer, options: Options) -> None:
        self.losses: list[Loss] = []
        self.reason: Reason | None = None
        self._answer = answer
        self._options = options
        self._events = Events(answer)
        self._assembly = Assembly()
        self._sequence = InOrder()
        self._heads: dict[int, Message] = {}
        self._late: set[int] = set()
        self._spoken: int | None = None
        """The text or thought that runs; another message ends it."""
        self._open: int | None = None
        self._written: list[tuple[int, str]] = []
        self._ids: set[str] = set()
        self._begun = False
        self._empty: list[int] = []
        """The number of the first text: an answer that says nothing is an empty one."""
        self._over = False
        self._usage: Usage | None = None

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The events that events make, each a complete Server-Sent Event; none behind the end of the answer."""
        out: list[bytes] = []
        for event in self._sequence.take(self._apart(events)):
            if self._over:
                out += self._stop(event) if isinstance(event, Stop) else []
            elif isinstance(event, Delta):
                out += self._more(event.number, event.text)
            elif isinstance(event, Start):
                out += self._start(event.number, event.message)
            elif isinstance(event, End):
                out += self._end(event.number, event.message)
            elif isinstance(event, Stop):
                out += self._stop(event)
        return out

    def _apart(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, a text or thought ended where another message begins; what of it comes later stands by itself."""
        for event in events:
            if isinstance(event, RefusalDelta):
                event = Delta(*event)
            if isinstance(event, Start):
                yield from self._ended_by_another()
                self._heads[event.number] = event.message
                self._spoken = None if is_call(event.message) or event.message.role != "assistant" else event.number
            elif isinstance(event, Delta) and event.number in self._late:
                self._late.discard(event.number)
                yield Start(event.number, self._heads[event.number])
            elif isinstance(event, End):
                if event.number in self._late:
                    self._late.discard(event.number)
                    continue
                if event.number == self._spoken:
                    self._spoken = None
            yield event

    def _ended_by_another(self) -> Iterator[Event]:
        if self._spoken is not None:
            self._late.add(self._spoken)
            yield End(self._spoken, self._heads[self._spoken])

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _start(self, number: int, message: Message) -> list[bytes]:
        """A call of a function begins at once, anything else with what it says first."""
        if message.role != "assistant" and not self._begun:
            return []
        out = self._opening()
        if not self._empty and message.role == "assistant" and not is_call(message) and not is_thought(message):
            self._empty.append(number)
        if not is_call(message) or message.constraint != "json" or not (message.recipient or "").startswith(FUNCTIONS):
            return out
        block: Object = {
            "type": TOOL_USE,
            "id": self._id(message),
            "name": name_of(message.recipient or ""),
            "input": {},
        }
        return [*out, self._begin(number, block)]

    def _opening(self) -> list[bytes]:
        begun, self._begun = self._begun, True
        return [] if begun else [self._said(self._events.opening())]

    def _begin(self, number: int, block: Object) -> bytes:
        self._open = number
        self._written.append((number, block["type"]))
        return self._said(self._events.begin(len(self._written) - 1, block))

    def _id(self, call: Message) -> str:
        """The call's id as the API takes it, or one made up; no call before has it."""
        count = sum(kind == TOOL_USE for _, kind in self._written)
        made = lawful(call.call_id or self._answer.id_of_call(count), self._ids)
        self._ids.add(made)
        return made

    def _more(self, number: int, text: str) -> list[bytes]:
        head = self._heads.get(number)
        if head is None or head.role != "assistant" or (is_call(head) and self._open != number):
            return []
        out: list[bytes] = []
        if self._open != number:
            kind = THINKING if is_thought(head) else TEXT
            more = {"signature": ""} if kind == THINKING else {}
            out.append(self._begin(number, {"type": kind, kind: "", **more}))
        return [*out, self._said(self._events.more(len(self._written) - 1, self._written[-1][1], text))]

    def _end(self, number: int, message: Message) -> list[bytes]:
        """The end of a message; one of which nothing could be said before is said whole."""
        out: list[bytes] = []
        if self._open == number:
            signature = notes_in(message.extras).get("signature")
            if self._written[-1][1] == THINKING and isinstance(signature, str):
                out.append(self._said(self._events.signature(len(self._written) - 1, signature)))
        elif (block := self._whole(message)) is not None:
            out.append(self._begin(number, block))
        if self._open == number:
            self._open = None
            out.append(self._said(self._events.end(len(self._written) - 1)))
        return out

    def _whole(self, message: Message) -> Object | None:
        """The block that a message is, where that could not be told before its end; None where it says nothing."""
        if is_call(message):
            call = with_object(replace(message, call_id=self._id(message), layout=None), "", Log())
            return write_block(call, "assistant")
        is_sealed = is_thought(message) and message.content == "" and notes_in(message.extras)
        if is_sealed or (message.role == "tool" and type_of(message) is not None):
            return write_block(message, "assistant")
        return None

    def _said(self, event: Object) -> bytes:
        """An event, which is taken as a client takes it."""
        self._assembly.take(event, event["type"])
        return self._events.write(event)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        if not self._over:
            if reason in _ERRORS:
                out = self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[reason])
            elif reason != "cancelled":
                calls = any(kind == TOOL_USE for _, kind in self._written)
                self.reason = "stop" if reason == "tool_calls" and not calls else reason
                out = self._opening()
            self._over = True
        self._usage = _usage_of(stop.document)
        self.losses = self._account(stop)
        return out

    def _account(self, stop: Stop) -> list[Loss]:
        """What a client does not know of the document."""
        response = self._assembly.wire()
        response["stop_reason"] = None if self.reason is None else _REASONS[self.reason]
        image = transcript_of(WireReader(self._options), response, Log()) if self._begun else Transcript()
        if isinstance(stop.document, Transcript):
            known = _known(self._answer.model, self._usage, stop.document.settings)
            image = replace(image, layout=None, extras=None, settings=known if self.reason is not None else None)
        places = [stop.place(number) for number in _numbers(self._written) or self._empty]
        return losses_of(stop.document, image, [index for index in places if index is not None], target=STREAM)

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Why the answer is over, the numbers of tokens, and the end; there is nothing to say of one that is not whole.

        Args:
            usage: those that the caller knows, under the names of Chat Completions; None for what the document tells.
        """
        if not self._over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        if self.reason is None:
            return []
        numbers = self._usage if usage is None else Usage(**_numbers_in(usage))
        ends = self._events.stop(_REASONS[self.reason], members_of_usage(numbers))
        return [self._said(event) for event in ends]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """An error, once; nothing comes behind it."""
        if self._over:
            return []
        self._over = True
        return [self._events.error(code, message)]


class ResponseEncoder(EventEncoder):
    """An encoder that gives one response at the end; nothing where the answer is not whole."""

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Takes events; nothing is said before the end."""
        super().encode(events)
        return []

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The response, with the numbers of tokens where they are known."""
        if self.reason is None:
            return []
        super().finish(usage)
        return [jsontext.dumps(self._assembly.wire())]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Nothing is said of an answer that is not whole."""
        super().fail(code, message)
        return []


def _numbers(written: list[tuple[int, str]]) -> list[int]:
    """The numbers of messages in the order of the image: texts side by side are one there."""
    out: list[int] = []
    before = ""
    for number, kind in written:
        if kind != TEXT or before != TEXT:
            out.append(number)
        before = kind
    return out


def _usage_of(document: Document) -> Usage | None:
    settings = document.settings if isinstance(document, Transcript) else None
    return None if settings is None else settings.usage


def members_of_usage(usage: Usage | None) -> Object:
    """The numbers of tokens as the API tells them; 0 where nobody knows, because its clients ask for numbers."""
    written: Json = None if usage is None else write_settings(Settings(usage=usage), None, {}).get("usage")
    known: Any = written or {}
    output = None if usage is None else usage.output_tokens
    return {**known, "output_tokens": output or 0}


_GIVEN: Final = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "total_tokens": "total_tokens",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
}
"""Names that callers have for numbers of tokens → ours."""


def _numbers_in(usage: dict[str, object]) -> dict[str, Any]:
    return {name: number for key, name in _GIVEN.items() if type(number := usage.get(key)) is int}


def _known(model: str, usage: Usage | None, settings: Settings | None) -> Settings | None:
    """What a client knows of the settings that a document tells."""
    if settings is None:
        return None
    told = usage if usage is not None and None not in (usage.input_tokens, usage.output_tokens) else None
    known = Settings(model=model if model and model == settings.model else None, usage=told)
    return None if known == Settings() else known
