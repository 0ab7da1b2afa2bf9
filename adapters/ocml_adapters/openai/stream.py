"""Chat Completions as it arrives: chunks in Server-Sent Events → events, and back (the stream `openai-sse`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Final, cast

from ocml_bridge.chat.turns import recipient_of
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import BridgeError
from ocml_bridge.events import Delta, End, Event, Reason, RefusalDelta, Signed, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import FindingCode, Severity
from ocml_bridge.model import Json, Message, Signature, Transcript, replace
from ocml_bridge.stream.arriving import ArrivingDecoder
from ocml_bridge.stream.decoder import header_of, settle, tell, text_of
from ocml_bridge.stream.sse import Reader, ServerEvent

from .assembly import Call, Choice, Fragment
from .chunks import DONE
from .details import ITEM, SEALED, is_closed
from .nearest import CALL, TEXT, THOUGHT, stage_of
from .reasoning import read_reasoning
from .syntax import CUSTOM, DETAILS, NOTES
from .units import WireReader

_REASONS: Final[dict[str, Reason]] = {
    "stop": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "error": "error",
    "abort": "cancelled",
}
"""Why a server says that an answer is over; calls make `tool_calls` of `stop`."""
_FINISHES: Final = frozenset({"stop", "tool_calls", "length", "content_filter"})
"""Reasons from outside that a response would give."""
_COMPLETE: Final = frozenset({None, "stop", "tool_calls"})
"""Reasons given from outside that leave it to the stream why it is over."""

_Key = int | tuple[int, int] | Call
"""What a message is, among those of one answer: a thought with its place, `TEXT`, or the call that it is."""
_SEALED: Final = -1
"""Stands for `THOUGHT` where a thought has no text."""


class ChunkDecoder(ArrivingDecoder):
    """A decoder of one stream. Of several answers the first to come is read; the others are kept as the reader does.

    Messages are begun in the order in which they come and end together with the answer, for any of them may go on
    until then; thoughts that are signed end where something else begins, so that their signatures can be passed on
    in their place. The document has reasoning before text and text before calls.

    Args:
        options: how to read.
    """

    def __init__(self, options: Options) -> None:
        self._reader = Reader()
        super().__init__(self._reader)
        self._options = options
        self._envelope: Object = {}
        self._choices: dict[object, Choice] = {}
        self._numbers: dict[_Key, int] = {}
        self._lengths: dict[_Key, int] = {}
        self._begun_calls = 0
        self._ended: list[Message] = []
        """The thoughts that have ended before the answer."""
        self._last: _Key | None = None
        """What the last piece was of."""
        self._signed: set[_Key] = set()
        """The thoughts whose signatures are passed on."""
        self._document: Transcript | None = None
        self._order: list[int] = []
        """The numbers of its messages."""

    # --- the stream ---------------------------------------------------------------------------------------------------

    def take_one(self, arrived: ServerEvent) -> None:
        """Take the next chunk, or what stands in its place."""
        name, data = arrived
        if data.startswith(DONE):
            self.done = True
            self._seal(None)
            return
        value = jsontext.loads(data)
        if not isinstance(value, dict):
            self.note("an event is not a chunk; it is left out")
            return
        chunk = cast("Object", value)
        error = chunk.get("error") or (chunk if name == "error" else None)
        if error is not None:
            self._envelope["error"] = error
            self.fail(error)
        else:
            self._chunk(chunk)

    def _chunk(self, chunk: Object) -> None:
        if not self._numbers:
            self.name(chunk)
        for key, value in chunk.items():
            known = self._envelope.get(key)
            if key not in _UNKEPT and (not known or (key == "usage" and value is not None)):
                self._envelope[key] = _OWN.get(key, value)
        choices = chunk.get("choices")
        if choices is not None and not isinstance(choices, list):
            self.note("choices is not a list; it is left out")
            return
        for item in cast("list[Json]", choices or []):
            if isinstance(item, dict):
                self._choice(cast("Object", item))
            else:
                self.note("a choice is not an object; it is left out")

    def _choice(self, item: Object) -> None:
        index = item.get("index")
        place = index if isinstance(index, int) else 0
        choice = self._choices.get(place)
        if choice is None:
            choice = self._choices[place] = Choice(index, self.note)
            if len(self._choices) > 1:
                self.note("the stream has several answers; the first is read, and the others are kept as alternatives")
        elif index is not None and not isinstance(index, int):
            self.note("the index of a choice is not a number; it is left out")
        first = choice is next(iter(self._choices.values()))
        for fragment in choice.take(item):
            if first and choice.role == "assistant":
                self._add(choice, fragment)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _add(self, choice: Choice, fragment: Fragment) -> None:
        if fragment.call is not None:
            self._add_to_call(choice, fragment.call, fragment.text)
        elif fragment.kind == "refusal":
            number = self._begin(choice, TEXT)
            self.log.events.append(RefusalDelta(number, fragment.text))
        else:
            self._more(choice, (THOUGHT, fragment.place) if fragment.kind == "thought" else TEXT, fragment.text)

    def _add_to_call(self, choice: Choice, call: Call, text: str) -> None:
        """More of a call. It begins with its first text, when its name is complete; calls before it then are, too."""
        if not text or not call.name:
            return
        if call in self._numbers:
            self._more(choice, call, text)
            return
        while call not in self._numbers:
            known = choice.calls[self._begun_calls]
            self._begun_calls += 1
            self._more(choice, known, "".join(known.pieces))

    def _more(self, choice: Choice, key: _Key, text: str) -> None:
        number = self._begin(choice, key)
        if text:
            self._lengths[key] += len(text)
            self.log.events.append(Delta(number, text))

    def _begin(self, choice: Choice, key: _Key) -> int:
        """The number of a message, which begins if it has not."""
        if key != self._last:
            self._last = key
            thoughts = self._thoughts(choice)
            if key not in self._numbers:
                self._end_signed(choice, thoughts)
            self._sign(choice, thoughts)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._lengths[key] = 0
            self.log.events.append(Start(number, self._header(choice, key)))
        return number

    def _thoughts(self, choice: Choice) -> Sequence[Message]:
        """The thoughts as a reader has them; none where those are not the ones that the pieces make."""
        thoughts = read_reasoning(choice.reasoning()).thoughts
        return thoughts if [text_of(each) for each in thoughts if each.content] == choice.thoughts else ()

    def _sign(self, choice: Choice, thoughts: Sequence[Message]) -> None:
        """Pass on the signatures of thoughts that cannot end yet: a text has begun before them."""
        for at, thought in enumerate(each for each in thoughts if each.content):
            key = (THOUGHT, at)
            is_over = is_closed(thought) and (at + 1 < len(choice.thoughts) or choice.is_signed)
            number = self._numbers.get(key)
            if is_over and number is not None and number >= len(self._ended) and key not in self._signed:
                self._signed.add(key)
                self.log.events.append(Signed(number, cast("Signature", thought.signature)))

    def _end_signed(self, choice: Choice, thoughts: Sequence[Message]) -> None:
        """End the thoughts that the answer begins with, up to the first that is not signed: more of it may come."""
        for number, thought in enumerate(thoughts[len(self._ended) :], len(self._ended)):
            begun = sum(bool(each.content) for each in self._ended)
            has_text = bool(thought.content)
            is_next = self._numbers.get((THOUGHT, begun)) == number if has_text else number == len(self._numbers)
            is_last = has_text and begun + 1 == len(choice.thoughts)
            if not (is_next and is_closed(thought)) or (is_last and not choice.is_signed):
                return
            made = replace(thought, name=choice.name, continues=number > 0)
            if not has_text:
                self._numbers[_SEALED, number] = number
                self.log.events.append(Start(number, header_of(made)))
            self.log.events.append(End(number, made))
            self._ended.append(made)

    def _header(self, choice: Choice, key: _Key) -> Message:
        message = Message("assistant", "", choice.name, "analysis", end=None, continues=len(self._numbers) > 1)
        if isinstance(key, Call):
            message.channel, message.recipient, message.call_id = "commentary", recipient_of(key.name), key.id
            message.constraint = None if key.kind == CUSTOM else "json"
        elif key == TEXT:
            message.channel, message.intent = ("commentary", "preamble") if choice.calls else ("final", None)
        return message

    # --- the end ------------------------------------------------------------------------------------------------------

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes; a second time there is nothing to say.

        Args:
            reason: why, where the stream itself does not say.
        """
        if self.closed:
            return []
        if not self.is_closed:
            # The last event may lack the line that ends it; where it is not whole, the stream is cut off inside it.
            with suppress(BridgeError):
                self.take_all(self._reader.finish(unended=True))
        self.closed = True
        document = self._seal(reason)
        return [*self.log.take(), Stop(self._reason(reason, document), document, places=self._places())]

    def _places(self) -> tuple[int | None, ...] | None:
        """Where messages stand in the document, if not in the order in which they began."""
        if self._order == sorted(self._order):
            return None
        places = {number: index for index, number in enumerate(self._order)}
        return tuple(map(places.get, range(max(places) + 1)))

    def _reason(self, reason: Reason | None, document: Transcript) -> Reason:
        if self.failed:
            return "error"
        if reason not in _COMPLETE:
            return cast("Reason", reason)
        if self._is_cut(reason):
            return "truncated"
        finish = next((choice.finish for choice in self._choices.values()), None)
        return settle(_REASONS.get(finish or "stop", "stop"), document)

    def _is_cut(self, reason: Reason | None) -> bool:
        """Whether the stream is cut off, and nobody says why."""
        if reason is not None or self.failed:
            return False
        first = next(iter(self._choices.values()), None)
        return first is None or (first.finish is None and not self.done)

    def _seal(self, reason: Reason | None) -> Transcript:
        """The document; what has not been said of it is said, and its messages end."""
        if self._document is None:
            self._document = self._read(reason)
            self._end(self._document.messages)
        return self._document

    def _read(self, reason: Reason | None) -> Transcript:
        if self._is_cut(reason):
            detail = "the stream ends before the answer ends"
            self.log.find(FindingCode.TRUNCATED, "", detail, Severity.LOST)
        choices = list(self._choices.values())
        if not choices:
            return Transcript()
        given = choices[0].finish
        if given is not None and given not in _REASONS:
            self.note(f"the finish reason {given[:40]!r} is not known; it is kept as it is")
        finish = self._finish(reason)
        wires = [choice.wire(finish) for choice in choices]
        document = transcript_of(WireReader(self._options), {**self._envelope, "choices": wires}, self.log)
        texts = choices[0].thoughts if (THOUGHT, 0) in self._numbers else []
        if not (texts or self._ended):
            return document
        return _with_thoughts(document, texts, self._ended, wires[0]["message"].get(DETAILS))

    def _finish(self, reason: Reason | None) -> str | None:
        """Why an answer is over whose server does not say."""
        if self.failed:
            return None
        if reason is None:
            return "stop" if self.done else None
        return reason if reason in _FINISHES else None

    def _end(self, messages: Sequence[Message]) -> None:
        started, rest = list[tuple[int, int, Message]](), list[tuple[int, Message]]()
        calls, thoughts = iter(self._calls()), count(sum(bool(each.content) for each in self._ended))
        new = count(len(self._numbers))
        self._order += range(len(self._ended))
        for message in messages[len(self._ended) :]:
            stage = stage_of(message)
            key: _Key | None = next(calls, None) if stage == CALL else stage
            if stage == THOUGHT:
                key = (THOUGHT, next(thoughts)) if message.content else None
            number = None if key is None else self._numbers.get(key)
            if key is None or number is None:
                number = next(new)
                rest.append((number, message))
            else:
                started.append((number, self._lengths[key], message))
            self._order.append(number)
        events = self.log.events
        for number, length, message in sorted(started, key=lambda one: one[0]):
            if more := text_of(message)[length:]:
                events.append(Delta(number, more))
            events.append(End(number, message))
        for number, message in rest:
            tell(self.log, number, message)

    def _calls(self) -> list[Call]:
        """The calls in the order in which a response has them."""
        first = next(iter(self._choices.values()), None)
        return [] if first is None else sorted(first.calls, key=lambda call: call.legacy)


