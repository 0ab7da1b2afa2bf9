"""mistral-common: its request, validated, from OpenAI's and back.

Its tokenizer has another vocabulary, so that there is nothing to compare its tokens with.
"""

from __future__ import annotations

import warnings
from typing import Any

import orjson

from ..work import Work, library

PEER = "mistral-common"


def works() -> tuple[Work, ...]:
    """`from_openai` and `to_openai`."""
    request_of = library("mistral_common.protocol.instruct.request").ChatCompletionRequest
    warnings.filterwarnings("ignore", category=FutureWarning, module="mistral_common")

    def run(data: bytes) -> Any:
        return request_of.from_openai(**orjson.loads(data)).to_openai()

    does = "`orjson.loads`, `ChatCompletionRequest.from_openai` and `to_openai`"
    return (Work("mistral-openai", "round", PEER, does, run),)
