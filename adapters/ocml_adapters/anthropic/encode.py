"""Encode events as events of the Messages API (the stream `anthropic-sse`), or as one response (`anthropic`).

Blocks follow one another: a text or a thought ends when another message begins, and calls wait for the end of the
previous one. The encoder also assembles its events as clients do, and reads the result back to find the losses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, cast

from ocml_bridge.chat.citations import WHOLE
from ocml_bridge.chat.turns import FUNCTIONS, is_call, name_of, parts_of
from ocml_bridge.chat.visibility import is_reasoning
from ocml_bridge.events import Answer, Delta, End, Event, PartEnd, Reason, RefusalDelta, Signed, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Json, Message, Part, Settings, Text, Usage, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.stream import sse
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.order import InOrder
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.stream.running import PLACE
from ocml_bridge.stream.usage import usage_in
from ocml_bridge.wires.blocks.grammar import BLOCKS
from ocml_bridge.wires.blocks.values import nearest_object

from .assembly import Assembly
from .blocks import is_accepted, message_in, signature_of, write_block, write_parts
from .nearest import valid_id
from .parts import TABLE
from .settings import PARAMETERS
from .syntax import ENDINGS, HOME, MESSAGE, NOTES, TEXT, THINKING, TOOL_USE
from .tools import NAMES, type_of
from .units import WireReader

_DELTAS: Final = {TEXT: ("text_delta", "text"), THINKING: ("thinking_delta", "thinking")}
"""The type of the deltas of each type of block, and the member with their text."""
_ARGUMENTS: Final = ("input_json_delta", "partial_json")


class EventEncoder(ResponseEncoder):
    """An encoder of one answer: each event is a Server-Sent Event."""

    stream = "anthropic-sse"
    reads = WireReader
    joined = frozenset({TEXT})
    names = NAMES
    endings = ("stop_reason", "stop_sequence", "stop_details")

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly(untold)
        self._in_order = InOrder()
        self._running: Start | None = None
        """The text or thought that has not ended; another message ends it."""
        self._late: dict[int, Start] = {}
        """The texts and thoughts that another message has ended, by number."""
        self._parts: Counter[int] = Counter()
        """The number of parts of each message that have ended before the message."""
        self._block: int | None = None
        """The number of the message whose block has begun and not ended."""
        self._empty: int | None = None
        """The number of the first text: if no block is written, a client reads an empty text."""

    # --- the order of messages ----------------------------------------------------------------------------------------

    def arranged(self, events: Iterable[Event]) -> Iterable[Event]:
        """Return events in which each message ends before the next one begins."""
        return self._in_order.take(self._separated(events))

    def _separated(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events; a text or thought is ended when another message begins, or when it is signed.

        If more of it arrives later, it begins again.
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
            elif isinstance(event, (Delta, RefusalDelta, PartEnd)) and event.number in self._late:
                yield self._late.pop(event.number)
            elif isinstance(event, End):
                if (late := self._late.pop(event.number, None)) is not None:
                    if not _blocks_after_text(event.message, self._parts[event.number]):
                        continue
                    yield late
                if self._running is not None and event.number == self._running.number:
                    self._running = None
            if isinstance(event, PartEnd):
                self._parts[event.number] += 1
            yield event

    # --- blocks -------------------------------------------------------------------------------------------------------

    def open(self) -> list[bytes]:
        """Write the beginning of the answer; the numbers of tokens are 0 until its end."""
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
        return [self._event({"type": "message_start", MESSAGE: message})]

    def accepts(self, message: Message) -> bool:
        """Return whether a message is of the assistant, or a reply, which may be of one of the server's tools."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Return whether a call is of one of the server's tools."""
        return type_of(call) is not None

    def start_of(self, message: Message) -> Message:
        """Return a message that begins, with the name that is written.

        A call that is of no function keeps its name: only its end shows whether it is of one of the server's tools.
        """
        return super().start_of(message) if (message.recipient or "").startswith(FUNCTIONS) else message

    def start(self, number: int, message: Message) -> list[bytes]:
        """Write the beginning of a call of a function; the block of any other message begins with its first text."""
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
        self.calls += block.get("type") == TOOL_USE
        # Adjacent blocks that are parts are read as one message.
        self.written.append((number, TEXT if message_in(block, "assistant") is None else block["type"]))
        return self._of_block("start", content_block=block)

    def _begin_whole(self, number: int, block: Object) -> list[bytes]:
        """Write a whole block up to its end; the arguments of a call are a delta, as clients expect them."""
        arguments = block.get("input")
        if not isinstance(arguments, dict) or not arguments:
            return [self._begin(number, block)]
        begun, text = self._begin(number, {**block, "input": {}}), jsontext.text_of(arguments)
        return [begun, self._event(self._text_of(TOOL_USE, text or ""))]

    def call_id(self, call: Message) -> str:
        """Return an id for a call that the API accepts and that no earlier call has."""
        call_id = valid_id(call.call_id or self._answer.id_of_call(self.calls), self._ids)
        self._ids.add(call_id)
        return call_id

    def more(self, number: int, text: str) -> list[bytes]:
        """Write more text of a block; nothing if it is a call whose block is not open."""
        head = self.heads[number]
        if head.role != "assistant" or (is_call(head) and self._block != number):
            return []
        out: list[bytes] = []
        if self._block != number:
            block = (
                {"type": THINKING, THINKING: "", "signature": ""} if is_reasoning(head) else {"type": TEXT, TEXT: ""}
            )
            out.append(self._begin(number, block))
        kind = self.written[-1][1]
        delta, _ = _DELTAS.get(kind, _ARGUMENTS)
        event = _event(self._text_of(kind, PLACE))
        block = self._assembly.blocks[-1]
        out.append(self._event(self._text_of(kind, text)))
        pieces = block.pieces_of(delta)
        self.run_on(number, event, partial(block.take_text, delta) if pieces is None else pieces.append)
        return out

    def end(self, number: int, message: Message) -> list[bytes]:
        """Write the end of a message; if its block has not begun, write the whole block."""
        out: list[bytes] = []
        if self._block == number:
            kind, signature = self.written[-1][1], signature_of(message)
            if kind == THINKING and signature is not None:
                out.append(self._delta("signature_delta", signature=signature.value))
            if kind == TEXT:
                out += self._cite(parts_of(message.content)[self._parts[number] :])
        elif (block := self._whole(message)) is not None:
            out += self._begin_whole(number, block)
        out += self._close(number)
        for block in _blocks_after_text(message, self._parts[number]):
            out += [self._begin(number, block), *self._close(number)]
        return out

    def end_part(self, number: int, part: Part) -> list[bytes]:
        """Write the end of a text that other parts follow, or the block of another part, where it stands."""
        if self.heads[number].role != "assistant" or is_reasoning(self.heads[number]):
            return []
        if isinstance(part, Text):
            return [*self._cite([part]), *self._close(number)] if self._block == number else []
        [block] = write_parts([part], None)
        return [self._begin(number, cast("Object", block)), *self._close(number)] if isinstance(block, dict) else []

    def _cite(self, parts: Sequence[Part]) -> list[bytes]:
        """Write the citations of texts, which are one block."""
        citations = [each for part in parts if isinstance(part, Text) for each in part.citations or ()]
        return [self._delta("citations_delta", citation=each) for each in TABLE.write_all(citations, WHOLE)]

    def _close(self, number: int) -> list[bytes]:
        """Write the end of a message's block, if it is open."""
        if self._block != number:
            return []
        self._block = None
        return [self._of_block("stop")]

    def _whole(self, message: Message) -> Object | None:
        """Return the block of a message that could not be written before its end; None if it has no block."""
        if is_call(message):
            text = cast("str", narrow(message.content, (), "", Log(), target=HOME))
            arguments = nearest_object(text, "", Log(), target=HOME)
            call = replace(message, content=arguments, call_id=self.call_id(message), layout=None)
            return write_block(call)
        is_sealed = is_reasoning(message) and message.content == "" and is_accepted(message)
        if is_sealed or (message.role == "tool" and type_of(message) is not None):
            return write_block(message)
        return None

    def _text_of(self, kind: str, text: str) -> Object:
        """Return the event with more text of the last block, which is of a type; of a call, more of its arguments."""
        delta, key = _DELTAS.get(kind, _ARGUMENTS)
        return self._in_block("delta", delta={"type": delta, key: text})

    def _delta(self, kind: str, **members: Json) -> bytes:
        return self._of_block("delta", delta={"type": kind, **members})

    def _of_block(self, step: str, **members: Json) -> bytes:
        """Write an event of the last block."""
        return self._event(self._in_block(step, **members))

    def _in_block(self, step: str, **members: Json) -> Object:
        return {"type": f"content_block_{step}", "index": len(self.written) - 1, **members}

    def _event(self, event: Object) -> bytes:
        """Assemble an event as a client does, and return it as a Server-Sent Event."""
        self._assembly.take(event, event["type"])
        return _event(event)

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Write nothing: the reason is written by `tail`, together with the numbers of tokens."""
        return []

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write why the answer is over, the numbers of tokens, and the end."""
        delta = self._ending()
        numbers = members_of_usage(usage_in(usage) or self.usage)
        end = self._event({"type": "message_delta", "delta": delta, "usage": numbers})
        return [end, self._event({"type": "message_stop"})]

    def error(self, code: str, message: str) -> list[bytes]:
        """Write an error that ends the answer, which official clients raise."""
        event = {"type": "error", "error": {"type": "api_error", "message": f"{message} ({code})"}}
        return [sse.write_json(event, "error")]

    def wire(self) -> Object:
        """Return the response that a client assembles of the events."""
        wire = self._assembly.wire()
        return {**wire, "model": self.model, **self._ending()} if wire else {}

    def _ending(self) -> Object:
        """Return the members that say why the answer is over: in the words of this API, if they are known."""
        known = NOTES.of(self.extras)
        reason = None if self.reason is None else ENDINGS.spelled(self.reason, known.get("stop_reason"))
        sequence = known.get("stop_sequence") if reason == "stop_sequence" else None
        details = known.get("stop_details") if self.reason == "content_filter" else None
        more: Object = {} if details is None else {"stop_details": details}
        return {"stop_reason": reason, "stop_sequence": sequence, **more}

    def known(self, image: Settings, document: Settings) -> Settings:
        """Return the settings of a document that a client has.

        Only a complete answer has numbers of tokens: they are written after the losses are known.
        """
        if self.reason is None:
            return Settings()
        usage = document.usage
        is_known = usage is not None and None not in (usage.input_tokens, usage.output_tokens)
        return super().known(replace(image, usage=usage if is_known else None), document)

    def order(self) -> Sequence[int]:
        """Return the number of each message of the image; without a block, the image is the first text."""
        return super().order() or ([] if self._empty is None else [self._empty])


