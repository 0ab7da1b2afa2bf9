"""What Anthropic Messages can hold of a message and of a document, and which messages are one wire message.

Ids of calls are of the API's alphabet, and no two calls have one; what the system says is one prompt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_blank, is_call, parts_of
from ocml_bridge.chat.visibility import is_private, is_reasoning
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Foreign, Media, Message, Passages, Text, replace
from ocml_bridge.report.narrowing import drop_empty, drop_message, drop_private, fitted, narrow
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import identified, links_of, pair

from .blocks import is_from_here
from .parts import TABLE, can_hold
from .syntax import EMPTY, HOME, LAWFUL_ID, MESSAGE, MESSAGES, NOTES, SYSTEM
from .tools import type_of

_HOLDS = (Text, Media, Passages, Foreign)
_OF_SERVERS = (Text, Foreign)
"""What replies of servers' tools hold: texts, or values of their own kinds."""


def is_spoken(message: Message) -> bool:
    """Whether a message is made of parts: it is neither a thought, a call nor a reply."""
    return message.role != "tool" and not is_call(message) and not is_reasoning(message)


def nearest(message: Message, index: int, log: Log, *, keeps_unsigned: bool = False) -> Message | None:
    """A message with what its content can be: text in thoughts and calls, parts that we know elsewhere.

    Args:
        message: any.
        index: its index in the document.
        log: takes what is lost.
        keeps_unsigned: whether thoughts without a signature are written.
    """
    if message.role == "developer":
        message = replace(message, role=SYSTEM)
    if is_reasoning(message):
        return _nearest_thought(message, index, log, keeps_unsigned=keeps_unsigned)
    if message.role != "assistant" and is_private(message):
        return drop_private(log, index, HOME)
    content = message.content
    if isinstance(content, str):
        if is_spoken(message) and is_blank(content) and not NOTES.of(message.layout):
            what = "a message of white space" if content else "an empty message"
            return drop_empty(message, index, log, f"{HOME} has no place for {what}", target=HOME)
        return message
    path = f"/messages/{index}/content"
    if is_call(message):
        content = narrow(content, (), path, log, target=HOME, hoisted=True)
    else:
        holds = _OF_SERVERS if message.role == "tool" and is_in_turn(message) else _HOLDS
        is_taken = NOTES.of(message.layout).get(EMPTY) is True
        refused = None if is_taken else is_blank
        content = fitted(content, holds, path, log, target=HOME, able=can_hold, citations=TABLE, refused=refused)
        if content == "" and is_spoken(message) and is_taken:
            return without_blocks(message)
        if content == "" and is_spoken(message):
            return drop_empty(message, index, log, f"{HOME} has no place for anything in this message", target=HOME)
    return replace(message, content=content)


def without_blocks(message: Message) -> Message:
    """An answer that says nothing, as a response may: its list of blocks is empty."""
    return replace(message, content="", layout=NOTES.by_format({MESSAGE: ["role", ["content", []]]}))


def _nearest_thought(message: Message, index: int, log: Log, *, keeps_unsigned: bool) -> Message | None:
    if not (keeps_unsigned or is_from_here(message)):
        drop_message(log, index, f"{HOME} refuses reasoning without its signature")
        return None
    if message.channel != "analysis":
        message = replace(message, channel="analysis")
    content = message.content
    if not isinstance(content, str):
        path = f"/messages/{index}/content"
        message = replace(message, content=narrow(content, (), path, log, target=HOME, hoisted=True, private=True))
    if not message.content and not is_from_here(message):
        drop_message(log, index, f"{HOME} has no place for reasoning without text")
        return None
    return message


# --- wire messages ----------------------------------------------------------------------------------------------------


def joins(before: Message, message: Message) -> bool:
    """Whether a message stands in one wire message with the one before it.

    The assistant's has thoughts, texts, calls, and what servers' tools reply, in any order; what tools of the client
    reply to one turn is one message of the user's, before what the user says. Two texts side by side would become one
    message, and what stands before a call is read as its preamble.
    """
    if message.role == "assistant":
        return _joins_assistant(before, message)
    if is_in_turn(message):
        return message.continues and is_in_turn(before)
    if message.role == "tool":
        if before.role == "tool" and not is_in_turn(before):
            return message.continues or NOTES.of(message.layout).get("apart") is not True
        return message.continues and before.role == "user" and _has_block(before)
    behind = message.continues and before.role == "tool" and not is_in_turn(before)
    return behind and message.role == "user" and _has_block(message)


def _joins_assistant(before: Message, message: Message) -> bool:
    if not is_in_turn(before):
        return False
    if is_spoken(before):
        if is_spoken(message) or not _has_block(before):
            return False
        if is_call(message):
            return before.channel == "commentary"
    return message.continues and (not is_spoken(message) or _has_block(message))


def _has_block(message: Message) -> bool:
    """Whether a text has a block among others: an empty one only where it was read from one."""
    return message.content != "" or NOTES.of(message.layout).get(EMPTY) is True


def is_in_turn(message: Message) -> bool:
    """Whether a message stands in the assistant's wire message: what tools of the server reply does, too."""
    return message.role == "assistant" or (message.role == "tool" and type_of(message) is not None)


