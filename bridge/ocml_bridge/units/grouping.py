"""Which turn a message leaves open, for formats in which the message before tells whether one continues it."""

from __future__ import annotations

from typing import Final

from ..model import Message, replace
from ..turns import continues, is_call
from .grammar import State

CALL: Final = "call"
_BEFORE: Final[dict[State, Message]] = {
    "analysis": Message("assistant", "", channel="analysis"),
    "commentary": Message("assistant", "", channel="commentary"),
    CALL: Message("assistant", "", channel="commentary", recipient="functions.f", end="call"),
}
"""For each kind of turn a message that leaves it open; nothing continues others."""


def turn_behind(message: Message) -> str | None:
    """The kind of turn that a message leaves open; None where nothing continues it."""
    if message.role != "assistant" or message.end == "return":
        return None
    if is_call(message):
        return CALL
    return message.channel if message.channel in _BEFORE else None


def grouped(message: Message, state: State) -> Message:
    """A message as reading gives it back: with whether it continues the turn that a state is."""
    before = _BEFORE.get(state)
    joined = before is not None and continues(before, message)
    return message if message.continues is joined else replace(message, continues=joined)
