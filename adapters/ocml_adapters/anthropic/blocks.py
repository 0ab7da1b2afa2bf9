"""Blocks that are messages of their own, both ways: thoughts, calls, and what tools reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from ocml_bridge import jsontext
from ocml_bridge.form import ARRAY, OBJECT, Object, add, form_of, is_empty, rest, shape
from ocml_bridge.model import Content, Foreign, Json, Message, Text
from ocml_bridge.turns import is_call, name_of, parts_of, recipient_of

from .arguments import object_of, value_of
from .notes import by_format, notes_in
from .parts import read_parts, write_parts
from .syntax import (
    CALL_KEYS,
    CALL_ORDER,
    HOME,
    LAWFUL_ID,
    MESSAGE,
    REDACTED,
    REDACTED_KEYS,
    REDACTED_ORDER,
    RESULT_KEYS,
    RESULT_ORDER,
    THINKING,
    THINKING_KEYS,
    THINKING_ORDER,
    TOOL_RESULT,
    TOOL_USE,
)

_ON_ANALYSIS: Final = "analysis"
_ON_COMMENTARY: Final = "commentary"


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
        return _read_result(block, kind) if kind == TOOL_RESULT and role == "user" else None
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(block)
    if kind.endswith("_tool_use"):
        return _read_call(block, kind)
    return _read_result(block, kind) if kind.endswith("_tool_result") else None


_RESERVED: Final = frozenset({MESSAGE, "redacted"})
"""What has a meaning of its own in the extras of a message: a block with such a member is kept whole."""
_APART: Final = _RESERVED | {"type"}
"""What is written of the extras of a message in a way of its own."""


def write_block(message: Message, role: str) -> Json:
    """A thought, a call or a reply as a block.

    Args:
        message: any of these; the arguments of a call are the compact JSON of an object.
        role: whose wire message it stands in.
    """
    if message.role == "tool":
        return _write_result(message, role)
    return _write_call(message) if is_call(message) else _write_thought(message)


def type_of(message: Message) -> str | None:
    """The type of the block that a call or a reply of a server's tool was read from; None for any other message."""
    kind = notes_in(message.extras).get("type")
    ending = "_tool_result" if message.role == "tool" else "_tool_use"
    return kind if isinstance(kind, str) and kind.endswith(ending) else None


def _spelled(message: Message, block: Object, order: tuple[str, ...], fixed: Any) -> Object:
    """A block with what else its message says, in the spelling that is remembered."""
    extras, layout = notes_in(message.extras), notes_in(message.layout)
    if extras:
        block = add(block, {key: value for key, value in extras.items() if key not in _APART}, order)
    form = layout.get("form")
    return block if form is None else shape(block, form, fixed=fixed, implied=_IMPLIED)


_IMPLIED: Final = ("signature", "id", "content")
"""Members that a block may leave out, or leave empty."""


# --- thoughts ---------------------------------------------------------------------------------------------------------


def _read_thinking(block: Object) -> Message | None:
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    extras = rest(block, ("type", "thinking"))
    layout: Object = {}
    form = form_of(block, THINKING_ORDER, THINKING_KEYS, ("type", "thinking"))
    if form is not None:
        layout["form"] = form
    return Message("assistant", text, None, _ON_ANALYSIS, extras=by_format(extras), layout=by_format(layout))


def _read_redacted(block: Object) -> Message | None:
    data = block.get("data")
    if not isinstance(data, str) or not data:
        return None
    extras = {"redacted": data, **rest(block, ("type", "data"))}
    form = form_of(block, REDACTED_ORDER, REDACTED_KEYS, ("type", "data"))
    layout: Object = {} if form is None else {"form": form}
    return Message("assistant", "", None, _ON_ANALYSIS, extras=by_format(extras), layout=by_format(layout))


def is_from_here(message: Message) -> bool:
    """Whether a thought was read from a block: the API takes back those that it made, and no others."""
    return (message.extras is not None and HOME in message.extras) or (
        message.layout is not None and HOME in message.layout
    )


