"""Decode Converse's answers as they arrive: the stream `bedrock-converse`, of events as SDKs give them."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

from ocml_bridge.events import Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Part, Signature
from ocml_bridge.stream.assembled import AssemblingDecoder, Note, may_say, merged, note_unknown, object_of
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.repeats import MoreText
from ocml_bridge.wires.blocks.reading import read_block
from ocml_bridge.wires.blocks.values import object_in

from .blocks import BlockGrammar
from .syntax import (
    CITED,
    CONTENT,
    MESSAGE,
    OUTPUT,
    REASONING,
    REASONING_TEXT,
    REDACTED,
    STOP_REASON,
    TOOL_RESULT,
    TOOL_USE,
)
from .tools import is_of_server
from .units import MessageReader

# --- the response -----------------------------------------------------------------------------------------------------


class Block:
    """A block so far.

    Args:
        start: the `start` of its first event: an object with its kind and the members known at its beginning.

    Attributes:
        kind: its kind; "" if it is not known yet.
        text: the pieces of its text, its reasoning, or the input of a call.
        number: the number of its message in the stream; None if the message has not begun.
        is_whole: whether it is complete.
    """

    def __init__(self, start: Object) -> None:
        self.kind = next(iter(start), "")
        self.text: list[str] = []
        self.number: int | None = None
        self.is_whole = False
        self._start: Object | None = members if isinstance(members := start.get(self.kind), dict) else None
        self._signature: list[str] = []
        self._sealed: list[str] = []
        self._citations: list[Json] = []
        self._more: list[Json] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it has arrived."""
        return not self.kind and not self._citations

    def take(self, delta: Object, note: Note) -> str:
        """Take a delta of the block; return its new text.

        Args:
            delta: the delta.
            note: receives a sentence about what does not fit the block.
        """
        new: list[str] = []
        if self.is_whole:
            note("a delta comes after the end of its block; the delta is left out")
            return ""
        for kind, value in delta.items():
            if kind == "citation" and self.kind in ("", "text"):
                self._citations.append(value)
                continue
            before, self.kind = self.kind, self.kind or kind
            piece = self._piece(value, note) if kind == self.kind else None
            if piece is None:
                self.kind = before
                note(f"a delta {kind[:40]!r} does not fit its block; the delta is left out")
            else:
                new.append(piece)
        self.text += new
        return "".join(new)

    def take_text(self, kind: str, note: Note, text: str) -> str:
        """Take a delta of a kind with a text and nothing else, as `take` does."""
        return self.take(delta_of(kind, text), note)

    def _piece(self, value: Json, note: Note) -> str | None:
        """Take the value of a delta; return its text, or None if it does not fit the block."""
        if self.kind == "text":
            return value if isinstance(value, str) else None
        if self.kind in (TOOL_USE, REASONING):
            return self._texts(cast("Object", value), note) if isinstance(value, dict) else None
        if self.kind == TOOL_RESULT and not isinstance(value, list):
            return None
        self._more.append(value)
        return ""

    def _texts(self, value: Object, note: Note) -> str | None:
        """Take more of a call or a thought; return its text; a sealed thought has none, None if a call has no input."""
        new: str | None = None if self.kind == TOOL_USE else ""
        for key, text in value.items():
            is_text = isinstance(text, str)
            if is_text and key == ("input" if self.kind == TOOL_USE else "text") and not self._sealed:
                new = text
            elif is_text and self.kind == REASONING and key == "signature":
                self._signature.append(text)
            elif is_text and self.kind == REASONING and key == REDACTED and not any(self.text):
                self._sealed.append(text)
            else:
                note(f"a delta has a member {key[:40]!r} that does not fit its block; it is left out")
        return new

    def wire(self) -> Object:
        """Return the complete block."""
        text = "".join(self.text)
        if self.kind == TOOL_USE:
            value = object_in(text) if text else {}
            return {TOOL_USE: {**(self._start or {}), "input": text if value is None else value}}
        if self.kind == REASONING:
            return {REASONING: self._reasoning(text)}
        if self.kind in ("text", "") and self._citations:
            return {CITED: {CONTENT: [{"text": text}], "citations": self._citations}}
        if self.kind == "text":
            return {"text": text}
        if self.kind == TOOL_RESULT:
            pieces = [each for value in self._more for each in cast("list[Json]", value)]
            return {TOOL_RESULT: {**(self._start or {}), CONTENT: pieces}}
        return {self.kind or "text": merged([self._start, *self._more])}

    def _reasoning(self, text: str) -> Object:
        if self._sealed:
            return {REDACTED: "".join(self._sealed)}
        signed: Object = {"signature": "".join(self._signature)} if self._signature else {}
        return {REASONING_TEXT: {"text": text, **signed}}


