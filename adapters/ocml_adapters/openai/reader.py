"""Read a wire message of Chat Completions as messages: thoughts, text and calls, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.cache_marks import read_mark
from ocml_bridge.chat.turns import is_call, parts_of, recipient_of
from ocml_bridge.json_values.form import Object, form_of, is_empty, rest
from ocml_bridge.json_values.jsontext import text_of
from ocml_bridge.json_values.parameters import nonempty_text
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Content, Foreign, Json, Media, Message, Refusal, Text
from ocml_bridge.model.notes import add_notes
from ocml_bridge.wires.findings import note_names, note_parts, note_role

from .annotations import cited
from .calls import is_legacy, is_near, is_nothing, read_calls, read_function_call
from .media import images_in, sound_in
from .parts import is_odd, read_parts
from .reasoning import default_keys, read_reasoning
from .syntax import (
    ANNOTATIONS,
    AUDIO,
    BARE_IMAGES,
    CACHE,
    CONTENT,
    ELSEWHERE,
    EPHEMERAL,
    FUNCTION_CALL,
    HOME,
    IMAGES,
    IN_CAMEL,
    MESSAGE_ORDER,
    NOTES,
    OBJECT_AS_TEXT,
    REPLIES,
    REPLY_KEYS,
    ROLES,
    TEXT_KEYS,
    TOOL_CALLS,
    TOOL_NAME,
    WEIGHT,
    named,
)

_CALL_KEYS: Final = ((TOOL_CALLS, False), (FUNCTION_CALL, True))


def notice(wire: Object, messages: Sequence[Message], index: int, log: Log, where: str = "/messages") -> None:
    """Report what Chat Completions does not define: roles, parts, keys and calls of other libraries.

    Args:
        wire: a wire message.
        messages: the messages that were read from it.
        index: the index of the first of them.
        log: receives the findings.
        where: the JSON pointer of the list of messages.
    """
    wire, _ = named(wire)
    role, path = wire["role"], f"{where}/{index}"
    note_role(role, ROLES, path, log, api="Chat Completions")
    content = wire.get("content")
    if not (content is None or isinstance(content, (str, list))):
        is_text = isinstance(content, dict) and not any(isinstance(each.content, tuple) for each in messages)
        how = "an object; its JSON is read as the text" if is_text else "neither a text nor a list; it is kept as it is"
        log.find(FindingCode.SHAPE, f"{path}/content", f"content is {how}")
    elif content:
        for at, message in enumerate(messages, index):
            note_parts(message, f"{where}/{at}", log, is_odd)
    if role in REPLIES and messages[0].name is not None and not nonempty_text(wire.get("name")):
        detail = f"the reply names its tool under {TOOL_NAME!r}, as in Ollama; it is read as the tool's name"
        log.find(FindingCode.SHAPE, f"{path}/name", detail)
    for key in ELSEWHERE:
        if key in wire:
            log.find(
                FindingCode.SHAPE, path, f"Chat Completions has no key {key!r} in a message; the key is kept as it is"
            )
    if role != "assistant":
        return
    for at, call in enumerate(messages, index):
        if is_near(call):
            detail = "a call has the shape of another library; it is read as a function call"
            log.find(FindingCode.SHAPE, f"{where}/{at}", detail)
        note_names((call,), at, log, where)
    for key, legacy in _CALL_KEYS:
        if wire.get(key) and not any(is_call(message) and is_legacy(message) is legacy for message in messages):
            reason = "has neither a name nor arguments" if legacy and is_nothing(wire[key]) else "is not understood"
            log.find(FindingCode.SHAPE, f"{path}/extras/{HOME}/{key}", f"{key} {reason}; it is kept as it is")


# --- messages ---------------------------------------------------------------------------------------------------------


def read_message(wire: Object) -> list[Message]:
    """Return the messages of one wire message, which is an object with a `role`; at least one."""
    wire, in_camel = named(wire)
    role = wire["role"]
    if role == "assistant":
        messages = _assistant(wire)
    else:
        messages = [_reply(wire, role) if role in REPLIES else _plain(wire, role)]
    if in_camel:
        add_notes(NOTES, messages[0], {}, {IN_CAMEL: in_camel})
    return messages


def _weight(wire: Object) -> int | float | None:
    """Return the training weight of a message; None if it is no number, which then is an unknown member."""
    value = wire.get(WEIGHT)
    return value if type(value) in (int, float) else None


def _plain(wire: Object, role: str) -> Message:
    content, layout = _content(wire.get(CONTENT))
    name = nonempty_text(wire.get("name"))
    known_keys = ("role", "content") if name is None else ("role", "content", "name")
    if CACHE in wire and (marked := _marked(content, wire, layout)) is not None:
        content, known_keys = marked, (*known_keys, CACHE)
    if images := _images(wire, layout):
        content, known_keys = (*(parts_of(content) if content else ()), *images), (*known_keys, IMAGES)
    extras = _finish(wire, layout, known_keys, TEXT_KEYS, wire.get("content") == "")
    weight = _weight(wire)
    return Message(role, content, name, weight=weight, extras=NOTES.by_format(extras), layout=NOTES.by_format(layout))


def _reply(wire: Object, role: str) -> Message:
    content, layout = _content(wire.get(CONTENT))
    name, call_id, key = nonempty_text(wire.get("name")), None, "name"
    if role == "tool":
        call_id = nonempty_text(wire.get("tool_call_id"))
        if name is None:
            name, key = nonempty_text(wire.get(TOOL_NAME)), TOOL_NAME
    known_keys = ["role", "content"]
    if name is not None:
        known_keys.append(key)
    if call_id is not None:
        known_keys.append("tool_call_id")
    mark = read_mark(wire[CACHE], EPHEMERAL) if CACHE in wire else None
    if mark is not None:
        known_keys.append(CACHE)
    if images := _images(wire, layout):
        content = (*(parts_of(content) if content else ()), *images)
        known_keys.append(IMAGES)
    extras = _finish(wire, layout, known_keys, REPLY_KEYS[role], wire.get("content") == "")
    if role == "function":
        layout["role"] = role
    elif (name is not None or call_id is None) and "form" not in layout:
        layout["form"] = list(wire)
    full_name = None if name is None else recipient_of(name)
    return Message(
        "tool",
        content,
        full_name,
        "commentary",
        "assistant",
        call_id,
        weight=_weight(wire),
        extras=NOTES.by_format(extras),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _assistant(wire: Object) -> list[Message]:
    name, refusal = nonempty_text(wire.get("name")), nonempty_text(wire.get("refusal"))
    thoughts, keys, templates = read_reasoning(wire)
    calls_by_key = _calls(wire, name)
    calls = [call for calls_of_key in calls_by_key.values() for call in calls_of_key]
    value: Json = wire.get(CONTENT)
    content, layout = _content(value[len(templates[CONTENT]) :] if CONTENT in templates else value)
    keys_of_text: list[str] = []
    if CACHE in wire and (marked := _marked(content, wire, layout)) is not None:
        content = marked
        keys_of_text.append(CACHE)
    if wire.get(ANNOTATIONS) and (with_citations := cited(content, wire[ANNOTATIONS])) is not None:
        content = with_citations
        keys_of_text.append(ANNOTATIONS)
    images = () if refusal is not None else _images(wire, layout)
    if images:
        content = (*(parts_of(content) if content else ()), *images)
        keys_of_text.append(IMAGES)
    sound = sound_in(wire[AUDIO], is_alone=not content) if AUDIO in wire and refusal is None else ()
    if sound:
        content = (*(parts_of(content) if content else ()), *sound)
        keys_of_text.append(AUDIO)
    if refusal is not None:
        content = (*(parts_of(content) if content else ()), Refusal(refusal))
    elif isinstance(content, tuple) and isinstance(content[-1], Refusal) and content[-1].text:
        layout["refusal"] = "part"
    if templates:
        layout["templates"] = templates
    if thoughts and keys != default_keys(thoughts) and CONTENT not in templates:
        layout["reasoning"] = keys
    known_keys = ["role", "content", *keys, *calls_by_key, *keys_of_text]
    known_keys += [key for key, value in (("name", name), ("refusal", refusal)) if value is not None]
    may_lack_content = bool(thoughts or calls or refusal or sound) and not images
    is_silent = wire.get("content", 0) is None if may_lack_content else wire.get("content") == ""
    extras = _finish(wire, layout, known_keys, TEXT_KEYS, is_silent)
    messages = thoughts
    for thought in thoughts:
        thought.name = name
    if content or not (thoughts or calls):
        channel, intent = ("commentary", "preamble") if calls else ("final", None)
        messages.append(Message("assistant", content, name, channel, intent=intent))
    messages += calls
    for message in messages[1:]:
        message.continues = True
    if (weight := _weight(wire)) is not None:
        for message in messages:
            message.weight = weight
    add_notes(NOTES, messages[0], extras, layout)
    return messages


def _images(wire: Object, layout: Object) -> tuple[Media, ...]:
    """Return the images beside the text of a message, and note in the layout how many there are."""
    images = images_in(wire[IMAGES]) if wire.get(IMAGES) else ()
    if images:
        layout[IMAGES] = len(images)
        if isinstance(cast("list[Json]", wire[IMAGES])[0], str):
            layout[BARE_IMAGES] = "data"
    return images


def _calls(wire: Object, speaker: str | None) -> dict[str, list[Message]]:
    """Return the calls of a wire message by their key; a key whose value is not understood is omitted."""
    by_key: dict[str, list[Message]] = {}
    calls = read_calls(wire[TOOL_CALLS], speaker) if wire.get(TOOL_CALLS) else None
    if calls:
        by_key[TOOL_CALLS] = calls
    call = read_function_call(wire[FUNCTION_CALL], speaker) if wire.get(FUNCTION_CALL) else None
    if call is not None:
        by_key[FUNCTION_CALL] = [call]
    return by_key


# --- what all messages have -------------------------------------------------------------------------------------------


def _content(value: Json) -> tuple[Content, Object]:
    """Return the content of a message, and its layout."""
    if isinstance(value, str):
        return value, {}
    if is_empty(value):
        return "", {}
    if isinstance(value, dict) and (text := text_of(cast("Json", value))) is not None:
        return text, {CONTENT: OBJECT_AS_TEXT}
    if not isinstance(value, list):
        return (Foreign(HOME, value),), {"content": "bare"}
    parts, orders = read_parts(cast("list[Json]", value))
    layout: Object = {"parts": orders} if orders else {}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].is_bare:
        return parts[0].text, {"content": "list", **layout}
    return parts, layout


def _marked(content: Content, wire: Object, layout: Object) -> Content | None:
    """Return content with the cache mark of its message; None if it is no text, or the mark is not understood."""
    mark = read_mark(wire[CACHE], EPHEMERAL)
    if mark is None or not isinstance(content, str) or not content or "content" in layout:
        return None
    layout[CACHE] = "message"
    return (Text(content, cache=mark),)


def _finish(
    wire: Object, layout: Object, known_keys: Sequence[str], required: frozenset[str], is_silent: bool
) -> Object:
    """Add the form of a wire message to its layout; return its extras: the unknown members that are not empty.

    Args:
        wire: the wire message.
        layout: receives the form.
        known_keys: the members that were read.
        required: the members that are always written.
        is_silent: whether the content is the empty value that is written for no content.
    """
    form = form_of(wire, MESSAGE_ORDER, required, ("role", "content") if is_silent else ("role",))
    if form is not None:
        layout["form"] = form
    return rest(wire, known_keys if _weight(wire) is None else (*known_keys, WEIGHT))
