"""Fit messages to frames, which can hold nearly everything; and keep the layout that still means the same."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.chat.turns import is_call, is_reply, is_thought, with_namespace
from ocml_bridge.chat.visibility import channelled, closed
from ocml_bridge.errors import BridgeError
from ocml_bridge.json_values.form import without
from ocml_bridge.loss import Log
from ocml_bridge.model import ByFormat, Json, Message, Thought, Tools, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text import attributes, thoughts
from ocml_bridge.text.channels import evident

from .body import decode, encode
from .frames import Frame, begins, frames
from .header import as_value, is_value, parse_header, render_header
from .syntax import (
    ATTRIBUTES,
    CHANNEL,
    CONSTRAIN,
    HOME,
    MAX_FRAME_HEADER,
    NOTES,
    START,
    TERMINATORS,
    TOKEN,
    ending,
    is_last_answer,
)


def nearest(message: Message, path: str, log: Log) -> Message:
    """Return the nearest message that a frame can hold; `settled` checks its layout later.

    Args:
        message: the message.
        path: its JSON pointer.
        log: receives the losses of its content.
    """
    if not isinstance(message.content, str):
        message = channelled(message)
        holds = {Thought, Tools} if is_thought(message) else {Tools}
        content = narrow(message.content, holds, f"{path}/content", log, target=HOME)
        message = replace(message, content=thoughts.tidy(content))
    extras = NOTES.by_format(_extras(NOTES.of(message.extras)))
    writable = replace(
        message, failed=None, weight=None, signature=None, cache=None, extras=extras, **_header_values(message)
    )  # type: ignore[arg-type]
    return _bounded(closed(message, _bounded(writable)))


def settled(message: Message, *, first: bool, last: bool) -> Message:
    """Return the message that is read from its frame, with the part of its layout that is still valid.

    Only the last message may be cut off; an answer at the end is closed by `<|return|>` (reading 16).

    Args:
        message: the nearest message that a frame can hold; it is changed.
        first: whether it is the first frame.
        last: whether nothing follows it.
    """
    if message.end is None and not last:
        message.end = "end"
    if first:
        message = without_gap(message)
    layout = _layout(NOTES.of(message.layout), message, first=first, last=last)
    message.layout = NOTES.by_format(layout)
    if last and is_last_answer(message) and "end" not in layout:
        message.end = "return"
    return message


def without_gap(message: Message) -> Message:
    """Return a message without the text before its frame, which the first one cannot have."""
    extras = NOTES.of(message.extras)
    return replace(message, extras=_without(extras, "before")) if "before" in extras else message


def _without(members: dict[str, Json], name: str) -> ByFormat | None:
    return NOTES.by_format(without(members, name))


# --- header -----------------------------------------------------------------------------------------------------------

_VALUES: Final = ("name", "channel", "recipient", "call_id", "intent", "content_type", "constraint")


def _header_values(message: Message) -> dict[str, str | None]:
    """Return the values of a message's header as they are read back; a value that a header cannot contain is None."""
    role = as_value(message.role) or "unknown"
    values: dict[str, str | None] = {"role": role}
    for name in _VALUES:
        value = cast("str | None", getattr(message, name))
        values[name] = value if value is None or is_value(value) else None
    values["channel"] = values["channel"] and evident(values["channel"])
    if "." in role or role == "python":
        values.update(role="tool", name=role)
    elif role == "tool" and values["name"] is not None:
        values["name"] = with_namespace(values["name"])
    for name in ("channel", "constraint"):
        # A channel such as `to=x` would be read as an attribute.
        if attributes.attribute(values[name] or "") is not None:
            values[name] = None
    return values


