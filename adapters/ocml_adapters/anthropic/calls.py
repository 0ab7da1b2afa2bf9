"""Calls as blocks, both ways: of the client's tools, and of those that the server runs."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge import jsontext
from ocml_bridge.blocks.values import compact_object
from ocml_bridge.form import OBJECT, Object, form_of, rest
from ocml_bridge.model import Message
from ocml_bridge.turns import name_of, recipient_of

from .notes import by_format, type_note, type_of, with_notes
from .syntax import CALL_KEYS, CALL_ORDER, LAWFUL_ID, TOOL_USE

_NO_TOOLS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})
"""Names that would not be read as recipients of a call."""


def read_call(block: Object, kind: str) -> Message | None:
    """The call that a block of a kind is; None for one that is not understood."""
    name, given, call_id = block.get("name"), block.get("input"), block.get("id")
    if not isinstance(name, str) or not isinstance(given, OBJECT):
        return None
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content = jsontext.text_of(given)
    if content is None or (kind != TOOL_USE and name in _NO_TOOLS):
        return None
    layout: Object = {}
    recipient = recipient_of(name) if kind == TOOL_USE else name
    known = ("type", "name", "input")
    if call_id:
        known = (*known, "id")
        if LAWFUL_ID.fullmatch(call_id) is None:
            layout["call_id"] = "kept"
    else:
        layout["call_id"] = "absent"
    form = form_of(block, CALL_ORDER, CALL_KEYS, known)
    if form is not None:
        layout["form"] = form
    return Message(
        *("assistant", content, None, "commentary", recipient, call_id or None),
        constraint="json",
        end="call",
        extras=by_format({**type_note(kind, TOOL_USE), **rest(block, (*known, "id"))}),
        layout=by_format(layout),
    )


def write_call(message: Message) -> Object:
    """A call, whose arguments are the compact JSON of an object, as a block."""
    kind, recipient = type_of(message), cast("str", message.recipient)
    if kind is None:
        kind, name = TOOL_USE, name_of(recipient)
    else:
        name = recipient
    block: Object = {"type": kind}
    if message.call_id:
        block["id"] = message.call_id
    block["name"] = name
    block["input"] = compact_object(cast("str", message.content)) or {}
    return with_notes(message, block, CALL_ORDER, ("type", "name", "input", *(("id",) if message.call_id else ())))
