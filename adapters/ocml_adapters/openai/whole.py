"""Events → one response (the stream `openai`): the object that a client of `openai-sse` puts together.

A server offers an answer as a stream or whole; both say the same, because both are the same encoder.
"""

from __future__ import annotations

from collections.abc import Iterable

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options
from ocml_bridge.events import Answer, Event

from .encode import ChunkEncoder
from .form import Object


class AnswerEncoder(ChunkEncoder):
    """An encoder that gives one chunk at the end: a `chat.completion`; nothing where the answer is not whole."""

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(answer, options)
        self._key = options.reasoning

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Takes events; nothing is said before the end."""
        super().encode(events)
        return []

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """The response, with the numbers of tokens where they are known."""
        if self.reason is None:
            return []
        message = {self._key if key == "reasoning" else key: value for key, value in self._wire().items()}
        choice = {
            "index": self._answer.index,
            "message": message,
            "logprobs": None,
            "finish_reason": self.reason,
        }
        response: Object = {
            "id": self._answer.id,
            "object": "chat.completion",
            "created": self._answer.created,
            "model": self._model(),
            "choices": [choice],
        }
        usage = self._upstream.get("usage") if usage is None else usage
        return [jsontext.dumps(response if usage is None else {**response, "usage": usage})]

    def _model(self) -> str:
        """The model that is told: where the caller names none, the one that the document does."""
        return self._answer.model or self._upstream.get("model", "")

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Nothing is said of an answer that is not whole."""
        super().fail(code, message)
        return []
