"""Fit messages to Chat Completions: the nearest message, which messages share a wire message, and ids and names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Media, Message, Part, Passages, Refusal, Text, replace
from ocml_bridge.report.narrowing import drop_empty, drop_private, drop_silent, fitted, narrow
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.pairing import NamedReplies, identified, links_of, pair
from ocml_bridge.units.relations import paired_in_order

from .annotations import TABLE
from .media import is_sound
from .parts import can_hold
from .spelling import spelled
from .syntax import HOME
from .thought_lists import is_signed

_HOLDS = (Text, Media, Refusal, Passages, Foreign)
THOUGHT, TEXT, CALL = range(3)
"""The stages of an assistant's wire message, in order: thoughts, a text, calls."""


def nearest(message: Message, index: int, log: Log) -> Message | None:
    """Return the nearest message that Chat Completions can hold, or None; report the losses.

    Thoughts and calls contain one text; other messages contain the parts that the format has.

    Args:
        message: the message.
        index: its index in the document.
        log: receives the losses.
    """
    content, stage = message.content, stage_of(message)
    if stage is None and is_private(message):
        return drop_private(log, index, HOME)
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
            able = partial(_can_hold, content) if stage == TEXT else can_hold
            content = fitted(content, _HOLDS, path, log, target=HOME, able=able, citations=table)
            if stage == TEXT and message.continues and content == "" != message.content:
                reason = f"{HOME} has no place for anything in this message"
                return drop_empty(message, index, log, reason, target=HOME)
        message = replace(message, content=content)
    if stage == THOUGHT and not content and not is_signed(message):
        return drop_silent(log, index, HOME)
    return message


def _can_hold(content: Sequence[Part], part: Part) -> bool:
    """Return whether a message of the assistant has a place for a part: its last one may be a sound by its id."""
    return can_hold(part) or (
        is_sound(part) and [at for at, each in enumerate(content, 1) if each is part] == [len(content)]
    )


# --- wire messages ----------------------------------------------------------------------------------------------------


def stage_of(message: Message) -> int | None:
    """Return the stage of a message in an assistant's wire message; None for a message of another role."""
    if message.role != "assistant":
        return None
    if message.recipient is not None and is_call(message):
        return CALL
    return THOUGHT if is_private(message) else TEXT


def joins(before: Message, message: Message) -> bool:
    """Return whether a message is written in one wire message with the previous one: thoughts, at most one text, calls.

    An empty text is a wire message of its own, or it would vanish. Messages with different training weights are written
    separately, because a wire message has one weight; except a preamble before calls, which alone would be an answer.
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


def answered_at_once(items: Sequence[Item]) -> Sequence[int] | None:
    """Return an order in which the replies to the calls of each wire message directly follow it, as the API requires.

    Args:
        items: the messages of a conversation.

    Returns:
        The indices of the messages; None if they are in such an order.
    """
    heads = [item[0] for item in items]
    if paired_in_order(items) is not None and not any(map(_are_apart, heads, heads[1:])):
        return None
    calls: dict[int, list[int]] = {}
    for reply, call in pair(links_of(items)).items():
        calls.setdefault(call, []).append(reply)
    order: list[int] = []
    moving = {reply for replies in calls.values() for reply in replies}
    waiting: list[int] = []
    for at, head in enumerate(heads):
        if at not in moving:
            order.append(at)
        waiting += calls.get(at, ())
        if waiting and not (at + 1 < len(heads) and joins(head.example(), heads[at + 1].example())):
            order += sorted(waiting)
            waiting = []
    return None if order == list(range(len(items))) else order


def _are_apart(before: Head, head: Head) -> bool:
    """Return whether two adjacent messages are calls in different wire messages."""
    return before.calls and head.calls and not joins(before.example(), head.example())


def linked(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items with ids for calls and replies that have none, unless one was read from this format without."""
    without = [head for head, _, call_id in items if call_id is None and (head.calls or head.role == "tool")]
    return identified(items, HOME) if without and not any(map(_has_spelling, without)) else items


def _has_spelling(head: Head) -> bool:
    """Return whether a message was read from Chat Completions."""
    return HOME in (head.layout or ())


with_names: Final = NamedReplies(
    HOME,
    nearest,
    image=lambda message: spelled([message]).image[0],
    named=lambda message: spelled([message], named=True).image[0],
)
"""Returns the items; a reply whose tool would not follow from its call gets the layout of a reply with a name."""