class WholeEncoder(EventEncoder):
    """An encoder that returns one response at the end."""

    whole = True


def _event(event: Object) -> bytes:
    return sse.write_json(event, event["type"])


def _blocks_after_text(message: Message, done: int) -> list[Object]:
    """Return the blocks of the parts of an answer that are no texts; its texts are streamed as one block before them.

    A block that only the API knows is left out if a text comes after it, because its place may matter: a compaction
    stands for everything before it.

    Args:
        message: the answer.
        done: the number of parts that were written where they stand.
    """
    if isinstance(message.content, str) or is_call(message) or message.role != "assistant" or is_reasoning(message):
        return []
    last = max((at for at, part in enumerate(message.content) if isinstance(part, Text)), default=-1)
    blocks = write_parts(message.content, NOTES.of(message.layout).get(BLOCKS))
    return [
        cast("Object", block)
        for at, (part, block) in enumerate(zip(message.content, blocks, strict=True))
        if at >= done
        and isinstance(block, dict)
        and not isinstance(part, Text)
        and (at > last or not isinstance(part, Foreign))
    ]


def members_of_usage(usage: Usage | None) -> Object:
    """Return the `usage` of an answer; the number of its tokens is 0 if unknown, because clients require one."""
    written: Json = None if usage is None else PARAMETERS.write(Settings(usage=usage), None, {}).get("usage")
    known: Any = written or {}
    output = None if usage is None else usage.output_tokens
    return {**known, "output_tokens": output or 0}