class Assembly:
    """A response so far.

    Attributes:
        role: the role of the message; None before it begins.
        reason: the stop reason; None until it arrives.
    """

    def __init__(self) -> None:
        self.role: str | None = None
        self.reason: str | None = None
        self._blocks: dict[int, Block] = {}
        self._last: Block | None = None
        self._members: Object = {}

    def start(self, index: int, start: Object) -> Block | None:
        """Begin a block; return None if a block with this index has begun."""
        return None if index in self._blocks else self._begin(index, Block(start))

    def _begin(self, index: int, block: Block) -> Block:
        """Begin a block; the previous one is complete, because blocks follow one another."""
        if self._last is not None:
            self._last.is_whole = True
        self._last = block
        self._blocks[index] = block
        return block

    def delta(self, index: int, delta: Object, note: Note) -> tuple[Block, str]:
        """Take a delta of a block, which may be its beginning; return the block and its new text."""
        block = self._blocks.get(index)
        if block is None:
            block = self._begin(index, Block({}))
        return block, block.take(delta, note)

    def running(self, index: int) -> Block | None:
        """Return the block with an index; None if there is none that is not complete."""
        block = self._blocks.get(index)
        return None if block is None or block.is_whole else block

    def end_before(self, index: int) -> Block | None:
        """Complete the last block if another one begins; return it, or None if it was complete."""
        last = self._last
        if last is None or last.is_whole or index in self._blocks:
            return None
        last.is_whole = True
        return last

    def stop(self, index: int) -> Block | None:
        """Complete a block; return None if it has not begun, or was complete."""
        block = self.running(index)
        if block is not None:
            block.is_whole = True
        return block

    def update(self, members: Object) -> None:
        """Take members of the response other than the message."""
        if isinstance(reason := members.get("stopReason"), str):
            self.reason = reason
        self._members.update(members)

    def wire(self) -> Object:
        """Return the response."""
        has_message = self.role is not None or self._blocks
        message: Object = {
            "role": self.role or "assistant",
            CONTENT: [block.wire() for block in self._blocks.values() if not block.is_empty],
        }
        return {**({OUTPUT: {MESSAGE: message}} if has_message else {}), **self._members}


# --- the stream -------------------------------------------------------------------------------------------------------

_REASONS: Final[dict[str, Reason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("guardrail_intervened", "content_filtered"), "content_filter"),
    **dict.fromkeys(("malformed_model_output", "malformed_tool_use"), "truncated"),
}
"""The reason by the API's stop reason; the reason is `stop` for any other. With calls, `stop` becomes `tool_calls`."""
_FINISHES: Final[dict[Reason, str]] = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
"""The stop reason of a response by the caller's reason, for streams that have none."""
_GRAMMAR = BlockGrammar()
_OF_SERVICE: Final = "amazon-bedrock-"
"""The prefix of members that `InvokeModel` adds to an event, as it does to a response."""
_PADDING: Final = "p"
"""The member of events with meaningless text, which gives them all the same length."""
_KEYS: Final = {REASONING: "text", TOOL_USE: "input"}
"""The member of a delta with its text, by its kind."""
_MEMBERS: Final = {
    "messageStart": {"role"},
    "contentBlockStart": {"contentBlockIndex", "start"},
    "contentBlockDelta": {"contentBlockIndex", "delta"},
    "contentBlockStop": {"contentBlockIndex"},
}
"""The members of each kind of event whose other members would be left out."""


