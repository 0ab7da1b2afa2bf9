"""Messages → one object, spelled as one that was read: its order of keys, its nulls, or all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.formats.conformance import TOOL_CALLS
from ocml_bridge.model import Json, Message, Text, Thought
from ocml_bridge.model.ownership import key_of
from ocml_bridge.text import thoughts

from .syntax import (
    CALL_ID,
    CALL_KEYS,
    CHANNEL,
    CONTENT,
    INTENT,
    KEYS,
    MARKERS,
    NAME,
    NOTES,
    ROLE,
    THINKING,
    TOOL_CALL,
)

Object = dict[str, Json]


def unknown_keys(values: Object) -> Object:
    """The keys that §10 does not know, with their values."""
    return {key: value for key, value in values.items() if key not in (*KEYS, TOOL_CALLS) and value is not None}


def is_merged(message: Message) -> bool:
    """Whether a message was read from one object with the one before it."""
    return NOTES.of(message.layout).get("merged") is True


def is_wire_call(message: Message) -> bool:
    """Whether a message is written as a tool call: any with a recipient that is no tool's reply."""
    return message.recipient is not None and message.role != "tool"


def is_marked(message: Message) -> bool:
    """Whether thought markers mean something in a content."""
    return message.role == "assistant" and message.channel == "analysis" and not is_wire_call(message)


def plain_object(messages: Sequence[Message]) -> Object:
    """The object that says some messages: its keys in the order of `KEYS`, then those that §10 does not know."""
    first = messages[0]
    values: Object = {ROLE: first.role, CHANNEL: first.channel, NAME: first.name}
    for message in messages:
        if is_wire_call(message):
            values[TOOL_CALL] = _call(message)
            values[CHANNEL] = values[CHANNEL] if CONTENT in values else message.channel
        elif message.channel == "analysis" and len(messages) > 1:
            values[THINKING] = _text(message)
        else:
            values[CONTENT] = _text(message)
            values.update({CHANNEL: message.channel, INTENT: message.intent, CALL_ID: message.call_id})
    return {**{key: values[key] for key in KEYS if values.get(key) is not None}, **NOTES.of(first.extras)}


def _call(message: Message) -> Object:
    values: Object = {key: getattr(message, field) for key, field in CALL_KEYS.items()}
    return {key: value for key, value in values.items() if value is not None}


def _text(message: Message) -> str:
    """A message's content as the string that says it."""
    marked = is_marked(message)
    out: list[str] = []
    for part in parts_of(message.content):
        if isinstance(part, Thought):
            out.append(thoughts.marker(part))
        elif isinstance(part, Text):
            out.append(MARKERS.neutralise(part.text) if marked else part.text)
    return "".join(out)


def spelled_object(messages: Sequence[Message], layout: Object) -> Object | None:
    """The object of some messages, spelled as a layout has it; None where the layout has no place for what they say."""
    whole = layout.get("object")
    if isinstance(whole, dict):
        return cast("Object", whole)
    nulls, order = layout.get("nulls", []), layout.get("order")
    if not _are_keys(nulls):
        return None
    values = {**plain_object(messages), **dict.fromkeys(nulls)}
    if order is None:
        return values
    return {key: values[key] for key in order} if _are_keys(order) and {*order} == values.keys() else None


def _are_keys(value: Json) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(key, str) for key in cast("list[Json]", value))


def layout_of(wire: Object, messages: Sequence[Message]) -> Object:
    """The layout with which the messages that an object was read as are spelled as it."""
    nulls = [key for key, value in wire.items() if value is None]
    layout: Object = {"nulls": cast("list[Json]", nulls)} if nulls else {}
    known = key_of(wire)
    if key_of(spelled_object(messages, layout)) == known:
        return layout
    layout["order"] = [*wire]
    return layout if key_of(spelled_object(messages, layout)) == known else {"object": wire}
