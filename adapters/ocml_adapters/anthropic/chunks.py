"""The events of an answer of the Messages API, and how they are spelled."""

from __future__ import annotations

from typing import Final

from ocml_bridge.events import Answer
from ocml_bridge.form import Object
from ocml_bridge.model import Json
from ocml_bridge.stream import sse

from .syntax import MESSAGE, TEXT, THINKING

_DELTAS: Final = {TEXT: ("text_delta", "text"), THINKING: ("thinking_delta", "thinking")}
"""Type of a block → type of what continues it, and its text."""
_ARGUMENTS: Final = ("input_json_delta", "partial_json")


class Events:
    """The events of one answer.

    Args:
        answer: its id and model.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def opening(self) -> Object:
        """The answer begins; how many tokens it takes is told at its end."""
        message: Object = {
            "id": self._answer.id,
            "type": MESSAGE,
            "role": "assistant",
            "model": self._answer.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return {"type": "message_start", MESSAGE: message}

    def begin(self, index: int, block: Object) -> Object:
        """A block begins."""
        return {"type": "content_block_start", "index": index, "content_block": block}

    def more(self, index: int, kind: str, text: str) -> Object:
        """More of a block: of its text, or of the arguments of a call."""
        name, key = _DELTAS.get(kind, _ARGUMENTS)
        return self._delta(index, {"type": name, key: text})

    def signature(self, index: int, signature: str) -> Object:
        """The signature of a thought, behind all of its text."""
        return self._delta(index, {"type": "signature_delta", "signature": signature})

    def citation(self, index: int, citation: Json) -> Object:
        """A source of a text."""
        return self._delta(index, {"type": "citations_delta", "citation": citation})

    def _delta(self, index: int, delta: Object) -> Object:
        return {"type": "content_block_delta", "index": index, "delta": delta}

    def end(self, index: int) -> Object:
        """A block ends."""
        return {"type": "content_block_stop", "index": index}

    def stop(self, reason: str, usage: Object) -> tuple[Object, Object]:
        """Why the answer is over, and that it is."""
        delta = {"stop_reason": reason, "stop_sequence": None}
        return {"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}

    def error(self, code: str, message: str) -> bytes:
        """An error in the middle of a stream; official clients raise it."""
        error = {"type": "api_error", "message": f"{message} ({code})"}
        return self.write({"type": "error", "error": error})

    def write(self, event: Object) -> bytes:
        """One event."""
        return sse.write_json(event, event["type"])
