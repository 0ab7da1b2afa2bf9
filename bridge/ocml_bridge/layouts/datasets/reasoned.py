"""Read rows that hold the reasoning before an answer in a column of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...model import Json
from .. import exchange
from ..fitting import without_members
from ..layout import Document, Object, Wording
from ..messages import are_messages, respelled_all
from ..thoughts import REASONING

THOUGHT: Final = "thought"
_WORD: Final = re.compile(r"[!-~]{0,30}")
"""A word is a setting, as `on`; other scripts have no spaces between words."""


def is_reasoned(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a question, its answer, and the reasoning before it, of more than one word."""
    thought = fields.get(THOUGHT)
    has_text = isinstance(thought, str) and not _WORD.fullmatch(thought.strip())
    return (
        has_text and exchange.is_exchange(fields, wording) and _is_unanswered(fields.get(exchange.INSTRUCTION), wording)
    )


def _is_unanswered(prompt: Json, wording: Wording) -> bool:
    """Return whether the prompt is not answered yet."""
    if not are_messages(prompt, wording):
        return True
    return respelled_all(prompt, wording, f"/{exchange.INSTRUCTION}")[-1]["role"] != "assistant"


def read_reasoned(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that ends with the answer, and the reasoning before it if there is one."""
    thought = fields.get(THOUGHT)
    rest = without_members(fields, THOUGHT)
    [document] = exchange.read_exchange(rest, wording)
    if thought is None:
        return [document]
    request: Object = document.value  # type: ignore[assignment]
    *before, answer = request["messages"]
    if REASONING in answer or answer.get("role") != "assistant":
        return [document._replace(extra_columns={REASONING: thought})]
    answer = {"role": "assistant", REASONING: thought, **answer}
    return [document._replace(value={**request, "messages": [*before, answer]})]
