"""litellm: one interface to many providers; the step that rewrites a request for Anthropic."""

from __future__ import annotations

import os
from typing import Any

import orjson

from ..work import Work, library

PEER = "litellm"
_MODEL = "claude-sonnet-4-5"


def works() -> tuple[Work, ...]:
    """`transform_request`, and the mapping of tools that goes before it."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it asks the network
    library(PEER).suppress_debug_info = True
    config = library("litellm.llms.anthropic.chat.transformation").AnthropicConfig()

    def run(data: bytes) -> Any:
        request = orjson.loads(data)
        given = {"tools": request["tools"]} if "tools" in request else {}
        options = config.map_openai_params(non_default_params=given, optional_params={}, model=_MODEL, drop_params=True)
        return config.transform_request(
            model=_MODEL, messages=request["messages"], optional_params=options, litellm_params={}, headers={}
        )

    does = "`orjson.loads`, `AnthropicConfig.map_openai_params` and `transform_request`"
    return (Work("litellm-anthropic", "provider", PEER, does, run),)
