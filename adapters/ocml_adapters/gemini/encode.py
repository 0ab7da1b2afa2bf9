"""Events → chunks of `streamGenerateContent`, as they come (the stream `gemini-sse`), or one response (`gemini`)."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.blocks.grammar import AFTER, WIRE, kind_of
from ocml_bridge.blocks.writing import nearest, settled
from ocml_bridge.events import Answer, Reason
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Settings, Text, Usage, replace
from ocml_bridge.stream import sse
from ocml_bridge.stream.assembled import untold
from ocml_bridge.stream.response import ResponseEncoder, usage_in
from ocml_bridge.turns import parts_of

from .blocks import PartGrammar, is_code
from .settings import RESPONSE_PARAMETERS
from .stream import Assembly
from .syntax import CANDIDATES, CONTENT, FINISH, MODEL_ROLE, PARTS
from .tools import NAMES
from .units import ContentReader

_FINISHES: Final[dict[Reason, str]] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
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
        if kind not in ("text", "thought"):
            return []
        part: Object = {"text": text, "thought": True} if kind == "thought" else {"text": text}
        return [self._part(number, kind, part)]

    def end(self, number: int, message: Message) -> list[bytes]:
        """What stands behind a text, or the whole of anything else."""
        kind = kind_of(message)
        if kind in ("text", "thought"):
            return [self._part(number, kind, part) for part in _behind(message, kind)]
        near = nearest(_GRAMMAR, replace(message, layout=None), 0, Log())
        if near is None:
            return []
        near = settled(_GRAMMAR, near, "", Log())
        self.calls += kind == "call"
        return [self._part(number, kind, cast("Object", _GRAMMAR.write(near)))]

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


def _behind(message: Message, kind: str) -> list[Object]:
    """What stands behind a text in parts without any: its media, its signature, and what else carries none."""
    extras = _GRAMMAR.notes.of(message.extras)
    own = {key: value for key, value in extras.items() if key not in (AFTER, WIRE)}
    thought = {"thought": True} if kind == "thought" else {}
    after: Json = extras.get(AFTER)
    parts: list[Object] = [{"text": "", **thought, **own}] if own and not thought else []
    others = [part for part in parts_of(message.content) if not isinstance(part, Text)]
    parts[:0] = [cast("Object", block) for part in others if (block := _GRAMMAR.write_part(part)) is not None]
    return [*parts, *(cast("list[Any]", after) if isinstance(after, list) else [])]


def _metadata(usage: Usage | None) -> Object:
    """The member that has the numbers of tokens; none where they are not known."""
    return {} if usage is None else RESPONSE_PARAMETERS.put(Settings(usage=usage), {})
