"""Encode events as events of the Responses API (`openai-responses-sse`), or as one response (`openai-responses`).

Each message of the assistant is an item, in the order in which they begin. Items of text are written as they arrive
(`item_events.py`); calls of tools that the server runs, and their replies, are written when they are complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Answer, Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Message, Part, replace
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.stream.usage import usage_in

from .calls import CUSTOM
from .chunks import STREAM, EventWriter, write_usage
from .hosted import write_hosted, write_hosted_reply
from .item_events import LiveItem
from .items import write_item
from .syntax import BODIES, MESSAGE, NOTES
from .units import ItemReader

_INCOMPLETE: Final[dict[Reason, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""The reasons for which an answer is incomplete, by the names of a response."""


class HostedItem:
    """An item of a tool that the server runs: a call, with its reply if one item has both, or a reply alone.

    Args:
        events: writes its events.
        index: its index in the response.
        number: the number of its first message.
        message: its first message, as far as its start shows it.

    Attributes:
        numbers: the numbers of its messages.
        wire: the item, once it has ended.
    """

    def __init__(self, events: EventWriter, index: int, number: int, message: Message) -> None:
        self.numbers: Final = [number]
        self.wire: Object | None = None
        self._events: Final = events
        self._index: Final = index
        self._group: Final = [message]

    def open(self) -> list[bytes]:
        """Write the beginning of the item."""
        return [self._event("added", {**self._written(), "status": "in_progress"})]

    def take(self, message: Message) -> None:
        """Take its first message, complete."""
        self._group[0] = message

    def join(self, number: int, reply: Message) -> bool:
        """Take the reply of the tool if it is written in this item; return whether it is."""
        if not NOTES.is_merged(reply.layout) or write_item([*self._group, reply]) is None:
            return False
        self.numbers.append(number)
        self._group.append(reply)
        return True

    def close(self) -> list[bytes]:
        """Write the end of the item."""
        self.wire = self._written()
        return [self._event("done", self.wire)]

    def _written(self) -> Object:
        return cast("Object", write_item(self._group))

    def _event(self, step: str, item: Object) -> bytes:
        return self._events.event(f"response.output_item.{step}", output_index=self._index, item=item)


