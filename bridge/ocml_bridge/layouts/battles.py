"""Rows in which two models answer, and somebody says which one was better (Chatbot Arena)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .exchange import shared
from .layout import Document, Object, Wording
from .messages import are_messages, preference, request, respelled_all

SIDES: Final = ("conversation_a", "conversation_b")
WINNER: Final = "winner"
_WINS: Final = {"model_a": SIDES, "a": SIDES, "model_b": SIDES[::-1], "b": SIDES[::-1]}
"""Words for who won → the side that did, and the other."""


def is_battle(fields: Object, wording: Wording) -> bool:
    """Whether two conversations stand there, and who won."""
    return isinstance(fields.get(WINNER), str) and all(are_messages(fields.get(side), wording) for side in SIDES)


def read_battle(fields: Object, wording: Wording) -> Sequence[Document]:
    """What was asked, with the answer that won and the other one; where none did, two conversations."""
    sides = {side: respelled_all(fields[side], wording, f"/{side}") for side in SIDES}
    order = _WINS.get(fields[WINNER].strip().lower())
    if order is None:
        return [Document(request(messages, None), path=f"/{side}") for side, messages in sides.items()]
    won, lost = (sides[side] for side in order)
    at = shared(won, lost)
    return [Document(preference(won[:at], won[at:], lost[at:], None))]
