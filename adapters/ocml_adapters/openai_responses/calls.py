"""Calls of functions and of custom tools, and what tools reply, both ways."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import FUNCTIONS, name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, names
from ocml_bridge.model import Content, Json, Message

from .items import Opened, closed
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
"""The spelling of a body that was a JSON value, and no text."""
CUSTOM: Final = "custom"
FUNCTION: Final = "function"
"""Whose call, or whose reply, where that does not follow from the rest."""


class Name(NamedTuple):
    """A tool as items name it.

    Attributes:
        namespace: None where it is a function of the developer's.
        name: in that namespace.
    """

    namespace: str | None
    name: str


def name_in(item: Object) -> Name | None:
    """The tool that an item names; None where it names none."""
    name, namespace = item.get("name"), item.get("namespace")
    if not isinstance(name, str) or not (namespace is None or isinstance(namespace, str)):
        return None
    return Name(namespace or None, name)


def recipient(name: Name) -> str:
    """The recipient for a tool."""
    return recipient_of(name.name) if name.namespace is None else f"{name.namespace}.{name.name}"


def named(tool: str) -> Name:
    """A recipient as a tool is named: what has another namespace than functions has it apart."""
    name = name_of(tool)
    if name is tool and not tool.startswith(FUNCTIONS):
        namespace, _, bare = tool.rpartition(".")
        if namespace and bare:
            return Name(namespace, bare)
    return Name(None, name)


def _spelled_name(tool: str, spelled: Json) -> Name:
    """A recipient as a tool is named, in the spelling that is remembered where it still says that."""
    if isinstance(spelled, list):
        found = cast("list[Json]", spelled)
        if len(found) == 2 and isinstance(found[1], str) and (found[0] is None or isinstance(found[0], str)):
            name = Name(found[0] or None, found[1])
            if recipient(name) == tool:
                return name
    return named(tool)


def call_id_in(item: Object) -> str | None:
    """The call id of an item; None where it has none."""
    call_id = item.get("call_id")
    return call_id if isinstance(call_id, str) and call_id else None


# --- calls ------------------------------------------------------------------------------------------------------------


def read_call(item: Object, kind: str) -> Message | None:
    """The call of a function or of a custom tool; None where it cannot be understood."""
    name, value = name_in(item), item.get(BODIES[kind])
    body = "" if value is None else value if isinstance(value, str) else jsontext.exactly_compact(value)
    if name is None or body is None:
        return None
    call_id, tool = call_id_in(item), recipient(name)
    known = [
        "name",
        *(["namespace"] if name.namespace else []),
        *(["call_id"] if call_id else []),
        *([] if value is None else [BODIES[kind]]),
    ]
    opened = Opened(item, CALL_ORDER, CALL_KEYS[kind], known)
    layout = opened.layout
    if named(tool) != name:
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
        end="call" if opened.end else None,
    )
    opened.give(message)
    return message


def is_custom(call: Message) -> bool:
    """Whether a call is to a custom tool: nothing says that its input is JSON, and it is none that is a function's."""
    if call.constraint == "json" or call.content_type == "json":
        return False
    if call.constraint is not None or not (call.recipient or "").startswith(FUNCTIONS):
        return True
    return NOTES.of(call.layout).get("kind") == CUSTOM or not is_object(cast("str", call.content))


def is_object(text: str) -> bool:
    """Whether a text is a JSON object, which functions take."""
    if text[:1] != "{" and text.lstrip()[:1] != "{":
        return False
    span = jsontext.parse(text)
    return span is not None and isinstance(span.value, dict)


def write_call(call: Message) -> Object:
    """A call as an item."""
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
    return closed(out, [call], CALL_ORDER)


# --- replies ----------------------------------------------------------------------------------------------------------


def read_reply(item: Object, kind: str) -> Message | None:
    """What a tool replied; None where it cannot be understood."""
    call_id, name = call_id_in(item), name_in(item)
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
    opened = Opened(item, OUTPUT_ORDER, OUTPUT_KEYS, known)
    layout = opened.layout
    layout.update(spelling)
    if kind == CUSTOM_OUTPUT:
        layout["kind"] = CUSTOM
    tool = None
    if name is not None:
        tool = recipient(name)
        layout.setdefault("form", list(item))
        if named(tool) != name:
            layout["name"] = list(name)
    if call_id is None:
        layout["call_id"] = "absent"
    end = "end" if opened.end else None
    message = Message("tool", content, tool, "commentary", "assistant", call_id, end=end)
    opened.give(message)
    return message


def _read_output(value: Json) -> tuple[Content | None, Object]:
    """What a tool replied, and how that was spelled."""
    found = read_content(value, INPUT_TEXT)
    return (jsontext.exactly_compact(value), {"body": PARSED}) if found is None else found


def write_reply(reply: Message, *, name: bool = False) -> Object:
    """A tool's reply as an item.

    Args:
        reply: the reply.
        name: whether it says its tool's name, wherever it was not read with one.
    """
    layout = NOTES.of(reply.layout)
    kind = CUSTOM_OUTPUT if layout.get("kind") == CUSTOM else FUNCTION_OUTPUT
    out: Object = {"type": kind}
    if reply.call_id is not None:
        out["call_id"] = reply.call_id
    if reply.name and (name or names(layout.get("form"), "name")):
        tool = _spelled_name(reply.name, layout.get("name"))
        out["name"] = tool.name
        if tool.namespace is not None:
            out["namespace"] = tool.namespace
    out["output"] = write_output(reply.content, layout)
    return closed(out, [reply], OUTPUT_ORDER)


def write_output(content: Content, layout: Object) -> Json:
    """What a tool replied, as a text or as a list of parts."""
    if isinstance(content, str) and layout.get("body") == PARSED:
        return jsontext.parsed_compact(content)
    return write_content(content, INPUT_TEXT, layout)


def with_kind(message: Message, kind: str) -> Message:
    """The message, written as a call of a kind, or as a reply to one."""
    message.layout = {**(message.layout or {}), **(NOTES.by_format({**NOTES.of(message.layout), "kind": kind}) or {})}
    return message
