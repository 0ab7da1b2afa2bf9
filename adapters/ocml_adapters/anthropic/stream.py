"""Decode answers of the Messages API as they arrive: the stream `anthropic-sse`, of Server-Sent Events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.events import Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import FindingCode, Severity
from ocml_bridge.model import Json, Message, Part, Transcript, replace
from ocml_bridge.stream.assembled import AssemblingDecoder, may_say, note_unknown
from ocml_bridge.stream.repeats import MoreText
from ocml_bridge.wires.blocks.reading import read_block

from .assembly import Assembly, Block, is_known, text_of_delta, unknown_members
from .blocks import CODEC, message_in
from .reader import read_message
from .syntax import ENDINGS, MESSAGE, NOTES, TEXT
from .units import WireReader


class _Running(NamedTuple):
    """A message that has begun.

    Attributes:
        number: its number in the stream.
        blocks: its blocks; several only if they are its parts.
        is_text: whether its blocks are parts, so that it is no thought, call or reply.
    """

    number: int
    blocks: list[Block]
    is_text: bool


class EventDecoder(AssemblingDecoder):
    """A decoder of one answer, whose blocks arrive one after the other.

    A message ends as soon as the batch reader would certainly read it in the same way. If blocks overlap, or a block
    ends as something else than it began as, the rest of the answer is passed on at its end.

    Args:
        options: how to read.
    """

    reads = WireReader

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly(self.note)
        self._waiting: list[_Running] = []
        """The messages that have begun and not ended, in order."""
        self._empty_texts: dict[Block, None] = {}
        """The empty texts since the last block that was passed on: they are parts only between two texts."""
        self._ends_early = True
        """Whether messages end before the answer does."""
        self._current: dict[Block, _Running] = {}
        """The message of each block that was passed on."""
        self._live = True
        """Whether blocks are passed on as they arrive; if not, the rest is passed on at the end."""
        self._called: dict[str | None, str | None] = {}
        """The recipients of ended calls without a result, by call id."""

    def take(self, value: Object, name: str | None) -> None:
        """Take an event of the server."""
        kind = value.get("type", name)
        if kind == "error" or name == "error":
            self.fail(value.get("error", value))
            return
        if kind == MESSAGE and not self._assembly.blocks and isinstance(value.get("content"), list):
            # A server that does not stream sends the whole answer.
            self.take({"type": "message_start", MESSAGE: value}, None)
            self.take({"type": "message_stop"}, None)
            return
        note_unknown(unknown_members(value, kind), (), self.note)
        if kind == "message_start":
            self.name(members_of(value.get("message")))
            self._take_beginning(value)
            return
        self._take_event(value, kind)

    def _take_beginning(self, value: Object) -> None:
        """Take the first event; blocks that the answer has already are complete, as when a container goes on."""
        message = members_of(value.get("message"))
        content = message.get("content")
        blocks = [] if self._assembly.blocks else items_of(content)
        if not all(isinstance(block, dict) for block in blocks):
            blocks = []
        around: Object = {**value, "message": {**message, "content": None}} if blocks else value
        self._take_event(around, "message_start")
        for index, block in enumerate(blocks):
            self._take_event({"index": index, "content_block": block}, "content_block_start")
            self._take_event({"index": index}, "content_block_stop")

    def _take_event(self, value: Object, kind: Json) -> None:
        update = self._assembly.take(value, kind)
        if update is None:
            if is_known(kind) or may_say(value):
                self.note("an event is not understood; the event is left out")
        elif update.block is not None and update.begins:
            self._begin(update.block)
            if update.text:
                self._continue(update.block, update.text)
        elif update.block is not None:
            self._continue(update.block, update.text)
        if self._assembly.is_over:
            self.over = ENDINGS.reason(self._assembly.reason)

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a delta of a block that is passed on."""
        found = text_of_delta(value) if value.get("type") == "content_block_delta" else None
        block = None if found is None else self._assembly.running(found[0])
        if found is None or block is None or block not in self._current:
            return None
        (_, kind, text), pieces = found, block.pieces_of(found[1])
        if pieces is None:
            return MoreText(text, partial(self._take_text, block, kind))
        return None if self.delta is None else MoreText(text, partial(self.say, pieces, self.delta.number))

    def _take_text(self, block: Block, kind: str, text: str) -> None:
        """Take a delta of text or arguments."""
        self.more(self._current[block].number, block.take_text(kind, text))

    # --- messages -----------------------------------------------------------------------------------------------------

    def _continue(self, block: Block, text: str) -> None:
        """Take more of a block, or its end."""
        if block in self._empty_texts and not block.is_empty_text:
            del self._empty_texts[block]
            self._open(block)
        if block in self._current:
            number = self._current[block].number
            self.more(number, text)
            if block.is_whole:
                self.sign(number, message_in(block.wire(), "assistant"))

    def _begin(self, block: Block) -> None:
        """Begin a block; a text waits for its first character, because it is left out if it has none."""
        before = self._assembly.blocks[-2] if len(self._assembly.blocks) > 1 else None
        if before is not None and not before.is_whole:
            self._live = False
            self.note("a block begins before the previous block has ended; both are passed on at the end")
        if self._live and block.is_empty_text:
            self._empty_texts[block] = None
        elif self._live:
            self._open(block)

    def _open(self, block: Block) -> None:
        """Pass on a block: as a part of the previous message, or as a message."""
        head = message_in(block.first, "assistant")
        last = self._waiting[-1] if self._waiting else None
        if head is None and last is not None and last.is_text:
            self._end_part(last)
            for empty in self._empty_texts:
                last.blocks.append(empty)
                self._end_part(last)
            self._empty_texts.clear()
            last.blocks.append(block)
            self._pass_on(block, last)
            return
        if self._empty_texts:  # they belong to the layout of the message before them, or after them
            self._ends_early = False
            self._empty_texts.clear()
        self._end_certain(called=head is not None and is_call(head))
        if not self._live:
            return
        if last is not None and last.is_text and self._waiting:
            self._end_part(last)
        message = Message("assistant", "", channel="final") if head is None else replace(head, content="")
        if message.role == "tool":
            message.name = self._called.get(message.call_id)
        running = _Running(self.start(message), [block], head is None)
        self._waiting.append(running)
        self._pass_on(block, running)

    def _pass_on(self, block: Block, running: _Running) -> None:
        """Emit what arrives of a block as text of a message, unless it is no text and not understood."""
        if not running.is_text or block.first.get("type") == TEXT:
            self._current[block] = running
            self.more(running.number, block.beginning)

    def _end_part(self, running: _Running) -> None:
        """End the last part of a message, because another block follows."""
        self.end_part(running.number, cast("Part", read_block(CODEC, running.blocks[-1].wire(), "assistant")))

    def _end_certain(self, *, called: bool) -> None:
        """End the messages that are certain, now that another one begins.

        Args:
            called: whether that one is a call, so that the texts before it are preambles.
        """
        while self._ends_early and self._waiting and (called or not self._waiting[0].is_text):
            running = self._waiting[0]
            messages = read_message({"role": "assistant", "content": [block.wire() for block in running.blocks]})
            # A complete block may be of another kind than it was at its beginning.
            if len(messages) != 1 or not self._is_certain(messages[0]):
                self._live = False
                return
            self._waiting.pop(0)
            self.end(self._in_turn(messages[0], running))

    def _is_certain(self, message: Message) -> bool:
        """Return whether the rest of the stream cannot change how a message is read."""
        if is_call(message):
            certain = message.call_id is not None and message.call_id not in self._called
            self._called[message.call_id] = message.recipient
            return certain
        return message.role != "tool" or message.call_id in self._called

    def _in_turn(self, message: Message, running: _Running) -> Message:
        """Return a message that was read alone as it is read among the others of its turn."""
        bad_arguments = running.blocks[0].bad_arguments
        if is_call(message) and bad_arguments is not None:
            message.content = bad_arguments
        message.continues = running.number > 0
        if running.is_text:
            message.channel, message.intent = "commentary", "preamble"
            notes = without(NOTES.of(message.layout), "content")
            message.layout = NOTES.by_format(notes)
        if message.role == "tool":
            message.name = self._called.pop(message.call_id)
        return message

    # --- the end ------------------------------------------------------------------------------------------------------

    def response(self, reason: Reason | None) -> Object:
        """Return the assembled response, with the stop reason of the caller if it has none."""
        response = self._assembly.wire()
        if response and (self._assembly.reason is None or not (self._assembly.is_over or reason)):
            if reason in ("stop", "tool_calls"):
                del response["stop_reason"]
            else:
                response["stop_reason"] = ENDINGS.name(reason)
        return response

    def document(self, reason: Reason | None) -> Transcript:
        """Return the document of the response, with the arguments that are no JSON object."""
        document = super().document(reason)
        has_bad_arguments = any(block.bad_arguments for block in self._assembly.blocks)
        return self._with_arguments(document) if has_bad_arguments else document

    def _with_arguments(self, document: Transcript) -> Transcript:
        """Return a document with the arguments that are no JSON object, and report them."""
        role = str(self._assembly.wire().get("role", "assistant"))
        calls = [block for block in self._assembly.blocks if _is_call(block, role)]
        messages = list(document.messages)
        places: Sequence[int] = [index for index, message in enumerate(messages) if is_call(message)]
        for index, block in zip(places, calls, strict=True):
            if block.bad_arguments is not None:
                messages[index] = replace(messages[index], content=block.bad_arguments)
                detail = "the arguments are not a JSON object; they are kept as text"
                self.log.find(FindingCode.JSON_OPAQUE, f"/messages/{index}/content", detail, Severity.CHANGED)
        return replace(document, messages=tuple(messages))


def _is_call(block: Block, role: str) -> bool:
    message = message_in(block.wire(), role)
    return message is not None and is_call(message)