def delta_of(kind: str, text: str) -> Object:
    """Return a delta of a kind with a text and nothing else."""
    key = _KEYS.get(kind)
    return {kind: text if key is None else {key: text}}


def _text_of_delta(delta: Object) -> tuple[str, str] | None:
    """Return the kind of a delta that has a text and nothing else, and the text; None for any other delta."""
    if len(delta) != 1:
        return None
    ((kind, value),) = delta.items()
    key, inner = _KEYS.get(kind), members_of(value)
    text = value if kind == "text" else inner.get(key) if key is not None and len(inner) == 1 else None
    return (kind, text) if isinstance(text, str) else None


class EventDecoder(AssemblingDecoder):
    """A decoder of events: JSON lines, a list, or Server-Sent Events.

    Args:
        options: how to read.
    """

    reads = MessageReader
    varying = (_PADDING,)

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly()
        self._kind = ""
        """The kind of the last block that was passed on."""
        self._live = True
        """Whether blocks are passed on as they arrive; if not, the rest is passed on at the end."""
        self._text: Block | None = None
        """The last text that was passed on, until another block follows."""
        self._thought: Message | None = None
        """A complete thought. It ends when another message begins; if it is the last one, it may be cut off."""
        self._whole: Object | None = None
        """The response of a server that does not stream, as one event."""

    def start(self, message: Message, signature: Signature | None = None) -> int:
        """Emit the end of the text or thought before a message, and the `Start` of the message; return its number."""
        self._end_text()
        thought, self._thought = self._thought, None
        if thought is not None:
            self.end(thought)
        return super().start(message, signature)

    def take(self, value: Object, name: str | None) -> None:
        """Take an event of the server."""
        if OUTPUT in value and not self._assembly.wire() and self._whole is None:
            self._whole, reason = value, value.get(STOP_REASON)
            self.over = _REASONS.get(reason, "stop") if isinstance(reason, str) else "stop"
            return
        if self._whole is not None:
            self.note("an event follows the whole answer; the event is left out")
            return
        for kind, inner in value.items():
            if kind.startswith(_OF_SERVICE):
                self._assembly.update({kind: inner})
                continue
            members = {} if kind.endswith("Exception") else object_of(inner, f"an event {kind[:40]!r}", self.note)
            members = {key: member for key, member in members.items() if key != _PADDING}
            note_unknown(members, _MEMBERS.get(kind, members), self.note)
            if kind == "messageStart":
                self._assembly.role = "assistant"
                if members.get("role") != "assistant":
                    self.note("an answer has the role of the assistant; another role is left out")
            elif kind in ("messageStop", "metadata"):
                self._assembly.update(members)
            elif kind.endswith("Exception"):
                self.fail(inner)
            elif kind.startswith("contentBlock"):
                self._take_of_block(kind, members)
            elif len(value) > 1 or may_say({kind: inner}) or may_say(members):
                self.note(f"an event {kind[:40]!r} is not known; the event is left out")
        if self._assembly.reason is not None:
            self.over = _REASONS.get(self._assembly.reason, "stop")

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a delta that has one and nothing else."""
        members = members_of(value.get("contentBlockDelta")) if len(value) == 1 else {}
        index = members.get("contentBlockIndex")
        block = self._assembly.running(index) if type(index) is int else None
        found = _text_of_delta(members_of(members.get("delta")))
        if block is None or found is None or members.keys() - {_PADDING} != _MEMBERS["contentBlockDelta"]:
            return None
        kind, text = found
        if self.delta is not None:
            return MoreText(text, partial(self.say, block.text, self.delta.number))
        return MoreText(text, partial(self._take_text, block, kind))

    def _take_text(self, block: Block, kind: str, text: str) -> None:
        """Take a delta with a text and nothing else."""
        self._continue(block, block.take_text(kind, self.note, text))

    def _start(self, value: Json) -> Object:
        """Return the `start` of a block's first event; report other kinds than the first, and what is no object."""
        start = object_of(value, "the start of a block", self.note)
        for number, (kind, members) in enumerate(start.items()):
            if number:
                self.note(f"a block begins as {kind[:40]!r}, too; that is left out")
            else:
                object_of(members, "the start of a block", self.note)
        return start

    def _take_of_block(self, kind: str, members: Object) -> None:
        index = members.get("contentBlockIndex")
        if type(index) is not int:
            self.note("an event does not name its block; the event is left out")
            return
        if kind != "contentBlockStop":
            self._complete(self._assembly.end_before(index))
        if kind == "contentBlockStart":
            block = self._assembly.start(index, self._start(members.get("start")))
            if block is None:
                self.note("a block begins twice; the second beginning is left out")
            else:
                self._begin(block)
        elif kind == "contentBlockDelta":
            self._continue(
                *self._assembly.delta(index, object_of(members.get("delta"), "a delta", self.note), self.note)
            )
        else:
            self._complete(self._assembly.stop(index))

    def hosts(self, call: Message) -> bool:
        """Return whether the server runs a call, according to its block."""
        return is_of_server(call)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _begin(self, block: Block) -> None:
        """Emit the `Start` of a call, whose name is known now; any other block that begins so waits for the end."""
        if not self._live:
            return
        call = read_block(_GRAMMAR, block.wire(), "assistant") if block.kind == TOOL_USE else None
        if isinstance(call, Message):
            call.content = ""
            block.number = self.start(call)
            self._kind = TOOL_USE
        else:
            self._live = block.kind == ""

    def _continue(self, block: Block, text: str) -> None:
        """Emit more of a text or a thought; the input of a call waits for its end, because it becomes compact JSON."""
        is_open_call = block.kind == TOOL_USE and block.number is not None
        if not self._live or is_open_call:
            return
        if block.kind not in ("text", REASONING, ""):
            self._live = False
            return
        number = block.number
        if number is None and block.kind:
            if block.kind == REASONING:
                number = self.start(Message("assistant", "", channel="analysis"))
            elif self._kind == "text":
                self._end_text()
                number = self.started - 1
            else:
                number = self.start(Message("assistant", "", channel="final"))
            self._kind = block.kind
            self._text = block if block.kind == "text" else None
            block.number = number
        if number is not None:
            self.more(number, text)

    def _end_text(self) -> None:
        """Emit the end of a text that another block follows: it has all its citations."""
        text, self._text = self._text, None
        if text is not None and text.number is not None:
            self.end_part(text.number, cast("Part", read_block(_GRAMMAR, text.wire(), "assistant")))

    def _complete(self, block: Block | None) -> None:
        """Emit the input of a complete call, or the signature of a complete thought."""
        if block is None or block.number is None or block.kind not in (TOOL_USE, REASONING):
            return
        message = read_block(_GRAMMAR, block.wire(), "assistant")
        if not isinstance(message, Message):
            return
        if block.kind == TOOL_USE:
            self.more(block.number, text_of(message))
            return
        self.sign(block.number, message)
        if block.number == self.ended:
            message.continues = block.number > 0
            self._thought = message

    # --- the end ------------------------------------------------------------------------------------------------------

    def response(self, reason: Reason | None) -> Object:
        """Return the assembled response, with the stop reason of the caller if it has none."""
        response = self._assembly.wire() if self._whole is None else self._whole
        if self._whole is None and self._assembly.reason is None and reason in _FINISHES:
            response[STOP_REASON] = _FINISHES[reason]
        return response
