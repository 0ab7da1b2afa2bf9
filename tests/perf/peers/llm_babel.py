"""llm-babel: one form of its own between vendors' forms, from one specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from ..work import Work, library

PEER = "llm-babel"


def works() -> tuple[Work, ...]:
    """`translate`, which decodes into its form and encodes from it."""
    translate = library("llm_transform.registry").translate

    def to(target: str) -> Callable[[bytes], Any]:
        def run(data: bytes) -> Any:
            return translate("openai-chat", target, {"model": "any", **orjson.loads(data)})

        return run

    does = "`orjson.loads`, `translate`"
    return (
        Work("babel-anthropic", "provider", PEER, f"{does} to Anthropic", to("anthropic-messages")),
        Work("babel-openai", "round", PEER, f"{does} to OpenAI", to("openai-chat")),
    )
