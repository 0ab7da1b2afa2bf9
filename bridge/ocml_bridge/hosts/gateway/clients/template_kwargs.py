"""Read the parameters for chat templates in requests, as vLLM, SGLang and llama.cpp's server take them."""

from __future__ import annotations

from typing import Any, Final

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
    left = {name: value for name, value in kwargs.items() if name not in (EFFORT, *THINKING)}
    rest = {name: value for name, value in request.items() if name != KWARGS}
    return rest | ({EFFORT: effort} if effort is not None else {}) | ({KWARGS: left} if left else {})
