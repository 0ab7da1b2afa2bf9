"""A Chat Completions request, and the completions request that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from ...adapter import Options
from ...convert import read
from ...errors import BridgeError, ErrorCode
from ...model import Json, Transcript
from ...profiles import Prompt
from ...visibility import APPLICATION, REASONING, Visibility
from .problems import ApiError, of_request
from .settings import Settings
from .turn_memory import OwnMemory, restored

PASSED_ON: Final = (
    *("model", "temperature", "top_p", "n", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "user"),
    *("top_k", "min_p", "repetition_penalty", "min_tokens", "stream"),
)
"""What an engine is asked just as the client asks it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks for.

    Attributes:
        model: the name of the model.
        stream: whether the answer is to come as it is written.
        count: how many answers.
        usage: whether a stream is to end with the numbers of tokens.
        stop: strings that end the answer.
        visibility: what the client is to see.
        body: the request to the upstream.
        prompt: what the model is prompted with; its losses are what that cannot say of the request.
    """

    model: str
    stream: bool
    count: int
    usage: bool
    stop: Sequence[str]
    visibility: Visibility
    body: dict[str, Json]
    prompt: Prompt


def understand(request: Any, settings: Settings, date: str, memory: OwnMemory | None = None) -> Asked:
    """Take a request apart.

    Args:
        request: its body, parsed.
        settings: the gateway's.
        date: today's, as `YYYY-MM-DD`.
        memory: remembers what led to calls; None where nothing is remembered.

    Raises:
        ApiError: where it is no request that can be answered.
    """
    if not isinstance(request, dict):
        raise ApiError(400, "invalid_body", "the body is not a JSON object")
    asked = cast("dict[str, Any]", request)
    try:
        visibility = _visibility(asked, settings)
        dated = None if settings.profile is None else date
        options = Options(special_tokens=settings.special_tokens)
        reading = read(asked, "openai", options=options)
        if memory is not None and isinstance(reading.transcript, Transcript):
            reading = replace(reading, transcript=restored(reading.transcript, memory.recall))
        made = settings.model.prompt(reading, date=dated, options=options, policy=settings.policy)
    except BridgeError as error:
        raise of_request(error) from error
    stream, more = asked.get("stream") is True, asked.get("stream_options")
    usage = stream and isinstance(more, dict) and cast("dict[str, Any]", more).get("include_usage") is True
    body: dict[str, Json] = {key: asked[key] for key in PASSED_ON if asked.get(key) is not None}
    body["prompt"] = made.output
    # A completions server writes 16 tokens unless it is told otherwise; a chat ends where the model ends it.
    body["max_tokens"] = asked.get("max_completion_tokens") or asked.get("max_tokens")
    if usage:
        body["stream_options"] = {"include_usage": True}
    model, count = asked.get("model"), asked.get("n")
    return Asked(
        model if isinstance(model, str) else "",
        stream,
        count if isinstance(count, int) else 1,
        usage,
        _stop(asked.get("stop")),
        visibility,
        body,
        made,
    )


def _visibility(asked: dict[str, Any], settings: Settings) -> Visibility:
    wanted = asked.get("include_reasoning")
    if wanted is True and settings.reasoning is None:
        raise BridgeError(
            ErrorCode.PERM_VISIBILITY, "private reasoning is not shown here; whoever runs the gateway may allow it"
        )
    return APPLICATION if settings.reasoning is None or wanted is False else REASONING


def _stop(stop: Any) -> list[str]:
    strings = cast("list[Any]", stop) if isinstance(stop, list) else [] if stop is None else [stop]
    if not all(isinstance(string, str) for string in strings):
        raise ApiError(400, "invalid_value", "'stop' is a string or a list of strings", "stop")
    return strings
