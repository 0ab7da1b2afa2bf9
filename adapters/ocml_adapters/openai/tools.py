"""Declared tools and tool calls, both ways: objects that name their kind and hold another object of that name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge import jsontext
from ocml_bridge.form import ARRAY, OBJECT, Object, add, form_of, is_empty, rest, set_apart, shape, with_apart
from ocml_bridge.model import Json, Message, Signature, Tool
from ocml_bridge.signatures import signature_by
from ocml_bridge.turns import FUNCTIONS, full_name, name_of, recipient_of, split_name

from .form import by_format, notes_in
from .syntax import (
    CALL_KEYS,
    CALL_ORDER,
    CUSTOM,
    DECLARATION_KEYS,
    DECLARATION_ORDER,
    FUNCTION,
    FUNCTION_CALL,
    INPUT_KEYS,
    TOOL_CALLS,
    TOOL_KEYS,
    TOOL_ORDER,
)

_PLAIN_CALL: Final = ("id", "type", "function")
_PLAIN_TOOL: Final = ("type", "function")
_PLAIN_DECLARATIONS: Final = (DECLARATION_ORDER[:-1], DECLARATION_ORDER)
_PLAIN_FUNCTION: Final = ("name", "arguments")


def _kind_of(item: Object) -> str | None:
    """`function` or `custom`; by the object that is there where no type is given; None for other kinds."""
    kind = item.get("type")
    if is_empty(kind):
        kind = FUNCTION if FUNCTION in item else CUSTOM
    return kind if isinstance(kind, str) and kind in INPUT_KEYS and isinstance(item.get(kind), dict) else None


# --- calls, reading ---------------------------------------------------------------------------------------------------


_SIGNED: Final = (("extra_content", "google", "thought_signature"), ("provider_specific_fields", "thought_signature"))
"""Where servers give the signature of a call of Gemini's: Google itself, whose place is ours, and LiteLLM."""
_VENDOR: Final = "google"


class _Call(NamedTuple):
    """What the object in a call says: recipient, body, how it was spelled, and what only this format can say."""

    recipient: str
    content: str
    layout: Object
    extras: Object


def read_calls(value: Json, speaker: str | None) -> list[Message] | None:
    """The calls of `tool_calls`; None where any of them cannot be understood."""
    if not isinstance(value, ARRAY):
        return None
    calls: list[Message] = []
    for item in value:
        call = _read_call(item, speaker)
        if call is None:
            return None
        calls.append(call)
    return calls


def _read_call(value: Json, speaker: str | None) -> Message | None:
    if not isinstance(value, OBJECT):
        return None
    item: Object = value
    kind = _kind_of(item)
    found = _read_inner(item[kind], INPUT_KEYS[kind]) if kind is not None else None
    if kind is None or found is None:
        return _read_near_call(item, speaker)
    call_id = item.get("id")
    if not isinstance(call_id, str) or not call_id:
        call_id = None
    layout = found.layout
    extras: Object = {}
    signed = next((place for place in _SIGNED if _signature_at(item, place)), None)
    if call_id is None or tuple(item) != _PLAIN_CALL or is_empty(item["type"]):
        form = form_of(item, CALL_ORDER, CALL_KEYS, (kind,))
        if form is not None or call_id is None:
            layout["form"] = form or list(item)
        known = ("type", kind, *(signed or ())[:1])
        extras = rest(item, known if call_id is None else ("id", *known))
    if found.extras:
        extras[kind] = found.extras
    if kind == CUSTOM and found.recipient.startswith(FUNCTIONS):
        layout["kind"] = CUSTOM
    if signed is not None and signed is not _SIGNED[0]:
        layout["signature"] = signed[0]
    constraint = None if kind == CUSTOM else "json"
    call = _message(found, speaker, call_id, constraint, layout, {TOOL_CALLS: extras} if extras else {})
    if signed is not None:
        call.signature = Signature(_signature_at(item, signed), _VENDOR)
    return call


def _signature_at(item: Object, place: tuple[str, ...]) -> str:
    """The signature at a place where nothing else stands; "" where there is none."""
    value: Json = item.get(place[0])
    for key in place[1:]:
        members = cast("Object", value) if isinstance(value, dict) else {}
        value = members[key] if members.keys() == {key} else None
    return value if isinstance(value, str) else ""


