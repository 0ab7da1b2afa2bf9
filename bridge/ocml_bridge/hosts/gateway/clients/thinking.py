"""Read `thinking`, with which requests of Anthropic's Messages turn thinking on and off."""

from __future__ import annotations

from typing import Any, Final

from ....json_values.parameters import members_of
from .parameters import record

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
    rest = {name: value for name, value in request.items() if name != "thinking"}
    return rest | {"output_config": {**config, "effort": effort}}
