"""Events → chunks of `streamGenerateContent`, as they come (the stream `gemini-sse`), or one response (`gemini`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, cast

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.blocks.grammar import AFTER, WIRE, kind_of
from ocml_bridge.blocks.places import write_places
from ocml_bridge.blocks.writing import nearest
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.form import Object
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Json, Message, Settings, Text, Transcript, Usage, replace
from ocml_bridge.stream.assembled import losses_of
from ocml_bridge.turns import parts_of

from . import settings as places
from .assembly import Assembly
from .parts import PartGrammar
from .syntax import CANDIDATES, CONTENT, FINISH, MODEL_ROLE, PARTS
from .units import ContentReader

STREAM: Final = "gemini-sse"
_FINISHES: Final[dict[Reason, str]] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
_ERRORS: Final[dict[Reason, str]] = {
    "truncated": "the answer broke off",
    "error": "the answer broke off: what came cannot be read",
}
_GRAMMAR = PartGrammar()


class ChunkEncoder:
    """An encoder of one answer.

    Args:
        answer: its id, model and index.
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
        self._assembly = Assembly()
        self._heads: dict[int, Message] = {}
        self._order: list[tuple[int, str]] = []
        self._over = False

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The chunks that events make, each a complete Server-Sent Event; none behind the end of the answer."""
        out: list[bytes] = []
        for event in events:
            if isinstance(event, (Delta, RefusalDelta)):
                out += self._more(event.number, event.text)
            elif isinstance(event, Start):
                if not self._over and _has_place(event.message):
                    self._heads[event.number] = event.message
            elif isinstance(event, End):
                out += self._end(event.number, event.message)
            elif isinstance(event, Stop):
                out += self._stop(event)
        return out

    def _more(self, number: int, text: str) -> list[bytes]:
        """More of a text or a thought; what is written as JSON waits until it is whole."""
        head = self._heads.get(number)
        kind = None if head is None else kind_of(head)
        if kind not in ("text", "thought") or not text or self._over:
            return []
        part: Object = {"text": text, "thought": True} if kind == "thought" else {"text": text}
        return [self._part(number, cast("str", kind), part)]

    def _end(self, number: int, message: Message) -> list[bytes]:
        if number not in self._heads or self._over:
            return []
        kind = kind_of(message)
        if kind in ("text", "thought"):
            return [self._part(number, kind, part) for part in _behind(message, kind)]
        near = nearest(_GRAMMAR, replace(message, layout=None), 0, Log())
        return [] if near is None else [self._part(number, kind, cast("Object", _GRAMMAR.write(near)))]

    def _part(self, number: int, kind: str, part: Object) -> bytes:
        if not self._order or self._order[-1][0] != number:
            self._order.append((number, kind))
        return self._chunk({CONTENT: {PARTS: [part], "role": MODEL_ROLE}})

    def _chunk(self, candidate: Object | None, **more: Json) -> bytes:
        """A chunk, which is taken as its reader takes it."""
        chunk: Object = {} if candidate is None else {CANDIDATES: [{**candidate, "index": self._answer.index}]}
        chunk |= more
        if self._answer.model:
            chunk["modelVersion"] = self._answer.model
        chunk["responseId"] = self._answer.id
        self._assembly.take(json.loads(json.dumps(chunk)))
        return _event(chunk)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _stop(self, stop: Stop) -> list[bytes]:
        out: list[bytes] = []
        reason = stop.reason
        if not self._over:
            if reason in _ERRORS:
                out = self.fail(stop.error or ErrorCode.STREAM_TRUNCATED, _ERRORS[reason])
            elif reason != "cancelled":
                self.reason = reason
                usage = _usage_of(stop.document)
                out = [self._chunk({FINISH: _FINISHES[reason]}, **({} if usage is None else {"usageMetadata": usage}))]
            self._over = True
        self.losses = self._account(stop)
        return out

    def _account(self, stop: Stop) -> list[Loss]:
        response: Object = {CANDIDATES: [], **self._assembly.wire()}
        image = transcript_of(ContentReader(self._options), response, Log())
        if isinstance(stop.document, Transcript):
            image = replace(image, layout=None, extras=None, settings=_known(image.settings, stop.document.settings))
        order = [stop.place(number) for number in _apart(self._order)]
        places = [index for index in order if index is not None]
        return losses_of(stop.document, image, places, target=STREAM)

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The numbers of tokens, where they are given; there is nothing to say where the answer is not whole."""
        if not self._over:
            return self.fail(ErrorCode.STREAM_TRUNCATED, _ERRORS["truncated"])
        numbers = _usage_in(usage)
        return [self._chunk(None, usageMetadata=numbers)] if numbers and self.reason is not None else []

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """An error, once; nothing comes behind it."""
        if self._over:
            return []
        self._over = True
        return [_event({"error": {"code": 500, "message": f"{message} ({code})", "status": "INTERNAL"}})]


