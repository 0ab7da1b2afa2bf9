"""Rows that hold the thought before an answer in a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Json
from . import exchange
from .layout import Document, Object, Wording
from .messages import are_messages, respelled_all
from .thoughts import REASONING

THOUGHT: Final = "thought"


def is_reasoned(fields: Object, wording: Wording) -> bool:
    """Whether what was asked stands there with its answer, and with words that were thought before it."""
    thought = fields.get(THOUGHT)
    has_text = isinstance(thought, str) and any(map(str.isspace, thought.strip()))  # `on` is none
    return has_text and exchange.is_exchange(fields, wording) and _waits(fields.get(exchange.INSTRUCTION), wording)


def _waits(prompt: Json, wording: Wording) -> bool:
    """Whether what was asked is not answered yet."""
    if not are_messages(prompt, wording):
        return True
    return respelled_all(prompt, wording, f"/{exchange.INSTRUCTION}")[-1]["role"] != "assistant"


def read_reasoned(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation that ends in the thought and the answer."""
    thought = fields[THOUGHT]
    rest = {name: value for name, value in fields.items() if name != THOUGHT}
    [document] = exchange.read_exchange(rest, wording)
    request: Object = document.value  # type: ignore[assignment]
    *before, answer = request["messages"]
    if REASONING in answer or answer.get("role") != "assistant":
        return [document._replace(beside={REASONING: thought})]
    answer = {"role": "assistant", REASONING: thought, **answer}
    return [document._replace(value={**request, "messages": [*before, answer]})]
