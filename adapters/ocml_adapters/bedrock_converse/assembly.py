"""Assemble the events of a stream to the response that the server would have sent without streaming."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note, merged
from ocml_bridge.wires.blocks.values import object_in

from .syntax import CITED, CONTENT, MESSAGE, OUTPUT, REASONING, REASONING_TEXT, REDACTED, TOOL_RESULT, TOOL_USE

_KEYS: Final = {REASONING: "text", TOOL_USE: "input"}
"""The member of a delta with its text, by its kind."""


def delta_of(kind: str, text: str) -> Object:
    """Return a delta of a kind with a text and nothing else."""
    key = _KEYS.get(kind)
    return {kind: text if key is None else {key: text}}


def text_of_delta(delta: Object) -> tuple[str, str] | None:
    """Return the kind of a delta that has a text and nothing else, and the text; None for any other delta."""
    if len(delta) != 1:
        return None
    ((kind, value),) = delta.items()
    key, inner = _KEYS.get(kind), members_of(value)
    text = value if kind == "text" else inner.get(key) if key is not None and len(inner) == 1 else None
    return (kind, text) if isinstance(text, str) else None


class Block:
    """A block so far.

    Args:
        start: the `start` of its first event: an object with its kind and the members known at its beginning.

    Attributes:
        kind: its kind; "" if it is not known yet.
        text: the pieces of its text, its reasoning, or the input of a call.
        number: the number of its message in the stream; None if the message has not begun.
        is_whole: whether it is complete.
    """

    def __init__(self, start: Object) -> None:
        self.kind = next(iter(start), "")
        self.text: list[str] = []
        self.number: int | None = None
        self.is_whole = False
        self._start: Object | None = members if isinstance(members := start.get(self.kind), dict) else None
        self._signature: list[str] = []
        self._sealed: list[str] = []
        self._citations: list[Json] = []
        self._more: list[Json] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it has arrived."""
        return not self.kind and not self._citations

    def take(self, delta: Object, note: Note) -> str:
        """Take a delta of the block; return its new text.

        Args:
            delta: the delta.
            note: receives a sentence about what does not fit the block.
        """
        new: list[str] = []
        if self.is_whole:
            note("a delta comes after the end of its block; the delta is left out")
            return ""
        for kind, value in delta.items():
            if kind == "citation" and self.kind in ("", "text"):
                self._citations.append(value)
                continue
            before, self.kind = self.kind, self.kind or kind
            piece = self._piece(value, note) if kind == self.kind else None
            if piece is None:
                self.kind = before
                note(f"a delta {kind[:40]!r} does not fit its block; the delta is left out")
            else:
                new.append(piece)
        self.text += new
        return "".join(new)

    def take_text(self, kind: str, note: Note, text: str) -> str:
        """Take a delta of a kind with a text and nothing else, as `take` does."""
        return self.take(delta_of(kind, text), note)

    def _piece(self, value: Json, note: Note) -> str | None:
        """Take the value of a delta; return its text, or None if it does not fit the block."""
        if self.kind == "text":
            return value if isinstance(value, str) else None
        if self.kind in (TOOL_USE, REASONING):
            return self._texts(cast("Object", value), note) if isinstance(value, dict) else None
        if self.kind == TOOL_RESULT and not isinstance(value, list):
            return None
        self._more.append(value)
        return ""

    def _texts(self, value: Object, note: Note) -> str | None:
        """Take more of a call or a thought; return its text; a sealed thought has none, None if a call has no input."""
        new: str | None = None if self.kind == TOOL_USE else ""
        for key, text in value.items():
            is_text = isinstance(text, str)
            if is_text and key == ("input" if self.kind == TOOL_USE else "text") and not self._sealed:
                new = text
            elif is_text and self.kind == REASONING and key == "signature":
                self._signature.append(text)
            elif is_text and self.kind == REASONING and key == REDACTED and not any(self.text):
                self._sealed.append(text)
            else:
                note(f"a delta has a member {key[:40]!r} that does not fit its block; it is left out")
        return new

    def wire(self) -> Object:
        """Return the complete block."""
        text = "".join(self.text)
        if self.kind == TOOL_USE:
            value = object_in(text) if text else {}
            return {TOOL_USE: {**(self._start or {}), "input": text if value is None else value}}
        if self.kind == REASONING:
            return {REASONING: self._reasoning(text)}
        if self.kind in ("text", "") and self._citations:
            return {CITED: {CONTENT: [{"text": text}], "citations": self._citations}}
        if self.kind == "text":
            return {"text": text}
        if self.kind == TOOL_RESULT:
            pieces = [each for value in self._more for each in cast("list[Json]", value)]
            return {TOOL_RESULT: {**(self._start or {}), CONTENT: pieces}}
        return {self.kind or "text": merged([self._start, *self._more])}

    def _reasoning(self, text: str) -> Object:
        if self._sealed:
            return {REDACTED: "".join(self._sealed)}
        signed: Object = {"signature": "".join(self._signature)} if self._signature else {}
        return {REASONING_TEXT: {"text": text, **signed}}


class Assembly:
    """A response so far.

    Attributes:
        role: the role of the message; None before it begins.
        reason: the stop reason; None until it arrives.
    """

    def __init__(self) -> None:
        self.role: str | None = None
        self.reason: str | None = None
        self._blocks: dict[int, Block] = {}
        self._last: Block | None = None
        self._members: Object = {}

    def start(self, index: int, start: Object) -> Block | None:
        """Begin a block; return None if a block with this index has begun."""
        return None if index in self._blocks else self._begin(index, Block(start))

    def _begin(self, index: int, block: Block) -> Block:
        """Begin a block; the previous one is complete, because blocks follow one another."""
        if self._last is not None:
            self._last.is_whole = True
        self._last = block
        self._blocks[index] = block
        return block

    def delta(self, index: int, delta: Object, note: Note) -> tuple[Block, str]:
        """Take a delta of a block, which may be its beginning; return the block and its new text."""
        block = self._blocks.get(index)
        if block is None:
            block = self._begin(index, Block({}))
        return block, block.take(delta, note)

    def running(self, index: int) -> Block | None:
        """Return the block with an index; None if there is none that is not complete."""
        block = self._blocks.get(index)
        return None if block is None or block.is_whole else block

    def end_before(self, index: int) -> Block | None:
        """Complete the last block if another one begins; return it, or None if it was complete."""
        last = self._last
        if last is None or last.is_whole or index in self._blocks:
            return None
        last.is_whole = True
        return last

    def stop(self, index: int) -> Block | None:
        """Complete a block; return None if it has not begun, or was complete."""
        block = self.running(index)
        if block is not None:
            block.is_whole = True
        return block

    def update(self, members: Object) -> None:
        """Take members of the response other than the message."""
        if isinstance(reason := members.get("stopReason"), str):
            self.reason = reason
        self._members.update(members)

    def wire(self) -> Object:
        """Return the response."""
        has_message = self.role is not None or self._blocks
        message: Object = {
            "role": self.role or "assistant",
            CONTENT: [block.wire() for block in self._blocks.values() if not block.is_empty],
        }
        return {**({OUTPUT: {MESSAGE: message}} if has_message else {}), **self._members}
