"""Encode events as chunks of Chat Completions (the stream `openai-sse`), or as one response (the stream `openai`).

Both have the same contents, because both are the same encoder. One answer is one wire message: several thoughts are
joined by a blank line, as by the batch writer, and so are several texts. In chunks, every call is a call of a function,
because there are no chunks of custom tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quote
from typing import Final

from ocml_bridge.chat.turns import name_of
from ocml_bridge.events import Answer, Reason, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import SETTINGS
from ocml_bridge.loss import Loss
from ocml_bridge.model import Document, Json, Message, Settings, Transcript, replace
from ocml_bridge.stream import sse
from ocml_bridge.stream.identity import repeated_identity
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.stream.running import RunningText
from ocml_bridge.stream.usage import with_total

from .annotations import annotations_of
from .calls import call_layout, signature_member
from .chunks import DONE, STREAM, Chunks, Ends, losses_of
from .media import images_of
from .nearest import CALL, TEXT, THOUGHT, stage_of
from .reader import read_message
from .reasoning import JOINT
from .settings import PARAMETERS
from .spelling import write_message
from .streamed_thought_lists import ListedThoughts
from .syntax import (
    ANNOTATIONS,
    CONTENT,
    CUSTOM,
    DETAILS,
    FUNCTION,
    IMAGES,
    INPUT_KEYS,
    NOTES,
    REASONING_KEY,
    TOOL_CALLS,
)
from .units import WireReader


class _Channel:
    """One of the parallel texts of an answer: reasoning, content, a refusal, or the arguments of a call.

    Args:
        ends: the text before and after the text of its chunks.

    Attributes:
        pieces: the pieces of its text so far.
        numbers: the numbers of the messages in it, each with the offset of its first character.
    """

    def __init__(self, ends: Ends) -> None:
        self.pieces: list[str] = []
        self.numbers: dict[int, int] = {}
        self._ends = ends

    def more(self, number: int, text: str) -> bytes:
        """Return a chunk with more text of a message."""
        before, after = self._ends
        return f"{before}{quote(self.take(number, text))}{after}".encode("ascii")

    def take(self, number: int, text: str) -> str:
        """Add more text of a message; return it, after a blank line if the message is not the first one."""
        if number not in self.numbers:
            text, before = (JOINT + text, len(JOINT)) if self.pieces else (text, 0)
            self.numbers[number] = sum(map(len, self.pieces)) + before
        self.pieces.append(text)
        return text

    def running(self) -> RunningText:
        """Return what writes more text of the last message."""
        return RunningText(*self._ends, self.pieces.append)


@dataclass(slots=True)
class _Call:
    index: int
    id: str
    name: str
    arguments: _Channel
    more: Object
    kind: str

    def wire(self) -> Object:
        """Return the call so far."""
        body = {"name": self.name, INPUT_KEYS[self.kind]: "".join(self.arguments.pieces)}
        return {"id": self.id, "type": self.kind, self.kind: body, **self.more}


class ChunkEncoder(ResponseEncoder):
    """An encoder of one answer: each chunk is a Server-Sent Event."""

    stream = STREAM
    reads = WireReader
    parallel = True

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._calls: dict[int, _Call] = {}
        self._channels: dict[int, _Channel] = {}
        """The channel of each message that has begun."""
        self._empty: int | None = None
        """The number of the first text message, which an answer without any text consists of."""
        self._silence: Json = ""
        """The content in the first chunk: null if the answer does not begin with a text."""
        self._listed = ListedThoughts()
        self._annotations: list[Json] = []
        self._images: dict[int, list[Json]] = {}
        """The images of each message that has any."""
        self._upstream: Object = {}

    # --- the stream ---------------------------------------------------------------------------------------------------

    def identify(self, answer: Answer) -> None:
        """Create the writer of the chunks, each of which has the id of the answer."""
        super().identify(answer)
        self._chunks = Chunks(answer, self._options)
        self._texts = {THOUGHT: _Channel(self._chunks.reasoning), TEXT: _Channel(self._chunks.content)}
        self._refusals = _Channel(self._chunks.refusal)

    def accepts(self, message: Message) -> bool:
        """Return whether a message is a thought, a text or a call of the assistant."""
        return stage_of(message) is not None

    def open(self) -> list[bytes]:
        """Write the first chunk, with the role."""
        return [self._chunks.delta({"role": "assistant", CONTENT: self._silence})]

    def start(self, number: int, message: Message) -> list[bytes]:
        """Write the beginning of a call; other messages begin with their first text."""
        stage = stage_of(message)
        if stage != TEXT and not self.opened:
            self._silence = None
        if stage is not None and stage != CALL:
            if stage == TEXT and self._empty is None:
                self._empty = number
            self._channels[number] = self._texts[stage]
            return self.opening()
        index, call_id, name = self.calls, self.call_id(message), name_of(message.recipient or "")
        kind = CUSTOM if _is_custom(message) else FUNCTION
        call = _Call(index, call_id, name, _Channel(self._chunks.arguments(index)), {}, kind)
        self._calls[number], self._channels[number] = call, call.arguments
        # In one chunk, because some clients join members that are repeated.
        members = {"id": call_id, "type": FUNCTION, FUNCTION: {"name": name, "arguments": ""}}
        return [*self.opening(), self._chunks.of_call(index, members)]

    def more(self, number: int, text: str) -> list[bytes]:
        """Write the first text of a message; `running` writes more of it."""
        channel, head = self._channels[number], self.heads[number]
        if channel is self._texts[THOUGHT] and self._listed.wants(number, head, channel.numbers):
            items = self._listed.more(number, head, text)
            delta = {REASONING_KEY.of(self._options): channel.take(number, text), DETAILS: items}
            return [self._chunks.delta(delta)]
        chunk = channel.more(number, text)
        self.running[number] = channel.running().write
        return [chunk]

    def refuse(self, number: int, text: str) -> list[bytes]:
        """Write more of a refusal; in thoughts and calls it is text."""
        channel = self._channels[number]
        return [(self._refusals if channel is self._texts[TEXT] else channel).more(number, text)]

    def end(self, number: int, message: Message) -> list[bytes]:
        """Write what is known only at the end of a message: its signature and its images; collect its annotations."""
        if (call := self._calls.get(number)) is not None:
            call.more = signature_member(message, {})
            # Official clients require a function in each delta of a call.
            more = {FUNCTION: {"arguments": ""}, **call.more}
            return [self._chunks.of_call(call.index, more)] if call.more else []
        if stage_of(message) == TEXT:
            self._cite(number, message)
            if images := images_of(message.content):
                self._images[number] = images
                return [*self.opening(), self._chunks.delta({IMAGES: images})]
        elif items := self._listed.end(number, message, self._texts[THOUGHT].numbers):
            return [*self.opening(), self._chunks.delta({DETAILS: items})]
        return []

    def _cite(self, number: int, message: Message) -> None:
        at = self._texts[TEXT].numbers.get(number)
        if at is not None and not isinstance(message.content, str):
            self._annotations += annotations_of(message.content, at)

    # --- the end ------------------------------------------------------------------------------------------------------

    def complete(self, reason: Reason) -> list[bytes]:
        """Write the annotations of all texts, and the finish reason."""
        # In one chunk, because clients do not join lists whose items have no index.
        sources = [self._chunks.delta({ANNOTATIONS: self._annotations})] if self._annotations else []
        return [*sources, self._chunks.finish(reason)]

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write the numbers of tokens, by default those of the document, and the end of the stream."""
        usage = self._upstream.get("usage") if usage is None else usage
        return [*([] if usage is None else [self._chunks.usage(usage)]), f"data: {DONE}\n\n".encode()]

    def error(self, code: str, message: str) -> list[bytes]:
        """Write an error that official clients raise; they ignore any other sign of an early end."""
        error = {"message": message, "type": "server_error", "param": None, "code": code}
        return [sse.write_json({"error": error})]

    def wire(self) -> Object:
        """Return the response without the numbers of tokens."""
        choice = {
            "index": self._answer.index,
            "message": self._message(),
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
        """Return the response, with the numbers of tokens if they are known."""
        usage = self._upstream.get("usage") if usage is None else usage
        return self.wire() if usage is None else {**self.wire(), "usage": usage}

    def _message(self) -> Object:
        """Return the wire message that a client assembles from the chunks."""
        thought, text, refusal = (
            "".join(channel.pieces) for channel in (self._texts[THOUGHT], self._texts[TEXT], self._refusals)
        )
        message: Object = {"role": "assistant"}
        if thought:
            message[REASONING_KEY.of(self._options)] = thought
        if self._listed.numbers:
            message[DETAILS] = self._listed.wire()
        message[CONTENT] = text or self._silence
        if refusal:
            message["refusal"] = refusal
        if self._calls:
            message[TOOL_CALLS] = [call.wire() for call in self._calls.values()]
        if self._annotations and self.reason is not None:
            message[ANNOTATIONS] = self._annotations
        if self._images:
            message[IMAGES] = [image for images in self._images.values() for image in images]
        return message

    # --- losses -------------------------------------------------------------------------------------------------------

    def account(self, stop: Stop) -> list[Loss]:
        """Return the losses: what the document has and the client's wire message has not."""
        self._upstream = members_of(stop.document)
        read = read_message(self._message()) if self.opened else []
        numbers = {*self._calls, *self._images}.union(
            *(channel.numbers for channel in (*self._texts.values(), self._refusals))
        )
        sealed = {number for number in self._listed.numbers if number not in self._texts[THOUGHT].numbers}
        if all(message.content for message in read if stage_of(message) == THOUGHT):
            sealed = set[int]()  # the client has them, and cannot tell which is whose
        numbers = numbers or sealed or ({self._empty} if self._empty is not None else set())
        places, alone = (_places(stop, each) for each in (numbers | sealed, sealed | self._listed.apart))
        around = {} if self.reason is None else {key: self._upstream[key] for key in self._known()}
        wire = self.wire() if self.opened else {}
        extras = repeated_identity(stop.document.extras, wire) if isinstance(stop.document, Transcript) else None
        return losses_of(stop.document, read, places, around, extras, alone=alone, reason=self.reason)

    def _known(self) -> Iterator[str]:
        """Yield the keys of the document's settings that the client has."""
        if "usage" in self._upstream:
            yield "usage"
        if "model" in self._upstream and self._upstream["model"] == self.model:
            yield "model"


class WholeEncoder(ChunkEncoder):
    """An encoder that writes one `chat.completion` at the end, with the signature of each thought."""

    whole = True

    def as_custom(self, call: Message) -> Message:
        """Return a call of a custom tool with the layout of its type."""
        return replace(call, layout=NOTES.adding(call.layout, _CUSTOM))

    def _message(self) -> Object:
        """Return what a client of the stream would read, as the batch writer writes it."""
        read = read_message(super()._message())
        plain = [replace(message, layout=_CUSTOM_LAYOUT if _is_custom(message) else None) for message in read]
        return write_message(plain, self._options)


_CUSTOM: Final[Object] = {"call": {"kind": CUSTOM}}
_CUSTOM_LAYOUT: Final = NOTES.by_format(_CUSTOM)


def _is_custom(message: Message) -> bool:
    return call_layout(message).get("kind") == CUSTOM


def _places(stop: Stop, numbers: Iterable[int]) -> set[int]:
    return {index for number in numbers if (index := stop.place(number)) is not None}


def members_of(document: Document) -> Object:
    """Return the members of a response for the settings of a document: `model` and `usage`.

    Clients require three numbers of tokens; if one is not known, `usage` is omitted.
    """
    if not isinstance(document, Transcript) or document.settings is None:
        return {}
    usage = with_total(document.settings.usage)
    if usage is not None and None in (usage.input_tokens, usage.output_tokens, usage.total_tokens):
        usage = None
    settings = Settings(model=document.settings.model, usage=usage)
    written = PARAMETERS.write(settings, NOTES.of(document.layout).get(SETTINGS), NOTES.of(document.extras))
    # Groq has the numbers elsewhere, where no other client looks for them.
    return written if usage is None or "usage" in written else PARAMETERS.write(settings, None, {})
