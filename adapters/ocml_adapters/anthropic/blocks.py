"""Read and write the blocks that are whole messages: calls, results and thoughts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, is_empty, rest, shape, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import ByFormat, Content, Foreign, Json, Message, Signature
from ocml_bridge.wires.blocks.values import compact_object, value_in

from .parts import read_content, write_content
from .syntax import (
    CACHE,
    CALL_KEYS,
    CALL_ORDER,
    HOME,
    MESSAGE,
    NOTES,
    REASONING,
    REASONING_ORDER,
    REDACTED,
    REDACTED_ORDER,
    RESULT_KEYS,
    RESULT_ORDER,
    THINKING,
    THINKING_ORDER,
    TOOL_RESULT,
    TOOL_USE,
    VALID_ID,
    VENDOR,
)
from .tools import NAMES, type_note, type_of

# --- calls ------------------------------------------------------------------------------------------------------------
#
# Of tools that the client runs (`tool_use`), and of tools that the server runs (`server_tool_use`, `mcp_tool_use`).

_NO_TOOLS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})
"""Names that are no recipients of calls in the canonical form."""


def read_call(block: Object, kind: str) -> Message | None:
    """Return the call of a block; None if it is not understood.

    Args:
        block: the block.
        kind: its type.
    """
    name, arguments, call_id = block.get("name"), block.get("input"), block.get("id")
    if not isinstance(name, str) or "input" not in block:
        return None
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content = jsontext.text_of(arguments)
    if content is None or (kind != TOOL_USE and name in _NO_TOOLS):
        return None
    layout: Object = NAMES.note(name) | _layout_of_id(call_id)
    if not isinstance(arguments, OBJECT):
        layout["input"] = "kept"
    recipient = recipient_of(name) if kind == TOOL_USE else name
    mark = CONTROL.read(block)
    known = ("type", "name", "input", *(("id",) if call_id else ()), *(() if mark is None else (CACHE,)))
    form = form_of(block, CALL_ORDER, CALL_KEYS, known)
    if form is not None:
        layout["form"] = form
    return Message(
        *("assistant", content, None, "commentary", recipient, call_id or None),
        constraint="json",
        end="call",
        extras=NOTES.by_format({**type_note(kind, TOOL_USE), **rest(block, (*known, "id"))}),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _layout_of_id(call_id: str | None) -> Object:
    """Return the layout of a call or reply whose id the API would refuse, or that has none."""
    if not call_id:
        return {"call_id": "absent"}
    return {} if VALID_ID.fullmatch(call_id) else {"call_id": "kept"}


def keeps_input(layout: ByFormat | None) -> bool:
    """Return whether the input of a call was no object, as a client sends back what a model wrote."""
    return NOTES.of(layout).get("input") == "kept"


def write_call(message: Message) -> Object:
    """Return the block of a call, whose arguments are the compact JSON of an object, or of the value that was read."""
    kind, recipient = type_of(message), cast("str", message.recipient)
    if kind is None:
        kind, name = TOOL_USE, name_of(recipient)
    else:
        name = recipient
    block: Object = {"type": kind}
    if message.call_id:
        block["id"] = message.call_id
    block["name"] = name
    text = cast("str", message.content)
    kept = value_in(text) if keeps_input(message.layout) else None
    block["input"] = (compact_object(text) or {}) if kept is None else kept[0]
    fixed = tuple(block)
    block |= CONTROL.write(message.cache)
    return with_notes(message, block, CALL_ORDER, fixed)


# --- results ----------------------------------------------------------------------------------------------------------


def read_result(block: Object, kind: str) -> Message | None:
    """Return the reply of a block; None if it is not understood.

    Args:
        block: the block.
        kind: its type.
    """
    call_id, value, failed = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content, layout = _read_content(value, kind)
    known = ["type"]
    if content or value == "":
        known.append("content")
    if call_id:
        known.append("tool_use_id")
    layout |= _layout_of_id(call_id)
    if isinstance(failed, bool):
        known.append("is_error")
        if failed and _is_error(value):
            layout["is_error"] = True
    elif _is_error(value):
        failed = True
    mark = CONTROL.read(block)
    if mark is not None:
        known.append(CACHE)
    form = form_of(block, RESULT_ORDER, RESULT_KEYS, known)
    if form is not None:
        layout["form"] = form
    return Message(
        *("tool", content, None, "commentary", "assistant", call_id or None),
        failed=failed if isinstance(failed, bool) else None,
        extras=NOTES.by_format({**type_note(kind, TOOL_RESULT), **rest(block, (*known, "tool_use_id"))}),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _is_error(content: Json) -> bool:
    """Return whether the content of a server tool's result is an error."""
    kind = members_of(content).get("type")
    return isinstance(kind, str) and kind.endswith("_error")


