"""Responses as they arrive: events in Server-Sent Events → events, and back (the stream `openai-responses-sse`)."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.events import Reason, RefusalDelta
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.stream.assembled import AssemblingDecoder
from ocml_bridge.stream.decoder import text_of

from .assembly import Assembly, Item, More, Place
from .items import MERGED
from .spelling import is_state, read_item
from .syntax import BODIES, MESSAGE, NOTES, REASONING, SUMMARY
from .units import ItemReader

_LIMITS: Final[dict[str, Reason]] = {"content_filter": "content_filter"}
"""Why a response is incomplete → why it is over; anything else is a limit."""
_OVER: Final[dict[str, Reason]] = {
    "response.completed": "stop",
    "response.incomplete": "length",
    "response.cancelled": "cancelled",
}
"""The events that end a response, but for those that say that it failed."""
_STATUSES: Final[dict[str, str]] = {"stop": "completed", "tool_calls": "completed", "length": "incomplete"}
"""Reasons from outside → the status of a response that does not say it itself."""


class EventDecoder(AssemblingDecoder):
    """A decoder of one response. Of its items the first that is not whole is told as it comes; others wait for it.

    Args:
        options: how to read.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly(self.note)
        self._current = 0
        self._numbers: list[int] = []

    def take(self, value: Object, name: str | None) -> None:
        """Take an event, whose type its data has, or else its name."""
        kind: Json = value.get("type", name)
        if not isinstance(kind, str):
            self.note("an event has no type; the event is left out")
            return
        if kind in ("error", "response.failed"):
            self._break(kind, value)
            return
        if not self.started:
            self.name(members_of(value.get("response")))
        more = self._assembly.take(kind, value)
        if kind in _OVER:
            self.over = _OVER[kind]
            if self.over == "length":
                details = members_of(members_of(value.get("response")).get("incomplete_details"))
                self.over = _LIMITS.get(str(details.get("reason")), "length")
        self._tell(more)

    def _break(self, kind: str, value: Object) -> None:
        """The server says that it cannot go on."""
        response = members_of(value.get("response"))
        if kind == "response.failed" and response:
            self._assembly.take(kind, value)
        else:
            self._assembly.envelope = {**self._assembly.envelope, "error": value.get("error", value)}
        self.fail(response.get("error") or value.get("error") or value)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _tell(self, more: More | None) -> None:
        items = self._assembly.items
        while self._current < len(items):
            item = items[self._current]
            if not item.done:
                self._tell_more(item, more)
                return
            self._tell_whole(item)
            self._current += 1
            self._numbers = []

    def _tell_more(self, item: Item, more: More | None) -> None:
        """Tell what can be told of an item that is not whole."""
        kind: Json = item.wire.get("type")
        if not isinstance(kind, str):
            return
        if kind in BODIES and isinstance(item.wire.get("name"), str):
            self._tell_text(item, BODIES[kind], more)
        elif kind == MESSAGE and item.wire.get("role") == "assistant":
            self._begin(item, 1)
            if more is not None and more.item is item and more.place.key == "content":
                parts, number = item.wire["content"], self._numbers[0]
                if parts[more.place.at].get("type") == "refusal":
                    self.log.events.append(RefusalDelta(number, more.text))
                elif more.place.at == len(parts) - 1:
                    self.more(number, more.text)
        elif kind == REASONING and more is not None and more.item is item:
            self._tell_thought(item, more)

    def _tell_text(self, item: Item, key: str, more: More | None) -> None:
        self._begin(item, 1)
        if more is not None and more.item is item and more.place == Place(key):
            self.more(self._numbers[0], more.text)

    def _tell_thought(self, item: Item, more: More) -> None:
        """More of a thought: each text of a list is one, and they are those of the list that came first."""
        key, index = more.place
        item.thought = item.thought or key
        if key != item.thought or index is None or index + 1 < len(self._numbers):
            return
        self._begin(item, index + 1)
        self.more(self._numbers[index], more.text)

    def _begin(self, item: Item, count: int) -> None:
        """Say that messages of an item begin, as far as they have not."""
        while len(self._numbers) < count:
            self._numbers.append(self.start(self._header(item)))

    def _header(self, item: Item) -> Message:
        kind: Json = item.wire.get("type")
        if kind == REASONING:
            made = Message("assistant", "", channel="analysis")
            made.content_type = SUMMARY if item.thought == SUMMARY else None
            if self._numbers:
                made.layout = NOTES.by_format({**MERGED})
            elif isinstance(item.wire.get("id"), str):
                made.extras = NOTES.by_format({"id": item.wire["id"]})
            return made
        empty = {"content": ""} if kind == MESSAGE else {BODIES[kind]: ""}
        return read_item({**item.wire, **empty})[0]

    def _tell_whole(self, item: Item) -> None:
        """Tell what has not been told of a whole item."""
        wires = item.apart()
        if is_state(wires[0]):
            return
        for number, message in enumerate(message for wire in wires for message in read_item(wire)):
            if number == len(self._numbers):
                self._numbers.append(self.start(message))
                self.more(self._numbers[number], text_of(message))

    # --- the end ------------------------------------------------------------------------------------------------------

    def document(self, reason: Reason | None) -> Transcript:
        """What the reader reads of the response that the events make."""
        assembly = self._assembly
        if not assembly.envelope and not assembly.items:
            return Transcript()
        response = assembly.response()
        if self.over is None and reason in _STATUSES:
            for item in assembly.items:
                item.done = True
            response = {**assembly.response(), "status": _STATUSES[reason]}
        return transcript_of(ItemReader(self.options), cast("Json", response), self.log)
