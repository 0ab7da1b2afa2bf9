"""Encode events as events of `ConverseStream`, one JSON object a line; blocks follow one another, with their deltas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of, parts_of
from ocml_bridge.events import Answer, Event, Reason, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Media, Message, Part, Settings, Text, Usage, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.order import Uninterrupted
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.stream.running import PLACE
from ocml_bridge.stream.usage import usage_in
from ocml_bridge.wires.blocks.grammar import MessageKind, kind_of

from .assembly import Assembly, delta_of
from .blocks import BlockGrammar, deltas_after_text
from .parts import write_media
from .settings import RESPONSE_PARAMETERS
from .syntax import CONTENT, ENDINGS, HOME, IMAGE, NOTES, REASONING, TOOL_RESULT, TOOL_USE
from .tools import NAMES, OF_SERVER, is_of_server
from .units import MessageReader

_GRAMMAR: Final = BlockGrammar()
_DELTA: Final = "contentBlockDelta"
_DELTAS: Final[dict[MessageKind, str]] = {"text": "text", "thought": REASONING, "call": TOOL_USE}
"""The kind of the deltas with the text of a message, by the kind of the message."""
_STREAMED: Final = ({"text"}, {"json"})
"""The members of the pieces that a result can have in a stream (`ToolResultBlockDelta`)."""


class EventEncoder(ResponseEncoder):
    """An encoder of one answer: each event is a line of JSON."""

    stream = HOME
    reads = MessageReader
    joined = frozenset({"text"})
    names = NAMES
    endings = ("stopReason",)

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly()
        self._uninterrupted = Uninterrupted(_is_call)
        self._current: int | None = None
        """The number of the message whose block has begun and not ended."""
        self._index = -1
        """The index of the last block."""
        self._parts: Counter[int] = Counter()
        """The number of parts of each message that have ended before the message."""

    def arranged(self, events: Iterable[Event]) -> Iterator[Event]:
        """Return events in which no block comes between the pieces of a call's input."""
        return self._uninterrupted.take(events)

    def accepts(self, message: Message) -> bool:
        """Return whether a message is of the assistant, or a reply; only its end shows whether the server gave it."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Return whether a call is of one of the server's tools."""
        return is_of_server(call)

    def open(self) -> list[bytes]:
        """Write the beginning of the answer."""
        return [self._event("messageStart", {"role": "assistant"})]

    def start(self, number: int, message: Message) -> list[bytes]:
        """Write the beginning of a call whose input is JSON; any other block begins with its first text, or its end."""
        return self._begin(number, message) if is_call(message) and message.constraint == "json" else []

    def _begin(self, number: int, message: Message) -> list[bytes]:
        """Write the end of the previous block, and the beginning of a block for a message."""
        out = [*self._end(), *self.opening()]
        self._current, self._index = number, self._index + 1
        kind = kind_of(message)
        self.written.append((number, kind))
        if kind == "call":
            use = {"toolUseId": self.call_id(message), "name": name_of(message.recipient or "")}
            if is_of_server(message):
                use["type"] = OF_SERVER
            out.append(self._of_block("contentBlockStart", {"start": {TOOL_USE: use}}))
        return out

    def more(self, number: int, text: str) -> list[bytes]:
        """Write more text of a message; a text or a thought whose block has ended continues in another one."""
        head = self.heads[number]
        kind = kind_of(head)
        out: list[bytes] = []
        if kind == "reply":
            return []
        if number != self._current:
            if kind == "call":
                return []
            out = self._begin(number, head)
        delta_kind = _DELTAS[kind]
        out.append(self._of_block(_DELTA, {"delta": delta_of(delta_kind, text)}))
        block = self._assembly.running(self._index)
        event = _line(_DELTA, {"delta": delta_of(delta_kind, PLACE), "contentBlockIndex": self._index})
        if block is not None:
            self.run_on(number, event, block.text.append, _quote)
        return out

    def sign(self, number: int, message: Message) -> list[bytes]:
        """Write the end of a signed thought, because its block must end before another one begins."""
        return self.end(number, message)

    def end(self, number: int, message: Message) -> list[bytes]:
        """Write the end of a message: all that is known only now, its images, and the end of its block."""
        if kind_of(message) == "reply":
            return self._reply(number, message) if _GRAMMAR.side(message) == "assistant" else []
        rest = _without_parts(message, self._parts[number])
        images = parts_of(rest.content) if kind_of(message) == "text" else ()
        return [*self._end_of(number, rest), *self._images(number, message, images)]

    def end_part(self, number: int, part: Part) -> list[bytes]:
        """Write the end of a text that other parts follow, or the block of an image, where it stands."""
        self._parts[number] += 1
        if kind_of(self.heads[number]) != "text":
            return []
        message = replace(self.heads[number], content=(part,))
        return self._end_of(number, message) if isinstance(part, Text) else self._images(number, message, (part,))

    def _end_of(self, number: int, message: Message) -> list[bytes]:
        """Write the last deltas of a message's block, and its end.

        The block begins only now if it is a sealed thought, or a call whose input may be no object.
        """
        deltas = deltas_after_text(message)
        if is_call(message) and message.constraint != "json":
            text = narrow(message.content, (), "", Log(), target=HOME)
            deltas = [{TOOL_USE: {"input": _GRAMMAR.json_content(replace(message, content=text), "", Log())}}]
        out = self._begin(number, message) if deltas and all(number != each for each, _ in self.written) else []
        if number != self._current:
            return out
        return [*out, *(self._of_block(_DELTA, {"delta": delta}) for delta in deltas), *self._end()]

    def _reply(self, number: int, message: Message) -> list[bytes]:
        """Write the result of one of the server's tools: only its texts and JSON values, which a stream can have."""
        inner = members_of(members_of(_GRAMMAR.write(message)).get(TOOL_RESULT))
        pieces = [piece for piece in inner[CONTENT] if set(members_of(piece)) in _STREAMED]
        head = {key: inner[key] for key in ("toolUseId", "type", "status") if key in inner}
        return self._whole_block(number, message, TOOL_RESULT, head, [pieces])

    def _images(self, number: int, message: Message, parts: Sequence[Part]) -> list[bytes]:
        """Write the images among the parts of a message; other media have no place in a stream."""
        out: list[bytes] = []
        for part in parts:
            image = members_of(members_of(write_media(part)).get(IMAGE)) if isinstance(part, Media) else {}
            if image:
                head, source = {"format": image["format"]}, {"source": image["source"]}
                out += self._whole_block(number, message, IMAGE, head, [source])
        return out

    def _whole_block(self, number: int, message: Message, kind: str, head: Object, pieces: list[Json]) -> list[bytes]:
        """Write a whole block.

        Args:
            number: the number of its message.
            message: the message.
            kind: the kind of the block.
            head: the members known at its start.
            pieces: the values of its deltas.
        """
        out = self._begin(number, message)
        out.append(self._of_block("contentBlockStart", {"start": {kind: head}}))
        out += [self._of_block(_DELTA, {"delta": {kind: piece}}) for piece in pieces if piece]
        return [*out, *self._end()]

    def _end(self) -> list[bytes]:
        current, self._current = self._current, None
        return [] if current is None else [self._of_block("contentBlockStop", {})]

    def _of_block(self, kind: str, value: Object) -> bytes:
        return self._event(kind, {**value, "contentBlockIndex": self._index})

    def _event(self, kind: str, value: Object) -> bytes:
        """Assemble an event as a client does, and return it as a line."""
        if kind == "messageStart":
            self._assembly.role = value["role"]
        elif kind == "contentBlockStart":
            self._assembly.start(self._index, value["start"])
        elif kind == _DELTA:
            self._assembly.delta(self._index, value["delta"], untold)
        elif kind != "contentBlockStop":
            self._assembly.update(value)
        return _line(kind, value)

    def complete(self, reason: Reason) -> list[bytes]:
        """Write why the answer is over, and the numbers of tokens that the document has."""
        stop = self._event(
            "messageStop", {"stopReason": ENDINGS.spelled(reason, NOTES.of(self.extras).get("stopReason"))}
        )
        return [*self._end(), stop, *self._metadata(self.usage)]

    def _metadata(self, usage: Usage | None) -> list[bytes]:
        """Write the numbers of tokens, if all three are known."""
        if usage is None or None in (usage.input_tokens, usage.output_tokens, usage.total_tokens):
            return []
        settings = Settings(usage=replace(usage, reasoning_tokens=None))
        numbers: Json = RESPONSE_PARAMETERS.put(settings, {}).get("usage")
        return [] if numbers is None else [self._event("metadata", {"usage": numbers, "metrics": {"latencyMs": 0}})]

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write the numbers of tokens, if the caller gives them."""
        return self._metadata(usage_in(usage))

    def error(self, code: str, message: str) -> list[bytes]:
        """Write an error that ends the answer, as SDKs give an exception within a stream."""
        return [jsontext.dumps({"modelStreamErrorException": {"message": f"{message} ({code})"}}) + b"\n"]

    def wire(self) -> Object:
        """Return the response that a client assembles of the events."""
        return self._assembly.wire()


def _line(kind: str, value: Object) -> bytes:
    return jsontext.dumps({kind: value}) + b"\n"


def _quote(text: str) -> str:
    return jsontext.dumps(text).decode()


def _is_call(start: Start) -> bool:
    return is_call(start.message)


def _without_parts(message: Message, done: int) -> Message:
    """Return a message without the parts that were written where they stand."""
    return replace(message, content=parts_of(message.content)[done:]) if done else message
