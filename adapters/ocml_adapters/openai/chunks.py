"""An answer as chunks of Chat Completions: `chat.completion.chunk` in Server-Sent Events, spelled without detours."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as quote
from typing import Any, Final

from ocml_bridge.adapter import Options
from ocml_bridge.events import Answer

from .form import Object
from .syntax import FUNCTION, TOOL_CALLS

CHUNK: Final = "chat.completion.chunk"
DONE: Final = "[DONE]"
"""What stands behind all chunks."""

Ends = tuple[str, str]
"""What stands before and behind the text of a chunk that says nothing but more text."""


def _dumps(value: Any) -> str:
    """Compact, and ASCII: U+2028 and its like are line breaks to some readers of lines."""
    return json.dumps(value, separators=(",", ":"))


class Chunks:
    """How the chunks of one answer are spelled.

    Args:
        answer: its id, model, time and index.
        options: `reasoning` names the key of private reasoning.

    Attributes:
        reasoning: around more of it.
        content: around more text.
        refusal: around more of a refusal.
    """

    def __init__(self, answer: Answer, options: Options) -> None:
        self._whole: Object = {"id": answer.id, "object": CHUNK, "created": answer.created, "model": answer.model}
        self._before = f'data: {_dumps(self._whole)[:-1]},"choices":[{{"index":{answer.index},"delta":'
        self._after = ',"finish_reason":null}]}\n\n'
        self.reasoning: Final = self._ends(f'{{"{options.reasoning}":', "}")
        self.content: Final = self._ends('{"content":', "}")
        self.refusal: Final = self._ends('{"refusal":', "}")

    def _ends(self, before: str, after: str) -> Ends:
        return f"{self._before}{before}", f"{after}{self._after}"

    def arguments(self, index: int) -> Ends:
        """Around more of a call's arguments."""
        return self._ends(f'{{"{TOOL_CALLS}":[{{"index":{index},"{FUNCTION}":{{"arguments":', "}}]}")

    def opening(self) -> bytes:
        """The first chunk: who speaks."""
        return self._delta({"role": "assistant", "content": ""})

    def call(self, index: int, call_id: str, name: str) -> bytes:
        """The beginning of a call; clients that join what repeats need all of it at once, and only once."""
        function = {"name": name, "arguments": ""}
        return self._delta({TOOL_CALLS: [{"index": index, "id": call_id, "type": FUNCTION, FUNCTION: function}]})

    def _delta(self, delta: Object) -> bytes:
        return f"{self._before}{_dumps(delta)}{self._after}".encode()

    def finish(self, reason: str) -> bytes:
        """The last chunk of the answer: why it is over."""
        return f'{self._before}{{}},"finish_reason":{quote(reason)}}}]}}\n\n'.encode()

    def usage(self, usage: dict[str, object]) -> bytes:
        """The numbers of tokens, for all answers together."""
        return f"data: {_dumps({**self._whole, 'choices': [], 'usage': usage})}\n\n".encode()


def done() -> bytes:
    """The end of the stream."""
    return f"data: {DONE}\n\n".encode()


def error(code: str, message: str) -> bytes:
    """An error in the middle of a stream; official clients raise it, and overlook everything else that is missing."""
    value = {"message": message, "type": "server_error", "param": None, "code": code}
    return f"data: {_dumps({'error': value})}\n\n".encode()
