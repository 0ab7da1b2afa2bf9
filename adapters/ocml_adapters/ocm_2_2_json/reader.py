"""Read one object as messages, up to three: thinking, content, calls (reading 31)."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.chat.turns import BUILTINS, content_of, is_call, is_reply, recipient_of, with_namespace
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.formats.conformance import TOOL_CALLS
from ocml_bridge.json_values import jsontext
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Content, Json, Message, replace
from ocml_bridge.model.notes import MERGED
from ocml_bridge.text import thoughts

from .objects import Object, layout_of, unknown_keys
from .syntax import CALL_ID, CALL_KEYS, CHANNEL, CONTENT, HOME, INTENT, MARKERS, NAME, ROLE, THINKING, TOOL_CALL


def split(source: Source, options: Options) -> list[tuple[int, Source]]:
    """Split a list of lists into its conversations, each with its index; any other source is one document."""
    return list(enumerate(source)) if is_list_of_lists(source) else [(0, source)]


def read_object(item: Json, path: str, index: int, log: Log) -> list[Message]:
    """Return the messages of an object.

    Args:
        item: the object.
        path: its JSON pointer.
        index: the index of its first message.
        log: receives the findings.

    Raises:
        BridgeError: OCB-SHAPE if it is no message object, E-CALL-SCHEMA if a call has no recipient.
    """
    if not isinstance(item, dict) or not isinstance(cast("Object", item).get(ROLE), str):
        raise BridgeError(ErrorCode.SHAPE, "a message must be an object with a role", path=path)
    wire = cast("Object", item)
    messages = _messages(wire, path, index, log)
    if unknown := unknown_keys(wire):
        messages[0] = replace(messages[0], extras={HOME: unknown})
    layouts: list[Object] = [layout_of(wire, messages), *({MERGED: True} for _ in messages[1:])]
    for at, (message, layout) in enumerate(zip(messages, layouts, strict=True)):
        if message.call_id is None and (is_call(message) or is_reply(message)):
            layout["call_id"] = "absent"
        if layout:
            messages[at] = replace(message, layout={HOME: layout})
    return messages


def _messages(wire: Object, path: str, index: int, log: Log) -> list[Message]:
    role, name = _role(wire, path)
    out: list[Message] = []
    thinking, content = _text(wire, THINKING, path), _text(wire, CONTENT, path)
    if thinking is not None:
        out.append(Message(role, _marked(thinking), name=name, channel="analysis"))
    calls = _calls(wire, path)
    if content is not None or not (out or calls):
        out.append(_content_message(wire, role, name, content or "", path, f"/messages/{index + len(out)}", log))
    channel = _text(wire, CHANNEL, path) if content is None else None
    for at, call in calls:
        flat = _flat(call)
        if flat is not call:
            detail = "the call is nested as in Chat Completions; §10 has 'recipient' and 'arguments'"
            log.find(FindingCode.SHAPE, f"/messages/{index + len(out)}", detail)
        out.append(replace(_call(flat, at, role, channel or "commentary"), name=name))
    return out


def _content_message(wire: Object, role: str, name: str | None, text: str, path: str, at: str, log: Log) -> Message:
    channel, intent = _text(wire, CHANNEL, path), _text(wire, INTENT, path)
    if intent == "preamble" and channel == "final":
        log.find(
            FindingCode.UNKNOWN_CHANNEL,
            f"{at}/channel",
            "a preamble belongs on commentary, not on final (§5); it is read as commentary",
        )
        channel = "commentary"
    content: Content = _marked(text) if role == "assistant" and channel == "analysis" else text
    recipient = "assistant" if role == "tool" else None
    return Message(role, content, name, channel, recipient, _text(wire, CALL_ID, path), intent)


def _role(wire: Object, path: str) -> tuple[str, str | None]:
    """Return the role and the name; the name of a tool in place of the role is the legacy form (§4)."""
    role, name = cast("str", wire[ROLE]), _text(wire, NAME, path)
    if is_tool(role):
        return "tool", role
    return role, with_namespace(name) if role == "tool" and name is not None else name


def is_tool(role: str) -> bool:
    """Return whether a role is the name of a tool, as in the legacy form of a reply (§4)."""
    return "." in role or role in BUILTINS


def _calls(wire: Object, path: str) -> list[tuple[str, Object]]:
    """Return the calls of an object with their paths: `tool_call`, and `tool_calls` of earlier drafts (reading 32)."""
    listed_calls = wire.get(TOOL_CALLS)
    calls: list[tuple[str, Json]] = (
        [(f"{path}/{TOOL_CALL}", wire[TOOL_CALL])] if wire.get(TOOL_CALL) is not None else []
    )
    if isinstance(listed_calls, list):
        calls += [(f"{path}/{TOOL_CALLS}/{k}", call) for k, call in enumerate(cast("list[Json]", listed_calls))]
    elif listed_calls is not None:
        raise BridgeError(ErrorCode.SHAPE, "tool_calls must be a list", path=f"{path}/{TOOL_CALLS}")
    for at, call in calls:
        if not isinstance(call, dict):
            raise BridgeError(ErrorCode.SHAPE, "a tool call must be an object", path=at)
    return cast("list[tuple[str, Object]]", calls)


def count_listed_calls(wire: Object) -> int:
    """Return the number of calls in the `tool_calls` of an object; they are its last messages."""
    calls = wire.get(TOOL_CALLS)
    return len(cast("list[Json]", calls)) if isinstance(calls, list) else 0


def _flat(call: Object) -> Object:
    """Return a call in the form of §10, if it is nested as in Chat Completions; otherwise the same object."""
    inner = call.get("function")
    if not isinstance(inner, dict) or not call.keys() <= {"id", "type", "function"} or call.get("type") not in _NESTED:
        return call
    function = cast("Object", inner)
    name = function.get("name")
    if not isinstance(name, str) or not name or not function.keys() <= {"name", "arguments"}:
        return call
    return {"id": call.get("id"), "recipient": recipient_of(name), "arguments": function.get("arguments")}


_NESTED: Final = (None, "function")


def _call(call: Object, path: str, role: str, channel: str) -> Message:
    values = {field: _text(call, key, path) for key, field in CALL_KEYS.items() if field != "content"}
    if values["recipient"] is None:
        raise BridgeError(ErrorCode.CALL_SCHEMA, "a tool call names no recipient", path=path)
    arguments = call.get("arguments")
    text = arguments if isinstance(arguments, str) else "" if arguments is None else jsontext.compact(arguments)
    return Message(role, text, channel=channel, end="call", **values)  # type: ignore[arg-type]


def _text(values: Object, key: str, path: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise BridgeError(ErrorCode.SHAPE, f"{key} must be a text", path=f"{path}/{key}")
    return value


def _marked(text: str) -> Content:
    parts = thoughts.split(text)
    return content_of([replace(p, text=MARKERS.restore(p.text)) if p.type == "text" else p for p in parts])
