"""Build the messages of a turn from its pieces: reasoning, texts, media, calls and their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..json_values import jsontext
from ..loss import Finding
from ..model import Json
from .fitting import objects_of
from .layout import Object, noticed


def function_call(name: str, arguments: Json, identity: Json = None) -> Object:
    """Return a call of a function as Chat Completions has it; its arguments are JSON, or their text."""
    text = arguments if isinstance(arguments, str) else jsontext.as_text(arguments)
    call = {"type": "function", "function": {"name": name, "arguments": text}}
    return call if identity is None else {"id": str(identity), **call}


class Pieces:
    """Builds messages of Chat Completions from pieces in their order.

    A message holds reasoning, the content after it, and the calls after that; a piece in any other order begins another
    message.

    Attributes:
        findings: what was assumed.
    """

    def __init__(self, role: str) -> None:
        self.findings: list[Finding] = []
        self._role = role
        self._messages: list[Object] = []
        self._thought: str | None = None
        self._parts: list[Object] = []
        self._calls: list[Object] = []

    def think(self, text: str) -> None:
        """Add reasoning."""
        if self._parts or self._calls:
            self._end()
        self._thought = f"{self._thought or ''}{text}"

    def say(self, text: str) -> None:
        """Add a text."""
        self._begin_part()
        last = self._parts[-1] if self._parts else {}
        if last.get("type") == "text" and isinstance(last.get("text"), str):
            self._parts[-1] = {**last, "text": f"{last['text']}{text}"}
        elif text:
            self._parts.append({"type": "text", "text": text})

    def show(self, part: Object) -> None:
        """Add a part that is not a text, as Chat Completions has it."""
        self._begin_part()
        self._parts.append(part)

    def _begin_part(self) -> None:
        if self._calls:
            self._end()

    def call(self, name: str, arguments: Json, identity: Json = None) -> None:
        """Add a call, whose arguments are an object or text."""
        self._calls.append(function_call(name, {} if arguments is None else arguments, identity))

    def command(self, name: str, text: str, identity: Json = None) -> None:
        """Add a call of a custom tool, whose input is a text."""
        call = {"type": "custom", "custom": {"name": name, "input": text}}
        self._calls.append(call if identity is None else {"id": str(identity), **call})

    def result(self, content: Json, identity: Json = None, name: str | None = None, *, place: str = "") -> None:
        """Add the result of a call; one that is null is empty, which is noticed.

        Args:
            content: the result: a text, blocks, or any value.
            identity: the id of the call.
            name: the name of the tool.
            place: the JSON pointer to the result, for the finding.
        """
        self._end()
        if content is None:
            self.findings.append(noticed(place, "the result of the call is null; it is read as an empty one"))
            content = ""
        reply: Object = {} if identity is None else {"tool_call_id": str(identity)}
        reply |= {} if name is None else {"name": name}
        self._messages.append({"role": "tool", **reply, "content": _content_of(content)})

    def messages(self) -> list[Object]:
        """Return the messages; none if there are no pieces."""
        self._end()
        return self._messages

    def _end(self) -> None:
        if self._thought is None and not self._parts and not self._calls:
            return
        content: Json = None
        if self._parts:
            content = self._parts[0]["text"] if [{*part} for part in self._parts] == [_OF_TEXT] else self._parts
        thought = {} if self._thought is None else {"reasoning": self._thought}
        calls = {"tool_calls": self._calls} if self._calls else {}
        self._messages.append({"role": self._role, **thought, "content": content, **calls})
        self._thought, self._parts, self._calls = None, [], []


_OF_TEXT: Final = {"type", "text"}
"""The members of a part with a text and nothing else."""


def _content_of(content: Json) -> Json:
    """Return the result of a tool as a text, or as parts if its blocks are texts with more members."""
    blocks = [{key: each for key, each in block.items() if each is not None} for block in objects_of(content)]
    texts = bool(blocks) and all(isinstance(each.get("text"), str) for each in blocks)
    if not texts or all(each.keys() <= _OF_TEXT for each in blocks):
        return text_of(content)
    return [{**each, "type": "text"} for each in blocks]


def text_of(content: Json) -> str:
    """Return the result of a tool as a text: the text of its blocks, or the JSON of a value."""
    if isinstance(content, str):
        return content
    blocks: Sequence[Object] = objects_of(content)
    if blocks and all(isinstance(each.get("text"), str) for each in blocks):
        return "\n".join(each["text"] for each in blocks)
    return jsontext.as_text(content)
