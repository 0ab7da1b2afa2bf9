"""Events of the Messages API → the response that they are of, as the server would have sent it whole."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, is_empty
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note, object_of
from ocml_bridge.stream.compacting import Compactor

from .syntax import MESSAGE

_TEXTS: Final = {"text_delta": "text", "thinking_delta": "thinking"}
"""Type of a delta → its text, and the member of the block that it continues."""
_JSON: Final = "input_json_delta"
_MEMBERS: Final = {
    "message_start": {"type", "message"},
    "message_stop": {"type"},
    "content_block_start": {"type", "index", "content_block"},
    "content_block_delta": {"type", "index", "delta"},
    "content_block_stop": {"type", "index"},
    "text_delta": {"type", "text"},
    "thinking_delta": {"type", "thinking"},
    "input_json_delta": {"type", "partial_json"},
    "signature_delta": {"type", "signature"},
    "citations_delta": {"type", "citation"},
    "compaction_delta": {"type", "content", "encrypted_content"},
}
"""Type of an event, or of a delta → the members that it has, where others would be left out."""
_ANSWER: Final = {"type": MESSAGE, "role": "assistant"}
"""What a response is, and whose."""
_SIGNATURE: Final = "signature_delta"
_CITATION: Final = "citations_delta"
_COMPACTION: Final = "compaction_delta"
"""Has the whole summary that stands for what was said before; it is for the API, and nobody reads it as it comes."""


def unknown_members(event: Object, kind: Json) -> list[str]:
    """The members of an event, and of the delta in it, that are left out because nobody knows them."""
    if not isinstance(kind, str) or not (known := _MEMBERS.get(kind)):
        return []
    found = [] if event.keys() <= known else [key for key in event if key not in known]
    delta = members_of(event.get("delta")) if kind == "content_block_delta" else {}
    return [*found, *unknown_members(delta, delta["type"])] if "type" in delta else found


class Block:
    """A block as far as it has come.

    Args:
        raw: as it began.
        note: is told what had to be mended.

    Attributes:
        first: as it began.
        is_whole: whether no more of it comes.
        given: of a call whose arguments are no object, their text; else None.
    """

    def __init__(self, raw: Object, note: Note) -> None:
        self.first = raw
        self.is_whole = False
        self.given: str | None = None
        self._raw = dict(raw)
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Json] = []
        self._arguments: list[str] = []
        self._compact: list[str] = []
        self._compactor = Compactor()
        self._note = note

    @property
    def beginning(self) -> str:
        """The text that it begins with."""
        texts = (self.first.get(key) for key in _TEXTS.values())
        return next((text for text in texts if isinstance(text, str)), "")

    def take(self, delta: Object) -> str | None:
        """More of it; the text that is new, of what it says or of a call's arguments; None for a delta nobody knows."""
        kind: Any = delta.get("type")
        key = _TEXTS.get(kind) if isinstance(kind, str) else None
        if key is not None:
            text: Any = delta.get(key)
            if isinstance(text, str):
                self._pieces.setdefault(key, []).append(text)
                return text
        elif kind == _JSON and isinstance(delta.get("partial_json"), str):
            self._arguments.append(delta["partial_json"])
            return self._more(self._compactor.feed(delta["partial_json"]))
        elif kind == _SIGNATURE and isinstance(delta.get("signature"), str):
            self._replace("signature", delta["signature"])
            return ""
        elif kind == _CITATION and "citation" in delta:
            self._citations.append(delta["citation"])
            return ""
        elif kind == _COMPACTION:
            for member in delta.keys() & {"content", "encrypted_content"}:
                self._replace(member, delta[member])
            return ""
        return None

    def _more(self, text: str) -> str:
        self._compact.append(text)
        return text

    def end(self) -> None:
        """No more of it comes."""
        if self.is_whole:
            return
        self.is_whole = True
        for key, pieces in self._pieces.items():
            before = self._raw.get(key)
            if isinstance(before, str):
                self._raw[key] = before + "".join(pieces)
            else:
                self._replace(key, "".join(pieces))
        if self._citations:
            before = self._raw.get("citations")
            if isinstance(before, list):
                self._raw["citations"] = [*cast("list[Json]", before), *self._citations]
            else:
                self._replace("citations", self._citations)
        if self._arguments:
            self._more(self._compactor.finish())
            self._end_arguments("".join(self._arguments), "".join(self._compact))

    def _end_arguments(self, text: str, compact: str) -> None:
        span = jsontext.parse(text)
        value: Json = None if span is None else span.value
        is_object = isinstance(value, dict) and jsontext.text_of(cast("Json", value)) == compact
        self._replace("input", value if is_object else {})
        if compact and not is_object:
            self.given = compact

    def _replace(self, key: str, value: Json) -> None:
        """Put what came of a member in the place of what it began with, which is named where it said something."""
        if not is_empty(self._raw.get(key)):
            self._note(f"a block begins with a member {key!r} that comes again; the first one is left out")
        self._raw[key] = value

    def wire(self) -> Object:
        """The whole block."""
        self.end()
        return self._raw


