"""Events → chunks of Chat Completions, as they come (the stream `openai-sse`), or one response (the stream `openai`).

A server offers an answer as a stream or whole; both say the same, because both are the same encoder. One answer is one
wire message: several thoughts are joined by a blank line, as the batch writer joins them, and so are
several texts. Every call is a function's: there are no chunks of custom tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring_ascii as quote
from typing import NamedTuple

from ocml_bridge.adapter import Options
from ocml_bridge.events import Answer, Delta, Event, Reason, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Loss
from ocml_bridge.model import Document, Message, Refusal, Settings, Text, Transcript
from ocml_bridge.parameters import SETTINGS
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.turns import name_of, recipient_of

from . import chunks
from .chunks import STREAM, Chunks, Ends, losses_of
from .nearest import CALL, TEXT, THOUGHT, stage_of
from .reasoning import JOINT
from .settings import PARAMETERS
from .spelling import write_message
from .syntax import NOTES
from .units import WireReader


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


class ChunkEncoder(ResponseEncoder):
    """An encoder of one answer: each chunk is a Server-Sent Event."""

    stream = STREAM
    reads = WireReader

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._chunks = Chunks(answer, options)
        self._texts = {THOUGHT: _Channel(self._chunks.reasoning), TEXT: _Channel(self._chunks.content)}
        self._refusals = _Channel(self._chunks.refusal)
        self._calls: dict[int, _Call] = {}
        self._channels: dict[int, _Channel] = {}
        """Where a message that has begun goes."""
        self._running: dict[int, _Run] = {}
        """The same for one of which a piece is written, with all that the next piece needs."""
        self._empty: int | None = None
        """The number of the first text: an answer that says nothing is an empty one."""
        self._upstream: Object = {}

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The chunks that events make; nearly all of them are more text of a message."""
        out: list[bytes] = []
        running = self._running
        for event in events:
            if type(event) is Delta and (run := running.get(event.number)) is not None:
                before, after, append = run
                append(event.text)
                out.append(f"{before}{quote(event.text)}{after}".encode("ascii"))
            else:
                out += super().encode((event,))
        return [] if self.whole else out

    def accepts(self, message: Message) -> bool:
        """Whether a message is a thought, a text or a call of the assistant's."""
        return stage_of(message) is not None

    def open(self) -> list[bytes]:
        """Who speaks."""
        return [self._chunks.opening()]

    def start(self, number: int, message: Message) -> list[bytes]:
        """A call is told at once, anything else with what it says first."""
        stage = stage_of(message)
        if stage is not None and stage != CALL:
            if stage == TEXT and self._empty is None:
                self._empty = number
            self._channels[number] = self._texts[stage]
            return self.opening()
        index, call_id, name = self.calls, self.call_id(message), name_of(message.recipient or "")
        call = _Call(call_id, name, _Channel(self._chunks.arguments(index)))
        self._calls[number], self._channels[number] = call, call.arguments
        return [*self.opening(), self._chunks.call(index, call_id, name)]

    def more(self, number: int, text: str) -> list[bytes]:
        """The first text of a message; what comes behind it takes the short way."""
        channel = self._channels[number]
        chunk = channel.more(number, text)
        self._running[number] = channel.run()
        return [chunk]

    def refuse(self, number: int, text: str) -> list[bytes]:
        """More of a refusal; thoughts and calls have no place for one, it is text there."""
        channel = self._channels[number]
        return [(self._refusals if channel is self._texts[TEXT] else channel).more(number, text)]

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Why the answer is over."""
        return [self._chunks.finish(reason)]

    def close(self) -> None:
        """Nothing more is written."""
        super().close()
        self._running.clear()

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """The numbers of tokens, those that the document tells where none are given, and the end of the stream."""
        usage = self._upstream.get("usage") if usage is None else usage
        return [*([] if usage is None else [self._chunks.usage(usage)]), chunks.done()]

    def error(self, code: str, message: str) -> list[bytes]:
        """An error as official clients raise it."""
        return [chunks.error(code, message)]

    def wire(self) -> Object:
        """The response, without the numbers of tokens."""
        choice = {
            "index": self._answer.index,
            "message": write_message(self._messages(), self._options),
            "logprobs": None,
            "finish_reason": self.reason,
        }
        return {
            "id": self._answer.id,
            "object": "chat.completion",
            "created": self._answer.created,
            "model": self.model,
            "choices": [choice],
        }

    def response(self, usage: dict[str, object] | None) -> Object:
        """The response, with the numbers of tokens where they are known."""
        usage = self._upstream.get("usage") if usage is None else usage
        return self.wire() if usage is None else {**self.wire(), "usage": usage}

    def _messages(self) -> list[Message]:
        """The messages of the answer as far as it has come; none where nothing is said yet."""
        if not self.opened:
            return []
        thought, text, refusal = (
            "".join(channel.pieces) for channel in (self._texts[THOUGHT], self._texts[TEXT], self._refusals)
        )
        messages = [Message("assistant", thought, channel="analysis")] if thought else []
        if text or refusal or not (thought or self._calls):
            parts = (*((Text(text),) if text else ()), Refusal(refusal))
            messages.append(Message("assistant", parts if refusal else text, channel="final"))
        return [*messages, *(call.message() for call in self._calls.values())]

    # --- what could not be said ---------------------------------------------------------------------------------------

    def account(self, stop: Stop) -> list[Loss]:
        """What a document says and the one wire message of a client does not."""
        self._upstream = members_of(stop.document)
        numbers = set(self._calls).union(*(channel.numbers for channel in (*self._texts.values(), self._refusals)))
        numbers = numbers or ({self._empty} if self._empty is not None else set())
        places = {index for number in numbers if (index := stop.place(number)) is not None}
        around = {} if self.reason is None else {key: self._upstream[key] for key in self._known()}
        cut_off = self.reason in (None, "length")
        return losses_of(stop.document, self._messages(), places, around, cut_off=cut_off)

    def _known(self) -> Iterator[str]:
        """What the client knows of what the document tells beside its messages."""
        if "usage" in self._upstream:
            yield "usage"
        if "model" in self._upstream and self._upstream["model"] == self.model:
            yield "model"


class WholeEncoder(ChunkEncoder):
    """An encoder that gives one `chat.completion` at the end."""

    whole = True


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
    return PARAMETERS.write(settings, NOTES.of(document.layout).get(SETTINGS), NOTES.of(document.extras))