# --- documents --------------------------------------------------------------------------------------------------------

_OUTSIDE: Final = re.compile(r"[^a-zA-Z0-9_-]")
_UNCHANGED: Final = "kept"
"""The note of a call or reply whose id is written as it was read."""


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """The items, each call with an id of its own that the API takes, and each reply with that of its call."""
    if _are_lawful(items):
        return items
    items = identified(items, HOME)
    return items if _are_lawful(items) else _renamed(items)


def _are_lawful(items: Sequence[Item]) -> bool:
    """Whether all calls and replies have ids that the API takes, and no two calls have one."""
    matches = LAWFUL_ID.fullmatch
    calls: set[str] = set()
    for head, _, call_id in items:
        if not (head.calls or head.role == "tool"):
            continue
        if call_id is None or call_id in calls or matches(call_id) is None:
            if call_id is None or head.calls or matches(call_id) is None:
                return False
        elif head.calls:
            calls.add(call_id)
    return True


def _renamed(items: Sequence[Item]) -> Sequence[Item]:
    pairs = pair(links_of(items))
    used = {call_id for _, _, call_id in items if call_id is not None}
    seen: set[str] = set()
    out = list(items)
    for index, (head, content, call_id) in enumerate(items):
        if call_id is None or _note(head) == _UNCHANGED:
            made = call_id
        elif head.calls:
            made = call_id
            if call_id in seen or LAWFUL_ID.fullmatch(call_id) is None:
                made = lawful(call_id, used)
        elif index in pairs and items[pairs[index]][2] == call_id:
            made = out[pairs[index]][2]
        else:
            made = call_id if LAWFUL_ID.fullmatch(call_id) is not None else lawful(call_id, used)
        if made is not None:
            seen.add(made)
            used.add(made)
        if made != call_id:
            out[index] = (head.replaced(call_id=made), content, made)
    return out


def lawful(call_id: str, used: Collection[str]) -> str:
    """An id like one, that the API takes and nothing else has."""
    base = _OUTSIDE.sub("_", call_id) or "call"
    number, made = 1, base
    while made in used:
        number += 1
        made = f"{base}_{number}"
    return made


def _note(head: Head) -> object:
    return None if head.bare else NOTES.of(head.message("", None).layout).get("call_id")


def note_repeated(items: list[Item], log: Log) -> None:
    """Remember of each call whose id an earlier one has that it was read so. It changes the list.

    Args:
        items: the messages of a conversation.
        log: takes what is noticed.
    """
    calls = [item[2] for item in items if item[0].calls]
    if len(set(calls)) == len(calls):
        return
    seen: set[str] = set()
    for index, (head, content, call_id) in enumerate(items):
        if call_id is None or not head.calls:
            continue
        if call_id in seen:
            detail = "an earlier call has the same id; the API requires unique ids"
            log.find(FindingCode.CALL_ID_REPEATED, f"/messages/{index}/call_id", detail)
            layout = head.message("", call_id).layout or {}
            noted = {**layout, HOME: {**NOTES.of(layout), "call_id": _UNCHANGED}}
            items[index] = (head.replaced(layout=noted), content, call_id)
        seen.add(call_id)


# --- the system prompt ------------------------------------------------------------------------------------------------
#
# It stands beside the messages, and has all that instructs the model before anybody speaks.

_INSTRUCTING = frozenset({"system", "developer"})


def with_one_prompt(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """The items, all that instruct the model in the beginning as one message; and their origins.

    Args:
        items: of a document.
        origins: for each its index in the document; None where they are all of its messages, in order.
        log: takes which messages are none any more.
    """
    count = 0
    while count < len(items) and _is_prompt(items[count][0]):
        count += 1
    if count < 2:
        return items, origins
    places = list(range(len(items)) if origins is None else origins)
    made: list[Item] = []
    sources: list[int] = []
    is_text = False
    for item, place in zip(items[:count], places, strict=False):
        message = nearest(message_of(item), place, log)
        if message is None:
            continue
        if not made or not message.content or made[0][1] == "":
            # A message of which nothing is left stands by itself: it would vanish in another one.
            is_text = is_text if made else isinstance(item[1], str)
            made.append(item_of(message))
            sources.append(place)
            continue
        first = message_of(made[0])
        if is_text:  # of parts, each is compared
            is_text = False
            detail = f"message {place} follows in this message"
            log.lose(LossCode.CONTENT, f"/messages/{sources[0]}/content", detail, Severity.CHANGED)
        made[0] = item_of(replace(first, content=(*parts_of(first.content), *parts_of(message.content))))
        detail = f"this message moves into the system prompt, after message {sources[0]}"
        log.lose(LossCode.MESSAGE, f"/messages/{place}", detail, Severity.CHANGED)
    return [*made, *items[count:]], [*sources, *places[count:]]


def _is_prompt(head: Head) -> bool:
    return head.role in _INSTRUCTING and not stands_among_messages(head)


def stands_among_messages(head: Head) -> bool:
    """Whether a system message was read from among the messages, although nobody spoke before it."""
    return not head.bare and NOTES.of(head.message("", None).layout).get("place") == MESSAGES
