"""What Chat Completions can hold of a message, which messages are one wire message, and what a reply has to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Media, Message, Refusal, Text, replace
from ocml_bridge.report.narrowing import drop_message, drop_private, fitted, narrow
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.pairing import NamedReplies, identified

from .details import is_signed
from .parts import TABLE, can_hold
from .spelling import spelled
from .syntax import HOME

_HOLDS = (Text, Media, Refusal, Foreign)
THOUGHT, TEXT, CALL = range(3)
"""Where in a wire message of the assistant's a message stands, in order."""


def nearest(message: Message, index: int, log: Log) -> Message | None:
    """A message with what its content can be: text in thoughts and calls, parts that we know elsewhere.

    Args:
        message: any.
        index: its index in the document.
        log: takes what is lost.
    """
    content, stage = message.content, stage_of(message)
    if stage is None and is_private(message):
        drop_private(log, index, HOME)
        return None
    if stage == THOUGHT and message.channel != "analysis":
        message = replace(message, channel="analysis")
    if content and isinstance(content, str):
        return message
    if not isinstance(content, str):
        path = f"/messages/{index}/content"
        if stage in (THOUGHT, CALL):
            content = narrow(content, (), path, log, target=HOME, hoisted=True, private=stage == THOUGHT)
        else:
            table = TABLE if stage == TEXT else None
            content = fitted(content, _HOLDS, path, log, target=HOME, able=can_hold, citations=table)
        message = replace(message, content=content)
    if stage == THOUGHT and not content and not is_signed(message):
        drop_message(log, index, f"{HOME} has no place for reasoning without text")
        return None
    return message


# --- wire messages ----------------------------------------------------------------------------------------------------


def stage_of(message: Message) -> int | None:
    """Where in a wire message of the assistant's a message stands; None for other roles."""
    if message.role != "assistant":
        return None
    if message.recipient is not None and is_call(message):
        return CALL
    return THOUGHT if is_private(message) else TEXT


def joins(before: Message, message: Message) -> bool:
    """Whether a message stands in one wire message with the one before it: thoughts, at most one text, calls.

    An empty text stands alone, or it would vanish. A wire message has one weight, so what counts differently in
    training stands apart, but for a preamble before calls: alone it would be an answer.
    """
    last, stage = stage_of(before), stage_of(message)
    if last is None or stage is None or stage < last or stage == last == TEXT:
        return False
    if (stage == TEXT and not message.content) or (last == TEXT and not before.content):
        return False
    if last == TEXT and stage == CALL and before.channel == "commentary":
        return True
    return message.continues and message.weight == before.weight


# --- replies ----------------------------------------------------------------------------------------------------------


def linked(items: Sequence[Item]) -> Sequence[Item]:
    """The items with ids for calls and replies that have none, unless one was read from Chat Completions so."""
    without = [head for head, _, call_id in items if call_id is None and (head.calls or head.role == "tool")]
    return identified(items, HOME) if without and not any(map(_has_spelling, without)) else items


def _has_spelling(head: Head) -> bool:
    """Whether a message was read from Chat Completions."""
    return not head.bare and HOME in (head.message("", None).layout or ())


with_names: Final = NamedReplies(
    HOME,
    nearest,
    image=lambda message: spelled([message])[1][0],
    named=lambda message: spelled([message], named=True)[1][0],
)
"""The items; a reply whose name reading would not find by its call has the layout of one that says its name."""
