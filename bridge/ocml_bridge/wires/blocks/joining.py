"""Decide which messages are written in one wire message."""

from __future__ import annotations

from ...model import Message
from .grammar import APART, EMPTY, Grammar, kind_of

State = tuple[str, bool] | None
"""The role of the previous message's wire message, and whether that message is a text.

None where no message can be joined to it: before the first, and after a wire message without blocks.
"""


def state_of(grammar: Grammar, message: Message) -> State:
    """Return the state on which the writing of the next message depends."""
    return None if has_no_block(grammar, message) else (grammar.side(message), kind_of(message) == "text")


def has_no_block(grammar: Grammar, message: Message) -> bool:
    """Return whether a message was read from a wire message without blocks, which is written again."""
    return message.content == "" and grammar.notes.of(message.layout).get(EMPTY) == "none"


def joins(grammar: Grammar, before: Message, message: Message) -> bool:
    """Return whether a message would be written in one wire message with the previous one."""
    return would_join(grammar, state_of(grammar, before), message)


def would_join(grammar: Grammar, before: State, message: Message) -> bool:
    """Return whether a message would be written into the wire message of the previous one.

    It would if both have the same role. Two texts would be read as one message, so they are separate if the format
    allows it.
    """
    if before is None or has_no_block(grammar, message):
        return False
    side, text = grammar.side(message), kind_of(message) == "text"
    return before[0] == side and (grammar.joins_texts or not (before[1] and text))


def is_apart(grammar: Grammar, message: Message) -> bool:
    """Return whether a message was read at the beginning of a wire message although it could be in the previous one."""
    return has_no_block(grammar, message) or grammar.notes.of(message.layout).get(APART) is True
