"""Read and write tool calls: objects with a `type`, and with another object under the key that the type names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.turns import FUNCTIONS, name_of, recipient_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, is_empty, rest, shape
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Signature, Tool
from ocml_bridge.units.grammar import ContentClass
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.wires.freeform import is_object, undecided_calls

from .syntax import CACHE, CALL_KEYS, CALL_ORDER, CUSTOM, FUNCTION, FUNCTION_CALL, INPUT_KEYS, NOTES, TOOL_CALLS

_PLAIN_CALL: Final = ("id", "type", "function")
_PLAIN_FUNCTION: Final = ("name", "arguments")


def kind_of(item: Object) -> str | None:
    """Return `function` or `custom`: the type or, without one, the key that is present; None for other kinds."""
    kind = item.get("type")
    if is_empty(kind):
        kind = FUNCTION if FUNCTION in item else CUSTOM
    return kind if isinstance(kind, str) and kind in INPUT_KEYS and isinstance(item.get(kind), dict) else None


# --- calls, reading ---------------------------------------------------------------------------------------------------

_SIGNATURE_PATHS: Final = (
    ("extra_content", "google", "thought_signature"),
    ("provider_specific_fields", "thought_signature"),
)
"""The paths at which servers send the signature of a call of Gemini: Google's, which is written, and LiteLLM's."""
_VENDOR: Final = "google"


class _Call(NamedTuple):
    """The contents of the object inside a call: recipient, input, layout and extras."""

    recipient: str
    content: str
    layout: Object
    extras: Object


def read_calls(value: Json) -> list[Message] | None:
    """Return the calls of `tool_calls`, without the name of the assistant; None if any of them is not understood."""
    if not isinstance(value, ARRAY):
        return None
    calls: list[Message] = []
    for item in value:
        call = _read_call(item)
        if call is None:
            return None
        calls.append(call)
    return calls


def _read_call(value: Json) -> Message | None:
    if not isinstance(value, OBJECT):
        return None
    item: Object = value
    kind = kind_of(item)
    if kind is None and (near := _read_near_call(item)) is not None:
        return near
    has_own_type = kind is None and isinstance(item.get("type"), str) and isinstance(item.get(FUNCTION), OBJECT)
    kind = FUNCTION if has_own_type else kind
    inner_call = _read_inner(item[kind], INPUT_KEYS[kind]) if kind is not None else None
    if kind is None or inner_call is None:
        return _read_near_call(item)
    call_id = item.get("id")
    if not isinstance(call_id, str) or not call_id:
        call_id = None
    layout = inner_call.layout
    extras: Object = {}
    mark = None
    signed = next((place for place in _SIGNATURE_PATHS if _signature_at(item, place)), None)
    if call_id is None or has_own_type or tuple(item) != _PLAIN_CALL or is_empty(item["type"]):
        form = form_of(item, CALL_ORDER, CALL_KEYS, (kind,))
        if form is not None or call_id is None:
            layout["form"] = form or list(item)
        mark = CONTROL.read(item)
        known = (kind, *(() if has_own_type else ("type",)), *(signed or ())[:1], *(() if mark is None else (CACHE,)))
        extras = rest(item, known if call_id is None else ("id", *known))
    if inner_call.extras:
        extras[kind] = inner_call.extras
    if signed is not None and signed is not _SIGNATURE_PATHS[0]:
        layout["signature"] = signed[0]
    if kind == CUSTOM and inner_call.recipient.startswith(FUNCTIONS):
        layout["kind"] = CUSTOM
    constraint = None if kind == CUSTOM else "json"
    call = _message(inner_call, call_id, constraint, layout, {TOOL_CALLS: extras} if extras else {})
    call.cache = mark
    if signed is not None:
        call.signature = Signature(_signature_at(item, signed), _VENDOR)
    return call


def _signature_at(item: Object, place: tuple[str, ...]) -> str:
    """Return the signature at a path, if the objects on it have no other members; else ""."""
    value: Json = item.get(place[0])
    for key in place[1:]:
        members = members_of(value)
        value = members[key] if members.keys() == {key} else None
    return value if isinstance(value, str) else ""


def signature_member(call: Message, layout: Object) -> Object:
    """Return the member of a call with its signature; an empty object if it has none that the format can hold.

    Args:
        call: the call.
        layout: the layout of the call.
    """
    signature = signature_by(call, _VENDOR) if call.signature is not None and not call.signature.sealed else None
    if signature is None:
        return {}
    outer, *inner = next(
        (place for place in _SIGNATURE_PATHS if place[0] == layout.get("signature")), _SIGNATURE_PATHS[0]
    )
    value: Json = signature.value
    for key in reversed(inner):
        value = {key: value}
    return {outer: value}


def _read_near_call(item: Object) -> Message | None:
    """Read a call in the shape of another library, which is stored in the layout; None if it is not understood."""
    if not is_empty(kind := item.get("type")) and kind not in _NEAR_KINDS:
        return None
    keys = item.keys() - {"id", "type"}
    if keys in _FLAT_KEYS:
        inner: Object = {"name": item.get("name"), "arguments": item.get("args", item.get("arguments"))}
    elif keys == {FUNCTION} and isinstance(item[FUNCTION], OBJECT):
        inner = item[FUNCTION]
    else:
        return None
    if inner.keys() - {"name", "arguments"}:
        return None
    inner_call = _read_inner(inner, "arguments")
    call_id = item.get("id")
    if inner_call is None or not (call_id is None or (isinstance(call_id, str) and call_id)):
        return None
    return _message(inner_call, call_id, "json", {"raw": item}, {})


_NEAR_KINDS: Final = (FUNCTION, "tool", "tool_call")
_FLAT_KEYS: Final = ({"name", "args"}, {"name", "arguments"})


def is_near(call: Message) -> bool:
    """Return whether a call was read from the shape of another library."""
    return call.layout is not None and "raw" in call_layout(call)


def read_function_call(value: Json) -> Message | None:
    """Return the call of the deprecated `function_call`; None if it is not understood, or is empty."""
    inner_call = _read_inner(cast("Object", value), "arguments") if isinstance(value, dict) else None
    if inner_call is None or is_nothing(value):
        return None
    layout = {"kind": FUNCTION_CALL, **inner_call.layout}
    extras = {FUNCTION_CALL: inner_call.extras} if inner_call.extras else {}
    return _message(inner_call, None, "json", layout, extras)


def is_nothing(value: Json) -> bool:
    """Return whether a `function_call` has neither name nor arguments: some programs write all members, even empty."""
    members = members_of(value)
    return members.get("name") == "" and members.get("arguments") in ("", None)


def _message(call: _Call, call_id: str | None, constraint: str | None, layout: Object, extras: Object) -> Message:
    return Message(
        *("assistant", call.content, None, "commentary", call.recipient, call_id),
        constraint=constraint,
        end="call",
        extras=NOTES.by_format(extras),
        layout=NOTES.by_format({"call": layout} if layout else {}),
    )


def _read_inner(inner: Object, key: str) -> _Call | None:
    name, body = inner.get("name"), inner.get(key)
    if not isinstance(name, str):
        return None
    recipient = recipient_of(name)
    layout: Object = {}
    if isinstance(body, str):
        if tuple(inner) == _PLAIN_FUNCTION:
            return _Call(recipient, body, layout, {})
        content = body
    elif body is None:
        content = ""
    else:
        content = jsontext.text_of(body)
        if content is None:
            return None
        layout["arguments"] = "parsed"
    known = ("name",) if body is None else ("name", key)
    form = form_of(inner, ("name", key), frozenset(("name", key)), known)
    if form is not None:
        layout["inner"] = form
    return _Call(recipient, content, layout, rest(inner, ("name", key)))


# --- calls, writing ---------------------------------------------------------------------------------------------------


def call_layout(call: Message | Head) -> Object:
    """Return the layout of a call."""
    return members_of(NOTES.of(call.layout).get("call"))


def is_legacy(call: Message) -> bool:
    """Return whether a call was read from the deprecated `function_call`, and can be written so."""
    if call.layout is None or call.call_id is not None or (call.content == "" and not name_of(call.recipient or "")):
        return False
    return call_layout(call).get("kind") == FUNCTION_CALL


def is_custom(call: Message) -> bool:
    """Return whether a call is written as that of a custom tool, whose input is not JSON."""
    if call.constraint == "json" or call.content_type == "json":
        return False
    if call.constraint is not None or call.recipient is None or not call.recipient.startswith(FUNCTIONS):
        return True
    kind = call_layout(call).get("kind")
    return kind == CUSTOM or (kind is None and call.content != "" and not is_object(cast("str", call.content)))


def is_open(head: Head) -> bool:
    """Return whether a call is one of a function or of a custom tool by its input alone."""
    if not head.calls or head.promises_json or head.constraint is not None or head.empty:
        return False
    return (head.recipient or "").startswith(FUNCTIONS) and "kind" not in call_layout(head)


def with_call_types(items: Sequence[Item], tools: Sequence[Tool] | None) -> Sequence[Item]:
    """Return the items; a call of a declared tool gets the layout of the kind that the tool is of."""
    edited: list[Item] = []
    for at, of_custom_tool in undecided_calls(items, tools):
        head, content, call_id = items[at]
        spelled = call_layout(head)
        if not {"kind", "raw"}.isdisjoint(spelled):
            continue
        edited = edited or list(items)
        call = {**spelled, "kind": CUSTOM if of_custom_tool else FUNCTION}
        edited[at] = (head.replaced(layout=NOTES.adding(head.layout, {"call": call})), content, call_id)
    return edited or items


def write_call(call: Message) -> Object:
    """Return a call as an item of `tool_calls`."""
    layout, extras = call_layout(call), members_of(NOTES.of(call.extras).get(TOOL_CALLS))
    raw = layout.get("raw")
    if raw is not None and not extras and _is_read_as(raw, call):
        return raw
    kind = CUSTOM if is_custom(call) else FUNCTION
    out: Object = {} if call.call_id is None else {"id": call.call_id}
    own_type = extras.get("type")
    out["type"] = own_type if kind == FUNCTION and isinstance(own_type, str) and own_type else kind
    out[kind] = _write_inner(call, INPUT_KEYS[kind], layout, extras.get(kind))
    out |= signature_member(call, layout) | CONTROL.write(call.cache)
    out = add(out, extras, CALL_ORDER)
    return shape(out, layout.get("form"), fixed=(kind,), implied=("type",)) if layout else out


def _is_read_as(raw: Json, call: Message) -> bool:
    """Return whether an object in the shape of another library is read as this call."""
    read = _read_call(raw)
    return (
        read is not None
        and is_near(read)
        and (read.recipient, read.content, read.call_id, read.constraint)
        == (
            call.recipient,
            call.content,
            call.call_id,
            call.constraint,
        )
    )


def write_function_call(call: Message) -> Object:
    """Return a call as the value of the deprecated `function_call`."""
    return _write_inner(call, "arguments", call_layout(call), NOTES.of(call.extras).get(FUNCTION_CALL))


AN_OBJECT: Final = ContentClass('{"', '":0}', jsontext.parsed_compact)
"""The class of arguments that are written as an object, as they were read from one."""


def _write_inner(call: Message, key: str, layout: Object, extras: Json) -> Object:
    name, body = name_of(call.recipient or ""), call.content
    if layout.get("arguments") == "parsed":
        body = jsontext.parsed_compact(cast("str", body))
    out = add({"name": name, key: body}, extras)
    return shape(out, layout.get("inner"), fixed=("name",)) if layout else out
