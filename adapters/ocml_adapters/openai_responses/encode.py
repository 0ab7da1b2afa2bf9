"""Events → events of the Responses API, as they come (`openai-responses-sse`), or one response (`openai-responses`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Json, Message, Settings, Transcript, Usage, replace
from ocml_bridge.stream.assembled import losses_of
from ocml_bridge.turns import is_call

from .chunks import STREAM, Events, usage_in, write_usage
from .live import LiveItem
from .units import ItemReader

_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer broke off",
    "error": "the answer broke off: what came cannot be read",
}
"""What a client is told where the answer is not whole and nobody said why. Nobody hears why one was cancelled."""
_INCOMPLETE: Final[dict[Reason, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why an answer is incomplete, as a response says it."""


class EventEncoder:
    """An encoder of one response: each message of the assistant's is an item, in the order in which they begin.

    Args:
        answer: its id, model and time.
        options: how to read back what was written.

    Attributes:
        losses: what could not be said; complete when the stream is over.
        reason: why the answer is over, once it is whole.
    """

    def __init__(self, answer: Answer, options: Options) -> None:
        self.losses: list[Loss] = []
        self.reason: Reason | None = None
        self._answer = answer
        self._options = options
        self._events = Events(answer)
        self._items: dict[int, LiveItem] = {}
        self._heads: dict[int, Message] = {}
        self._ids: set[str] = set()
        self._calls = 0
        self._open = False
        self._over = False
        self._stopped: Stop | None = None

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The events that events make, each a complete Server-Sent Event; none behind the end of the answer."""
        out: list[bytes] = []
        for event in events:
            if isinstance(event, (Delta, RefusalDelta)):
                item = self._items.get(event.number)
                if item is not None and event.text and not self._over:
                    out += item.more(event.text, refusal=isinstance(event, RefusalDelta))
            elif isinstance(event, Start):
                out += self._start(event)
            elif isinstance(event, End):
                out += self._end(event.number, event.message)
            elif isinstance(event, Stop):
                out += self._stop(event)
        return out

    def _start(self, start: Start) -> list[bytes]:
        number, message = start
        if message.role != "assistant" or self._over:
            return []
        call_id = self._call_id(message) if is_call(message) else None
        item = LiveItem(self._events, message, len(self._items), self._answer.id, call_id)
        self._items[number], self._heads[number] = item, message
        return [*self._opening(), *item.open()]

    def _opening(self) -> list[bytes]:
        opened, self._open = self._open, True
        if opened:
            return []
        response = self._response("in_progress", [])
        kinds = ("response.created", "response.in_progress")
        return [self._events.event(kind, response=response) for kind in kinds]

    def _call_id(self, call: Message) -> str:
        """The call's id, or one made up for it that no call before has."""
        index, self._calls = self._calls, self._calls + 1
        known = call.call_id or self._answer.id_of_call(index)
        if not call.call_id and known in self._ids:
            known = f"{known}_{index}"
        self._ids.add(known)
        return known

    def _end(self, number: int, message: Message) -> list[bytes]:
        item = self._items.get(number)
        if item is None or item.wire is not None or self._over:
            return []
        return item.close(message)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        if not self._over:
            out = self._opening() if stop.reason != "cancelled" else []
            for number, item in self._items.items():
                if item.wire is None:
                    out += item.close(replace(self._heads[number], end=None))
            if stop.reason in _ERRORS:
                out += self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[stop.reason])
            elif stop.reason != "cancelled":
                self.reason = stop.reason
        self._stopped = stop
        self._over = True
        self.losses = self._account(stop)
        return out

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The end of the response, with the numbers of tokens: those that the document tells where none are given."""
        if not self._over:
            return [*self._opening(), *self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])]
        if self.reason is None:
            return []
        kind = "response.incomplete" if self.reason in _INCOMPLETE else "response.completed"
        return [self._events.event(kind, response=self.whole(usage))]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """The response failed, which is said once; nothing comes behind it."""
        if self._over:
            return []
        self._over = True
        error = {"code": str(code), "message": message}
        response = self._response("failed", self._output(), error=error)
        return [*self._opening(), self._events.event("response.failed", response=response)]

    def whole(self, usage: dict[str, object] | None) -> Object:
        """The response that is over."""
        numbers = usage_in(cast("dict[str, Any] | None", usage)) or self._told_usage()
        details = {"reason": _INCOMPLETE[self.reason]} if self.reason in _INCOMPLETE else None
        more: Object = {"usage": None if numbers is None else write_usage(numbers)}
        status = "completed" if details is None else "incomplete"
        return self._response(status, self._output(), incomplete_details=details, **more)

    def _output(self) -> list[Json]:
        return [item.wire for item in self._items.values() if item.wire is not None]

    def _response(self, status: str, output: list[Json], **more: Json) -> Object:
        return self._events.response(status, output, self._model(), **more)

    def _model(self) -> str:
        """The model that is told; events tell it before the document does."""
        return self._answer.model

    def _told_usage(self) -> Usage | None:
        settings = _settings_of(None if self._stopped is None else self._stopped.document)
        return None if settings is None else settings.usage

    def _account(self, stop: Stop) -> list[Loss]:
        numbers = [number for number, item in self._items.items() if item.wire is not None]
        response = {"object": "response", "output": self._output(), **self._said()}
        image = transcript_of(ItemReader(self._options), cast("Json", response), Log())
        document = stop.document
        settings = _known(image.settings, _settings_of(document))
        image = replace(image, layout=None, extras=None, settings=settings)
        places = [index for number in numbers if (index := stop.place(number)) is not None]
        return losses_of(document, image, places, target=STREAM)

    def _said(self) -> Object:
        """What a client knows beside the items."""
        if self.reason is None:
            return {}
        told = self.whole(None)
        return {key: told[key] for key in ("status", "model", "usage") if told[key]}


class ResponseEncoder(EventEncoder):
    """An encoder that gives one response at the end; nothing where the answer is not whole."""

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Takes events; nothing is said before the end."""
        super().encode(events)
        return []

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The response, with the numbers of tokens where they are known."""
        return [] if self.reason is None else [jsontext.dumps(self.whole(usage))]

    def _model(self) -> str:
        """The model that is told: where the caller names none, the one that the document does."""
        settings = _settings_of(None if self._stopped is None else self._stopped.document)
        return self._answer.model or (settings.model if settings is not None else None) or ""

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Nothing is said of an answer that is not whole."""
        super().fail(code, message)
        return []


def _settings_of(document: Document | None) -> Settings | None:
    return document.settings if isinstance(document, Transcript) else None


def _known(image: Settings | None, document: Settings | None) -> Settings | None:
    """What a client knows of the settings that a document tells."""
    if image is None or document is None:
        return None
    model = image.model if image.model == document.model else None
    usage = image.usage
    if usage is not None and document.usage is not None:
        usage = replace(
            usage,
            cached_tokens=usage.cached_tokens if document.usage.cached_tokens is not None else None,
            reasoning_tokens=usage.reasoning_tokens if document.usage.reasoning_tokens is not None else None,
        )
    known = Settings(model=model, usage=usage if document.usage is not None else None)
    return None if known == Settings() else known
