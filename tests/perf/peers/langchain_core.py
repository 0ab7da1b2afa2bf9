"""langchain-core: its messages, from OpenAI's and back."""

from __future__ import annotations

import os
from typing import Any

import orjson

from ..work import Work, library

PEER = "langchain-core"


def works() -> tuple[Work, ...]:
    """`convert_to_openai_messages`: of the messages alone; tools are not its business and pass by."""
    os.environ.setdefault("LANGCHAIN_TRACING_V2", "false")
    back = library("langchain_core.messages").convert_to_openai_messages

    def run(data: bytes) -> Any:
        request = orjson.loads(data)
        request["messages"] = back(request["messages"])
        return request

    does = "`orjson.loads`, `convert_to_openai_messages` of the messages"
    return (Work("langchain-openai", "round", PEER, does, run),)
