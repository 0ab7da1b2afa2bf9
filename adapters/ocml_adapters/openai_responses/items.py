"""Read items as messages and write messages as items; this module alone distinguishes the types of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Foreign, Json, Message, Part, replace
from ocml_bridge.units.grammar import WrittenUnit
from ocml_bridge.wires.findings import report_nameless, report_parts, report_role

from .calls import PARSED, read_call, read_reply, write_call, write_reply
from .hosted import CALLS, REPLIES, read_hosted, read_hosted_reply, write_hosted, write_hosted_reply
from .messages import (
    Instructions,
    add_preamble,
    declares_tools,
    has_unknown_phase,
    is_additional_tools,
    is_agent_message,
    is_instructions,
    lacks_phase,
    read_additional_tools,
    read_agent_message,
    read_instructions,
    read_message,
    read_reasoning,
    read_unknown,
    whole_item,
    write_additional_tools,
    write_agent_message,
    write_message,
    write_reasoning,
)
from .syntax import (
    ADDITIONAL_TOOLS,
    AGENT_MESSAGE,
    BODIES,
    FUNCTION_OUTPUT,
    MESSAGE,
    NOTES,
    OUTPUTS,
    REASONING,
    ROLES,
    STATE,
)

# --- reading ----------------------------------------------------------------------------------------------------------


def read_item(item: Json) -> list[Message]:
    """Return the messages of an item; none for an item that is no message.

    Args:
        item: an object with a type or a role, or a request's instructions.
    """
    if isinstance(item, Instructions):
        return [read_instructions(item)]
    kind: Json = item.get("type")
    is_message = kind in (None, "", MESSAGE)
    if item.get("role") == "tool" and is_message:
        reply = read_reply(_as_output_item(item), FUNCTION_OUTPUT)
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
        messages = read_hosted(item, kind)
        return [read_unknown(item)] if messages is None else messages
    return [_read_typed(item, kind) or read_unknown(item)]


def _read_typed(item: Object, kind: str) -> Message | None:
    if kind in BODIES:
        return read_call(item, kind)
    if kind in OUTPUTS:
        return read_reply(item, kind)
    if kind in REPLIES:
        return read_hosted_reply(item, kind)
    if kind == AGENT_MESSAGE:
        return read_agent_message(item)
    return read_additional_tools(item) if kind == ADDITIONAL_TOOLS else None


def _as_output_item(item: Object) -> Object:
    """Return a tool's reply in the shape of Chat Completions as an item of a function's output."""
    names = {"role": "type", "tool_call_id": "call_id", "content": "output"}
    members = without(item, "type")
    return {names.get(key, key): FUNCTION_OUTPUT if key == "role" else value for key, value in members.items()}


def is_state(item: Object) -> bool:
    """Return whether an item is no message but state of the server; a reference to an item needs no type."""
    kind: Json = item.get("type")
    if kind == ADDITIONAL_TOOLS:
        return not declares_tools(item)
    if isinstance(kind, str) and kind:
        return kind in STATE
    return kind is None and isinstance(item.get("id"), str) and not isinstance(item.get("role"), str)


# --- writing ----------------------------------------------------------------------------------------------------------


def spelled(group: Sequence[Message], *, named: bool = False) -> WrittenUnit:
    """Return a list with the item of a group, and the messages that are read from it.

    Extras and layout are ignored if they would change the meaning of the messages that are read. A group that no
    longer fits one item is written as one item per message.

    Args:
        group: messages that were read from one item, or any one message.
        named: whether a reply has the name of its tool in any case.
    """
    item = write_item(group, named=named)
    if item is not None:
        image = read_item(item)
        if lacks_phase(group[0]):
            add_preamble(image[0])
        if image == list(group):
            return WrittenUnit([item], image, None)
        if _meaning(image) == _meaning(group):
            again = write_item(image)
            if again is not None:
                return WrittenUnit([again], image, None)
    if len(group) > 1:
        parts = [spelled([message], named=named) for message in group]
        image = [message for part in parts for message in part.image]
        return WrittenUnit([item for part in parts for item in part.unit], image, None)
    clean = replace(group[0], extras=None, layout=None)
    image = read_item(write_item([clean], named=named))
    return WrittenUnit([write_item(image)], image, None)


def _meaning(messages: Sequence[Message]) -> list[object]:
    """Return what extras and layout of messages must not change."""
    return [
        (
            message.role,
            message.content,
            message.channel,
            message.call_id or None,
            is_call(message) and message.recipient,
        )
        for message in map(_on_read_channel, messages)
    ]


def _on_read_channel(message: Message) -> Message:
    """Return a message on the channel on which it is read."""
    if message.role != "assistant":
        return replace(message, channel=None)
    if is_call(message):
        return replace(message, channel="commentary")
    return replace(message, channel=message.channel or "final")


def write_item(group: Sequence[Message], *, named: bool = False) -> Json:
    """Return the item of messages; None if they do not fit into one.

    Args:
        group: as for `spelled`.
        named: as for `spelled`.
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
        return write_hosted_reply(first) or write_reply(first, named=named)
    if is_additional_tools(first):
        return write_additional_tools(first)
    if is_agent_message(first):
        return write_agent_message(first)
    if first.role == "system" and is_instructions(first) and isinstance(first.content, str):
        return Instructions(first.content)
    return whole_item(first) or write_message(first)


# --- findings ---------------------------------------------------------------------------------------------------------


def report_findings(unit: Json, messages: Sequence[Message], index: int, log: Log) -> None:
    """Report what was assumed or kept as it is when an item was read.

    Args:
        unit: the item.
        messages: its messages.
        index: the index of the first of these.
        log: receives the findings.
    """
    if not isinstance(unit, dict):
        return
    item = cast("Object", unit)
    if messages and messages[0].role == "tool" and item.get("role") == "tool":
        detail = "a tool's reply has the shape of Chat Completions; it is read as a reply"
        log.find(FindingCode.SHAPE, f"/messages/{index}", detail)
    for at, message in enumerate(messages, index):
        path, layout = f"/messages/{at}", NOTES.of(message.layout)
        report_role(message.role, (*ROLES, "tool"), path, log, api="the Responses API")
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
            report_parts(message, path, log, _is_foreign)
        if layout.get("body") == PARSED:
            log.find(
                FindingCode.SHAPE, f"{path}/content", "the value is not a text but other JSON; it is kept as it is"
            )
        report_nameless((message,), at, log)
        if has_unknown_phase(message):
            detail = f"the Responses API has no phase {str(message.channel)[:40]!r}; it is kept as the channel"
            log.find(FindingCode.UNKNOWN_CHANNEL, f"{path}/channel", detail)


def _is_foreign(part: Part) -> bool:
    return isinstance(part, Foreign)
