"""What tools reply as blocks, both ways: those of the client, and those that the server runs."""

from __future__ import annotations

from typing import Any, cast

from ocml_bridge import jsontext
from ocml_bridge.blocks.values import value_in
from ocml_bridge.form import Object, form_of, is_empty, rest
from ocml_bridge.model import Content, Foreign, Json, Message

from .contents import read_content, write_content
from .notes import by_format, notes_in, type_note, type_of, with_notes
from .syntax import HOME, LAWFUL_ID, RESULT_KEYS, RESULT_ORDER, TOOL_RESULT


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
    form = form_of(block, RESULT_ORDER, RESULT_KEYS, known)
    if form is not None:
        layout["form"] = form
    return Message(
        *("tool", content, None, "commentary", "assistant", call_id or None),
        failed=failed if isinstance(failed, bool) else None,
        extras=by_format({**type_note(kind, TOOL_RESULT), **rest(block, (*known, "tool_use_id"))}),
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


def write_result(message: Message, role: str) -> Object:
    """A reply as a block of a wire message; only the assistant's has those of tools that the server runs."""
    kind, layout = type_of(message), notes_in(message.layout)
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
    return with_notes(message, block, RESULT_ORDER, [key for key, value in block.items() if key != "content" or value])
