"""Events → events of the Responses API, as they come (`openai-responses-sse`), or one response (`openai-responses`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Answer, Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Message, replace
from ocml_bridge.stream.response import ResponseEncoder, usage_in

from .chunks import STREAM, Events, write_usage
from .hosted import write_hosted, write_hosted_reply
from .live import LiveItem
from .spelling import is_merged, write_item
from .syntax import BODIES
from .units import ItemReader

_INCOMPLETE: Final[dict[Reason, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why an answer is incomplete, as a response says it."""


class HostedItem:
    """An item of a tool that the server runs: a call, with what it replied where that stands in it, or a reply alone.

    Args:
        events: spells its events.
        index: its place in the response.
        number: of its first message.
        message: what that one's beginning says.
    """

    def __init__(self, events: Events, index: int, number: int, message: Message) -> None:
        self.numbers: Final = [number]
        self.wire: Object | None = None
        self._events: Final = events
        self._index: Final = index
        self._group: Final = [message]

    def open(self) -> list[bytes]:
        """The item begins."""
        return [self._event("added", {**self._written(), "status": "in_progress"})]

    def take(self, message: Message) -> None:
        """Its first message is whole."""
        self._group[0] = message

    def join(self, number: int, reply: Message) -> bool:
        """Take what the tool replied; whether it stands in this item."""
        if not is_merged(reply) or write_item([*self._group, reply]) is None:
            return False
        self.numbers.append(number)
        self._group.append(reply)
        return True

    def close(self) -> list[bytes]:
        """The item is whole."""
        self.wire = self._written()
        return [self._event("done", self.wire)]

    def _written(self) -> Object:
        return cast("Object", write_item(self._group))

    def _event(self, what: str, item: Object) -> bytes:
        return self._events.event(f"response.output_item.{what}", output_index=self._index, item=item)


class EventEncoder(ResponseEncoder):
    """An encoder of one response: each message of the assistant's is an item, in the order in which they begin."""

    stream = STREAM
    reads = ItemReader

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._items: list[LiveItem | HostedItem] = []
        self._item_of: dict[int, LiveItem | HostedItem] = {}
        """The item that each message is in, by its number."""
        self._unsaid: dict[int, Message] = {}
        """Texts behind a call that have said nothing by now: an empty one is no item."""
        self._hosted: HostedItem | None = None
        """That of a call which may still get its reply."""

    def accepts(self, message: Message) -> bool:
        """Whether a message is the assistant's, or what one of the server's tools gave."""
        return message.role in ("assistant", "tool")

    def hosts(self, call: Message) -> bool:
        """Whether there is an item for calls of this tool."""
        return write_hosted([call]) is not None

    def identify(self, answer: Answer) -> None:
        """Spell the events."""
        super().identify(answer)
        self._events = Events(answer)

    def open(self) -> list[bytes]:
        """The response begins."""
        response = self._response("in_progress", [])
        return [self._events.event(kind, response=response) for kind in ("response.created", "response.in_progress")]

    def start(self, number: int, message: Message) -> list[bytes]:
        """An item begins, or goes on with another text of a thought.

        What a tool of the server replied may stand in the item of its call; that is told by its end.
        """
        if message.role == "tool":
            return []
        last = self._items[-1] if self._items else None
        if is_merged(message) and isinstance(last, LiveItem) and last.wire is None:
            last.join(number)
            self._item_of[number] = last
            return []
        if message.continues and not is_call(message) and not is_private(message) and _is_call(last):
            self._unsaid[number] = message
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
        """More of an item's text; that of a tool of the server is told when it is whole."""
        out, item = self._say(number), self._item_of.get(number)
        return [*out, *item.more(text)] if isinstance(item, LiveItem) else out

    def refuse(self, number: int, text: str) -> list[bytes]:
        """More of an item's refusal."""
        out, item = self._say(number), self._item_of.get(number)
        return [*out, *item.more(text, refusal=True)] if isinstance(item, LiveItem) else out

    def _say(self, number: int) -> list[bytes]:
        """A text says something: its item begins, if it has not."""
        unsaid = self._unsaid.pop(number, None)
        return [] if unsaid is None else self._start(number, unsaid)

    def end(self, number: int, message: Message) -> list[bytes]:
        """The item is whole."""
        if message.role == "tool":
            return self._reply(number, message)
        out = self._close_hosted()
        if message.content != "":
            out += self._say(number)
        item = self._item_of.get(number)
        if item is None:
            return out
        if isinstance(item, HostedItem):
            item.take(message)
            self._hosted = item
            return out
        return out if item.wire is not None or number != item.numbers[-1] else [*out, *item.close(message)]

    def _reply(self, number: int, reply: Message) -> list[bytes]:
        """What a tool of the server replied: in the item of its call, or in one of its own."""
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
        """Items that have not ended are cut off."""
        under_way = [item for item in self._items if isinstance(item, LiveItem) and item.wire is None]
        heads = [(item, replace(self.heads[item.numbers[-1]], end=None)) for item in under_way]
        return [*self._close_hosted(), *(event for item, head in heads for event in item.close(head))]

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Why the answer is over is told with the whole of it."""
        return []

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """The whole response."""
        kind = "response.incomplete" if self.reason in _INCOMPLETE else "response.completed"
        return [self._events.event(kind, response=self.response(usage))]

    def error(self, code: str, message: str) -> list[bytes]:
        """The response failed."""
        response = self._response("failed", self._output(), error={"code": code, "message": message})
        return [*self.opening(), self._events.event("response.failed", response=response)]

    def response(self, usage: dict[str, object] | None) -> Object:
        """The response that is over."""
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
        """What a client has of the response: which one it is, its items, and what the end of a whole one says."""
        whole = {} if self.reason is None else self.response(None)
        more = {key: whole[key] for key in ("status", "model", "usage") if whole.get(key)}
        named = {"id": self._answer.id, "created_at": self._answer.created} if self.opened else {}
        return {**named, "object": "response", "output": self._output(), **more}

    def order(self) -> Sequence[int]:
        """The number of each message that became an item, or a part of one."""
        return [number for item in self._items if item.wire is not None for number in item.numbers]


class WholeEncoder(EventEncoder):
    """An encoder that gives one response at the end."""

    whole = True


def _is_call(item: LiveItem | HostedItem | None) -> bool:
    return isinstance(item, LiveItem) and item.kind in BODIES
