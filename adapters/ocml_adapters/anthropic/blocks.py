"""Blocks that are messages of their own, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ocml_bridge.form import ARRAY, OBJECT, Object
from ocml_bridge.model import Json, Message
from ocml_bridge.turns import is_call

from .calls import read_call, write_call
from .notes import RESERVED
from .replies import read_result, write_result
from .syntax import REDACTED, THINKING, TOOL_RESULT, TOOL_USE
from .thoughts import read_redacted, read_thinking, write_thought


def read_block(raw: Json, role: str) -> Message | None:
    """The message that a block is; None for a part of one, and for what is not understood.

    Args:
        raw: the block.
        role: whose wire message it stands in.
    """
    if not isinstance(raw, OBJECT):
        return None
    block: Object = raw
    kind: Any = block.get("type")
    if not isinstance(kind, str) or not RESERVED.isdisjoint(block):
        return None
    if role != "assistant":
        return read_result(block, kind) if kind == TOOL_RESULT and role == "user" else None
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(block)
    if kind.endswith("_tool_use"):
        return read_call(block, kind)
    return read_result(block, kind) if kind.endswith("_tool_result") else None


_READERS: Final[dict[str, Callable[[Object], Message | None]]] = {
    THINKING: read_thinking,
    REDACTED: read_redacted,
    TOOL_USE: lambda block: read_call(block, TOOL_USE),
}


def write_block(message: Message, role: str) -> Json:
    """A thought, a call or a reply as a block.

    Args:
        message: any of these; the arguments of a call are the compact JSON of an object.
        role: whose wire message it stands in.
    """
    if message.role == "tool":
        return write_result(message, role)
    return write_call(message) if is_call(message) else write_thought(message)


def ends_in_reply(unit: Any) -> bool:
    """Whether a wire message ends in what a tool of the client's replied."""
    content: Any = unit.get("content") if isinstance(unit, OBJECT) and unit.get("role") == "user" else None
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return isinstance(last, OBJECT) and last.get("type") == TOOL_RESULT and read_block(last, "user") is not None
