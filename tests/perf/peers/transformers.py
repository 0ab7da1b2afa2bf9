"""Hugging Face transformers: what `apply_chat_template` renders with. No model, no tokenizer, no download."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..work import Work, library
from .jinja import CHATML, HARMONY, template, variables

PEER = "transformers"


def works() -> tuple[Work, ...]:
    """Both templates."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    render = library("transformers.utils.chat_template_utils").render_jinja_template

    def rendering(name: str) -> Callable[[bytes], str]:
        source = template(name)

        def run(data: bytes) -> str:
            given = variables(data)
            return render([given["messages"]], tools=given["tools"], chat_template=source)[0][0]

        return run

    does = "`orjson.loads`, `render_jinja_template` with {}"
    return (
        Work("transformers-harmony", "harmony", PEER, does.format("a gpt-oss-like template"), rendering(HARMONY)),
        Work("transformers-chatml", "chatml", PEER, does.format("a ChatML template"), rendering(CHATML)),
    )
