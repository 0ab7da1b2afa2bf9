"""Encode events as chunks of `streamGenerateContent` (the stream `gemini-sse`), or as one response (`gemini`).

Texts and thoughts are written as they arrive. Calls, code, results and signed thoughts are written as one part each, so
all that begins after one of them waits for its end.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.events import Answer, Event, Reason, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, only_object
from ocml_bridge.loss import Log, Loss, Severity
from ocml_bridge.model import Json, Message, Part, Settings, Text, Usage, replace
from ocml_bridge.stream import sse
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.order import Uninterrupted
from ocml_bridge.stream.response import ResponseEncoder
from ocml_bridge.stream.running import PLACE
from ocml_bridge.stream.usage import usage_in
from ocml_bridge.wires.blocks.grammar import AFTER, block_extras, kind_of
from ocml_bridge.wires.blocks.writing import nearest, settled

from .assembly import Assembly
from .blocks import PartGrammar, is_code
from .hosted import is_hosted
from .settings import RESPONSE_PARAMETERS
from .syntax import CANDIDATES, CONTENT, ENDINGS, FINISH, HOME, MODEL_ROLE, NOTES, PARTS, VENDOR
from .tools import NAMES
from .units import ContentReader

_SEPARATOR: Final[Object] = {"text": "", "thought": True}
"""The part between two thoughts: it continues the first, so that what follows in the same chunk is the second."""
_WHOLE: Final = "whole"
"""The kind of a message that is written as one part, and is not joined to others when it is read."""
_GRAMMAR = PartGrammar()


class ChunkEncoder(ResponseEncoder):
    """An encoder of one answer: each chunk is a Server-Sent Event."""

    stream = "gemini-sse"
    reads = ContentReader
    joined = frozenset({"text"})
    names = NAMES

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly(untold)
        self._uninterrupted = Uninterrupted(self._is_whole, by_later_ones=True)
        self._parts: Counter[int] = Counter()
        """The number of parts of each message that have ended before the message."""
        self._apart: dict[int, dict[str, str]] = {}
        """The extras of each text that are in a part of their own, and where that is, by the number of the message."""

    def arranged(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield events; those of messages after one that is written as a whole are yielded after its end."""
        return self._uninterrupted.take(events)

    def _is_whole(self, start: Start) -> bool:
        head = self.heads.get(start.number)
        return head is not None and not _is_written_in_pieces(head)

    def accepts(self, message: Message) -> bool:
        """Return whether a message is of the model, or the result of its code or of a tool that the API ran."""
        return message.role == "assistant" or _GRAMMAR.is_result(message) or is_hosted(message)

    def hosts(self, call: Message) -> bool:
        """Return whether a call is one that the API runs itself: code, or the call of one of its tools."""
        return is_code(call) or is_hosted(call)

    def start(self, number: int, message: Message) -> list[bytes]:
        """Write nothing: a message begins with its first text."""
        return []

    def more(self, number: int, text: str) -> list[bytes]:
        """Write more of a text or a thought; a message that is written as a whole waits for its end."""
        kind = kind_of(self.heads[number])
        if not _is_written_in_pieces(self.heads[number]):
            return []
        thought = {"thought": True} if kind == "thought" else {}
        out = [self._part(number, kind, {"text": text, **thought})]
        first, place = self._assembly.first, {"text": PLACE, **thought}
        if first is not None and first.continued_by(place):
            self.run_on(number, sse.write_json(self._chunk_of(_content(place))), first.pieces.append)
        return out

    def end(self, number: int, message: Message) -> list[bytes]:
        """Write the parts after a text, or a message that is written as a whole."""
        kind = kind_of(message)
        is_sealed = kind == "thought" and message.content == ""
        if _is_written_in_pieces(self.heads[number]) and not is_sealed:
            follows = bool(self.written) and self.written[-1][0] == number
            apart = block_extras(_GRAMMAR.notes.of(message.extras)) if kind == "text" else ()
            self._apart[number] = dict.fromkeys(apart, "after the text" if follows else "after later parts")
            return [self._part(number, kind, part) for part in _parts_after_text(message, kind, self._parts[number])]
        image = nearest(_GRAMMAR, replace(message, layout=None), 0, Log())
        if image is None:
            return []
        image = settled(_GRAMMAR, image, "", Log())
        self.calls += kind == "call"
        parts = [cast("Object", _GRAMMAR.write(image)), *_parts_without_message(message)]
        return [self._part(number, _WHOLE, part) for part in parts]

    def end_part(self, number: int, part: Part) -> list[bytes]:
        """Write a part that is no text where it stands."""
        self._parts[number] += 1
        is_seen = kind_of(self.heads[number]) == "text" and not isinstance(part, Text)
        written = _GRAMMAR.write_part(part) if is_seen else None
        return [] if written is None else [self._part(number, kind_of(self.heads[number]), cast("Object", written))]

    def _part(self, number: int, kind: str, part: Object) -> bytes:
        first, before = self._assembly.first, list[Object]()
        if not self.written or self.written[-1][0] != number:
            self.written.append((number, kind))
            if part.get("thought") and first is not None and first.continued_by(part):
                before = [_SEPARATOR]
        return self._chunk(_content(*before, part))

    def _chunk(self, candidate: Object | None, **more: Json) -> bytes:
        """Assemble a chunk as a client does, and return it as a Server-Sent Event.

        Args:
            candidate: the candidate; None if it has none.
            more: the other members of the chunk.
        """
        chunk = self._chunk_of(candidate, **more)
        self._assembly.take(json.loads(json.dumps(chunk)))
        return sse.write_json(chunk)

    def _chunk_of(self, candidate: Object | None, **more: Json) -> Object:
        chunk: Object = {} if candidate is None else {CANDIDATES: [{**candidate, "index": self._answer.index}]}
        chunk |= more
        if self.model:
            chunk["modelVersion"] = self.model
        chunk["responseId"] = self._answer.id
        return chunk

    def complete(self, reason: Reason) -> list[bytes]:
        """Write why the answer is over, and the numbers of tokens that the document has."""
        known = _candidate(NOTES.of(self.extras)).get(FINISH)
        return [self._chunk({FINISH: ENDINGS.spelled(reason, known)}, **_metadata(self.usage))]

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """Write the numbers of tokens, if the caller gives them."""
        numbers = _metadata(usage_in(usage))
        return [self._chunk(None, **numbers)] if numbers else []

    def error(self, code: str, message: str) -> list[bytes]:
        """Write an error that ends the answer."""
        return [sse.write_json({"error": {"code": 500, "message": f"{message} ({code})", "status": "INTERNAL"}})]

    def account(self, stop: Stop) -> list[Loss]:
        """Return the losses; the extras of a text, such as a signature, are not lost but in a part after it.

        Nothing is lost of a candidate that only says why the answer is over, as the candidate that is written does.
        """
        written = {key: value for key, value in _candidate(self.wire()).items() if key != CONTENT}
        known = _candidate(NOTES.of(self.extras))
        repeated = f"/extras/{HOME}/{CANDIDATES}" if known and known.items() <= written.items() else ""
        places = {
            f"/messages/{stop.place(number)}/extras/{HOME}/{key}": f"{self.stream} has {key!r} in its own part, {where}"
            for number, extras in self._apart.items()
            for key, where in extras.items()
        }
        return [
            loss._replace(severity=Severity.CHANGED, detail=places[loss.path])
            if loss.severity is Severity.LOST and loss.path in places
            else loss
            for loss in super().account(stop)
            if loss.path != repeated
        ]

    def wire(self) -> Object:
        """Return the response that a client assembles of the chunks."""
        return {CANDIDATES: [], **self._assembly.wire()}


