"""Read and write calls of functions and of custom tools, and their replies."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import FUNCTIONS, name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, names
from ocml_bridge.json_values.parameters import items_of, nonempty_text
from ocml_bridge.model import Content, Json, Message
from ocml_bridge.wires.freeform import is_object

from .item_members import ItemNotes, finish_item
from .parts import read_content, says_content, write_content
from .syntax import (
    BODIES,
    CALL_KEYS,
    CALL_ORDER,
    CUSTOM_CALL,
    CUSTOM_OUTPUT,
    FUNCTION_CALL,
    FUNCTION_OUTPUT,
    INPUT_TEXT,
    NOTES,
    OUTPUT_KEYS,
    OUTPUT_ORDER,
)

PARSED: Final = "parsed"
"""The layout of a call's input or a tool's output that was a JSON value, not a text."""
CUSTOM: Final = "custom"
FUNCTION: Final = "function"
"""The layout of a call, or of a reply, of which nothing else shows the kind of its tool."""


class ToolName(NamedTuple):
    """The name of a tool as items have it.

    Attributes:
        namespace: None for a function without a namespace.
        name: the name in the namespace.
    """

    namespace: str | None
    name: str


def read_name(item: Object) -> ToolName | None:
    """Return the name of the tool in an item; None if the item has none. A namespace that is no text is ignored."""
    name, namespace = item.get("name"), item.get("namespace")
    if not isinstance(name, str):
        return None
    return ToolName(nonempty_text(namespace), name)


def recipient(name: ToolName) -> str:
    """Return the recipient of calls of a tool.

    A namespace of the tool's own name is the API's way to name a function alone that a search loaded.
    """
    return recipient_of(name.name) if name.namespace in (None, name.name) else f"{name.namespace}.{name.name}"


def tool_name(tool: str) -> ToolName:
    """Return the name of the tool of a recipient; any namespace other than that of functions is separate."""
    name = name_of(tool)
    if name is tool and not tool.startswith(FUNCTIONS):
        namespace, _, bare = tool.rpartition(".")
        if namespace and bare and namespace != bare:
            return ToolName(namespace, bare)
    return ToolName(None, name)


def _spelled_name(tool: str, spelled: Json) -> ToolName:
    """Return the name of the tool of a recipient, in the stored spelling if that means the same tool."""
    pair = items_of(spelled)
    if len(pair) == 2 and isinstance(pair[1], str) and (pair[0] is None or isinstance(pair[0], str)):
        name = ToolName(pair[0] or None, pair[1])
        if recipient(name) == tool:
            return name
    return tool_name(tool)


# --- calls ------------------------------------------------------------------------------------------------------------


def read_call(item: Object, kind: str) -> Message | None:
    """Return the call of a function or of a custom tool; None if it is not understood."""
    name, value = read_name(item), item.get(BODIES[kind])
    body = "" if value is None else value if isinstance(value, str) else jsontext.text_of(value)
    if name is None or body is None:
        return None
    call_id, tool = nonempty_text(item.get("call_id")), recipient(name)
    known = [
        "name",
        *(["namespace"] if name.namespace else []),
        *(["call_id"] if call_id else []),
        *([] if value is None else [BODIES[kind]]),
    ]
    notes = ItemNotes(item, CALL_ORDER, CALL_KEYS[kind], known)
    layout = notes.layout
    if tool_name(tool) != name:
        layout["name"] = list(name)
    if not isinstance(value, str) and value is not None:
        layout["body"] = PARSED
    if call_id is None:
        layout["call_id"] = "absent"
    if kind == CUSTOM_CALL and tool.startswith(FUNCTIONS):
        layout["kind"] = CUSTOM
    message = Message(
        "assistant",
        body,
        channel="commentary",
        recipient=tool,
        call_id=call_id,
        constraint=None if kind == CUSTOM_CALL else "json",
        end="call" if notes.end else None,
    )
    notes.add_to(message)
    return message


def is_custom(call: Message) -> bool:
    """Return whether a call is of a custom tool: its input is not marked as JSON, and it is no call of a function."""
    if call.constraint == "json" or call.content_type == "json":
        return False
    if call.constraint is not None or not (call.recipient or "").startswith(FUNCTIONS):
        return True
    return NOTES.of(call.layout).get("kind") == CUSTOM or not is_object(cast("str", call.content))


def write_call(call: Message) -> Object:
    """Return the item of a call."""
    kind, layout = CUSTOM_CALL if is_custom(call) else FUNCTION_CALL, NOTES.of(call.layout)
    out: Object = {"type": kind}
    if call.call_id is not None:
        out["call_id"] = call.call_id
    name = _spelled_name(call.recipient or "", layout.get("name"))
    out["name"] = name.name
    if name.namespace is not None:
        out["namespace"] = name.namespace
    body = cast("str", call.content)
    out[BODIES[kind]] = jsontext.parsed_compact(body) if layout.get("body") == PARSED else body
    return finish_item(out, [call], CALL_ORDER)


# --- replies ----------------------------------------------------------------------------------------------------------


def read_reply(item: Object, kind: str) -> Message | None:
    """Return the reply in an item; None if it is not understood."""
    call_id, name = nonempty_text(item.get("call_id")), read_name(item)
    if name is not None and not name.name:
        name = None
    content, spelling = _read_output(item.get("output"))
    if content is None:
        return None
    known = [
        key
        for key, value in (("call_id", call_id), ("name", name), ("namespace", name and name.namespace))
        if value is not None
    ]
    if says_content(item.get("output")):
        known.append("output")
    notes = ItemNotes(item, OUTPUT_ORDER, OUTPUT_KEYS, known)
    layout = notes.layout
    layout.update(spelling)
    if kind == CUSTOM_OUTPUT:
        layout["kind"] = CUSTOM
    tool = None
    if name is not None:
        tool = recipient(name)
        layout.setdefault("form", list(item))
        if tool_name(tool) != name:
            layout["name"] = list(name)
    if call_id is None:
        layout["call_id"] = "absent"
    end = "end" if notes.end else None
    message = Message("tool", content, tool, "commentary", "assistant", call_id, end=end)
    notes.add_to(message)
    return message


def _read_output(value: Json) -> tuple[Content | None, Object]:
    """Return a tool's output and its spelling; the content is None if it is a value that cannot be stored as text."""
    content = read_content(value, INPUT_TEXT)
    return (jsontext.text_of(value), {"body": PARSED}) if content is None else content


def write_reply(reply: Message, *, named: bool = False) -> Object:
    """Return the item of a reply.

    Args:
        reply: the reply.
        named: whether it has the name of its tool, even if it was read without one.
    """
    layout = NOTES.of(reply.layout)
    kind = CUSTOM_OUTPUT if layout.get("kind") == CUSTOM else FUNCTION_OUTPUT
    out: Object = {"type": kind}
    if reply.call_id is not None:
        out["call_id"] = reply.call_id
    is_spelled = names(layout.get("form"), "name") and "name" not in NOTES.of(reply.extras)
    if reply.name and (named or is_spelled):
        tool = _spelled_name(reply.name, layout.get("name"))
        out["name"] = tool.name
        if tool.namespace is not None:
            out["namespace"] = tool.namespace
    out["output"] = write_output(reply.content, layout)
    return finish_item(out, [reply], OUTPUT_ORDER)


def write_output(content: Content, layout: Object) -> Json:
    """Return a tool's output: a text, a list of parts, or a JSON value if it was read as one."""
    if isinstance(content, str) and layout.get("body") == PARSED:
        return jsontext.parsed_compact(content)
    return write_content(content, INPUT_TEXT, layout)