class Update(NamedTuple):
    """What an event says.

    Attributes:
        block: the block that it is about; None for what is about the whole.
        text: what is new of that.
        begins: whether it begins.
    """

    block: Block | None = None
    text: str = ""
    begins: bool = False


NOTHING: Final = Update()


class Assembly:
    """One answer as far as it has come.

    Args:
        note: is told what had to be mended.

    Attributes:
        blocks: in the order in which they began.
        reason: why it is over, in the server's words.
        is_over: whether the server said that it is.
    """

    def __init__(self, note: Note) -> None:
        self._note = note
        self.blocks: list[Block] = []
        self.reason: str | None = None
        self.is_over = False
        self._places: dict[int, Block] = {}
        self._around: Object = {}

    def take(self, event: Object, kind: Json) -> Update | None:
        """Take the next event; None for one that nobody knows."""
        if kind == "ping":
            return NOTHING
        if kind == "message_start":
            message = object_of(event.get("message"), "a message", self._note)
            if not is_empty(message.get("content")):
                self._note("a message begins with content, which comes block by block; it is left out")
            odd = {key: value for key, value in _ANSWER.items() if not isinstance(message.get(key), str)}
            for key in odd:
                if not is_empty(message.get(key)):
                    self._note(f"the {key} of a message is not a text; it is left out")
            self._around = {**message, **odd, **self._around}
        elif kind == "message_delta":
            self._end(event)
        elif kind == "message_stop":
            self.is_over = True
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            return self._begin(event)
        else:
            return self._more(event, kind)
        return NOTHING

    def _begin(self, event: Object) -> Update:
        block = Block(event["content_block"], self._note)
        self.blocks.append(block)
        if isinstance(index := event.get("index"), int):
            self._places[index] = block
        else:
            self._note("a block has no index; what continues it is left out")
        return Update(block, begins=True)

    def _more(self, event: Object, kind: Json) -> Update | None:
        """More of a block, or the end of it."""
        index = event.get("index")
        block = self._places.get(index) if isinstance(index, int) else None
        if block is None or block.is_whole:
            return None
        if kind == "content_block_stop":
            block.end()
            return Update(block)
        text = block.take(members_of(event.get("delta"))) if kind == "content_block_delta" else None
        return None if text is None else Update(block, text)

    def _end(self, event: Object) -> None:
        """Why the answer is over, and how many tokens it took; numbers that are told again count as they are told."""
        delta = object_of(event.get("delta"), "a delta", self._note)
        reason, usage = delta.get("stop_reason"), object_of(event.get("usage"), "a usage", self._note)
        if isinstance(reason, str):
            self.reason = reason
        elif reason is not None:
            self._note("the reason of an answer's end is not a text; it is left out")
        more = {key: value for key, value in event.items() if key not in ("type", "delta", "usage")}
        self._around.update({**delta, **more})
        if usage:
            around = members_of(self._around.get("usage"))
            more = {key: value for key, value in usage.items() if value is not None or key not in around}
            self._around["usage"] = {**around, **more}

    def wire(self) -> Object:
        """The response; an empty object where nothing came."""
        if not self._around and not self.blocks:
            return {}
        around = {} if "type" in self._around else _ANSWER
        return {**around, **self._around, "content": [block.wire() for block in self.blocks]}
