"""Decode the chunks of Chat Completions, in Server-Sent Events, as events (the stream `openai-sse`).

`assembly.py` joins the chunks to a response, which the unit reader reads at the end. Text is passed on as it arrives.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from functools import partial
from itertools import count
from typing import Final, cast

from ocml_bridge.chat.turns import recipient_of
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.events import Delta, End, Reason, RefusalDelta, Signed, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import only_object
from ocml_bridge.loss import FindingCode, Severity
from ocml_bridge.model import Json, Message, Signature, Transcript, replace
from ocml_bridge.stream.arriving import ArrivingDecoder
from ocml_bridge.stream.decoder import emit_message, header_of, text_of
from ocml_bridge.stream.repeats import MoreText

from .assembly import Call, Choice, Fragment
from .deltas import text_of_delta
from .merging import error_in, renewed
from .nearest import CALL, TEXT, THOUGHT, stage_of
from .reasoning import read_reasoning
from .syntax import CUSTOM, DETAILS, ENDINGS, NOTES
from .thought_lists import ITEM, SEALED, is_closed
from .units import WireReader

_IGNORED: Final = frozenset({"obfuscation", "p"})
"""Members of chunks that are not stored: padding that hides the length of the text (OpenAI, Mistral)."""

_Key = int | tuple[int, int] | Call
"""The key of a message in an answer: `(THOUGHT, index)`, `TEXT`, or the call."""
_SEALED: Final = -1
"""Replaces `THOUGHT` in the key of a thought without text."""


class ChunkDecoder(ArrivingDecoder):
    """A decoder of one stream. Events are emitted for the first of several answers; the others become alternatives.

    Messages begin in the order in which they arrive, and end with the answer, because any of them may continue until
    then. Only signed thoughts end when something else begins, so that their signatures are passed on in order. The
    document has reasoning before text, and text before calls.

    Args:
        options: how to read.
    """

    varying = _IGNORED

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._envelope: Object = {}
        self._choices: dict[object, Choice] = {}
        self._numbers: dict[_Key, int] = {}
        self._lengths: dict[_Key, int] = {}
        self._begun_calls = 0
        self._ended: list[Message] = []
        """The thoughts that ended before the end of the answer."""
        self._last: _Key | None = None
        """The key of the message with the last piece."""
        self._signed: set[_Key] = set()
        """The keys of the thoughts whose signatures were emitted."""
        self._document: Transcript | None = None
        self._order: list[int] = []
        """The numbers of the document's messages."""

    # --- the stream ---------------------------------------------------------------------------------------------------

    def announced(self) -> None:
        """Take the announcement that the stream is over: the answer is complete."""
        super().announced()
        self._seal(None)

    def take(self, value: Object, name: str | None) -> None:
        """Take the next chunk."""
        error = error_in(value, name)
        if error is None or "choices" in value:
            self._chunk(value)
        if error is not None:
            self._envelope["error"] = error
            self.fail(error)

    def _chunk(self, chunk: Object) -> None:
        if not self._numbers:
            self.name(chunk)
        for key, value in chunk.items():
            present = self._envelope.get(key)
            if key in _ONCE and present and value and value != present:
                self.note(f"the {key} changes inside an answer; the first one is kept")
            if key in _OF_RESPONSES:
                self._envelope[key] = _OF_RESPONSES[key]
            elif key not in _IGNORED and (not present or isinstance(value, (dict, list))):
                self._envelope[key] = value if key == _USAGE else renewed(present, value)
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
        if first and isinstance(item.get(_USAGE), dict):  # Kimi sends the numbers of tokens in the last choice
            item = dict(item)
            self._envelope[_USAGE] = self._envelope.get(_USAGE) or item[_USAGE]
            del item[_USAGE]
        for fragment in choice.take(item):
            if first and choice.role == "assistant":
                self._add(choice, fragment)

    def more_text(self, value: Object) -> MoreText | None:
        """Return what a chunk has that only has more of one text of the first answer, and nothing to be merged."""
        item, first = only_object(value.get("choices")), next(iter(self._choices.items()), None)
        if first is None or item.get("index", 0) != first[0] or item.get("finish_reason"):
            return None
        if _has_lists_or_objects(value, "choices") or _has_lists_or_objects(item, "delta"):
            return None
        choice, delta = first[1], item.get("delta")
        more = text_of_delta(cast("Object", delta), choice.role) if isinstance(delta, dict) else None
        if more is None or choice.role != "assistant":
            return None
        (place, text), delta = more, self.delta
        pieces = choice.pieces_at(place)
        if delta is None or pieces is None or self._last is None:
            return None
        return MoreText(text, partial(self._say, pieces, self._last, delta.number))

    def _say(self, places: Sequence[MutableSequence[str]], key: _Key, number: int, text: str) -> None:
        """Take and emit more of a message: add its text where it is joined from pieces."""
        for pieces in places:
            pieces.append(text)
        self._lengths[key] += len(text)
        self.log.events.append(Delta(number, text))

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
        """Add more of a call. It, and all earlier calls, begin with its first text, when the name is complete."""
        if not text or not call.name:
            return
        if call in self._numbers:
            self._more(choice, call, text)
            return
        while call not in self._numbers:
            next_call = choice.calls[self._begun_calls]
            self._begun_calls += 1
            self._more(choice, next_call, "".join(next_call.pieces))

    def _more(self, choice: Choice, key: _Key, text: str) -> None:
        number = self._begin(choice, key)
        if text:
            self._lengths[key] += len(text)
            self.log.events.append(Delta(number, text))

    def _begin(self, choice: Choice, key: _Key) -> int:
        """Return the number of a message; begin it if it has not begun."""
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
        """Return the thoughts as the reader reads them; none if they differ from the pieces that were passed on."""
        thoughts = read_reasoning(choice.reasoning()).thoughts
        return thoughts if [text_of(each) for each in thoughts if each.content] == choice.thoughts else ()

    def _sign(self, choice: Choice, thoughts: Sequence[Message]) -> None:
        """Emit the signatures of thoughts that cannot end yet, because a text has begun before them."""
        for at, thought in enumerate(each for each in thoughts if each.content):
            key = (THOUGHT, at)
            is_over = is_closed(thought) and (at + 1 < len(choice.thoughts) or choice.is_signed)
            number = self._numbers.get(key)
            if is_over and number is not None and number >= len(self._ended) and key not in self._signed:
                self._signed.add(key)
                self.log.events.append(Signed(number, cast("Signature", thought.signature)))

    def _end_signed(self, choice: Choice, thoughts: Sequence[Message]) -> None:
        """End the thoughts at the beginning of the answer, up to the first unsigned one, of which more may arrive."""
        for number, thought in enumerate(thoughts[len(self._ended) :], len(self._ended)):
            begun = sum(bool(each.content) for each in self._ended)
            has_text = bool(thought.content)
            is_next = self._numbers.get((THOUGHT, begun)) == number if has_text else number == len(self._numbers)
            is_last = has_text and begun + 1 == len(choice.thoughts)
            if not (is_next and is_closed(thought)) or (is_last and not choice.is_signed):
                return
            ended = replace(thought, name=choice.name, continues=number > 0)
            if not has_text:
                self._numbers[_SEALED, number] = number
                self.log.events.append(Start(number, header_of(ended)))
            self.log.events.append(End(number, ended))
            self._ended.append(ended)

    def _header(self, choice: Choice, key: _Key) -> Message:
        message = Message("assistant", "", choice.name, "analysis", end=None, continues=len(self._numbers) > 1)
        if isinstance(key, Call):
            message.channel, message.recipient, message.call_id = "commentary", recipient_of(key.name), key.id
            message.constraint = None if key.kind == CUSTOM else "json"
        elif key == TEXT:
            message.channel, message.intent = ("commentary", "preamble") if choice.calls else ("final", None)
        return message

    # --- the end ------------------------------------------------------------------------------------------------------

    def stop(self, reason: Reason | None) -> Stop:
        """Read the answer so far, and take the missing events of its messages to the log."""
        document = self._seal(reason)
        return Stop(self.reason_of(document, reason, self._over), document, places=self._places())

    def _places(self) -> tuple[int | None, ...] | None:
        """Return the index of each message in the document by number; None if the order is the same."""
        if self._order == sorted(self._order):
            return None
        places = {number: index for index, number in enumerate(self._order)}
        return tuple(map(places.get, range(max(places) + 1)))

    @property
    def _over(self) -> Reason | None:
        """Why the answer is over, according to the stream; None if it was cut off."""
        first = next(iter(self._choices.values()), None)
        if first is None or (first.finish is None and not self.done):
            return None
        return ENDINGS.reason(first.finish)

    def _seal(self, reason: Reason | None) -> Transcript:
        """Read the document, and emit the missing events of its messages; return the same document on later calls."""
        if self._document is None:
            self._document = self._read(reason)
            self._end(self._document.messages)
        return self._document

    def _read(self, reason: Reason | None) -> Transcript:
        if reason is None and self._over is None and not self.failed:
            detail = "the stream ends before the answer ends"
            self.log.find(FindingCode.TRUNCATED, "", detail, Severity.LOST)
        choices = list(self._choices.values())
        if not choices:
            return Transcript()
        finish_reason = choices[0].finish
        if finish_reason is not None and finish_reason not in ENDINGS.reasons:
            self.note(f"the finish reason {finish_reason[:40]!r} is not known; it is kept as it is")
        finish = self._finish(reason)
        wires = [choice.wire(finish) for choice in choices]
        document = transcript_of(WireReader(self.options), {**self._envelope, "choices": wires}, self.log)
        texts = choices[0].thoughts if (THOUGHT, 0) in self._numbers else []
        if not (texts or self._ended):
            return document
        return _with_thoughts(document, texts, self._ended, wires[0]["message"].get(DETAILS))

    def _finish(self, reason: Reason | None) -> str | None:
        """Return the finish reason of an answer without one."""
        if self.failed:
            return None
        if reason is None:
            return "stop" if self.done else None
        return ENDINGS.name(reason)

    def _end(self, messages: Sequence[Message]) -> None:
        started, unstarted = list[tuple[int, int, Message]](), list[tuple[int, Message]]()
        calls, thoughts = iter(self._calls()), count(sum(bool(each.content) for each in self._ended))
        new_numbers = count(len(self._numbers))
        self._order += range(len(self._ended))
        for message in messages[len(self._ended) :]:
            stage = stage_of(message)
            key: _Key | None = next(calls, None) if stage == CALL else stage
            if stage == THOUGHT:
                key = (THOUGHT, next(thoughts)) if message.content else None
            number = None if key is None else self._numbers.get(key)
            if key is None or number is None:
                number = next(new_numbers)
                unstarted.append((number, message))
            else:
                started.append((number, self._lengths[key], message))
            self._order.append(number)
        events = self.log.events
        for number, length, message in sorted(started, key=lambda one: one[0]):
            if more := text_of(message)[length:]:
                events.append(Delta(number, more))
            events.append(End(number, message))
        for number, message in unstarted:
            emit_message(self.log, number, message)

    def _calls(self) -> list[Call]:
        """Return the calls in the order in which a response has them."""
        first = next(iter(self._choices.values()), None)
        return [] if first is None else sorted(first.calls, key=lambda call: call.legacy)