def _read_content(value: Json, kind: str) -> tuple[Content, Object]:
    """Return the content of a result, and its layout."""
    if isinstance(value, str):
        return value, {}
    if is_empty(value):
        return "", {}
    if isinstance(value, list) and (kind == TOOL_RESULT or _are_parts(cast("list[Json]", value))):
        return read_content(cast("list[Json]", value), alone=True)
    text = None if kind == TOOL_RESULT else jsontext.text_of(value)
    return ((Foreign(HOME, value),), {"content": "bare"}) if text is None else (text, {"content": "json"})


def _are_parts(items: list[Json]) -> bool:
    """Return whether a server tool's result is texts, like that of an MCP tool; other tools return typed values."""
    return all(members_of(item).get("type") == "text" for item in items)


def write_result(message: Message, role: str) -> Object:
    """Return the block of a reply.

    Args:
        message: the reply.
        role: the role of the wire message; results of the server's tools are only in those of the assistant.
    """
    kind, layout = type_of(message), NOTES.of(message.layout)
    if role != "assistant" or kind is None:
        kind = TOOL_RESULT
    content = message.content
    value: Json = None
    if kind != TOOL_RESULT and layout.get("content") == "json" and isinstance(content, str):
        parsed = value_in(content)
        value = None if parsed is None else parsed[0]
    if value is None or isinstance(value, str):
        value = write_content(content, layout)
    block: Object = {"type": kind}
    if message.call_id:
        block["tool_use_id"] = message.call_id
    block["content"] = value
    if message.failed is not None and (layout.get("is_error") is True or not (message.failed and _is_error(value))):
        block["is_error"] = message.failed
    block |= CONTROL.write(message.cache)
    return with_notes(message, block, RESULT_ORDER, [key for key, value in block.items() if key != "content" or value])


# --- thoughts ---------------------------------------------------------------------------------------------------------
#
# `thinking` has a text and a signature; `redacted_thinking` is sealed; `reasoning` has a text alone.


_BARE: Final = ("type", "thinking")
_TYPE: Final = "type"
"""The key of the layout for the type of a thought's block, if it is not that of the API."""


def read_thinking(block: Object) -> Message | None:
    """Return the thought of a `thinking` block, or None; its text may be empty because the signature contains it."""
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    return _thought(text, Signature(signature, VENDOR) if signature else None, block, _BARE, THINKING_ORDER)


def read_redacted(block: Object) -> Message | None:
    """Return the sealed thought of a `redacted_thinking` block, or None."""
    data = block.get("data")
    if not isinstance(data, str) or not data:
        return None
    return _thought("", Signature(data, VENDOR, sealed=True), block, REDACTED_ORDER, REDACTED_ORDER)


def read_reasoning(block: Object) -> Message | None:
    """Return the thought of a `reasoning` block, or None; the layout has the type of the block."""
    text = block.get("text")
    if not isinstance(text, str) or not text:
        return None
    message = _thought(text, None, block, REASONING_ORDER, REASONING_ORDER)
    message.layout = NOTES.adding(message.layout, {_TYPE: REASONING})
    return message


def _thought(
    text: str, signature: Signature | None, block: Object, known: tuple[str, ...], order: tuple[str, ...]
) -> Message:
    """Return a thought with the extras and the form of its block.

    Args:
        text: its text.
        signature: its signature, or None.
        block: the block.
        known: the keys that were read if it has no signature; otherwise all keys of `order` were.
        order: the keys of the block, in the order in which they are written.
    """
    read_keys = known if signature is None else order
    form = form_of(block, order, frozenset(order), read_keys)
    layout = {} if form is None else {"form": form}
    message = Message("assistant", text, None, "analysis", signature=signature)
    message.extras, message.layout = NOTES.by_format(rest(block, read_keys)), NOTES.by_format(layout)
    return message


