"""Write messages as one object, in the spelling of one that was read: its order of keys, its nulls, or all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.formats.conformance import TOOL_CALLS
from ocml_bridge.model import Json, Message, Text, Thought
from ocml_bridge.model.ownership import key_of
from ocml_bridge.text import thoughts

from .syntax import CALL_ID, CALL_KEYS, CHANNEL, CONTENT, INTENT, KEYS, MARKERS, NAME, NOTES, ROLE, THINKING, TOOL_CALL

Object = dict[str, Json]


def unknown_keys(values: Object) -> Object:
    """Return the members whose keys §10 does not define."""
    return {key: value for key, value in values.items() if key not in (*KEYS, TOOL_CALLS) and value is not None}


def is_wire_call(message: Message) -> bool:
    """Return whether a message is written as a tool call: it has a recipient, and is no reply."""
    return message.recipient is not None and message.role != "tool"


def is_marked(message: Message) -> bool:
    """Return whether thought markers have a meaning in the content of a message."""
    return message.role == "assistant" and message.channel == "analysis" and not is_wire_call(message)


def plain_object(messages: Sequence[Message]) -> Object:
    """Return the object of messages: its keys in the order of `KEYS`, then those that §10 does not define."""
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
    """Return the content of a message as a string."""
    has_markers = is_marked(message)
    out: list[str] = []
    for part in parts_of(message.content):
        if isinstance(part, Thought):
            out.append(thoughts.marker(part))
        elif isinstance(part, Text):
            out.append(MARKERS.neutralise(part.text) if has_markers else part.text)
    return "".join(out)


def spelled_object(messages: Sequence[Message], layout: Object) -> Object | None:
    """Return the object of messages in the spelling of a layout; None if the layout does not fit the messages."""
    stored = layout.get("object")
    if isinstance(stored, dict):
        return cast("Object", stored)
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
    """Return the layout with which the messages of an object are spelled as the object."""
    nulls = [key for key, value in wire.items() if value is None]
    layout: Object = {"nulls": cast("list[Json]", nulls)} if nulls else {}
    key = key_of(wire)
    if key_of(spelled_object(messages, layout)) == key:
        return layout
    layout["order"] = [*wire]
    return layout if key_of(spelled_object(messages, layout)) == key else {"object": wire}
