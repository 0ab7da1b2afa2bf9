"""llm-rosetta: one form of its own between vendors' forms."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import orjson

from ..work import Work, library

PEER = "llm-rosetta"


def works() -> tuple[Work, ...]:
    """Its pipeline, one for each request as it demands.

    It remembers thousands of messages that it has validated. A corpus does not repeat itself, so the two works get
    conversations of their own; one of fewer than some 2,000 conversations flatters it from the second round on.
    """
    pipeline_of = library("llm_rosetta.pipeline").ConversionPipeline

    def to(target: str) -> Callable[[bytes], tuple[Any, list[str]]]:
        def run(data: bytes) -> tuple[Any, list[str]]:
            pipeline = pipeline_of("openai_chat", target)
            body = pipeline.convert_request({"model": "any", **orjson.loads(data)})
            return body, pipeline.warnings

        return run

    does = "`orjson.loads`, `ConversionPipeline.convert_request`"
    more: dict[str, Any] = {"sample": 2, "text": itemgetter(0), "losses": itemgetter(1)}
    return (
        Work("rosetta-anthropic", "provider", PEER, f"{does} to Anthropic", to("anthropic"), **more),
        Work("rosetta-openai", "round", PEER, f"{does} to OpenAI", to("openai_chat"), first=1, **more),
    )
