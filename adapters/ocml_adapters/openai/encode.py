"""Events → chunks of Chat Completions, as they come (the stream `openai-sse`), or one response (the stream `openai`).

A server offers an answer as a stream or whole; both say the same, because both are the same encoder. One answer is one
wire message: several thoughts are joined by a blank line, as the batch writer joins them, and so are
several texts. Every call is a function's: there are no chunks of custom tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring_ascii as quote
from typing import Final, NamedTuple

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Loss
from ocml_bridge.model import Document, Message, Refusal, Settings, Text, Transcript
from ocml_bridge.parameters import SETTINGS
from ocml_bridge.turns import name_of, recipient_of

from . import chunks
from .chunks import Chunks, Ends, losses_of
from .form import notes_in
from .nearest import CALL, TEXT, THOUGHT, stage_of
from .reasoning import JOINT
from .settings import PARAMETERS
from .spelling import write_message

_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer broke off",
    "error": "the answer broke off: what came cannot be read",
}
"""What a client is told where the answer is not whole and nobody said why. Nobody hears why one was cancelled."""


class _Channel:
    """One of the parallel texts of an answer.

    Args:
        ends: how its chunks are spelled.

    Attributes:
        pieces: of its text so far.
        numbers: those of the messages that the pieces are of.
    """

    def __init__(self, ends: Ends) -> None:
        self.pieces: list[str] = []
        self.numbers: set[int] = set()
        self._ends = ends

    def more(self, number: int, text: str) -> bytes:
        """More of a message's text; a blank line goes before the first of it, if others spoke before."""
        if number not in self.numbers:
            self.numbers.add(number)
            text = JOINT + text if self.pieces else text
        self.pieces.append(text)
        before, after = self._ends
        return f"{before}{quote(text)}{after}".encode("ascii")

    def run(self) -> _Run:
        """All that a further piece of text needs."""
        return (*self._ends, self.pieces.append)


_Run = tuple[str, str, Callable[[str], None]]


class _Call(NamedTuple):
    id: str
    name: str
    arguments: _Channel

    def message(self) -> Message:
        """The call as far as it has come."""
        recipient, text = recipient_of(self.name), "".join(self.arguments.pieces)
        return Message("assistant", text, None, "commentary", recipient, self.id, constraint="json", end="call")


