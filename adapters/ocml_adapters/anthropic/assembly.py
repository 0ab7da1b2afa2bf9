"""Assemble the events of a stream to the response that the server would have sent without streaming."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, is_empty, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note, object_of
from ocml_bridge.stream.compacting import Compactor

from .syntax import MESSAGE, REASONING, TEXT, TOOL_USE

_TEXTS: Final = {"text_delta": "text", "thinking_delta": "thinking"}
"""The types of deltas with text; and the member with the text, in the delta and in the block that it continues."""
_JSON: Final = "input_json_delta"
_KEYS: Final = {**_TEXTS, _JSON: "partial_json"}
"""The member of a delta with its text or more arguments, by the type of the delta."""
_MEMBERS: Final = {
    "message_start": {"type", "message"},
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
"""The members of each type of event or delta whose other members would be left out."""
_ANSWER: Final = {"type": MESSAGE, "role": "assistant"}
"""The type and the role of a response."""
_SIGNATURE: Final = "signature_delta"
_CITATION: Final = "citations_delta"
_FALLBACK: Final = "fallback"
"""The type of a block where another model goes on with the answer."""
_MODEL: Final = "model"
_COMPACTION: Final = "compaction_delta"
"""The type of a delta with a complete summary of the conversation so far; it is for the API, and no text of events."""


def is_known(kind: Json) -> bool:
    """Return whether a type of events is one that the API has for its answers, or no type."""
    return not isinstance(kind, str) or kind.startswith(("message_", "content_block_"))


def unknown_members(event: Object, kind: Json) -> list[str]:
    """Return the keys of an event, and of the delta in it, that are unknown, so that their values are left out.

    Args:
        event: the event, or the delta.
        kind: its type.
    """
    if not isinstance(kind, str) or not (known := _MEMBERS.get(kind)):
        return []
    unknown = [] if event.keys() <= known else [key for key in event if key not in known]
    delta = members_of(event.get("delta")) if kind == "content_block_delta" else {}
    return [*unknown, *unknown_members(delta, delta["type"])] if "type" in delta else unknown


def text_of_delta(event: Object) -> tuple[int, str, str] | None:
    """Return the index, the type and the text of an event that only has a delta with text; None for any other."""
    index, delta = event.get("index"), members_of(event.get("delta"))
    kind: Any = delta.get("type")
    key = _KEYS.get(kind) if isinstance(kind, str) else None
    text = None if key is None else delta.get(key)
    is_plain = event.keys() == _MEMBERS["content_block_delta"] and len(delta) == len(("type", key))
    return (index, kind, text) if is_plain and isinstance(index, int) and isinstance(text, str) else None


class Block:
    """A block so far.

    Args:
        raw: the block at its beginning.
        note: receives a sentence about what was mended.

    Attributes:
        first: the block at its beginning; a text, a thought and the input of a call are empty if the server leaves them
            out, as servers in Go leave out what is empty.
        is_whole: whether it is complete.
        bad_arguments: the arguments of a complete call that are no JSON object, as text; else None.
    """

    def __init__(self, raw: Object, note: Note) -> None:
        self._is_call = str(raw.get("type")).endswith(TOOL_USE)
        kind: Any = raw.get("type")
        empty: Object = {"input": {}} if self._is_call else {kind: ""} if kind in _TEXTS.values() else {}
        self.first: Object = {**raw, **{key: value for key, value in empty.items() if key not in raw}}
        self.is_whole = False
        self.bad_arguments: str | None = None
        self._raw = dict(self.first)
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Json] = []
        self._arguments: list[str] = []
        self._compact: list[str] = []
        self._compactor = Compactor()
        self._note = note

    @property
    def beginning(self) -> str:
        """The text that the block begins with."""
        kind: Any = self.first.get("type")
        key = TEXT if kind == REASONING else kind
        text: Any = self.first.get(key) if key in _TEXTS.values() else None
        return text if isinstance(text, str) else ""

    @property
    def is_empty_text(self) -> bool:
        """Whether it is a text without anything in it so far."""
        has_more = self._citations or self._arguments or any(map(any, self._pieces.values()))
        return not has_more and list(self._raw.items()) == [("type", TEXT), ("text", "")]

    def take(self, delta: Object) -> str | None:
        """Take a delta of the block; return the new text of its text or its arguments; None for an unknown delta.

        A delta that blocks of this type do not have, such as a thought in a text, is taken, and has no text.
        """
        kind: Any = delta.get("type")
        key = _TEXTS.get(kind) if isinstance(kind, str) else None
        if key is not None:
            text: Any = delta.get(key)
            if isinstance(text, str):
                self._pieces.setdefault(key, []).append(text)
                return text if self.first.get("type") == key else ""
        elif kind == _JSON and isinstance(delta.get("partial_json"), str):
            self._arguments.append(delta["partial_json"])
            text = self._add_compact(self._compactor.feed(delta["partial_json"]))
            return text if self._is_call else ""
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

    def pieces_of(self, kind: str) -> list[str] | None:
        """Return the pieces to which deltas of a type add the text that is passed on; None for other deltas."""
        key = _TEXTS.get(kind)
        return self._pieces.get(key) if key is not None and self.first.get("type") == key else None

    def take_text(self, kind: str, text: str) -> str:
        """Take a delta of text or arguments of a type; return what is new of its text or its arguments."""
        return self.take({"type": kind, _KEYS[kind]: text}) or ""

    def _add_compact(self, text: str) -> str:
        self._compact.append(text)
        return text

    def end(self) -> None:
        """Complete the block."""
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
            self._add_compact(self._compactor.finish())
            self._end_arguments("".join(self._arguments), "".join(self._compact))

    def _end_arguments(self, text: str, compact: str) -> None:
        span = jsontext.parse(text)
        value: Json = None if span is None else span.value
        is_object = isinstance(value, dict) and jsontext.text_of(cast("Json", value)) == compact
        self._replace("input", value if is_object else {})
        if compact and not is_object:
            self.bad_arguments = compact

    def _replace(self, key: str, value: Json) -> None:
        """Set a member to the value that arrived; report it if the block began with another value that is not empty."""
        if not is_empty(self._raw.get(key)):
            self._note(f"a block begins with a member {key!r} that comes again; the first one is left out")
        self._raw[key] = value

    def wire(self) -> Object:
        """Return the complete block."""
        self.end()
        return self._raw


class Update(NamedTuple):
    """The effect of an event.

    Attributes:
        block: the block that it begins, continues or ends; None if it concerns the whole answer.
        text: the new text of the block.
        begins: whether it begins the block.
    """

    block: Block | None = None
    text: str = ""
    begins: bool = False


NOTHING: Final = Update()


class Assembly:
    """One answer so far.

    Args:
        note: receives a sentence about what was mended.

    Attributes:
        blocks: the blocks, in the order in which they began.
        reason: the server's `stop_reason`; None until it arrives.
        is_over: whether `message_stop` has arrived.
    """

    def __init__(self, note: Note) -> None:
        self._note = note
        self.blocks: list[Block] = []
        self.reason: str | None = None
        self.is_over = False
        self._places: dict[int | None, Block] = {}
        self._around: Object = {}

    def take(self, event: Object, kind: Json) -> Update | None:
        """Take the next event; return None if it is not understood.

        Args:
            event: the event.
            kind: its type.
        """
        if kind == "ping":
            return NOTHING
        if kind == "message_start":
            message = object_of(event.get("message"), "a message", self._note)
            role: Json = message["role"] if isinstance(message.get("role"), str) else _ANSWER["role"]
            self._around = {**self._around_content(message, role), **_ANSWER, "role": role, **self._around}
            if isinstance(reason := message.get("stop_reason"), str):
                self.reason = self.reason or reason
        elif kind == "message_delta":
            self._take_end(event)
        elif kind == "message_stop":
            self.is_over = True
            self._add_around(without(event, "type"))
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            return self._begin(event)
        else:
            return self._continue(event, kind)
        return NOTHING

    def _around_content(self, members: Object, role: Json) -> Object:
        """Return the members of a message with the type of a response, a role, and no content; report other values."""
        fixed: Object = {**_ANSWER, "role": role, "content": []}
        for key in members:
            if key in fixed and not is_empty(members[key]) and members[key] != fixed[key]:
                other = (
                    "content, which comes block by block" if key == "content" else f"another {key} than {fixed[key]!r}"
                )
                self._note(f"a message has {other}; it is left out")
        return {key: fixed.get(key, value) for key, value in members.items()}

    def _add_around(self, members: Object) -> None:
        """Take members of the message that an event at the end has: in its delta, or beside it (Bedrock's metrics).

        Null says nothing new of a member that the answer has.
        """
        members = {key: value for key, value in members.items() if value is not None or key not in self._around}
        self._around |= self._around_content(members, self._around.get("role", _ANSWER["role"]))

    def _begin(self, event: Object) -> Update:
        block = self._add(event["content_block"], event)
        if block.first.get("type") == _FALLBACK:
            model = members_of(block.first.get("to")).get(_MODEL)
            if isinstance(model, str):
                self._around[_MODEL] = model  # as the answer that comes at once has it
        if "index" not in event:
            self._note("a block has no index; it is continued by what has none either")
        return Update(block, begins=True)

    def _add(self, raw: Object, event: Object) -> Block:
        """Add a block with the index of an event."""
        block = Block(raw, self._note)
        self.blocks.append(block)
        self._places[_index_of(event)] = block
        return block

    def _continue(self, event: Object, kind: Json) -> Update | None:
        """Take more of a block, or its end; a text or a thought of no block begins one."""
        block, delta = self.running(_index_of(event)), members_of(event.get("delta"))
        if block is None:
            key = _TEXTS.get(str(delta.get("type"))) if kind == "content_block_delta" else None
            if key is None or not isinstance(delta.get(key), str):
                return None
            self._note("a delta continues a block that has not begun; it begins one")
            block = self._add({"type": key}, event)
            return Update(block, block.take(delta) or "", begins=True)
        if kind == "content_block_stop":
            block.end()
            return Update(block)
        text = block.take(delta) if kind == "content_block_delta" else None
        return None if text is None else Update(block, text)

    def running(self, index: int | None) -> Block | None:
        """Return the block with an index, or without one; None if there is none that is not complete."""
        block = self._places.get(index)
        return None if block is None or block.is_whole else block

    def _take_end(self, event: Object) -> None:
        """Take why the answer is over, and the numbers of tokens, which replace earlier ones."""
        delta = object_of(event.get("delta"), "a delta", self._note)
        reason, usage = delta.get("stop_reason"), object_of(event.get("usage"), "a usage", self._note)
        if isinstance(reason, str):
            self.reason = reason
        elif reason is not None:
            self._note("the reason of an answer's end is not a text; it is left out")
        self._add_around({**delta, **without(event, "type", "delta", "usage")})
        if usage:
            around = members_of(self._around.get("usage"))
            more = {key: value for key, value in usage.items() if value is not None or key not in around}
            self._around["usage"] = {**around, **more}

    def wire(self) -> Object:
        """Return the response; an empty object if nothing has arrived."""
        if not self._around and not self.blocks:
            return {}
        around = {} if "type" in self._around else _ANSWER
        return {**around, **self._around, "content": [block.wire() for block in self.blocks]}


def _index_of(event: Object) -> int | None:
    """Return the index of an event; None if it has none, as from servers in Go, which leave out 0."""
    index = event.get("index")
    return index if isinstance(index, int) else None