class EventEncoder(ResponseEncoder):
    """An encoder of one response."""

    stream = STREAM
    reads = ItemReader

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._items: list[LiveItem | HostedItem] = []
        self._item_of: dict[int, LiveItem | HostedItem] = {}
        """The item of each message, by its number."""
        self._pending: dict[int, Message] = {}
        """Texts after a call that are still empty, by number: an empty text gets no item."""
        self._hosted: HostedItem | None = None
        """The item of a call that may still get its reply, or None."""

    def accepts(self, message: Message) -> bool:
        """Return whether a message is of the assistant, or the reply of a tool that the server runs."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Return whether a type of item is a call of this tool."""
        return write_hosted([call]) is not None

    def as_custom(self, call: Message) -> Message:
        """Return a call of a custom tool with the layout of its type."""
        return replace(call, layout=NOTES.adding(call.layout, {"kind": CUSTOM}))

    def identify(self, answer: Answer) -> None:
        """Create the writer of the events, which have the id of the answer."""
        super().identify(answer)
        self._events = EventWriter(answer)

    def open(self) -> list[bytes]:
        """Write the beginning of the response."""
        response = self._response("in_progress", [])
        return [self._events.event(kind, response=response) for kind in ("response.created", "response.in_progress")]

    def start(self, number: int, message: Message) -> list[bytes]:
        """Begin an item, or another text of the last thought.

        The reply of a tool that the server runs is written at its end if it may belong to the item of its call.
        """
        if message.role == "tool":
            if NOTES.is_merged(message.layout) or write_hosted_reply(message) is None:
                return []
            item = HostedItem(self._events, len(self._items), number, message)
            return [*self._close_hosted(), *self._begin(number, item)]
        last = self._items[-1] if self._items else None
        if NOTES.is_merged(message.layout) and isinstance(last, LiveItem) and last.wire is None:
            last.join(number)
            self._item_of[number] = last
            return []
        if message.continues and not is_call(message) and not is_private(message) and _is_call(last):
            self._pending[number] = message
            return []
        return self._start(number, message)

    def _start(self, number: int, message: Message) -> list[bytes]:
        index = len(self._items)
        if is_call(message) and self.hosts(message):
            return self._begin(number, HostedItem(self._events, index, number, message))
        call_id = self.call_id(message) if is_call(message) else None
        return self._begin(number, LiveItem(self._events, message, index, number, self._answer.id, call_id))

    def _begin(self, number: int, item: LiveItem | HostedItem) -> list[bytes]:
        self._items.append(item)
        self._item_of[number] = item
        return [*self.opening(), *item.open()]

    def more(self, number: int, text: str) -> list[bytes]:
        """Write more text of an item; that of a tool that the server runs is written when it is complete."""
        out, item = self._start_pending(number), self._item_of.get(number)
        if not isinstance(item, LiveItem):
            return out
        out += item.more(text)
        self.running[number] = item.say
        return out

    def refuse(self, number: int, text: str) -> list[bytes]:
        """Write more of an item's refusal."""
        out, item = self._start_pending(number), self._item_of.get(number)
        return [*out, *item.more(text, refusal=True)] if isinstance(item, LiveItem) else out

    def end_part(self, number: int, part: Part) -> list[bytes]:
        """Write the end of a text of an item that has several."""
        item = self._item_of.get(number)
        return item.end_part(part) if isinstance(item, LiveItem) and item.kind == MESSAGE else []

    def _start_pending(self, number: int) -> list[bytes]:
        """Begin the item of a text that waits for its first piece, if it is one."""
        pending = self._pending.pop(number, None)
        return [] if pending is None else self._start(number, pending)

    def end(self, number: int, message: Message) -> list[bytes]:
        """End the item of a message."""
        if message.role == "tool":
            return self._reply(number, message)
        out = self._close_hosted()
        if message.content != "":
            out += self._start_pending(number)
        item = self._item_of.get(number)
        if item is None:
            return out
        if isinstance(item, HostedItem):
            item.take(message)
            self._hosted = item
            return out
        return out if item.wire is not None or number != item.numbers[-1] else [*out, *item.close(message)]

    def _reply(self, number: int, reply: Message) -> list[bytes]:
        """Write the reply of a tool that the server runs: in the item of its call, or in its own."""
        begun = self._item_of.get(number)
        if isinstance(begun, HostedItem):
            if write_hosted_reply(reply) is not None:
                begun.take(reply)
            return begun.close()
        if self._hosted is not None and self._hosted.join(number, reply):
            return []
        out = self._close_hosted()
        if write_hosted_reply(reply) is None:
            return out
        item = HostedItem(self._events, len(self._items), number, reply)
        return [*out, *self._begin(number, item), *item.close()]

    def _close_hosted(self) -> list[bytes]:
        hosted, self._hosted = self._hosted, None
        return [] if hosted is None else hosted.close()

    def interrupt(self) -> list[bytes]:
        """Write the ends of items that were cut off."""
        unfinished = [item for item in self._items if isinstance(item, LiveItem) and item.wire is None]
        heads = [(item, replace(self.heads[item.numbers[-1]], end=None)) for item in unfinished]
        return [*self._close_hosted(), *(event for item, head in heads for event in item.close(head))]

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Write nothing: the last event, which `tail` writes, has the reason of the end."""
        return []

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write the complete response."""
        kind = "response.incomplete" if self.reason in _INCOMPLETE else "response.completed"
        return [self._events.event(kind, response=self.response(usage))]

    def error(self, code: str, message: str) -> list[bytes]:
        """Write the failed response."""
        response = self._response("failed", self._output(), error={"code": code, "message": message})
        return [*self.opening(), self._events.event("response.failed", response=response)]

    def response(self, usage: dict[str, object] | None) -> Object:
        """Return the complete response."""
        numbers = usage_in(usage) or self.usage
        details = {"reason": _INCOMPLETE[self.reason]} if self.reason in _INCOMPLETE else None
        more: Object = {"usage": None if numbers is None else write_usage(numbers)}
        status = "completed" if details is None else "incomplete"
        return self._response(status, self._output(), incomplete_details=details, **more)

    def _response(self, status: str, output: list[Json], **more: Json) -> Object:
        return self._events.response(status, output, self.model, **more)

    def _output(self) -> list[Json]:
        return [item.wire for item in self._items if item.wire is not None]

    def wire(self) -> Object:
        """Return what a client has of the response: its id, the items that ended, and its status if it is complete."""
        complete = {} if self.reason is None else self.response(None)
        more = {key: complete[key] for key in ("status", "incomplete_details", "model", "usage") if complete.get(key)}
        identity = {"id": self._answer.id, "created_at": self._answer.created} if self.opened else {}
        return {**identity, "object": "response", "output": self._output(), **more}

    def order(self) -> Sequence[int]:
        """Return the number of each message that is in an item."""
        return [number for item in self._items if item.wire is not None for number in item.numbers]


class WholeEncoder(EventEncoder):
    """An encoder that returns one response at the end."""

    whole = True


def _is_call(item: LiveItem | HostedItem | None) -> bool:
    return isinstance(item, LiveItem) and item.kind in BODIES
