"""Items ↔ messages: the one place that tells the types of items apart, and what is noted of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Foreign, Json, Message, Part, replace
from ocml_bridge.wires.noticing import note_names, note_parts, note_role

from .calls import PARSED, read_call, read_reply, write_call, write_reply
from .hosted import CALLS, REPLIES, read_hosted, read_hosted_reply, write_hosted, write_hosted_reply
from .messages import (
    Instructions,
    declares_more_tools,
    has_unknown_phase,
    is_instructions,
    read_additional_tools,
    read_instructions,
    read_message,
    read_reasoning,
    read_unknown,
    whole_item,
    write_additional_tools,
    write_message,
    write_reasoning,
)
from .syntax import ADDITIONAL_TOOLS, BODIES, FUNCTION_OUTPUT, MESSAGE, NOTES, OUTPUTS, REASONING, ROLES, STATE

# --- reading ----------------------------------------------------------------------------------------------------------


def read_item(item: Json) -> list[Message]:
    """The messages of an item; none for one in which nobody says anything.

    Args:
        item: an object with a type or a role; or what is said before all items.
    """
    if isinstance(item, Instructions):
        return [read_instructions(item)]
    kind: Json = item.get("type")
    is_message = kind in (None, "", MESSAGE)
    if item.get("role") == "tool" and is_message:
        reply = read_reply(reply_of(item), FUNCTION_OUTPUT)
        return [read_unknown(item) if reply is None else reply]
    if is_message and isinstance(item.get("role"), str):
        return [read_message(item)]
    if kind == REASONING:
        return read_reasoning(item)
    if is_state(item):
        return []
    if not isinstance(kind, str):
        return [read_unknown(item)]
    if kind in CALLS:
        found = read_hosted(item, kind)
        return [read_unknown(item)] if found is None else found
    return [_read_one(item, kind) or read_unknown(item)]


def _read_one(item: Object, kind: str) -> Message | None:
    if kind in BODIES:
        return read_call(item, kind)
    if kind in OUTPUTS:
        return read_reply(item, kind)
    if kind in REPLIES:
        return read_hosted_reply(item, kind)
    return read_additional_tools(item) if kind == ADDITIONAL_TOOLS else None


def reply_of(item: Object) -> Object:
    """A tool's reply as Chat Completions has it, as an item."""
    names = {"role": "type", "tool_call_id": "call_id", "content": "output"}
    members = {key: value for key, value in item.items() if key != "type"}
    return {names.get(key, key): FUNCTION_OUTPUT if key == "role" else value for key, value in members.items()}


def is_state(item: Object) -> bool:
    """Whether nobody says anything in an item; a reference needs no type."""
    kind: Json = item.get("type")
    if kind == ADDITIONAL_TOOLS:
        return read_additional_tools(item) is None
    if isinstance(kind, str) and kind:
        return kind in STATE
    return kind is None and isinstance(item.get("id"), str) and not isinstance(item.get("role"), str)


# --- writing ----------------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """Messages as items.

    Attributes:
        items: one, unless they do not fit into it.
        image: the messages that these are read as.
    """

    items: list[Json]
    image: list[Message]


def spelled(group: Sequence[Message], *, name: bool = False) -> Written:
    """Messages as an item, and as what it is read; without what they remember of their spelling if it misleads.

    Args:
        group: messages that were read from one item, or any one message.
        name: whether a reply says its tool's name.
    """
    item = write_item(group, name=name)
    if item is not None:
        image = read_item(item)
        if image == list(group):
            return Written([item], image)
        if _says(image) == _says(group):
            again = write_item(image)
            if again is not None:
                return Written([again], image)
    if len(group) > 1:
        each = [spelled([message], name=name) for message in group]
        return Written([item for one in each for item in one.items], [made for one in each for made in one.image])
    clean = replace(group[0], extras=None, layout=None)
    image = read_item(write_item([clean], name=name))
    return Written([write_item(image)], image)


def _says(messages: Sequence[Message]) -> list[object]:
    """What must not be changed by what messages remember of their spelling."""
    return [
        (
            message.role,
            message.content,
            message.channel,
            message.call_id or None,
            is_call(message) and message.recipient,
        )
        for message in map(_plainly, messages)
    ]


def _plainly(message: Message) -> Message:
    """A message on the channel that it is read on."""
    if message.role != "assistant":
        return replace(message, channel=None)
    if is_call(message):
        return replace(message, channel="commentary")
    return replace(message, channel=message.channel or "final")


def write_item(group: Sequence[Message], *, name: bool = False) -> Json:
    """The item of messages; None where they do not fit into one.

    Args:
        group: as for `spelled`.
        name: as for `spelled`.
    """
    first = group[0]
    if first.role == "assistant" and is_call(first):
        hosted = write_hosted(group)
        return hosted if hosted is not None or len(group) > 1 else write_call(first)
    if first.role == "assistant" and is_private(first) and not has_unknown_phase(first):
        return write_reasoning(group)
    if len(group) > 1:
        return None
    if first.role == "tool":
        return write_hosted_reply(first) or write_reply(first, name=name)
    if declares_more_tools(first):
        return write_additional_tools(first)
    if first.role == "system" and is_instructions(first) and isinstance(first.content, str):
        return Instructions(first.content)
    return whole_item(first) or write_message(first)


def is_merged(message: Message) -> bool:
    """Whether a message was read from one item with the one before it."""
    return NOTES.of(message.layout).get("merged") is True


# --- what is noted ----------------------------------------------------------------------------------------------------


def notice(unit: Json, made: Sequence[Message], index: int, log: Log) -> None:
    """Note what is kept of an item.

    Args:
        unit: the item.
        made: its messages.
        index: the place of the first of these.
        log: where it is noted.
    """
    if not isinstance(unit, dict):
        return
    item = cast("Object", unit)
    if made and made[0].role == "tool" and item.get("role") == "tool":
        detail = "a tool's reply has the shape of Chat Completions; it is read as a reply"
        log.find(FindingCode.SHAPE, f"/messages/{index}", detail)
    for at, message in enumerate(made, index):
        path, layout = f"/messages/{at}", NOTES.of(message.layout)
        note_role(message.role, (*ROLES, "tool"), path, log, api="the Responses API")
        if layout.get("content") == "item":
            kind = str(item.get("type"))[:40]
            log.find(FindingCode.SHAPE, path, f"an item of type {kind!r} is not understood; it is kept as it is")
        elif layout.get("content") == "bare":
            log.find(
                FindingCode.SHAPE,
                f"{path}/content",
                "content is neither a text nor a list of parts; it is kept as it is",
            )
        else:
            note_parts(message, path, log, _is_foreign)
        if layout.get("body") == PARSED:
            log.find(
                FindingCode.SHAPE, f"{path}/content", "the value is not a text but other JSON; it is kept as it is"
            )
        note_names((message,), at, log)
        if has_unknown_phase(message):
            detail = f"the Responses API has no phase {str(message.channel)[:40]!r}; it is kept as the channel"
            log.find(FindingCode.UNKNOWN_CHANNEL, f"{path}/channel", detail)


def _is_foreign(part: Part) -> bool:
    return isinstance(part, Foreign)
