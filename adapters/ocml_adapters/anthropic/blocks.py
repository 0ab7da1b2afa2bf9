"""Blocks that are messages of their own, both ways: calls, their results, thoughts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.signatures import signature_by
from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, is_empty, rest, shape
from ocml_bridge.model import Content, Foreign, Json, Message, Signature
from ocml_bridge.wires.blocks.values import compact_object, value_in

from .parts import read_content, write_content
from .syntax import (
    CACHE,
    CALL_KEYS,
    CALL_ORDER,
    EPHEMERAL,
    HOME,
    LAWFUL_ID,
    MESSAGE,
    NOTES,
    REDACTED,
    REDACTED_ORDER,
    RESULT_KEYS,
    RESULT_ORDER,
    THINKING,
    THINKING_ORDER,
    TOOL_RESULT,
    TOOL_USE,
    VENDOR,
)
from .tools import NAMES, type_note, type_of

# --- calls ------------------------------------------------------------------------------------------------------------
#
# Of the client's tools, and of those that the server runs.

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
    layout: Object = NAMES.note(name)
    recipient = recipient_of(name) if kind == TOOL_USE else name
    known = ("type", "name", "input")
    if call_id:
        known = (*known, "id")
        if LAWFUL_ID.fullmatch(call_id) is None:
            layout["call_id"] = "kept"
    else:
        layout["call_id"] = "absent"
    mark = read_mark(block.get(CACHE), EPHEMERAL)
    if mark is not None:
        known = (*known, CACHE)
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
    fixed = tuple(block)
    if message.cache is not None:
        block[CACHE] = write_mark(message.cache, EPHEMERAL)
    return with_notes(message, block, CALL_ORDER, fixed)


# --- results ----------------------------------------------------------------------------------------------------------


def read_result(block: Object, kind: str) -> Message | None:
    """The reply that a block of a kind is; None for one that is not understood."""
    call_id, value, failed = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content, layout = _read_content(value, kind)
    known = ["type"]
    if content or value == "":
        known.append("content")
    if call_id:
        known.append("tool_use_id")
        if LAWFUL_ID.fullmatch(call_id) is None:
            layout["call_id"] = "kept"
    else:
        layout["call_id"] = "absent"
    if isinstance(failed, bool):
        known.append("is_error")
        if failed and _is_error(value):
            layout["is_error"] = True
    elif _is_error(value):
        failed = True
    mark = read_mark(block.get(CACHE), EPHEMERAL)
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
    """Whether what a server's tool gives is an error."""
    kind: Any = cast("Object", content).get("type") if isinstance(content, dict) else None
    return isinstance(kind, str) and kind.endswith("_error")


def _read_content(value: Json, kind: str) -> tuple[Content, Object]:
    """What a tool replied, and how that was spelled."""
    if isinstance(value, str):
        return value, {}
    if is_empty(value):
        return "", {}
    if isinstance(value, list) and (kind == TOOL_RESULT or _are_parts(cast("list[Json]", value))):
        return read_content(cast("list[Json]", value), alone=True)
    text = None if kind == TOOL_RESULT else jsontext.text_of(value)
    return ((Foreign(HOME, value),), {"content": "bare"}) if text is None else (text, {"content": "json"})


def _are_parts(items: list[Json]) -> bool:
    """Whether what a server's tool gives is text, as that of a tool behind MCP; else it is a value of its own kind."""
    return all(isinstance(item, dict) and cast("Object", item).get("type") == "text" for item in items)


def write_result(message: Message, role: str) -> Object:
    """A reply as a block of a wire message; only the assistant's has those of tools that the server runs."""
    kind, layout = type_of(message), NOTES.of(message.layout)
    if role != "assistant" or kind is None:
        kind = TOOL_RESULT
    content = message.content
    value: Json = None
    if kind != TOOL_RESULT and layout.get("content") == "json" and isinstance(content, str):
        found = value_in(content)
        value = None if found is None else found[0]
    if value is None or isinstance(value, str):
        value = write_content(content, layout)
    block: Object = {"type": kind}
    if message.call_id:
        block["tool_use_id"] = message.call_id
    block["content"] = value
    if message.failed is not None and (layout.get("is_error") is True or not (message.failed and _is_error(value))):
        block["is_error"] = message.failed
    if message.cache is not None:
        block[CACHE] = write_mark(message.cache, EPHEMERAL)
    return with_notes(message, block, RESULT_ORDER, [key for key, value in block.items() if key != "content" or value])


# --- thoughts ---------------------------------------------------------------------------------------------------------
#
# Thinking with its signature, and thinking that is sealed.


_BARE: Final = ("type", "thinking")


def read_thinking(block: Object) -> Message | None:
    """The thought that a block is; its text may be empty, and sealed in its signature."""
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    return _thought(text, Signature(signature, VENDOR) if signature else None, block, _BARE, THINKING_ORDER)


def read_redacted(block: Object) -> Message | None:
    """The sealed thought that a block is, which nobody can read."""
    data = block.get("data")
    if not isinstance(data, str) or not data:
        return None
    return _thought("", Signature(data, VENDOR, sealed=True), block, REDACTED_ORDER, REDACTED_ORDER)


def _thought(
    text: str, signature: Signature | None, block: Object, known: tuple[str, ...], order: tuple[str, ...]
) -> Message:
    """A thought with what else its block says, and how; as many keys are known as the signature is one of."""
    read_keys = known if signature is None else order
    form = form_of(block, order, frozenset(order), read_keys)
    layout = {} if form is None else {"form": form}
    message = Message("assistant", text, None, "analysis", signature=signature)
    message.extras, message.layout = NOTES.by_format(rest(block, read_keys)), NOTES.by_format(layout)
    return message


def is_from_here(message: Message) -> bool:
    """Whether a thought was made by a model of this API, or read from a block: it takes back those, and no others."""
    return signature_of(message) is not None or any(
        homes is not None and HOME in homes for homes in (message.extras, message.layout)
    )


def signature_of(message: Message) -> Signature | None:
    """The signature of a thought, where it is one that the API may have made."""
    return signature_by(message, VENDOR)


def write_thought(message: Message) -> Object:
    """A thought as a block."""
    signature = signature_of(message)
    if signature is not None and signature.sealed:
        return with_notes(message, {"type": REDACTED, "data": signature.value}, REDACTED_ORDER, REDACTED_ORDER)
    block: Object = {"type": THINKING, "thinking": message.content}
    if signature is not None:
        return with_notes(message, {**block, "signature": signature.value}, THINKING_ORDER, THINKING_ORDER)
    if not is_from_here(message):
        block["signature"] = ""
    return with_notes(message, block, THINKING_ORDER, _BARE)


# --- any of them ------------------------------------------------------------------------------------------------------


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
    if not isinstance(kind, str) or not _RESERVED.isdisjoint(block):
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


# --- notes ------------------------------------------------------------------------------------------------------------

_RESERVED: Final = frozenset({MESSAGE})
"""What has a meaning of its own in the extras of a message: a block with such a member is kept whole."""
_APART: Final = _RESERVED | {"type"}
"""What is written of the extras of a message in a way of its own."""
_IMPLIED: Final = ("signature", "id", "content")
"""Members that a block may leave out, or leave empty."""


def with_notes(message: Message, block: Object, order: tuple[str, ...], fixed: Collection[str]) -> Object:
    """A block with what else its message says, in the spelling that is remembered."""
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    if extras:
        block = add(block, {key: value for key, value in extras.items() if key not in _APART}, order)
    form = layout.get("form")
    return block if form is None else shape(block, form, fixed=fixed, implied=_IMPLIED)
