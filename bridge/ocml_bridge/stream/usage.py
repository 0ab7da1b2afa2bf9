"""Read the numbers of tokens that a caller gives for an answer, and complete those of a document."""

from __future__ import annotations

from typing import Any, Final, cast

from ..json_values.parameters import members_of
from ..model import Json, Usage, replace

_NAMES: Final = {
    "input_tokens": ("prompt_tokens", "input_tokens"),
    "output_tokens": ("completion_tokens", "output_tokens"),
    "total_tokens": ("total_tokens",),
}
"""The names of each number in Chat Completions and in later formats."""
_DETAILS: Final = {
    "cached_tokens": ("prompt_tokens_details", "input_tokens_details"),
    "reasoning_tokens": ("completion_tokens_details", "output_tokens_details"),
}
"""The names of the objects that may contain each number."""


def usage_in(usage: dict[str, object] | None) -> Usage | None:
    """Return the numbers of tokens in a caller's `usage` object; None if there are none."""
    members = cast("dict[str, Any]", usage or {})
    candidates = {name: [members.get(key) for key in keys] for name, keys in _NAMES.items()}
    candidates |= {name: [_inner(members.get(key), name) for key in keys] for name, keys in _DETAILS.items()}
    numbers = {name: number for name, values in candidates.items() for number in values if type(number) is int}
    return Usage(**numbers) if numbers else None


def _inner(value: Json, name: str) -> Json:
    return members_of(value).get(name)


def with_total(usage: Usage | None) -> Usage | None:
    """Return the numbers of tokens with their total, which some servers leave out and most clients require."""
    if usage is None or usage.total_tokens is not None or usage.input_tokens is None or usage.output_tokens is None:
        return usage
    return replace(usage, total_tokens=usage.input_tokens + usage.output_tokens)
