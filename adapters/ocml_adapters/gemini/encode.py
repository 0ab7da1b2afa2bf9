"""Events → chunks of `streamGenerateContent`, as they come (the stream `gemini-sse`), or one response (`gemini`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, cast

from ocml_bridge.chat.signatures import signature_by
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.events import Answer, End, Event, Named, Reason, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Finding, Log
from ocml_bridge.model import Json, Message, Settings, Text, Usage, replace
from ocml_bridge.stream import sse
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.response import ResponseEncoder, usage_in
from ocml_bridge.wires.blocks.grammar import AFTER, WIRE, kind_of
from ocml_bridge.wires.blocks.writing import nearest, settled

from .blocks import PartGrammar, is_code
from .settings import RESPONSE_PARAMETERS
from .stream import Assembly
from .syntax import CANDIDATES, CONTENT, FINISH, MODEL_ROLE, PARTS, VENDOR
from .tools import NAMES
from .units import ContentReader

_FINISHES: Final[dict[Reason, str]] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
_WHOLE: Final = "whole"
"""What a message is that is written in one part, and with no other becomes one message."""
_GRAMMAR = PartGrammar()


class ChunkEncoder(ResponseEncoder):
    """An encoder of one answer: each chunk is a Server-Sent Event."""

    stream = "gemini-sse"
    reads = ContentReader
    joined = frozenset({"text", "thought"})
    names = NAMES

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._assembly = Assembly(untold)
        self._waited_for: int | None = None
        """The number of a message that is written when it is whole; what begins behind it waits."""
        self._waiting: list[Event] = []

    def arranged(self, events: Iterable[Event]) -> Iterator[Event]:
        """Events, those of what begins behind a call that is not whole yet behind its end."""
        for event in events:
            if isinstance(event, Stop):
                self._waited_for, waiting, self._waiting = None, self._waiting, []
                yield from (*waiting, event)
            elif isinstance(event, (Finding, Named)) or self._waited_for is None or event.number <= self._waited_for:
                yield event
                yield from self._after(event)
            else:
                self._waiting.append(event)

    def _after(self, event: Event) -> Iterator[Event]:
        """What has waited for an event, once that is taken."""
        if isinstance(event, Start):
            head = self.heads.get(event.number)
            if self._waited_for is None and head is not None and not _comes_in_pieces(head):
                self._waited_for = event.number
        elif isinstance(event, End) and event.number == self._waited_for:
            self._waited_for, waiting, self._waiting = None, self._waiting, []
            yield from self.arranged(waiting)

    def accepts(self, message: Message) -> bool:
        """Whether a message is the model's, or what code that it ran gave."""
        return message.role == "assistant" or _GRAMMAR.is_result(message)

    def hosts(self, call: Message) -> bool:
        """Whether a call is the model's code."""
        return is_code(call)

    def start(self, number: int, message: Message) -> list[bytes]:
        """A message begins with what it says first."""
        return []

    def more(self, number: int, text: str) -> list[bytes]:
        """More of a text or a thought; what is written as JSON waits until it is whole."""
        kind = kind_of(self.heads[number])
        if not _comes_in_pieces(self.heads[number]):
            return []
        part: Object = {"text": text, "thought": True} if kind == "thought" else {"text": text}
        return [self._part(number, kind, part)]

    def end(self, number: int, message: Message) -> list[bytes]:
        """What stands behind a text, or the whole of anything else."""
        kind = kind_of(message)
        is_sealed = kind == "thought" and message.content == ""
        if _comes_in_pieces(self.heads[number]) and not is_sealed:
            return [self._part(number, kind, part) for part in _behind(message, kind)]
        near = nearest(_GRAMMAR, replace(message, layout=None), 0, Log())
        if near is None:
            return []
        near = settled(_GRAMMAR, near, "", Log())
        self.calls += kind == "call"
        parts = [cast("Object", _GRAMMAR.write(near)), *_carried(message)]
        return [self._part(number, _WHOLE, part) for part in parts]

    def _part(self, number: int, kind: str, part: Object) -> bytes:
        if not self.written or self.written[-1][0] != number:
            self.written.append((number, kind))
        return self._chunk({CONTENT: {PARTS: [part], "role": MODEL_ROLE}})

    def _chunk(self, candidate: Object | None, **more: Json) -> bytes:
        """A chunk, which is taken as its reader takes it."""
        chunk: Object = {} if candidate is None else {CANDIDATES: [{**candidate, "index": self._answer.index}]}
        chunk |= more
        if self.model:
            chunk["modelVersion"] = self.model
        chunk["responseId"] = self._answer.id
        self._assembly.take(json.loads(json.dumps(chunk)))
        return sse.write_json(chunk)

    def complete(self, reason: Reason) -> list[bytes]:
        """Why the answer is over, with the numbers of tokens that the document tells."""
        return [self._chunk({FINISH: _FINISHES[reason]}, **_metadata(self.usage))]

    def tail(self, usage: dict[str, object] | None) -> list[bytes]:
        """The numbers of tokens, where they are given."""
        numbers = _metadata(usage_in(usage))
        return [self._chunk(None, **numbers)] if numbers else []

    def error(self, code: str, message: str) -> list[bytes]:
        """An error as the API has it."""
        return [sse.write_json({"error": {"code": 500, "message": f"{message} ({code})", "status": "INTERNAL"}})]

    def wire(self) -> Object:
        """The response that the chunks make."""
        return {CANDIDATES: [], **self._assembly.wire()}


class WholeEncoder(ChunkEncoder):
    """An encoder that gives one response at the end."""

    whole = True


def _comes_in_pieces(head: Message) -> bool:
    """Whether a message is written as it comes; any but a text, or a thought that is not signed, is written whole."""
    kind = kind_of(head)
    return kind == "text" or (kind == "thought" and signature_by(head, VENDOR) is None)


def _behind(message: Message, kind: str) -> list[Object]:
    """What stands behind a text in parts without any: its media, its signature, and what else carries none."""
    extras = _GRAMMAR.notes.of(message.extras)
    own = {key: value for key, value in extras.items() if key not in (AFTER, WIRE)}
    thought = {"thought": True} if kind == "thought" else {}
    parts: list[Object] = [{"text": "", **thought, **own}] if own and not thought else []
    others = [part for part in parts_of(message.content) if not isinstance(part, Text)]
    parts[:0] = [cast("Object", block) for part in others if (block := _GRAMMAR.write_part(part)) is not None]
    return [*parts, *_carried(message)]


def _carried(message: Message) -> list[Object]:
    """The parts that say nothing of their own and stand behind a message, such as a signature by itself."""
    after: Json = _GRAMMAR.notes.of(message.extras).get(AFTER)
    return cast("list[Object]", after) if isinstance(after, list) else []


def _metadata(usage: Usage | None) -> Object:
    """The member that has the numbers of tokens; none where they are not known."""
    return {} if usage is None else RESPONSE_PARAMETERS.put(Settings(usage=usage), {})
