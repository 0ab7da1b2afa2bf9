"""Events → events of the Messages API, as they come (the stream `anthropic-sse`), or one response (`anthropic`).

Blocks stand one after the other: a text or a thought ends where another message begins; calls wait for the one before
to end. What clients put together is put together here, too, and read back: what it does not say is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ocml_bridge.chat.turns import FUNCTIONS, is_call, name_of, parts_of
from ocml_bridge.chat.visibility import is_reasoning
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Signed, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Settings, Text, Usage, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.stream import sse
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.order import InOrder
from ocml_bridge.stream.response import ResponseEncoder, usage_in

from .assembly import Assembly
from .blocks import is_from_here, signature_of, write_block
from .nearest import lawful
from .parts import write_citations
from .settings import PARAMETERS
from .syntax import HOME, MESSAGE, TEXT, THINKING, TOOL_USE
from .tools import NAMES, type_of
from .units import WireReader, with_object

_DELTAS: Final = {TEXT: ("text_delta", "text"), THINKING: ("thinking_delta", "thinking")}
"""Type of a block → type of what continues it, and its text."""
_ARGUMENTS: Final = ("input_json_delta", "partial_json")


class Events:
    """The events of one answer.

    Args:
        answer: its id and model.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def opening(self) -> Object:
        """The answer begins; how many tokens it takes is told at its end."""
        message: Object = {
            "id": self._answer.id,
            "type": MESSAGE,
            "role": "assistant",
            "model": self._answer.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return {"type": "message_start", MESSAGE: message}

    def begin(self, index: int, block: Object) -> Object:
        """A block begins."""
        return {"type": "content_block_start", "index": index, "content_block": block}

    def more(self, index: int, kind: str, text: str) -> Object:
        """More of a block: of its text, or of the arguments of a call."""
        name, key = _DELTAS.get(kind, _ARGUMENTS)
        return self._delta(index, {"type": name, key: text})

    def signature(self, index: int, signature: str) -> Object:
        """The signature of a thought, behind all of its text."""
        return self._delta(index, {"type": "signature_delta", "signature": signature})

    def citation(self, index: int, citation: Json) -> Object:
        """A source of a text."""
        return self._delta(index, {"type": "citations_delta", "citation": citation})

    def _delta(self, index: int, delta: Object) -> Object:
        return {"type": "content_block_delta", "index": index, "delta": delta}

    def end(self, index: int) -> Object:
        """A block ends."""
        return {"type": "content_block_stop", "index": index}

    def stop(self, reason: str, usage: Object) -> tuple[Object, Object]:
        """Why the answer is over, and that it is."""
        delta = {"stop_reason": reason, "stop_sequence": None}
        return {"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}

    def error(self, code: str, message: str) -> bytes:
        """An error in the middle of a stream; official clients raise it."""
        error = {"type": "api_error", "message": f"{message} ({code})"}
        return self.write({"type": "error", "error": error})

    def write(self, event: Object) -> bytes:
        """One event."""
        return sse.write_json(event, event["type"])


# --- the encoders -----------------------------------------------------------------------------------------------------

_REASONS: Final[dict[Reason, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


class EventEncoder(ResponseEncoder):
    """An encoder of one answer: each event is a Server-Sent Event."""

    stream = "anthropic-sse"
    reads = WireReader
    joined = frozenset({TEXT})
    names = NAMES

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly(untold)
        self._in_order = InOrder()
        self._running: Start | None = None
        """The text or thought that runs; another message ends it."""
        self._late: dict[int, Start] = {}
        """Those that another message has ended."""
        self._block: int | None = None
        """The number of the message whose block is under way."""
        self._empty: int | None = None
        """The number of the first text: an answer that says nothing is an empty one."""

    # --- one after the other ------------------------------------------------------------------------------------------

    def arranged(self, events: Iterable[Event]) -> Iterable[Event]:
        """Events with one message after the other."""
        return self._in_order.take(self._apart(events))

    def _apart(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, a text or thought ended where another message begins, or where it is signed.

        What of it comes later stands by itself.
        """
        for event in events:
            if isinstance(event, Start):
                if self._running is not None:
                    self._late[self._running.number] = self._running
                    yield End(self._running.number, self._running.message)
                is_text = event.message.role == "assistant" and not is_call(event.message)
                self._running = event if is_text else None
            elif isinstance(event, Signed):
                if self._running is not None and event.number == self._running.number:
                    self._late[event.number], self._running = self._running, None
                    yield End(event.number, replace(self._late[event.number].message, signature=event.signature))
                continue
            elif isinstance(event, (Delta, RefusalDelta)) and event.number in self._late:
                yield self._late.pop(event.number)
            elif isinstance(event, End):
                if self._late.pop(event.number, None) is not None:
                    continue
                if self._running is not None and event.number == self._running.number:
                    self._running = None
            yield event

    # --- blocks -------------------------------------------------------------------------------------------------------

    def identify(self, answer: Answer) -> None:
        """Spell the events."""
        super().identify(answer)
        self._events = Events(answer)

    def open(self) -> list[bytes]:
        """The answer begins."""
        return [self._event(self._events.opening())]

    def accepts(self, message: Message) -> bool:
        """Whether a message is the assistant's, or what one of the server's tools gave."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Whether a call is of one of the server's own tools."""
        return type_of(call) is not None

    def start_of(self, message: Message) -> Message:
        """The same; whether a call of no function is one of the server's tools, its end tells."""
        return super().start_of(message) if (message.recipient or "").startswith(FUNCTIONS) else message

    def start(self, number: int, message: Message) -> list[bytes]:
        """A call of a function begins at once, anything else with what it says first."""
        if message.role != "assistant":
            return []
        out = self.opening()
        if not is_call(message):
            if self._empty is None and not is_reasoning(message):
                self._empty = number
            return out
        if message.constraint != "json" or not (message.recipient or "").startswith(FUNCTIONS):
            return out
        name = name_of(message.recipient or "")
        return [*out, self._begin(number, {"type": TOOL_USE, "id": self.call_id(message), "name": name, "input": {}})]

    def _begin(self, number: int, block: Object) -> bytes:
        self._block = number
        self.calls += block["type"] == TOOL_USE
        self.written.append((number, block["type"]))
        return self._event(self._events.begin(len(self.written) - 1, block))

    def call_id(self, call: Message) -> str:
        """The id of a call as the API takes it, or one made up for it that no call before has."""
        made = lawful(call.call_id or self._answer.id_of_call(self.calls), self._ids)
        self._ids.add(made)
        return made

    def more(self, number: int, text: str) -> list[bytes]:
        """More of a block; that of a call which is over cannot go on."""
        head = self.heads[number]
        if head.role != "assistant" or (is_call(head) and self._block != number):
            return []
        out: list[bytes] = []
        if self._block != number:
            block = (
                {"type": THINKING, THINKING: "", "signature": ""} if is_reasoning(head) else {"type": TEXT, TEXT: ""}
            )
            out.append(self._begin(number, block))
        index, kind = len(self.written) - 1, self.written[-1][1]
        return [*out, self._event(self._events.more(index, kind, text))]

    def end(self, number: int, message: Message) -> list[bytes]:
        """The end of a message; one of which nothing could be written before is written whole."""
        out: list[bytes] = []
        if self._block == number:
            index, kind = len(self.written) - 1, self.written[-1][1]
            signature = signature_of(message)
            if kind == THINKING and signature is not None:
                out.append(self._event(self._events.signature(index, signature.value)))
            out += [self._event(self._events.citation(index, one)) for one in _sources(message) if kind == TEXT]
        elif (block := self._whole(message)) is not None:
            out.append(self._begin(number, block))
        if self._block == number:
            self._block = None
            out.append(self._event(self._events.end(len(self.written) - 1)))
        return out

    def _whole(self, message: Message) -> Object | None:
        """The block that a message is, where that could not be told before its end; None where it says nothing."""
        if is_call(message):
            arguments = narrow(message.content, (), "", Log(), target=HOME)
            made = replace(message, content=arguments, call_id=self.call_id(message), layout=None)
            call = with_object(made, "", Log())
            return write_block(call, "assistant")
        is_sealed = is_reasoning(message) and message.content == "" and is_from_here(message)
        if is_sealed or (message.role == "tool" and type_of(message) is not None):
            return write_block(message, "assistant")
        return None

    def _event(self, event: Object) -> bytes:
        """An event, which is taken as a client takes it."""
        self._assembly.take(event, event["type"])
        return self._events.write(event)

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Why the answer is over is told with the numbers of tokens."""
        return []

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Why the answer is over, the numbers of tokens, and the end."""
        numbers = members_of_usage(usage_in(usage) or self.usage)
        return [self._event(event) for event in self._events.stop(_REASONS[self.reason or "stop"], numbers)]

    def error(self, code: str, message: str) -> list[bytes]:
        """An error as the API has it."""
        return [self._events.error(code, message)]

    def wire(self) -> Object:
        """The response that the events make."""
        wire, reason = self._assembly.wire(), None if self.reason is None else _REASONS[self.reason]
        return {**wire, "model": self.model, "stop_reason": reason} if wire else {}

    def known(self, image: Settings, document: Settings) -> Settings:
        """The same; numbers of tokens come behind the account, and a whole answer alone has them."""
        if self.reason is None:
            return Settings()
        usage = document.usage
        is_known = usage is not None and None not in (usage.input_tokens, usage.output_tokens)
        return super().known(replace(image, usage=usage if is_known else None), document)

    def order(self) -> Sequence[int]:
        """The same; an answer that says nothing is its first text."""
        return super().order() or ([] if self._empty is None else [self._empty])


class WholeEncoder(EventEncoder):
    """An encoder that gives one response at the end."""

    whole = True


def _sources(message: Message) -> list[Json]:
    """The citations of a message: several texts of it are told as one."""
    texts = [part for part in parts_of(message.content) if isinstance(part, Text)]
    return write_citations([citation for text in texts for citation in text.citations or ()])


def members_of_usage(usage: Usage | None) -> Object:
    """The numbers of tokens as the API tells them; 0 where nobody knows, because its clients ask for numbers."""
    written: Json = None if usage is None else PARAMETERS.write(Settings(usage=usage), None, {}).get("usage")
    known: Any = written or {}
    output = None if usage is None else usage.output_tokens
    return {**known, "output_tokens": output or 0}
