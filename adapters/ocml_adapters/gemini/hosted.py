"""Read and write the calls of tools that the API runs, and what they gave: `toolCall` and `toolResponse`."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_call, name_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import nonempty_text
from ocml_bridge.model import Json, Message
from ocml_bridge.wires.blocks.values import object_in, text_of

from .syntax import NOTES, TOOL_CALL, TOOL_RESPONSE

TYPE: Final = "type"
"""The member of extras with the kind of part, by which a call is known as one that the API runs itself."""
ABSENT: Final = "value"
"""The key of the layout for a part without the object of its arguments, or of what the tool gave."""
_TOOL: Final = "toolType"
_VALUES: Final = {TOOL_CALL: "args", TOOL_RESPONSE: "response"}
"""The member with the object, by the kind of part."""


def read_hosted(kind: str, inner: Object) -> tuple[Message, tuple[str, ...]] | None:
    """Return the call or the result of a part, and the keys that were read; None if it is invalid."""
    tool, key = inner.get(_TOOL), _VALUES[kind]
    value: Json = inner.get(key)
    if not isinstance(tool, str) or not tool or name_of(tool) != tool or not (value is None or isinstance(value, dict)):
        return None
    text = text_of(cast("Json", {} if value is None else value))
    if text is None:
        return None
    call_id = inner.get("id")
    identity = nonempty_text(call_id)
    known = (_TOOL, key) if identity is None else (_TOOL, key, "id")
    if kind == TOOL_CALL:
        message = Message("assistant", text, None, "commentary", tool, identity)
        message.constraint, message.end = "json", "call"
    else:
        message = Message("tool", text, tool, "commentary", "assistant", identity)
    message.layout = NOTES.by_format({ABSENT: "absent"} if value is None else {})
    return message, known


def hosted_kind(message: Message) -> str | None:
    """Return the kind of part of a call that the API runs itself, or of its result; None for any other message."""
    kind = NOTES.of(message.extras).get(TYPE)
    if kind == TOOL_CALL:
        return kind if is_call(message) and message.recipient else None
    return kind if kind == TOOL_RESPONSE and message.role == "tool" and message.name else None


def is_hosted(message: Message) -> bool:
    """Return whether a message is the call of a tool that the API runs, or its result."""
    return hosted_kind(message) is not None


def write_hosted(kind: str, message: Message) -> Object:
    """Return the value of a part of such a message, without its extras."""
    text = cast("str", message.content)
    value = object_in(text) or {}
    is_absent = not value and NOTES.of(message.layout).get(ABSENT) == "absent"
    tool = message.recipient if kind == TOOL_CALL else message.name
    out: dict[str, Any] = {_TOOL: tool, **({} if is_absent else {_VALUES[kind]: value})}
    return {**out, "id": message.call_id} if message.call_id else out