class ChunkEncoder:
    """An encoder of one answer.

    Args:
        answer: its id, model, time and index.
        options: how to write.

    Attributes:
        losses: what could not be said; complete when the stream is over.
        reason: why the answer is over, once it is whole.
    """

    def __init__(self, answer: Answer, options: Options) -> None:
        self.losses: list[Loss] = []
        self._answer = answer
        self._chunks = Chunks(answer, options)
        self._texts = {THOUGHT: _Channel(self._chunks.reasoning), TEXT: _Channel(self._chunks.content)}
        self._refused = _Channel(self._chunks.refusal)
        self._calls: dict[int, _Call] = {}
        self._ids: set[str] = set()
        self._texts_begun: list[int] = []
        self._begun: dict[int, _Channel] = {}
        self._running: dict[int, _Run] = {}
        self._open = False
        self._over = False
        self._upstream: Object = {}
        self.reason: Reason | None = None

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The chunks that events make, each a complete Server-Sent Event; none behind the end of the answer."""
        out: list[bytes] = []
        running = self._running
        for event in events:
            if type(event) is Delta:
                number, text = event
                run = running.get(number)
                if run is None:
                    out += self._first(number, text)
                else:
                    before, after, keep = run
                    keep(text)
                    out.append(f"{before}{quote(text)}{after}".encode("ascii"))
            elif isinstance(event, Start):
                out += self._start(event)
            elif isinstance(event, RefusalDelta):
                out += self._refuse(event.number, event.text)
            elif isinstance(event, Stop):
                out += self._stop(event)
        return out

    def _start(self, start: Start) -> list[bytes]:
        number, message = start
        stage = stage_of(message)
        if stage is None or self._over:
            return []
        if stage == TEXT:
            self._texts_begun.append(number)
        if stage != CALL:
            self._begun[number] = self._texts[stage]
            return self._opening()
        index = len(self._calls)
        call = _Call(
            self._id(message, index), name_of(message.recipient or ""), _Channel(self._chunks.arguments(index))
        )
        self._calls[number], self._begun[number] = call, call.arguments
        return [*self._opening(), self._chunks.call(index, call.id, call.name)]

    def _opening(self) -> list[bytes]:
        opened, self._open = self._open, True
        return [] if opened else [self._chunks.opening()]

    def _id(self, call: Message, index: int) -> str:
        """The call's id, or one made up for it that no call before has."""
        known = call.call_id or self._answer.id_of_call(index)
        if not call.call_id and known in self._ids:
            known = f"{known}_{index}"
        self._ids.add(known)
        return known

    def _first(self, number: int, text: str) -> list[bytes]:
        channel = self._begun.get(number)
        if channel is None or not text:
            return []
        chunk = channel.more(number, text)
        self._running[number] = channel.run()
        return [chunk]

    def _refuse(self, number: int, text: str) -> list[bytes]:
        """More of a refusal; thoughts and calls have no place for one, it is text there."""
        channel = self._begun.get(number)
        if channel is None or not text:
            return []
        return [(self._refused if channel is self._texts[TEXT] else channel).more(number, text)]

    # --- the end ------------------------------------------------------------------------------------------------------

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        if not self._over:
            if reason in _ERRORS:
                out = self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[reason])
            elif reason != "cancelled":
                reason = "stop" if reason == "tool_calls" and not self._calls else reason
                out = [*self._opening(), self._chunks.finish(reason)]
                self.reason = reason
            self._end()
        self._upstream = members_of(stop.document)
        self.losses = self._account(stop, cut_off=self.reason in (None, "length"))
        return out

    def _end(self) -> None:
        self._over = True
        self._running.clear()
        self._begun.clear()

    def _account(self, stop: Stop, *, cut_off: bool) -> list[Loss]:
        numbers = set(self._calls).union(*(channel.numbers for channel in (*self._texts.values(), self._refused)))
        # An answer that says nothing is an empty text.
        numbers = numbers or set(self._texts_begun[:1])
        places = {index for number in numbers if (index := stop.place(number)) is not None}
        around = {} if self.reason is None else {key: self._upstream[key] for key in self._known()}
        return losses_of(stop.document, self._messages(), places, around, cut_off=cut_off)

    def _known(self) -> Iterator[str]:
        """What the client knows of what the document tells beside its messages."""
        if "usage" in self._upstream:
            yield "usage"
        if "model" in self._upstream and self._upstream["model"] == self._model():
            yield "model"

    def _model(self) -> str:
        """The model that is told; chunks tell it before the document does."""
        return self._answer.model

    def _messages(self) -> list[Message]:
        """The messages of the answer as far as it has come; none where nothing is said yet."""
        if not self._open:
            return []
        thought, text, refusal = (
            "".join(channel.pieces) for channel in (self._texts[THOUGHT], self._texts[TEXT], self._refused)
        )
        messages = [Message("assistant", thought, channel="analysis")] if thought else []
        if text or refusal or not (thought or self._calls):
            parts = (*((Text(text),) if text else ()), Refusal(refusal))
            messages.append(Message("assistant", parts if refusal else text, channel="final"))
        return [*messages, *(call.message() for call in self._calls.values())]

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The numbers of tokens, those that the document tells where none are given, and the end of the stream.

        There is nothing to say where the answer is not whole.
        """
        if not self._over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        if self.reason is None:
            return []
        usage = self._upstream.get("usage") if usage is None else usage
        return [*([] if usage is None else [self._chunks.usage(usage)]), chunks.done()]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """An error, once; nothing comes behind it."""
        if self._over:
            return []
        self._end()
        return [chunks.error(code, message)]


class AnswerEncoder(ChunkEncoder):
    """An encoder that gives one chunk at the end: a `chat.completion`; nothing where the answer is not whole."""

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._options = options

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Takes events; nothing is said before the end."""
        super().encode(events)
        return []

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The response, with the numbers of tokens where they are known."""
        if self.reason is None:
            return []
        choice = {
            "index": self._answer.index,
            "message": write_message(self._messages(), self._options),
            "logprobs": None,
            "finish_reason": self.reason,
        }
        response: Object = {
            "id": self._answer.id,
            "object": "chat.completion",
            "created": self._answer.created,
            "model": self._model(),
            "choices": [choice],
        }
        usage = self._upstream.get("usage") if usage is None else usage
        return [jsontext.dumps(response if usage is None else {**response, "usage": usage})]

    def _model(self) -> str:
        """The model that is told: where the caller names none, the one that the document does."""
        return self._answer.model or self._upstream.get("model", "")

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Nothing is said of an answer that is not whole."""
        super().fail(code, message)
        return []


def members_of(document: Document) -> Object:
    """What a document tells of the answer beside its messages, as a response has it: its model and its usage.

    Clients ask for three numbers of tokens; where one of them is not known, they are told none.
    """
    if not isinstance(document, Transcript) or document.settings is None:
        return {}
    usage = document.settings.usage
    if usage is not None and None in (usage.input_tokens, usage.output_tokens, usage.total_tokens):
        usage = None
    settings = Settings(model=document.settings.model, usage=usage)
    return PARAMETERS.write(settings, notes_in(document.layout).get(SETTINGS), notes_in(document.extras))
