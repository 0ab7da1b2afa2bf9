"""Which messages stand in one wire message."""

from __future__ import annotations

from ...model import Message
from .grammar import APART, Grammar, kind_of

State = tuple[str, bool] | None
"""Of the message before: the role of its wire message, and whether it is a text; None before the first."""


def state_of(grammar: Grammar, message: Message) -> State:
    """What the writing of the next message depends on."""
    return grammar.side(message), kind_of(message) == "text"


def joins(grammar: Grammar, before: Message, message: Message) -> bool:
    """Whether a message would stand in one wire message with the one before it."""
    return would_join(grammar, state_of(grammar, before), message)


def would_join(grammar: Grammar, before: State, message: Message) -> bool:
    """Whether a message would be written into the wire message before it.

    It would wherever both are of one role. Two texts would read as one, so they stay apart where the format lets them.
    """
    side, text = grammar.side(message), kind_of(message) == "text"
    return before is not None and before[0] == side and (grammar.joins_texts or not (before[1] and text))


def is_apart(grammar: Grammar, message: Message) -> bool:
    """Whether a message was read at the beginning of a wire message that could have been one with that before it."""
    return grammar.notes.of(message.layout).get(APART) is True
