"""Amend answers of Chat Completions with probabilities and old calls, and those of Messages with the stop string."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final

import orjson

from ....events import Encoder, Event
from ....json_values.parameters import members_of
from ....loss import Loss
from .likely import Likely
from .stopping import StopStrings

_EVENT: Final = b"data: "
_DELTA: Final = b"event: message_delta\ndata: "


class AmendedEncoder(ABC):
    """An encoder that amends the chunks of another one, or its whole response.

    Args:
        target: the other encoder.
    """

    def __init__(self, target: Encoder) -> None:
        self._target = target

    @abstractmethod
    def amended(self, chunk: bytes) -> bytes:
        """Return a chunk, or the whole response, as the client gets it."""

    @property
    def losses(self) -> list[Loss]:
        """Return what could not be written so far."""
        return self._target.losses

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the chunks for events."""
        return [self.amended(chunk) for chunk in self._target.encode(events)]

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the last chunks; of an answer that is not streamed, the whole answer."""
        return [self.amended(chunk) for chunk in self._target.finish(usage)]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the chunks for a stream that broke off."""
        return self._target.fail(code, message)


class AmendedCompletion(AmendedEncoder):
    """An encoder of Chat Completions.

    Args:
        target: the encoder.
        likely: gives the probabilities; None if the client did not ask for them.
        legacy: whether a call is a `function_call`, as it was for requests with `functions`.
    """

    def __init__(self, target: Encoder, likely: Likely | None, *, legacy: bool) -> None:
        super().__init__(target)
        self._likely = likely
        self._legacy = legacy

    def amended(self, chunk: bytes) -> bytes:
        """Return a chunk with the probabilities of its tokens, and with calls in the form for the client."""
        streamed = chunk.startswith(_EVENT)
        data = chunk.removeprefix(_EVENT)
        if not data.startswith(b"{"):
            return chunk
        body = orjson.loads(data)
        for choice in body.get("choices") or ():
            message = members_of(choice.get("delta" if streamed else "message"))
            if self._likely is not None and (message.get("content") or not streamed):
                choice["logprobs"] = {"content": self._likely.take(), "refusal": None}
            if self._legacy:
                _as_function_call(choice, message)
        amended = orjson.dumps(body)
        return b"%s%s\n\n" % (_EVENT, amended) if streamed else amended


def _as_function_call(choice: dict[str, Any], message: dict[str, Any]) -> None:
    """Return the message with its first call as `function_call`, which holds only one."""
    calls = message.pop("tool_calls", None)
    if calls and calls[0].get("index", 0) == 0:
        message["function_call"] = calls[0].get("function")
    if choice.get("finish_reason") == "tool_calls":
        choice["finish_reason"] = "function_call"


class AmendedMessage(AmendedEncoder):
    """An encoder of Messages, which say which of the client's stop strings ended the answer.

    Args:
        target: the encoder.
        stop: finds the stop strings.
    """

    def __init__(self, target: Encoder, stop: StopStrings) -> None:
        super().__init__(target)
        self._stop = stop

    def amended(self, chunk: bytes) -> bytes:
        """Return a chunk with the stop string, if it has the reason for the end."""
        streamed = chunk.startswith(_DELTA)
        if self._stop.found is None or not (streamed or chunk.startswith(b"{")):
            return chunk
        body = orjson.loads(chunk.removeprefix(_DELTA))
        members_of(body["delta"] if streamed else body).update(
            stop_reason="stop_sequence", stop_sequence=self._stop.found
        )
        amended = orjson.dumps(body)
        return b"%s%s\n\n" % (_DELTA, amended) if streamed else amended
