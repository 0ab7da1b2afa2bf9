"""Events → those of `ConverseStream`, one JSON object a line: blocks one after the other, each with its deltas."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import name_of, parts_of
from ocml_bridge.events import Answer, Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Media, Message, Settings, Usage, replace
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.response import ResponseEncoder, usage_in
from ocml_bridge.wires.blocks.grammar import MessageKind, kind_of

from .blocks import BlockGrammar, behind
from .parts import write_media
from .settings import RESPONSE_PARAMETERS
from .stream import Assembly
from .syntax import CONTENT, HOME, IMAGE, REASONING, TOOL_RESULT, TOOL_USE
from .tools import NAMES, OF_SERVER, is_of_server
from .units import MessageReader

_REASONS: Final[dict[Reason, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
}


_GRAMMAR: Final = BlockGrammar()
_STREAMED: Final = ({"text"}, {"json"})
"""What the pieces of a result may be in a stream (`ToolResultBlockDelta`)."""


class EventEncoder(ResponseEncoder):
    """An encoder of one answer: each event is a line."""

    stream = HOME
    reads = MessageReader
    joined = frozenset({"text"})
    names = NAMES

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly()
        self._current: int | None = None
        """The number of the message whose block is under way."""
        self._index = -1
        """That of the last block."""

    def accepts(self, message: Message) -> bool:
        """Whether a message is the assistant's, or a tool's reply; its end tells whether that is one of the server."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Whether a call is of one of the server's own tools."""
        return is_of_server(call)

    def open(self) -> list[bytes]:
        """Who speaks."""
        return [self._event("messageStart", {"role": "assistant"})]

    def start(self, number: int, message: Message) -> list[bytes]:
        """A call begins at once, anything else with what it says first."""
        return self._begin(number, message) if kind_of(message) == "call" else []

    def _begin(self, number: int, message: Message) -> list[bytes]:
        """A block for a message, behind the end of the block before it."""
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
        """More of a block; one that is over cannot go on, and a text goes on in another."""
        head = self.heads[number]
        kind = kind_of(head)
        out: list[bytes] = []
        if kind == "reply":
            return []
        if number != self._current:
            if kind == "call":
                return []
            out = self._begin(number, head)
        deltas: dict[MessageKind, Object] = {
            "text": {"text": text},
            "thought": {REASONING: {"text": text}},
            "call": {TOOL_USE: {"input": text}},
        }
        return [*out, self._of_block("contentBlockDelta", {"delta": deltas[kind]})]

    def sign(self, number: int, message: Message) -> list[bytes]:
        """A thought that is signed ends here: its block has to end before another one begins."""
        return self.end(number, message)

    def end(self, number: int, message: Message) -> list[bytes]:
        """The block ends with its message, behind what is known only then; one that is sealed has nothing before."""
        if kind_of(message) == "reply":
            return self._reply(number, message) if _GRAMMAR.side(message) == "assistant" else []
        return [*self._end_of(number, message), *self._images(number, message)]

    def _end_of(self, number: int, message: Message) -> list[bytes]:
        deltas = behind(message)
        out = self._begin(number, message) if deltas and all(number != each for each, _ in self.written) else []
        if number != self._current:
            return out
        return [*out, *(self._of_block("contentBlockDelta", {"delta": delta}) for delta in deltas), *self._end()]

    def _reply(self, number: int, message: Message) -> list[bytes]:
        """What a tool of the server gave, as far as a stream has it: in pieces that are text or JSON."""
        inner = members_of(members_of(_GRAMMAR.write(message)).get(TOOL_RESULT))
        pieces = [piece for piece in inner[CONTENT] if set(members_of(piece)) in _STREAMED]
        head = {key: inner[key] for key in ("toolUseId", "type", "status") if key in inner}
        return self._at_once(number, message, TOOL_RESULT, head, [pieces])

    def _images(self, number: int, message: Message) -> list[bytes]:
        """The images of a message, behind its text; other media have no place in a stream."""
        out: list[bytes] = []
        for part in parts_of(message.content) if kind_of(message) == "text" else ():
            image = members_of(members_of(write_media(part)).get(IMAGE)) if isinstance(part, Media) else {}
            if image:
                head, source = {"format": image["format"]}, {"source": image["source"]}
                out += self._at_once(number, message, IMAGE, head, [source])
        return out

    def _at_once(self, number: int, message: Message, kind: str, head: Object, pieces: list[Json]) -> list[bytes]:
        """A block that is written whole."""
        out = self._begin(number, message)
        out.append(self._of_block("contentBlockStart", {"start": {kind: head}}))
        out += [self._of_block("contentBlockDelta", {"delta": {kind: piece}}) for piece in pieces if piece]
        return [*out, *self._end()]

    def _end(self) -> list[bytes]:
        current, self._current = self._current, None
        return [] if current is None else [self._of_block("contentBlockStop", {})]

    def _of_block(self, kind: str, value: Object) -> bytes:
        return self._event(kind, {**value, "contentBlockIndex": self._index})

    def _event(self, kind: str, value: Object) -> bytes:
        """An event, which is taken as its reader takes it."""
        if kind == "messageStart":
            self._assembly.role = value["role"]
        elif kind == "contentBlockStart":
            self._assembly.start(self._index, value["start"])
        elif kind == "contentBlockDelta":
            self._assembly.delta(self._index, value["delta"], untold)
        elif kind != "contentBlockStop":
            self._assembly.tell(value)
        return jsontext.dumps({kind: value}) + b"\n"

    def complete(self, reason: Reason) -> list[bytes]:
        """Why the answer is over, and the numbers of tokens that the document tells."""
        return [*self._end(), self._event("messageStop", {"stopReason": _REASONS[reason]}), *self._metadata(self.usage)]

    def _metadata(self, usage: Usage | None) -> list[bytes]:
        """The numbers of tokens, which are told where all three are known."""
        if usage is None or None in (usage.input_tokens, usage.output_tokens, usage.total_tokens):
            return []
        settings = Settings(usage=replace(usage, reasoning_tokens=None))
        numbers: Json = RESPONSE_PARAMETERS.put(settings, {}).get("usage")
        return [] if numbers is None else [self._event("metadata", {"usage": numbers, "metrics": {"latencyMs": 0}})]

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """The numbers of tokens, where they are given."""
        return self._metadata(usage_in(usage))

    def error(self, code: str, message: str) -> list[bytes]:
        """As SDKs give an exception in the middle of a stream."""
        return [jsontext.dumps({"modelStreamErrorException": {"message": f"{message} ({code})"}}) + b"\n"]

    def wire(self) -> Object:
        """The response that the events make."""
        return self._assembly.wire()