def _bounded(message: Message) -> Message:
    """Return a message whose header is short enough to be read; the longest values are removed if necessary."""
    values = [getattr(message, name) or "" for name in _VALUES]
    unknown = unknown_attributes(message)
    if sum(map(len, (message.role, *values, *unknown, *unknown.values()))) < MAX_FRAME_HEADER // 2:
        return message
    while len(render_header(message, unknown)) > MAX_FRAME_HEADER:
        longest = max(_VALUES, key=lambda name: len(getattr(message, name) or ""))
        if getattr(message, longest) is not None:
            message = replace(message, **{longest: None})
        elif unknown:
            message, unknown = replace(message, extras=_without(NOTES.of(message.extras), "attributes")), {}
        else:
            message = replace(message, role=message.role[: MAX_FRAME_HEADER // 2])
    return message


def unknown_attributes(message: Message) -> dict[str, str]:
    """Return the attributes of a message's header that §6 does not define."""
    return cast("dict[str, str]", NOTES.of(message.extras).get("attributes") or {})


# --- extras -----------------------------------------------------------------------------------------------------------


def _extras(extras: dict[str, Json]) -> dict[str, Json]:
    """Return the extras that can be written: attributes that §6 does not define, and text before the frame."""
    members: dict[str, Json] = {}
    unknown, before = extras.get("attributes"), extras.get("before")
    if isinstance(unknown, dict) and _are_attributes(cast("dict[str, Json]", unknown)):
        members["attributes"] = unknown
    if isinstance(before, str) and before.strip() and is_outside(before) and begins(before) < 0:
        members["before"] = before
    return members


def _are_attributes(unknown: dict[str, Json]) -> bool:
    return bool(unknown) and all(
        is_value(key) and "=" not in key and key not in ATTRIBUTES and isinstance(value, str) and _fits(value)
        for key, value in unknown.items()
    )


def _fits(value: str) -> bool:
    return value == "" or is_value(value)


def is_outside(text: str) -> bool:
    """Return whether a text can be outside frames: it contains no token."""
    return TOKEN.search(text) is None and not text.endswith("<")


# --- layout -----------------------------------------------------------------------------------------------------------


def _layout(layout: dict[str, Json], message: Message, *, first: bool, last: bool) -> dict[str, Json]:
    """Return the stored text of header, body, terminator and gap, as far as it still means the same as the message."""
    spelling: dict[str, Json] = {}
    raw = layout.get("header")
    if isinstance(raw, str) and _is_header(raw, message):
        spelling["header"] = raw
    raw = layout.get("body")
    if isinstance(raw, str) and _is_body(raw, message):
        spelling["body"] = raw
    raw = layout.get("end")
    if isinstance(raw, str) and _is_end(raw, message, last=last):
        spelling["end"] = raw
    raw = layout.get("gap")
    if (
        isinstance(raw, str)
        and not raw.strip()
        and raw != "\n"
        and not first
        and "before" not in NOTES.of(message.extras)
    ):
        spelling["gap"] = raw
    if message.call_id is None and (is_call(message) or is_reply(message)):
        spelling["call_id"] = "absent"
    return spelling


def _is_header(raw: str, message: Message) -> bool:
    unknown = unknown_attributes(message)
    if raw == render_header(message, unknown) or len(raw) > MAX_FRAME_HEADER:
        return False
    if any(token not in (CHANNEL, CONSTRAIN) for token in TOKEN.findall(raw)):
        return False
    try:
        fields = parse_header(raw, 0)
    except BridgeError:
        return False
    values = {name: getattr(message, name) for name in (*ATTRIBUTES.values(), "role", "channel", "constraint")}
    return fields.values == {k: v for k, v in values.items() if v is not None} and fields.unknown == unknown


def _is_body(raw: str, message: Message) -> bool:
    marked = is_thought(message)
    if raw == encode(message.content, marked=marked) or decode(raw, marked=marked) != message.content:
        return False
    # It must be read as one body: in a frame, up to the terminator.
    terminator = TERMINATORS["end"] if message.end is not None else ""
    try:
        parts = list(frames(f"{START}user<|message|>{raw}{terminator}", 0))
    except BridgeError:
        return False
    return len(parts) == 2 and isinstance(parts[0], Frame) and parts[0].body == raw and parts[1] == ""


def _is_end(raw: str, message: Message, *, last: bool) -> bool:
    if message.end is None or ending(raw) != message.end or "".join(TOKEN.findall(raw)) != raw:
        return False
    doubled = raw in (TERMINATORS["call"] + TERMINATORS["end"], TERMINATORS["return"] + TERMINATORS["end"])
    return doubled or (raw == TERMINATORS["end"] and last and is_last_answer(message))
