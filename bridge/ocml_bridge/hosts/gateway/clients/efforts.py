"""Read the effort of reasoning from other parameters of requests.

They are those for chat templates, as vLLM, SGLang and llama.cpp's server take them, and `thinking`, with which requests
of Anthropic's Messages turn thinking on and off.
"""

from __future__ import annotations

from typing import Any, Final

from ....json_values.form import without
from ....json_values.parameters import members_of
from .parameters import checked, record

KWARGS: Final = "chat_template_kwargs"
THINKING: Final = ("enable_thinking", "thinking")
"""The template parameters for whether to think: Qwen's and Nemotron's, and others'."""
EFFORT: Final = "reasoning_effort"


def without_kwargs(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the reasoning effort that its template parameters mean; other parameters stay.

    Args:
        request: a request of Chat Completions; its own `reasoning_effort` takes precedence.

    Raises:
        ApiError: 400 if a value has the wrong type.
    """
    kwargs = record(request, KWARGS)
    if kwargs is None or request.get(EFFORT) is not None:
        return request
    effort = checked(kwargs, f"{KWARGS}.{EFFORT}", str, "a string")
    if any(checked(kwargs, f"{KWARGS}.{name}", bool, "true or false") is False for name in THINKING):
        effort = "none"
    left = without(kwargs, EFFORT, *THINKING)
    return (
        without(request, KWARGS) | ({EFFORT: effort} if effort is not None else {}) | ({KWARGS: left} if left else {})
    )


EFFORTS: Final = ((2_048, "low"), (8_192, "medium"))
"""Limits of `budget_tokens`, each with the effort below it, as in LiteLLM; above all of them, it is `high`."""


def effort_of(thinking: Any) -> str | None:
    """Return the reasoning effort that `thinking` asks for; None if it asks for nothing."""
    fields = members_of(thinking)
    if fields.get("type") == "disabled":
        return "none"
    budget = fields.get("budget_tokens")
    if fields.get("type") != "enabled" or not isinstance(budget, int):
        return None
    return next((effort for limit, effort in EFFORTS if budget < limit), "high")


def without_thinking(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request of Messages with the effort that its `thinking` means.

    Args:
        request: the request; the effort in its `output_config` takes precedence.

    Raises:
        ApiError: 400 if a value has the wrong type.
    """
    effort = effort_of(record(request, "thinking"))
    config = record(request, "output_config") or {}
    if effort is None or config.get("effort") is not None:
        return request
    return without(request, "thinking") | {"output_config": {**config, "effort": effort}}
