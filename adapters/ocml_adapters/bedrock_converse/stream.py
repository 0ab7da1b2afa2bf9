"""Decode Converse's answers as they arrive: the stream `bedrock-converse`, of events as SDKs give them."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

from ocml_bridge.events import Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Part, Signature, Text
from ocml_bridge.stream.assembled import AssemblingDecoder, may_say, note_unknown, object_of
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.repeats import MoreText
from ocml_bridge.wires.blocks.reading import read_block

from .assembly import Assembly, Block, text_of_delta
from .blocks import BlockGrammar
from .syntax import ENDINGS, OUTPUT, REASONING, STOP_REASON, TOOL_USE
from .tools import is_of_server
from .units import MessageReader

_GRAMMAR = BlockGrammar()
_OF_SERVICE: Final = "amazon-bedrock-"
"""The prefix of members that `InvokeModel` adds to an event, as it does to a response."""
_PADDING: Final = "p"
"""The member of events with meaningless text, which gives them all the same length."""
_EMPTY: Final[Object] = {"text": ""}
_MEMBERS: Final = {
    "messageStart": {"role"},
    "contentBlockStart": {"contentBlockIndex", "start"},
    "contentBlockDelta": {"contentBlockIndex", "delta"},
    "contentBlockStop": {"contentBlockIndex"},
}
"""The members of each kind of event whose other members would be left out."""


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
        self._ends_early = True
        """Whether thoughts end before the answer does."""
        self._live = True
        """Whether blocks are passed on as they arrive; if not, the rest is passed on at the end."""
        self._text: Block | None = None
        """The last text that was passed on, until another block follows."""
        self._empty_texts: dict[Block, None] = {}
        """The empty texts since the last block that was passed on: they are parts only between two texts."""
        self._thought: Message | None = None
        """A complete thought. It ends when another message begins; if it is the last one, it may be cut off."""
        self._whole: Object | None = None
        """The response of a server that does not stream, as one event."""

    def start(self, message: Message, signature: Signature | None = None) -> int:
        """Emit the end of the text or thought before a message, and the `Start` of the message; return its number."""
        self._end_text()
        thought, self._thought = self._thought, None
        if self._empty_texts:  # they belong to the layout of the message before them, or after them
            self._ends_early = False
            self._empty_texts.clear()
        if thought is not None and self._ends_early:
            self.end(thought)
        return super().start(message, signature)

    def take(self, value: Object, name: str | None) -> None:
        """Take an event of the server."""
        if OUTPUT in value and not self._assembly.wire() and self._whole is None:
            self._whole, self.over = value, ENDINGS.reason(value.get(STOP_REASON))
            return
        if self._whole is not None:
            self.note("an event follows the whole answer; the event is left out")
            return
        for kind, inner in value.items():
            if kind.startswith(_OF_SERVICE):
                self._assembly.update({kind: inner})
                continue
            members = {} if kind.endswith("Exception") else object_of(inner, f"an event {kind[:40]!r}", self.note)
            members = without(members, _PADDING)
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
            self.over = ENDINGS.reason(self._assembly.reason)

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a delta that has one and nothing else."""
        members = members_of(value.get("contentBlockDelta")) if len(value) == 1 else {}
        index = members.get("contentBlockIndex")
        block = self._assembly.running(index) if type(index) is int else None
        found = text_of_delta(members_of(members.get("delta")))
        if block is None or found is None or members.keys() - {_PADDING} != _MEMBERS["contentBlockDelta"]:
            return None
        kind, text = found
        if kind == TOOL_USE:
            return MoreText(text, partial(self._take_text, block, kind))
        return None if self.delta is None else MoreText(text, partial(self.say, block.text, self.delta.number))

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
        if number is None and block.wire() == _EMPTY:
            self._empty_texts[block] = None
            return
        if number is None and block.kind:
            self._empty_texts.pop(block, None)
            if block.kind == REASONING:
                number = self.start(Message("assistant", "", channel="analysis"))
            elif self._kind == "text":
                self._end_text()
                number = self.started - 1
                for _ in self._empty_texts:
                    self.end_part(number, Text(""))
                self._empty_texts.clear()
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
        if self._whole is None and self._assembly.reason is None and (name := ENDINGS.name(reason)) is not None:
            response[STOP_REASON] = name
        return response