class ResponseEncoder(ChunkEncoder):
    """An encoder that gives one response at the end; nothing where the answer is not whole."""

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Takes events; nothing is said before the end."""
        super().encode(events)
        return []

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The response, with the numbers of tokens where they are known."""
        if self.reason is None:
            return []
        super().finish(usage)
        return [jsontext.dumps(self._assembly.wire())]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Nothing is said of an answer that is not whole."""
        super().fail(code, message)
        return []


def _event(value: Object) -> bytes:
    """One line of ASCII: U+2028 and its like are line breaks to some readers of lines."""
    return f"data: {json.dumps(value, separators=(',', ':'))}\n\n".encode("ascii")


def _has_place(message: Message) -> bool:
    return message.role == "assistant" or _GRAMMAR.is_result(message)


def _behind(message: Message, kind: str) -> list[Object]:
    """What stands behind a text in parts without any: its media, its signature, and what else carries none."""
    extras = _GRAMMAR.notes(message.extras)
    own = {key: value for key, value in extras.items() if key not in (AFTER, WIRE)}
    thought = {"thought": True} if kind == "thought" else {}
    after: Json = extras.get(AFTER)
    parts: list[Object] = [{"text": "", **thought, **own}] if own and not thought else []
    others = [part for part in parts_of(message.content) if not isinstance(part, Text)]
    parts[:0] = [cast("Object", block) for part in others if (block := _GRAMMAR.write_part(part)) is not None]
    return [*parts, *(cast("list[Any]", after) if isinstance(after, list) else [])]


def _apart(order: list[tuple[int, str]]) -> list[int]:
    """The numbers of messages in the order of the image: texts and thoughts side by side are one there."""
    out: list[int] = []
    before = ""
    for number, kind in order:
        if kind != before or kind not in ("text", "thought"):
            out.append(number)
        before = kind
    return out


def _usage_of(document: Document) -> Json:
    usage = document.settings.usage if isinstance(document, Transcript) and document.settings is not None else None
    if usage is None:
        return None
    return write_places(Settings(usage=usage), {}, places.RESPONSE).get("usageMetadata")


def _usage_in(usage: dict[str, object] | None) -> Json:
    """The numbers that a caller gives, under the names that Chat Completions has for them."""
    numbers = {name: (usage or {}).get(key) for key, name in _GIVEN.items()}
    known = {name: number for name, number in numbers.items() if type(number) is int}
    return write_places(Settings(usage=Usage(**known)), {}, places.RESPONSE).get("usageMetadata") if known else None


_GIVEN: Final = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "total_tokens": "total_tokens"}


def _known(image: Settings | None, document: Settings | None) -> Settings | None:
    """What a client knows of the settings that a document tells: the model is told before the document does."""
    if image is None or document is None:
        return None
    model = image.model if image.model == document.model else None
    known = Settings(model=model, usage=image.usage)
    return None if known == Settings() else known
