"""Events → events of the Responses API, as they come (`openai-responses-sse`), or one response (`openai-responses`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.events import Answer, Reason
from ocml_bridge.form import Object
from ocml_bridge.model import Json, Message, replace
from ocml_bridge.stream.response import ResponseEncoder, usage_in
from ocml_bridge.turns import is_call

from .chunks import STREAM, Events, write_usage
from .live import LiveItem
from .units import ItemReader

_INCOMPLETE: Final[dict[Reason, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why an answer is incomplete, as a response says it."""


class EventEncoder(ResponseEncoder):
    """An encoder of one response: each message of the assistant's is an item, in the order in which they begin."""

    stream = STREAM
    reads = ItemReader

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._events = Events(answer)
        self._items: dict[int, LiveItem] = {}

    def open(self) -> list[bytes]:
        """The response begins."""
        response = self._response("in_progress", [])
        return [self._events.event(kind, response=response) for kind in ("response.created", "response.in_progress")]

    def start(self, number: int, message: Message) -> list[bytes]:
        """An item begins."""
        call_id = self.call_id(message) if is_call(message) else None
        item = LiveItem(self._events, message, len(self._items), self._answer.id, call_id)
        self._items[number] = item
        return [*self.opening(), *item.open()]

    def more(self, number: int, text: str) -> list[bytes]:
        """More of an item's text."""
        return self._items[number].more(text)

    def refuse(self, number: int, text: str) -> list[bytes]:
        """More of an item's refusal."""
        return self._items[number].more(text, refusal=True)

    def end(self, number: int, message: Message) -> list[bytes]:
        """The item is whole."""
        item = self._items[number]
        return [] if item.wire is not None else item.close(message)

    def interrupt(self) -> list[bytes]:
        """Items that have not ended are cut off."""
        under_way = [(number, item) for number, item in self._items.items() if item.wire is None]
        return [event for number, item in under_way for event in item.close(replace(self.heads[number], end=None))]

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
        return [item.wire for item in self._items.values() if item.wire is not None]

    def wire(self) -> Object:
        """What a client has of the response: its items, and what the end of a whole one says."""
        whole = {} if self.reason is None else self.response(None)
        more = {key: whole[key] for key in ("status", "model", "usage") if whole.get(key)}
        return {"object": "response", "output": self._output(), **more}

    def order(self) -> Sequence[int]:
        """The number of each message that became an item."""
        return [number for number, item in self._items.items() if item.wire is not None]


class WholeEncoder(EventEncoder):
    """An encoder that gives one response at the end."""

    whole = True