def _signed(call: Message, layout: Object) -> Object:
    """The member of a call that holds its signature."""
    signature = signature_by(call, _VENDOR) if call.signature is not None and not call.signature.sealed else None
    if signature is None:
        return {}
    outer, *inner = next((place for place in _SIGNED if place[0] == layout.get("signature")), _SIGNED[0])
    value: Json = signature.value
    for key in reversed(inner):
        value = {key: value}
    return {outer: value}


def _read_near_call(item: Object, speaker: str | None) -> Message | None:
    """A call of another library's shape, which is kept: without an object around its name, or of another type."""
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
    found = _read_inner(inner, "arguments")
    call_id = item.get("id")
    if found is None or not (call_id is None or (isinstance(call_id, str) and call_id)):
        return None
    return _message(found, speaker, call_id, "json", {"raw": item}, {})


_NEAR_KINDS: Final = (FUNCTION, "tool", "tool_call")
_FLAT_KEYS: Final = ({"name", "args"}, {"name", "arguments"})


def is_near(call: Message) -> bool:
    """Whether a call was read from another library's shape."""
    return call.layout is not None and "raw" in call_layout(call)


def names_no_tool(call: Message) -> bool:
    """Whether a call has an empty name; its recipient is the namespace alone."""
    return call.recipient == FUNCTIONS


def read_function_call(value: Json, speaker: str | None) -> Message | None:
    """The call of the deprecated `function_call`; None where it cannot be understood."""
    found = _read_inner(cast("Object", value), "arguments") if isinstance(value, dict) else None
    if found is None:
        return None
    layout = {"kind": FUNCTION_CALL, **found.layout}
    return _message(found, speaker, None, "json", layout, {FUNCTION_CALL: found.extras} if found.extras else {})


