"""Events of an answer put together (`ConverseStreamOutput`): deltas make blocks, blocks a message."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.blocks.values import object_in
from ocml_bridge.form import Object
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import merged

from .syntax import CITED, CONTENT, MESSAGE, OUTPUT, REASONING, REASONING_TEXT, REDACTED, TOOL_RESULT, TOOL_USE

_TEXTS: Final = ("text", "signature")


class Block:
    """A block as far as it has come.

    Args:
        start: what is said of it at its start.

    Attributes:
        kind: what it is; "" while nobody knows.
        text: the pieces of its text, its reasoning, or the input of a call.
        number: of the message that it is of, in a stream; None while nothing was told of it.
    """

    def __init__(self, start: Object) -> None:
        self.kind = next(iter(start), "")
        self.text: list[str] = []
        self.number: int | None = None
        self._start: Object | None = members if isinstance(members := start.get(self.kind), dict) else None
        self._signature: list[str] = []
        self._sealed: list[str] = []
        self._citations: list[Json] = []
        self._more: list[Json] = []

    def take(self, delta: Object) -> str:
        """More of it; the text that is new."""
        new = ""
        for kind, value in delta.items():
            if kind == "citation":
                self._citations.append(value)
                continue
            self.kind = self.kind or kind
            if kind != self.kind:
                self._more.append({kind: value})
            elif kind == REASONING and isinstance(value, dict):
                new += self._reason(cast("Object", value))
            elif kind == "text" and isinstance(value, str):
                new += value
            elif kind == TOOL_USE and isinstance(value, dict) and isinstance(cast("Object", value).get("input"), str):
                new += cast("Object", value)["input"]
            else:
                self._more.append(value)
        if new:
            self.text.append(new)
        return new

    def _reason(self, value: Object) -> str:
        for key, pieces in (("signature", self._signature), (REDACTED, self._sealed)):
            if isinstance(piece := value.get(key), str):
                pieces.append(piece)
        text = value.get("text")
        return text if isinstance(text, str) else ""

    def wire(self) -> Object:
        """The whole block."""
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
            pieces = [
                each for value in self._more for each in (cast("list[Any]", value) if isinstance(value, list) else [])
            ]
            return {TOOL_RESULT: {**(self._start or {}), CONTENT: pieces}}
        return {self.kind or "text": merged([self._start, *self._more])}

    def _reasoning(self, text: str) -> Object:
        if self._sealed and not text:
            return {REDACTED: "".join(self._sealed)}
        signed: Object = {"signature": "".join(self._signature)} if self._signature else {}
        return {REASONING_TEXT: {"text": text, **signed}}


class Assembly:
    """A response as far as it has come.

    Attributes:
        role: of the message; None before it begins.
        reason: why it is over; None while nobody says.
    """

    def __init__(self) -> None:
        self.role: str | None = None
        self.reason: str | None = None
        self._blocks: dict[object, Block] = {}
        self._members: Object = {}

    def start(self, value: Object) -> Block:
        """A block begins."""
        start = value.get("start")
        block = Block(cast("Object", start) if isinstance(start, dict) else {})
        self._blocks[value.get("contentBlockIndex")] = block
        return block

    def delta(self, value: Object) -> tuple[Block, str]:
        """More of a block, which may begin so; the block, and its new text."""
        index, delta = value.get("contentBlockIndex"), value.get("delta")
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = Block({})
        return block, block.take(cast("Object", delta) if isinstance(delta, dict) else {})

    def stop(self, value: Object) -> Block | None:
        """A block is whole; None for one that never began."""
        return self._blocks.get(value.get("contentBlockIndex"))

    def tell(self, members: Object) -> None:
        """What is said beside the message."""
        if isinstance(reason := members.get("stopReason"), str):
            self.reason = reason
        self._members.update(members)

    def wire(self) -> Object:
        """The response."""
        answered = self.role is not None or self._blocks
        message: Object = {"role": self.role or "assistant", CONTENT: [block.wire() for block in self._blocks.values()]}
        return {**({OUTPUT: {MESSAGE: message}} if answered else {}), **self._members}
