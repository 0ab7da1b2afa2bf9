"""Events → those of `ConverseStream`, one JSON object a line: blocks one after the other, each with its deltas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.blocks.grammar import MessageKind, kind_of
from ocml_bridge.blocks.places import write_places
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Json, Message, Settings, Transcript, Usage, replace
from ocml_bridge.stream.assembled import losses_of
from ocml_bridge.turns import name_of

from . import settings as places
from .assembly import Assembly
from .syntax import HOME, REASONING, TOOL_USE
from .units import MessageReader

_REASONS: Final[dict[Reason, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
}
_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer broke off",
    "error": "the answer broke off: what came cannot be read",
}


class EventEncoder:
    """An encoder of one answer.

    Args:
        answer: gives a call that has no id one.
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
        self._assembly = Assembly()
        self._heads: dict[int, Message] = {}
        self._order: list[tuple[int, MessageKind]] = []
        self._current = -1
        self._index = -1
        self._calls = 0
        self._over = False

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The events of Converse that events make, each a line; none behind the end of the answer."""
        out: list[bytes] = []
        for event in events:
            if isinstance(event, (Delta, RefusalDelta)):
                out += self._more(event.number, event.text)
            elif isinstance(event, Start):
                out += self._start(event.number, event.message)
            elif isinstance(event, End):
                out += self._close() if event.number == self._current else []
            elif isinstance(event, Stop):
                out += self._stop(event)
        return out

    def _start(self, number: int, message: Message) -> list[bytes]:
        if self._over or message.role != "assistant":
            return []
        self._heads[number] = message
        return self._open(number) if kind_of(message) == "call" else []

    def _open(self, number: int) -> list[bytes]:
        """A block for a message, behind the end of the block before it."""
        out = self._close()
        if self._assembly.role is None:
            out.append(self._event("messageStart", {"role": "assistant"}))
        message, self._current = self._heads[number], number
        self._index += 1
        kind = kind_of(message)
        self._order.append((number, kind))
        if kind == "call":
            call_id = message.call_id or self._answer.id_of_call(self._calls)
            self._calls += 1
            use = {"toolUseId": call_id, "name": name_of(message.recipient or "")}
            out.append(self._event("contentBlockStart", self._at({"start": {TOOL_USE: use}})))
        return out

    def _at(self, value: Object) -> Object:
        return {**value, "contentBlockIndex": self._index}

    def _close(self) -> list[bytes]:
        if self._current < 0:
            return []
        self._current = -1
        return [self._event("contentBlockStop", self._at({}))]

    def _more(self, number: int, text: str) -> list[bytes]:
        head = self._heads.get(number)
        if head is None or not text or self._over:
            return []
        kind = kind_of(head)
        out: list[bytes] = []
        if number != self._current:
            if kind == "call":
                return []  # its block is over, and cannot go on
            out = self._open(number)
        deltas: dict[MessageKind, Object] = {
            "text": {"text": text},
            "thought": {REASONING: {"text": text}},
            "call": {TOOL_USE: {"input": text}},
        }
        return [*out, self._event("contentBlockDelta", self._at({"delta": deltas[kind]}))]

    def _event(self, kind: str, value: Object) -> bytes:
        """An event, which is taken as its reader takes it."""
        if kind == "messageStart":
            self._assembly.role = value["role"]
        elif kind == "contentBlockStart":
            self._assembly.start(self._index, value["start"])
        elif kind == "contentBlockDelta":
            self._assembly.delta(self._index, value["delta"], lambda _: None)
        elif kind != "contentBlockStop":
            self._assembly.tell(value)
        return jsontext.dumps({kind: value}) + b"\n"

    # --- the end ------------------------------------------------------------------------------------------------------

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        if not self._over:
            if reason in _ERRORS:
                out = self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[reason])
            elif reason != "cancelled":
                self.reason = "stop" if reason == "tool_calls" and not self._calls else reason
                out = self._close()
                if self._assembly.role is None:
                    out.append(self._event("messageStart", {"role": "assistant"}))
                out.append(self._event("messageStop", {"stopReason": _REASONS[self.reason]}))
                usage = _usage_of(stop.document)
                out += [] if usage is None else [self._event("metadata", {"usage": usage, "metrics": {"latencyMs": 0}})]
            self._over = True
        self.losses = self._account(stop)
        return out

    def _account(self, stop: Stop) -> list[Loss]:
        response = self._assembly.wire()
        image = transcript_of(MessageReader(self._options), response, Log()) if response else Transcript()
        image = replace(image, layout=None, extras=None)
        order = [index for number in _apart(self._order) if (index := stop.place(number)) is not None]
        return losses_of(stop.document, image, order, target=HOME)

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The numbers of tokens, where they are given; there is nothing to say where the answer is not whole."""
        if not self._over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        numbers = _usage_in(usage)
        if numbers is None or self.reason is None:
            return []
        return [self._event("metadata", {"usage": numbers, "metrics": {"latencyMs": 0}})]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """An error, once; nothing comes behind it."""
        if self._over:
            return []
        self._over = True
        return [jsontext.dumps({"modelStreamErrorException": {"message": f"{message} ({code})"}}) + b"\n"]


def _apart(order: list[tuple[int, MessageKind]]) -> list[int]:
    """The numbers of messages in the order of the image: texts side by side are one there."""
    out: list[int] = []
    before = ""
    for number, kind in order:
        if kind != "text" or before != "text":
            out.append(number)
        before = kind
    return out


def _usage_of(document: Document) -> Json:
    usage = document.settings.usage if isinstance(document, Transcript) and document.settings is not None else None
    if usage is None or None in (usage.input_tokens, usage.output_tokens, usage.total_tokens):
        return None
    known = replace(usage, reasoning_tokens=None)
    return write_places(Settings(usage=known), {}, places.RESPONSE).get("usage")


_GIVEN: Final = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "total_tokens": "total_tokens"}


def _usage_in(usage: dict[str, object] | None) -> Json:
    """The numbers that a caller gives, under the names that Chat Completions has for them."""
    numbers = {name: (usage or {}).get(key) for key, name in _GIVEN.items()}
    if not all(type(number) is int for number in numbers.values()):
        return None
    return write_places(Settings(usage=Usage(**numbers)), {}, places.RESPONSE).get("usage")  # pyright: ignore[reportArgumentType]