def _message(
    call: _Call, speaker: str | None, call_id: str | None, constraint: str | None, layout: Object, extras: Object
) -> Message:
    return Message(
        "assistant",
        call.content,
        speaker,
        "commentary",
        call.recipient,
        call_id,
        None,
        None,
        constraint,
        "call",
        extras=by_format(extras),
        layout=by_format({"call": layout} if layout else {}),
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
        content = _compact(body)
        if content is None:
            return None
        layout["arguments"] = "parsed"
    known = ("name",) if body is None else ("name", key)
    form = form_of(inner, ("name", key), frozenset(("name", key)), known)
    if form is not None:
        layout["inner"] = form
    return _Call(recipient, content, layout, rest(inner, ("name", key)))


def _compact(value: Json) -> str | None:
    """A value as compact JSON, where that gives the value back."""
    if jsontext.too_deep(value):
        return None
    text = jsontext.compact(value)
    return text if jsontext.parse(text) is not None else None


# --- calls, writing ---------------------------------------------------------------------------------------------------


def call_layout(call: Message) -> Object:
    """How a call was spelled."""
    layout = notes_in(call.layout).get("call")
    return cast("Object", layout) if isinstance(layout, dict) else {}


def is_legacy(call: Message) -> bool:
    """Whether a call was read from the deprecated `function_call`."""
    return call.layout is not None and call.call_id is None and call_layout(call).get("kind") == FUNCTION_CALL


def is_custom(call: Message) -> bool:
    """Whether a call is to a custom tool: its input is not JSON, and its recipient is no function."""
    if call.constraint == "json" or call.content_type == "json":
        return False
    if call.constraint is not None or call.recipient is None or not call.recipient.startswith(FUNCTIONS):
        return True
    return call_layout(call).get("kind") == CUSTOM


def write_call(call: Message) -> Object:
    """A call as an item of `tool_calls`."""
    layout, extras = call_layout(call), notes_in(call.extras).get(TOOL_CALLS)
    raw = layout.get("raw")
    if raw is not None and extras is None and _says(raw, call):
        return raw
    kind = CUSTOM if is_custom(call) else FUNCTION
    out: Object = {} if call.call_id is None else {"id": call.call_id}
    out["type"] = kind
    own: Object = cast("Object", extras) if isinstance(extras, dict) else {}
    out[kind] = _write_inner(call, INPUT_KEYS[kind], layout, own.get(kind))
    out |= _signed(call, layout)
    out = add(out, own, CALL_ORDER)
    return shape(out, layout.get("form"), fixed=(kind,), implied=("type",)) if layout else out


def _says(raw: Json, call: Message) -> bool:
    """Whether an object of another library's shape is read as just this call."""
    read = _read_call(raw, call.name)
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
    """A call as the value of the deprecated `function_call`."""
    return _write_inner(call, "arguments", call_layout(call), notes_in(call.extras).get(FUNCTION_CALL))


def _write_inner(call: Message, key: str, layout: Object, extras: Json) -> Object:
    name, body = name_of(call.recipient or ""), call.content
    if layout.get("arguments") == "parsed":
        body = _parsed(cast("str", body))
    out = add({"name": name, key: body}, extras)
    return shape(out, layout.get("inner"), fixed=("name",)) if layout else out


def _parsed(text: str) -> Json:
    """The value that a text is the compact JSON of; the text itself where there is none, or none worth parsing."""
    span = jsontext.parse(text)
    if span is None or isinstance(span.value, str) or span.value is None or _compact(span.value) != text:
        return text
    return span.value


# --- declared tools ---------------------------------------------------------------------------------------------------


def read_tools(raws: list[Json], *, legacy: bool = False) -> tuple[tuple[Tool, ...], list[Object]]:
    """Declared tools, and those of kinds that are no functions, each with the place it stands at.

    Args:
        raws: the items of `tools`, or of the deprecated `functions`.
        legacy: whether they are the latter: functions without an object around them.
    """
    tools, others = set_apart(raws, _read_legacy if legacy else _read_tool, "tool")
    return tuple(tools), others


def _read_legacy(value: Json) -> Tool | None:
    return _read_tool({"type": FUNCTION, FUNCTION: value})


def _read_tool(value: Json) -> Tool | None:
    if not isinstance(value, OBJECT):
        return None
    item: Object = value
    if tuple(item) == _PLAIN_TOOL and (plain := _read_plain_tool(item)) is not None:
        return plain
    kind = _kind_of(item)
    if kind is None:
        return None
    inner = cast("Object", item[kind])
    name, description = inner.get("name"), inner.get("description")
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    strict = inner.get("strict") if kind == FUNCTION else None
    order = DECLARATION_ORDER if kind == FUNCTION else DECLARATION_ORDER[:2]
    if not (strict is None or isinstance(strict, bool)):
        order, strict = DECLARATION_ORDER[:-1], None
    known = [key for key in order if inner.get(key) is not None]
    extras, more = rest(item, ("type", kind)), rest(inner, order)
    if more or kind == CUSTOM:
        extras[kind] = more
    forms = {
        "form": form_of(item, TOOL_ORDER, TOOL_KEYS, (kind,)),
        "inner": form_of(inner, order, DECLARATION_KEYS, known),
    }
    layout = {key: form for key, form in forms.items() if form is not None}
    namespace, bare = split_name(name)
    parameters = inner.get("parameters") if kind == FUNCTION else None
    return Tool(bare, description, parameters, namespace, by_format(extras), by_format(layout), strict=strict)


def _read_plain_tool(item: Object) -> Tool | None:
    """A function that says in order all that there is to say of one, as most do."""
    kind, inner = item.values()
    if kind != FUNCTION or inner.__class__ is not dict or tuple(inner) not in _PLAIN_DECLARATIONS:
        return None
    name, description, parameters, *more = inner.values()
    strict = more[0] if more else None
    if not (isinstance(name, str) and isinstance(description, str)) or parameters is None:
        return None
    if more and not isinstance(strict, bool):
        return None
    namespace, bare = split_name(name)
    return Tool(bare, description, parameters, namespace, strict=strict)


def write_tools(tools: Sequence[Tool], others: Json, *, legacy: bool = False) -> list[Json]:
    """Declared tools, with those of other kinds at their places."""
    written = [_write_tool(tool)[FUNCTION] if legacy else _write_tool(tool) for tool in tools]
    return written if others is None else with_apart(written, others, "tool")


def is_custom_tool(tool: Tool) -> bool:
    """Whether a declared tool is a custom one: its input is not JSON."""
    return CUSTOM in notes_in(tool.extras)


def _write_tool(tool: Tool) -> Object:
    kind = CUSTOM if is_custom_tool(tool) else FUNCTION
    inner: Object = {"name": full_name(tool)}
    if tool.description is not None:
        inner["description"] = tool.description
    if tool.parameters is not None and kind == FUNCTION:
        inner["parameters"] = tool.parameters
    if tool.strict is not None and kind == FUNCTION:
        inner["strict"] = tool.strict
    if tool.extras is None and tool.layout is None:
        return {"type": FUNCTION, FUNCTION: inner}
    extras, layout = notes_in(tool.extras), notes_in(tool.layout)
    inner = add(inner, extras.get(kind))
    out = add({"type": kind, kind: shape(inner, layout.get("inner"), fixed=inner)}, extras)
    return shape(out, layout.get("form"), fixed=(kind,), implied=("type",))
