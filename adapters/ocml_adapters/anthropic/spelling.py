"""Messages → a wire message of Anthropic Messages, or the system prompt beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.blocks.values import compact_object, nearest_object
from ocml_bridge.form import Object, add, shape
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, replace
from ocml_bridge.turns import is_call, parts_of

from .blocks import write_block
from .nearest import is_in_turn, is_spoken
from .parts import write_content, write_parts
from .reader import read_unit
from .syntax import HOME, MESSAGE, NOTES, SYSTEM, WIRE_ORDER


def spelled(group: Sequence[Message], *, apart: bool) -> tuple[Object, list[Message]]:
    """A unit, and its messages as they are read; without what these remember of their spelling if it misleads.

    Args:
        group: the messages of one unit.
        apart: whether it is the system prompt, which stands beside the messages.
    """
    unit = _write_unit(group, apart=apart)
    image = read_unit(unit)
    if image == list(group):
        return unit, image
    if [message.content for message in image] != [message.content for message in group]:
        unit = _write_unit([replace(message, extras=None, layout=None) for message in group], apart=apart)
        image = read_unit(unit)
    return unit, image


def with_object(message: Message, path: str, log: Log) -> Message:
    """A call whose arguments are the compact JSON of an object; any other message as it is."""
    if not is_call(message) or compact_object(cast("str", message.content)) is not None:
        return message
    given = nearest_object(cast("str", message.content), f"{path}/content", log, target=HOME)
    return replace(message, content=given)


def _write_unit(group: Sequence[Message], *, apart: bool) -> Object:
    first = group[0]
    if apart:
        return {SYSTEM: write_content(first.content, NOTES.of(first.layout))}
    role = "assistant" if is_in_turn(first) else "user" if first.role == "tool" else first.role
    if len(group) == 1 and is_spoken(first):
        content = write_content(first.content, NOTES.of(first.layout))
    else:
        content = [block for message in group for block in _blocks(message, role)]
    wire: Object = {"role": role, "content": content}
    if more := NOTES.of(first.extras).get(MESSAGE):
        wire = add(wire, more, WIRE_ORDER)
    form = NOTES.of(first.layout).get(MESSAGE)
    if form is None:
        return wire
    return shape(wire, form, fixed=("role", "content") if content else ("role",))


def _blocks(message: Message, role: str) -> list[Json]:
    if is_spoken(message):
        return write_parts(parts_of(message.content), NOTES.of(message.layout).get("parts"))
    return [write_block(message, role)]