def is_accepted(message: Message) -> bool:
    """Return whether the API accepts a thought: it is signed by the API, or was read from a block of this format."""
    return signature_of(message) is not None or any(
        homes is not None and HOME in homes for homes in (message.extras, message.layout)
    )


def signature_of(message: Message) -> Signature | None:
    """Return the signature of a thought, if the API may have made it; else None."""
    return signature_by(message, VENDOR)


def write_thought(message: Message) -> Object:
    """Return the block of a thought."""
    signature = signature_of(message)
    if signature is not None and signature.sealed:
        return with_notes(message, {"type": REDACTED, "data": signature.value}, REDACTED_ORDER, REDACTED_ORDER)
    if signature is None and NOTES.of(message.layout).get(_TYPE) == REASONING and message.content:
        return with_notes(message, {"type": REASONING, "text": message.content}, REASONING_ORDER, REASONING_ORDER)
    block: Object = {"type": THINKING, "thinking": message.content}
    if signature is not None:
        return with_notes(message, {**block, "signature": signature.value}, THINKING_ORDER, THINKING_ORDER)
    if not is_accepted(message):
        block["signature"] = ""
    return with_notes(message, block, THINKING_ORDER, _BARE)


# --- all blocks -------------------------------------------------------------------------------------------------------


def read_block(raw: Json, role: str) -> Message | None:
    """Return the message of a block; None if it is a part of a message, or not understood.

    Args:
        raw: the block.
        role: the role of its wire message.
    """
    if not isinstance(raw, OBJECT):
        return None
    block: Object = raw
    kind: Any = block.get("type")
    if not isinstance(kind, str) or not _RESERVED.isdisjoint(block):
        return None
    if role != "assistant":
        return read_result(block, kind) if kind == TOOL_RESULT and role == "user" else None
    reader = READERS.get(kind)
    if reader is not None:
        return reader(block)
    if kind.endswith("_tool_use"):
        return read_call(block, kind)
    return read_result(block, kind) if kind.endswith("_tool_result") else None


READERS: Final[dict[str, Callable[[Object], Message | None]]] = {
    THINKING: read_thinking,
    REDACTED: read_redacted,
    REASONING: read_reasoning,
    TOOL_USE: lambda block: read_call(block, TOOL_USE),
}


def write_block(message: Message, role: str) -> Json:
    """Return the block of a thought, a call or a reply.

    Args:
        message: the message; the arguments of a call are the compact JSON of an object.
        role: the role of its wire message.
    """
    if message.role == "tool":
        return write_result(message, role)
    return write_call(message) if is_call(message) else write_thought(message)


def ends_in_reply(unit: Any) -> bool:
    """Return whether a unit is a wire message of the user that ends in the result of a tool of the client."""
    content: Any = unit.get("content") if isinstance(unit, OBJECT) and unit.get("role") == "user" else None
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return isinstance(last, OBJECT) and last.get("type") == TOOL_RESULT and read_block(last, "user") is not None


# --- notes ------------------------------------------------------------------------------------------------------------

_RESERVED: Final = frozenset({MESSAGE})
"""The keys with another meaning in the extras of a message: a block with such a member becomes a foreign part."""
_NOT_MEMBERS: Final = _RESERVED | {"type"}
"""The keys of a message's extras that are not written as further members of its block."""
_IMPLIED: Final = ("signature", "id", "content")
"""The members that may be missing or empty in a block."""


def with_notes(message: Message, block: Object, order: tuple[str, ...], fixed: Collection[str]) -> Object:
    """Return a block with the extras of its message, in the form that the layout has.

    Args:
        message: the message.
        block: its block without extras.
        order: the order of the keys.
        fixed: the keys whose values the form must not change.
    """
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    if extras:
        block = add(block, without(extras, *_NOT_MEMBERS), order)
    form = layout.get("form")
    return block if form is None else shape(block, form, fixed=fixed, implied=_IMPLIED)