def _write_thought(message: Message) -> Object:
    extras = notes_in(message.extras)
    data = extras.get("redacted")
    if isinstance(data, str) and data and not message.content:
        block: Object = {"type": REDACTED, "data": data}
        return _spelled(message, block, REDACTED_ORDER, ("type", "data"))
    block = {"type": THINKING, "thinking": message.content}
    if not is_from_here(message):
        block["signature"] = ""
    return _spelled(message, block, THINKING_ORDER, ("type", "thinking"))


# --- calls ------------------------------------------------------------------------------------------------------------

_NO_TOOLS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})
"""Names that would not be read as recipients of a call."""


def _read_call(block: Object, kind: str) -> Message | None:
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
        *("assistant", content, None, _ON_COMMENTARY, recipient, call_id or None),
        constraint="json",
        end="call",
        extras=by_format({**_kind_of(kind, TOOL_USE), **rest(block, (*known, "id"))}),
        layout=by_format(layout),
    )


def _kind_of(kind: str, default: str) -> Object:
    """What tells a block of a tool that the server runs."""
    return {} if kind == default else {"type": kind}


def _write_call(message: Message) -> Object:
    kind, recipient = type_of(message), cast("str", message.recipient)
    if kind is None:
        kind, name = TOOL_USE, name_of(recipient)
    else:
        name = recipient
    block: Object = {"type": kind}
    if message.call_id:
        block["id"] = message.call_id
    block["name"] = name
    block["input"] = object_of(cast("str", message.content)) or {}
    return _spelled(message, block, CALL_ORDER, ("type", "name", "input", *(("id",) if message.call_id else ())))


# --- replies ----------------------------------------------------------------------------------------------------------


def _read_result(block: Object, kind: str) -> Message | None:
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
    form = form_of(block, RESULT_ORDER, RESULT_KEYS, known)
    if form is not None:
        layout["form"] = form
    return Message(
        *("tool", content, None, _ON_COMMENTARY, "assistant", call_id or None),
        failed=failed if isinstance(failed, bool) else None,
        extras=by_format({**_kind_of(kind, TOOL_RESULT), **rest(block, (*known, "tool_use_id"))}),
        layout=by_format(layout),
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


def read_content(raws: list[Json], *, alone: bool) -> tuple[Content, Object]:
    """Blocks that are parts, as content, and how that was spelled.

    Args:
        raws: the blocks.
        alone: whether nothing stands beside them, so that one text might have been written without a list.
    """
    parts, forms = read_parts(raws)
    layout: Object = {"parts": forms} if forms else {}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None:
        return parts[0].text, {"content": "list", **layout} if alone else layout
    return parts, layout


def write_content(content: Content, layout: Object) -> Json:
    """Content as text, as a list of blocks, or as the value that it was."""
    spelled = layout.get("content")
    if isinstance(content, str):
        return write_parts((Text(content),), layout.get("parts")) if spelled == "list" else content
    if spelled == "bare" and len(content) == 1:
        return write_parts(content, None)[0]
    return write_parts(parts_of(content), layout.get("parts"))


def _write_result(message: Message, role: str) -> Object:
    kind, layout = type_of(message), notes_in(message.layout)
    if role != "assistant" or kind is None:
        kind = TOOL_RESULT
    content = message.content
    value: Json = None
    if kind != TOOL_RESULT and layout.get("content") == "json" and isinstance(content, str):
        value = value_of(content)
    if value is None or isinstance(value, str):
        value = write_content(content, layout)
    block: Object = {"type": kind}
    if message.call_id:
        block["tool_use_id"] = message.call_id
    block["content"] = value
    if message.failed is not None and (layout.get("is_error") is True or not (message.failed and _is_error(value))):
        block["is_error"] = message.failed
    return _spelled(message, block, RESULT_ORDER, [key for key, value in block.items() if key != "content" or value])


_READERS: Final[dict[str, Callable[[Object], Message | None]]] = {
    THINKING: _read_thinking,
    REDACTED: _read_redacted,
    TOOL_USE: lambda block: _read_call(block, TOOL_USE),
}


def ends_in_reply(unit: Any) -> bool:
    """Whether a wire message ends in what a tool of the client's replied."""
    content: Any = unit.get("content") if isinstance(unit, OBJECT) and unit.get("role") == "user" else None
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return isinstance(last, OBJECT) and last.get("type") == TOOL_RESULT and read_block(last, "user") is not None