class WholeEncoder(ChunkEncoder):
    """An encoder that returns one response at the end."""

    whole = True


def _candidate(response: Object) -> Object:
    """Return the only candidate of a response, or of a document's extras; an empty object if there is not just one."""
    return only_object(response.get(CANDIDATES))


def _content(*parts: Object) -> Object:
    """Return a candidate with some parts."""
    return {CONTENT: {PARTS: list(parts), "role": MODEL_ROLE}}


def _is_written_in_pieces(head: Message) -> bool:
    """Return whether a message is written as it arrives: a text, or a thought without a signature at its beginning."""
    kind = kind_of(head)
    return kind == "text" or (kind == "thought" and signature_by(head, VENDOR) is None)


def _parts_after_text(message: Message, kind: str, done: int) -> list[Object]:
    """Return the parts after the text of a message: its media, and parts for its extras, such as a signature.

    The media of a thought have no place: a client would take them for the answer's.

    Args:
        message: the message.
        kind: its kind.
        done: the number of parts that were written where they stand.
    """
    extras = block_extras(_GRAMMAR.notes.of(message.extras))
    seen = parts_of(message.content)[done:] if kind == "text" else ()
    others = [part for part in seen if not isinstance(part, Text)]
    parts = [cast("Object", block) for part in others if (block := _GRAMMAR.write_part(part)) is not None]
    if extras and kind != "thought":
        parts.append({"text": "", **extras})
    return [*parts, *_parts_without_message(message)]


def _parts_without_message(message: Message) -> list[Object]:
    """Return the parts after a message that are no message or part of one, such as a signature by itself."""
    return cast("list[Object]", items_of(_GRAMMAR.notes.of(message.extras).get(AFTER)))


def _metadata(usage: Usage | None) -> Object:
    """Return the member of a response with the numbers of tokens; none if they are unknown."""
    return {} if usage is None else RESPONSE_PARAMETERS.put(Settings(usage=usage), {})
