"""Events of the Messages API → the response that they are of, as the server would have sent it whole."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ocml_bridge import jsontext
from ocml_bridge.form import Object
from ocml_bridge.model import Json
from ocml_bridge.parameters import members_of
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
}
"""Type of an event, or of a delta → the members that it has, where others would be left out."""
_SIGNATURE: Final = "signature_delta"
_CITATION: Final = "citations_delta"


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

    Attributes:
        first: as it began.
        is_whole: whether no more of it comes.
        given: of a call whose arguments are no object, their text; else None.
    """

    def __init__(self, raw: Object) -> None:
        self.first = raw
        self.is_whole = False
        self.given: str | None = None
        self._raw = dict(raw)
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Json] = []
        self._arguments: list[str] = []
        self._compact: list[str] = []
        self._compactor = Compactor()

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
            self._raw["signature"] = delta["signature"]
            return ""
        elif kind == _CITATION and "citation" in delta:
            self._citations.append(delta["citation"])
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
            self._raw[key] = (before if isinstance(before, str) else "") + "".join(pieces)
        if self._citations:
            before = self._raw.get("citations")
            known = cast("list[Json]", before) if isinstance(before, list) else []
            self._raw["citations"] = [*known, *self._citations]
        if self._arguments:
            self._more(self._compactor.finish())
            self._end_arguments("".join(self._arguments), "".join(self._compact))

    def _end_arguments(self, text: str, compact: str) -> None:
        span = jsontext.parse(text)
        value: Json = None if span is None else span.value
        self._raw["input"] = {}
        if isinstance(value, dict) and jsontext.text_of(cast("Json", value)) == compact:
            self._raw["input"] = value
        elif compact:
            self.given = compact

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

    Attributes:
        blocks: in the order in which they began.
        reason: why it is over, in the server's words.
        is_over: whether the server said that it is.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.reason: str | None = None
        self.is_over = False
        self._places: dict[object, Block] = {}
        self._around: Object = {}

    def take(self, event: Object, kind: Json) -> Update | None:
        """Take the next event; None for one that nobody knows."""
        if kind == "ping":
            return NOTHING
        if kind == "message_start":
            self._around = {**members_of(event.get("message")), **self._around}
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
        block = Block(event["content_block"])
        self.blocks.append(block)
        self._places[event.get("index")] = block
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
        delta = members_of(event.get("delta"))
        if isinstance(delta.get("stop_reason"), str):
            self.reason = delta["stop_reason"]
        usage = members_of(event.get("usage"))
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
        around = {"type": MESSAGE, "role": "assistant"} if "type" not in self._around else {}
        return {**around, **self._around, "content": [block.wire() for block in self.blocks]}