def _with_thoughts(document: Transcript, texts: list[str], ended: Sequence[Message], details: Json) -> Transcript:
    """Return the document with the thoughts that were emitted; if the list of details differs, it becomes extras."""
    thoughts = [message for message in document.messages if stage_of(message) == THOUGHT]
    first = [(thought.content, thought.signature) for thought in thoughts[: len(ended)]]
    are_ended = first == [(thought.content, thought.signature) for thought in ended]
    if are_ended and [text_of(thought) for thought in thoughts if thought.content] == texts:
        return document
    head = thoughts[0] if thoughts else replace(ended[0], extras=None, layout=None)
    extras = without(NOTES.of(head.extras), ITEM, SEALED)
    layout = without(NOTES.of(head.layout), ITEM, SEALED)
    all_thoughts = [replace(each) for each in ended]
    for text in texts[sum(bool(each.content) for each in ended) :]:
        all_thoughts.append(Message("assistant", text, head.name, "analysis", continues=bool(all_thoughts)))
    all_thoughts[0].extras = NOTES.by_format(extras if details is None else {**extras, DETAILS: details})
    all_thoughts[0].layout = NOTES.by_format({**layout, "reasoning": ["reasoning"]})
    others = [message for message in document.messages if stage_of(message) != THOUGHT]
    return replace(document, messages=(*all_thoughts, *others))


def _has_lists_or_objects(members: Object, known: str) -> bool:
    """Return whether a member other than the known one is a list or an object."""
    return any(isinstance(value, (dict, list)) for key, value in members.items() if key != known)


_USAGE: Final = "usage"
_ONCE: Final = ("id", "model")
"""Members of chunks that are the same in all chunks of an answer."""
_OF_RESPONSES: Final[Object] = {"object": "chat.completion", "choices": []}
"""Members of a response whose values differ from those of its chunks."""
