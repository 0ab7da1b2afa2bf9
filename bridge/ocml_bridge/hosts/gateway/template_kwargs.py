"""What clients tell a chat template beside the request, as they do with vLLM, SGLang and llama.cpp's server."""

from __future__ import annotations

from typing import Any, Final

from .parameters import checked, record

KWARGS: Final = "chat_template_kwargs"
THINKING: Final = ("enable_thinking", "thinking")
"""Whether to think: Qwen's and Nemotron's word, and others'."""
EFFORT: Final = "reasoning_effort"


def without_kwargs(request: dict[str, Any]) -> dict[str, Any]:
    """A request that says in Chat Completions' words how much to think; what else templates are told stays.

    Args:
        request: of Chat Completions; one that has a `reasoning_effort` of its own has the say.

    Raises:
        ApiError: 400 where a value is of the wrong type.
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
