"""Amend answers of Chat Completions: with probabilities, and with calls in the form for old clients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import orjson

from ....events import Encoder, Event
from ....json_values.parameters import members_of
from ....loss import Loss
from .likely import Likely

_EVENT: Final = b"data: "


class AmendedEncoder:
    """An encoder of Chat Completions that amends its chunks, or the whole response.

    Args:
        target: the encoder.
        likely: gives the probabilities; None if the client did not ask for them.
        legacy: whether a call is a `function_call`, as it was for requests with `functions`.
    """

    def __init__(self, target: Encoder, likely: Likely | None, *, legacy: bool) -> None:
        self._target = target
        self._likely = likely
        self._legacy = legacy

    @property
    def losses(self) -> list[Loss]:
        """Return what could not be written so far."""
        return self._target.losses

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the chunks for events."""
        return [self._amended(chunk) for chunk in self._target.encode(events)]

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the last chunks; of an answer that is not streamed, the whole answer."""
        return [self._amended(chunk) for chunk in self._target.finish(usage)]

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the chunks for a stream that broke off."""
        return self._target.fail(code, message)

    def _amended(self, chunk: bytes) -> bytes:
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
