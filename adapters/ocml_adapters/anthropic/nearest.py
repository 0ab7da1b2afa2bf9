"""What Anthropic Messages can hold of a message, and which messages are one wire message."""

from __future__ import annotations

from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Foreign, Media, Message, Text, replace
from ocml_bridge.narrowing import drop_message, narrow, with_held, with_own_extras
from ocml_bridge.turns import is_call
from ocml_bridge.visibility import is_private, is_reasoning

from .blocks import is_from_here
from .citations import TABLE
from .notes import type_of
from .parts import can_hold
from .syntax import HOME, MESSAGE, NOTES, SYSTEM

_HOLDS = (Text, Media, Foreign)


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
        drop_message(log, index, f"{HOME} cannot keep text of this role private, so it leaves it out")
        return None
    if is_spoken(message) and message.content == "" and not NOTES.of(message.layout):
        detail = f"{HOME} has no place for an empty message"
        severity = Severity.LAYOUT if message.extras is None else Severity.LOST
        log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, severity)
        return None
    content = message.content
    if isinstance(content, str):
        return message
    path = f"/messages/{index}/content"
    if is_call(message):
        content = narrow(content, (), path, log, target=HOME, hoisted=True)
    else:
        content = with_held(content, path, log, target=HOME, marks=True, citations=TABLE)
        content = with_own_extras(narrow(content, _HOLDS, path, log, target=HOME, able=can_hold, hoisted=True), HOME)
        if content == "" and is_spoken(message):
            # It is empty now, and not left out: that nothing of it was understood has to be seen.
            return replace(message, content=content, layout=NOTES.by_format({MESSAGE: ["role", ["content", ""]]}))
    return replace(message, content=content)


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
        return message.continues and before.role == "user" and before.content != ""
    behind = message.continues and before.role == "tool" and not is_in_turn(before)
    return behind and message.role == "user" and message.content != ""


def _joins_assistant(before: Message, message: Message) -> bool:
    if not is_in_turn(before):
        return False
    if is_spoken(before):
        if is_spoken(message) or not before.content:
            return False
        if is_call(message):
            return before.channel == "commentary"
    return message.continues and bool(message.content or not is_spoken(message))


def is_in_turn(message: Message) -> bool:
    """Whether a message stands in the assistant's wire message: what tools of the server reply does, too."""
    return message.role == "assistant" or (message.role == "tool" and type_of(message) is not None)
