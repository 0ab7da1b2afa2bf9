"""Decode the events of the Responses API, in Server-Sent Events (the stream `openai-responses-sse`).

`assembly.py` assembles the events to a response, which the unit reader reads at the end. Text is passed on as it
arrives.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ocml_bridge.chat.turns import is_hosted, parts_of
from ocml_bridge.events import Reason, RefusalDelta
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message
from ocml_bridge.model.notes import MERGED
from ocml_bridge.stream.assembled import AssemblingDecoder
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.repeats import MoreText

from .assembly import Assembly
from .hosted import is_of_client
from .item_assembly import Item, NewText, Place
from .items import is_state, read_item
from .syntax import BODIES, MESSAGE, NOTES, REASONING, SUMMARY, is_filtered
from .units import ItemReader

_ENDS: Final[dict[str, Reason]] = {
    "response.completed": "stop",
    "response.incomplete": "length",
    "response.cancelled": "cancelled",
}
"""The reasons of the `Stop` event by the events that end a response, except for failures."""
_STATUSES: Final[dict[str, str]] = {"stop": "completed", "tool_calls": "completed", "length": "incomplete"}
"""The status of a response that has not ended, by the caller's reason."""


class EventDecoder(AssemblingDecoder):
    """A decoder of one response. The first item that has not ended is emitted as it arrives; later items wait for it.

    Args:
        options: how to read.
    """

    reads = ItemReader
    varying = ("sequence_number", "obfuscation")

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly(self.note)
        self._current = 0
        self._numbers: list[int] = []
        self._new: NewText | None = None
        """The new text of the last event, if it had any."""
        self._part = 0
        """The index of the part of the current message's item that arrives."""

    def take(self, value: Object, name: str | None) -> None:
        """Take an event; its type is in its data, or is its name."""
        is_error = name == "error" or ("type" not in value and value.get("error") and "object" not in value)
        kind: Json = "error" if is_error else value.get("type", name)
        if kind is None and value.get("object") == "response":  # a server that does not stream sends it whole
            kind, value = f"response.{value.get('status') or 'completed'}", {"response": value}
        if not isinstance(kind, str):
            self.note("an event has no type; the event is left out")
            return
        if kind in ("error", "response.failed"):
            self._take_failure(kind, value)
            return
        if not self.started:
            self.name(members_of(value.get("response")))
        new = self._new = self._assembly.take(kind, value)
        if kind in _ENDS:
            self.over = _ENDS[kind]
            if self.over == "length":
                self.over = "content_filter" if is_filtered(members_of(value.get("response"))) else "length"
        self._emit(new)

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a delta of the item that is passed on."""
        new, kind, text = self._new, value.get("type"), value.get("delta")
        if new is None or not isinstance(text, str) or not (isinstance(kind, str) and kind.endswith(".delta")):
            return None
        pieces, delta = new.item.pieces[new.place], self.delta
        return None if delta is None else MoreText(text, partial(self.say, pieces, delta.number))

    def _take_failure(self, kind: str, value: Object) -> None:
        """Take an event of a failure."""
        response = members_of(value.get("response"))
        if kind == "response.failed" and response:
            self._assembly.take(kind, value)
        else:
            self._assembly.envelope = {**self._assembly.envelope, "error": value.get("error", value)}
        self.fail(response.get("error") or value.get("error") or value)

    def hosts(self, call: Message) -> bool:
        """Return whether the API runs a call itself: some of its own tools are for the client to run."""
        return is_hosted(call) and not is_of_client(call)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _emit(self, new: NewText | None) -> None:
        items = self._assembly.items
        if new is not None and new.item is not items[self._current]:
            new.item.waiting.append(new)
            new = None
        while self._current < len(items):
            item = items[self._current]
            if item.waits_for_end and not item.done:
                item.waiting += [] if new is None else [new]
                return
            if not item.done:
                for each in item.waiting:
                    self._emit_unfinished(item, each)
                item.waiting.clear()
                self._emit_unfinished(item, new)
                return
            self._emit_finished(item)
            self._current += 1
            self._numbers, self._part = [], 0

    def _emit_unfinished(self, item: Item, new: NewText | None) -> None:
        """Emit what is certain of an item that has not ended."""
        kind: Json = item.wire.get("type")
        if not isinstance(kind, str):
            return
        if kind in BODIES and isinstance(item.wire.get("name"), str):
            self._emit_text(item, BODIES[kind], new)
        elif kind == MESSAGE and item.wire.get("role") == "assistant":
            self._begin(item, 1)
            if new is not None and new.item is item and new.place.key == "content":
                number, at = self._numbers[0], new.place.at or 0
                if at > self._part:
                    self._part = at
                    self._end_parts(item, at)
                if item.wire["content"][at].get("type") == "refusal":
                    self.log.events.append(RefusalDelta(number, new.text))
                elif at == self._part:
                    self.more(number, new.text)
        elif kind == REASONING and new is not None and new.item is item:
            self._emit_thought(item, new)

    def _end_parts(self, item: Item, count: int) -> None:
        """Emit the ends of the first parts of a message's item: another one arrives."""
        [message] = read_item({**item.wire, "content": item.settle()["content"][:count]})
        self.end_parts(self._numbers[0], parts_of(message.content))

    def _emit_text(self, item: Item, key: str, new: NewText | None) -> None:
        self._begin(item, 1)
        if new is not None and new.item is item and new.place == Place(key):
            self.more(self._numbers[0], new.text)

    def _emit_thought(self, item: Item, new: NewText) -> None:
        """Emit more of a thought: each text of a list is one, and only one of the two lists is emitted."""
        key, index = new.place
        item.thought_key = item.thought_key or key
        if key != item.thought_key or index is None or index + 1 < len(self._numbers):
            return
        self._begin(item, index + 1)
        self.more(self._numbers[index], new.text)

    def _begin(self, item: Item, count: int) -> None:
        """Begin the messages of an item, up to a number of them."""
        while len(self._numbers) < count:
            self._numbers.append(self.start(self._header(item)))

    def _header(self, item: Item) -> Message:
        kind: Json = item.wire.get("type")
        if kind == REASONING:
            thought = Message("assistant", "", channel="analysis")
            thought.content_type = SUMMARY if item.thought_key == SUMMARY else None
            if self._numbers:
                thought.layout = NOTES.by_format({MERGED: True})
            elif isinstance(item.wire.get("id"), str):
                thought.extras = NOTES.by_format({"id": item.wire["id"]})
            return thought
        empty = {"content": ""} if kind == MESSAGE else {BODIES[kind]: ""}
        return read_item({**item.wire, **empty})[0]

    def _emit_finished(self, item: Item) -> None:
        """Emit the missing messages of an item that has ended."""
        wires = item.split()
        if is_state(wires[0]):
            return
        for number, message in enumerate(message for wire in wires for message in read_item(wire)):
            if number == len(self._numbers):
                self._numbers.append(self.start(message))
                self.more(self._numbers[number], text_of(message))

    # --- the end ------------------------------------------------------------------------------------------------------

    def response(self, reason: Reason | None) -> Object:
        """Return the assembled response, with the status of the caller's reason if it has not ended."""
        assembly = self._assembly
        if not assembly.has_come:
            return {}
        response = assembly.response()
        if self.over is None and reason in _STATUSES:
            for item in assembly.items:
                item.done = True
            response = {**assembly.response(), "status": _STATUSES[reason]}
        return response
