"""Fit messages and documents to Anthropic Messages: the nearest message, which messages share a wire message, ids.

The ids of calls use the API's alphabet and differ from each other. The instructions at the beginning become one system
prompt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_blank, is_call, parts_of
from ocml_bridge.chat.visibility import is_private, is_reasoning
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Foreign, Media, Message, Passages, Text, replace
from ocml_bridge.report.narrowing import drop_empty, drop_message, drop_private, drop_silent, fitted, narrow
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import identified, links_of, pair
from ocml_bridge.units.relations import indices_of
from ocml_bridge.wires.blocks.grammar import EMPTY

from .blocks import is_accepted
from .parts import TABLE, can_hold
from .syntax import HOME, IDS, MESSAGE, MESSAGES, NOTES, SYSTEM
from .tools import type_of

_HOLDS = (Text, Media, Passages, Foreign)
_HOLDS_OF_SERVER = (Text, Foreign)
"""The parts of results of the server's tools: texts, or values of other types."""


def is_text(message: Message) -> bool:
    """Return whether a message is a text, written as blocks for its parts: neither a thought, a call nor a reply."""
    return message.role != "tool" and not is_call(message) and not is_reasoning(message)


def nearest(message: Message, index: int, log: Log, *, keeps_unsigned: bool = False) -> Message | None:
    """Return the nearest message that the format can hold, or None; report the losses.

    Thoughts and calls contain one text; other messages contain the parts that the format has.

    Args:
        message: the message.
        index: its index in the document.
        log: receives the losses.
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
        if is_text(message) and is_blank(content) and not NOTES.of(message.layout):
            what = "a message of white space" if content else "an empty message"
            return drop_empty(message, index, log, f"{HOME} has no place for {what}", target=HOME)
        return message
    path = f"/messages/{index}/content"
    if is_call(message):
        content = narrow(content, (), path, log, target=HOME, hoisted=True)
    else:
        holds = _HOLDS_OF_SERVER if message.role == "tool" and is_in_assistant_wire(message) else _HOLDS
        keeps_blanks = NOTES.of(message.layout).get(EMPTY) is not None
        refused = None if keeps_blanks else is_blank
        content = fitted(content, holds, path, log, target=HOME, able=can_hold, citations=TABLE, refused=refused)
        if content == "" and is_text(message) and keeps_blanks:
            return without_blocks(message)
        if content == "" and is_text(message):
            return drop_empty(message, index, log, f"{HOME} has no place for anything in this message", target=HOME)
    return replace(message, content=content)


def without_blocks(message: Message) -> Message:
    """Return a message with an empty list of blocks, which a response may have."""
    return replace(message, content="", layout=NOTES.by_format({MESSAGE: ["role", ["content", []]]}))


def _nearest_thought(message: Message, index: int, log: Log, *, keeps_unsigned: bool) -> Message | None:
    if not (keeps_unsigned or is_accepted(message)):
        return drop_message(log, index, f"{HOME} refuses reasoning without its signature")
    if message.channel != "analysis":
        message = replace(message, channel="analysis")
    content = message.content
    if not isinstance(content, str):
        path = f"/messages/{index}/content"
        message = replace(message, content=narrow(content, (), path, log, target=HOME, hoisted=True, private=True))
    if not message.content and not is_accepted(message):
        return drop_silent(log, index, HOME)
    return message


# --- wire messages ----------------------------------------------------------------------------------------------------


def joins(before: Message, message: Message) -> bool:
    """Return whether a message is written in one wire message with the previous one.

    A wire message of the assistant has thoughts, texts, calls, and the results of the server's tools, in any order. A
    wire message of the user has the results of the client's tools for one turn, and then a text. Two adjacent texts
    would be read as one message, and a text before a call is read as its preamble.
    """
    if message.role == "assistant":
        return _joins_assistant(before, message)
    if is_in_assistant_wire(message):
        return message.continues and is_in_assistant_wire(before)
    if message.role == "tool":
        if before.role == "tool" and not is_in_assistant_wire(before):
            return message.continues or NOTES.of(message.layout).get("apart") is not True
        return message.continues and before.role == "user" and _has_block(before)
    follows_reply = message.continues and before.role == "tool" and not is_in_assistant_wire(before)
    return follows_reply and message.role == "user" and _has_block(message)


def _joins_assistant(before: Message, message: Message) -> bool:
    if not is_in_assistant_wire(before):
        return False
    if is_text(before):
        if is_text(message) or not _has_block(before):
            return False
        if is_call(message):
            return before.channel == "commentary"
    return message.continues and (not is_text(message) or _has_block(message))


def _has_block(message: Message) -> bool:
    """Return whether a text is written as a block among others: an empty one is only if it was read from one."""
    return message.content != "" or NOTES.of(message.layout).get(EMPTY) is not None


def is_in_assistant_wire(message: Message) -> bool:
    """Return whether a message is in a wire message of the assistant, as also the results of the server's tools are."""
    return message.role == "assistant" or (message.role == "tool" and type_of(message) is not None)