def _with_thoughts(document: Transcript, texts: list[str], ended: Sequence[Message], details: Json) -> Transcript:
    """A document whose answer has the thoughts of its stream; where a list says others, it is kept."""
    thoughts = [message for message in document.messages if stage_of(message) == THOUGHT]
    first = [(thought.content, thought.signature) for thought in thoughts[: len(ended)]]
    are_ended = first == [(thought.content, thought.signature) for thought in ended]
    if are_ended and [text_of(thought) for thought in thoughts if thought.content] == texts:
        return document
    head = thoughts[0] if thoughts else replace(ended[0], extras=None, layout=None)
    own = {key: value for key, value in NOTES.of(head.extras).items() if key not in (ITEM, SEALED)}
    layout = {key: value for key, value in NOTES.of(head.layout).items() if key not in (ITEM, SEALED)}
    made = [replace(each) for each in ended]
    for text in texts[sum(bool(each.content) for each in ended) :]:
        made.append(Message("assistant", text, head.name, "analysis", continues=bool(made)))
    made[0].extras = NOTES.by_format(own if details is None else {**own, DETAILS: details})
    made[0].layout = NOTES.by_format({**layout, "reasoning": ["reasoning"]})
    others = [message for message in document.messages if stage_of(message) != THOUGHT]
    return replace(document, messages=(*made, *others))


_UNKEPT: Final = frozenset({"obfuscation"})
"""What pads chunks, so that their length does not tell what they say."""
_OWN: Final[Object] = {"object": "chat.completion", "choices": []}
"""What a response says where its chunks say something else."""