# --- documents --------------------------------------------------------------------------------------------------------

_UNCHANGED: Final = "kept"
"""The layout of a call or reply whose id is written as it was read, although the API would refuse it."""


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items with ids that the API accepts: calls have different ones, and replies those of their calls."""
    if _have_valid_ids(items):
        return items
    items = identified(items, HOME)
    return items if _have_valid_ids(items) else _renamed(items)


def _have_valid_ids(items: Sequence[Item]) -> bool:
    """Return whether all calls and replies have ids that the API accepts, and no two calls have the same one."""
    calls: set[str] = set()
    for head, _, call_id in items:
        if not (head.calls or head.role == "tool"):
            continue
        if call_id is None or call_id in calls or not IDS.fits(call_id):
            if call_id is None or head.calls or not IDS.fits(call_id):
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
        if call_id is None or _id_note_of(head) == _UNCHANGED:
            new_id = call_id
        elif head.calls:
            new_id = call_id
            if call_id in seen or not IDS.takes(call_id):
                new_id = valid_id(call_id, used)
        elif index in pairs and items[pairs[index]][2] == call_id:
            new_id = out[pairs[index]][2]
        else:
            new_id = call_id if IDS.takes(call_id) else valid_id(call_id, used)
        if new_id is not None:
            seen.add(new_id)
            used.add(new_id)
        if new_id != call_id:
            out[index] = (head.replaced(call_id=new_id), content, new_id)
    return out


def valid_id(call_id: str, used: Collection[str]) -> str:
    """Return an id similar to another one that the API accepts and that is not used yet."""
    return IDS.nearest(call_id or "call", used)


def _id_note_of(head: Head) -> object:
    return NOTES.of(head.layout).get("call_id")


def report_repeated(items: list[Item], log: Log) -> None:
    """Report each call that has the id of an earlier call, and mark it in its layout; the list is changed.

    Args:
        items: the messages of a conversation.
        log: receives the findings.
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
            layout = NOTES.adding(head.layout, {"call_id": _UNCHANGED})
            items[index] = (head.replaced(layout=layout), content, call_id)
        seen.add(call_id)


# --- the system prompt ------------------------------------------------------------------------------------------------
#
# It is a member of the request, and contains all instructions before the first message of another role.

_INSTRUCTING = frozenset({"system", "developer"})


def with_one_prompt(
    items: Sequence[Item], origins: Sequence[int] | None, log: Log
) -> tuple[Sequence[Item], Sequence[int] | None]:
    """Return the items with the instructions at the beginning joined to one message, and their origins.

    Args:
        items: the items of a document.
        origins: for each item, its index in the document; None if they are all of its messages, in order.
        log: receives the losses: messages that become part of another one.
    """
    count = 0
    while count < len(items) and _is_prompt(items[count][0]):
        count += 1
    if count < 2:
        return items, origins
    indices = list(indices_of(items, origins))
    prompts: list[Item] = []
    sources: list[int] = []
    is_single_text = False
    for item, index in zip(items[:count], indices, strict=False):
        message = nearest(message_of(item), index, log)
        if message is None:
            continue
        if not prompts or not message.content or prompts[0][1] == "":
            # A message without content is not joined to another one, in which it would vanish.
            is_single_text = is_single_text if prompts else isinstance(item[1], str)
            prompts.append(item_of(message))
            sources.append(index)
            continue
        first = message_of(prompts[0])
        if is_single_text:  # of parts, each is compared
            is_single_text = False
            detail = f"message {index} follows in this message"
            log.lose(LossCode.CONTENT, f"/messages/{sources[0]}/content", detail, Severity.CHANGED)
        prompts[0] = item_of(replace(first, content=(*parts_of(first.content), *parts_of(message.content))))
        detail = f"this message moves into the system prompt, after message {sources[0]}"
        log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
    return [*prompts, *items[count:]], [*sources, *indices[count:]]


def _is_prompt(head: Head) -> bool:
    return head.role in _INSTRUCTING and not stands_among_messages(head)


def stands_among_messages(head: Head) -> bool:
    """Return whether a system message was read from the list of messages, although no other role precedes it."""
    return NOTES.of(head.layout).get("place") == MESSAGES
