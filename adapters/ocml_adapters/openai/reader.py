"""Read a wire message of Chat Completions as messages: thoughts, text and calls, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.turns import is_call, parts_of, recipient_of
from ocml_bridge.json_values.form import Object, form_of, is_empty, rest
from ocml_bridge.json_values.jsontext import text_of
from ocml_bridge.json_values.parameters import nonempty_text
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Content, Foreign, Json, Message, Part, Refusal, Text
from ocml_bridge.wires.findings import report_nameless, report_parts, report_role

from .annotations import cited
from .calls import is_legacy, is_near, is_nothing, read_calls, read_function_call
from .media import images_in, sound_in
from .parts import is_odd, read_parts
from .reasoning import Reasoning, default_keys, read_reasoning
from .syntax import (
    ANNOTATIONS,
    AUDIO,
    BARE_IMAGES,
    CACHE,
    CONTENT,
    ELSEWHERE,
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


def report_findings(wire: Object, messages: Sequence[Message], index: int, log: Log, where: str = "/messages") -> None:
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
    report_role(role, ROLES, path, log, api="Chat Completions")
    content = wire.get("content")
    if not (content is None or isinstance(content, (str, list))):
        is_text = isinstance(content, dict) and not any(isinstance(each.content, tuple) for each in messages)
        how = "an object; its JSON is read as the text" if is_text else "neither a text nor a list; it is kept as it is"
        log.find(FindingCode.SHAPE, f"{path}/content", f"content is {how}")
    elif content:
        for at, message in enumerate(messages, index):
            report_parts(message, f"{where}/{at}", log, is_odd)
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
        report_nameless((call,), at, log, where)
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
        NOTES.add_to(messages[0], {}, {IN_CAMEL: in_camel})
    return messages


def _weight(wire: Object) -> int | float | None:
    """Return the training weight of a message; None if it is no number, which then is an unknown member."""
    value = wire.get(WEIGHT)
    return value if type(value) in (int, float) else None


class _Body:
    """The content of a wire message: what its member `content` has, and then the members beside it.

    Args:
        wire: the wire message.
        value: the value of its content that is still to be read.

    Attributes:
        content: the content so far.
        layout: how the message is spelled, so far.
        keys: the keys of the members that were read.
    """

    def __init__(self, wire: Object, value: Json) -> None:
        self.content, self.layout = _content(value)
        self.keys = ["role", CONTENT]
        self._wire = wire

    def add(self, key: str, parts: Sequence[Part]) -> None:
        """Add the parts of a member, if it has any."""
        if parts:
            self.content = (*(parts_of(self.content) if self.content else ()), *parts)
            self.keys.append(key)

    def take_mark(self) -> None:
        """Give the text the cache mark of its message, unless there is no text, or the mark is not understood."""
        mark, text = CONTROL.read(self._wire), self.content
        if mark is not None and isinstance(text, str) and text and "content" not in self.layout:
            self.layout[CACHE] = "message"
            self.content = (Text(text, cache=mark),)
            self.keys.append(CACHE)

    def take_images(self) -> None:
        """Add the images beside the text, and note in the layout how many there are."""
        value: Json = self._wire.get(IMAGES)
        images = images_in(value) if value else ()
        if images:
            self.layout[IMAGES] = len(images)
            if isinstance(cast("list[Json]", value)[0], str):
                self.layout[BARE_IMAGES] = "data"
        self.add(IMAGES, images)

    def finish(self, required: frozenset[str], *, no_content: str | None = "") -> Object:
        """Add the form of the wire message to the layout; return its extras: the unknown members that are not empty.

        Args:
            required: the members that are always written.
            no_content: the empty value that is written for no content.
        """
        wire, is_silent = self._wire, CONTENT in self._wire and self._wire[CONTENT] == no_content
        form = form_of(wire, MESSAGE_ORDER, required, ("role", CONTENT) if is_silent else ("role",))
        if form is not None:
            self.layout["form"] = form
        return rest(wire, self.keys if _weight(wire) is None else (*self.keys, WEIGHT))


def _plain(wire: Object, role: str) -> Message:
    body, name = _Body(wire, wire.get(CONTENT)), nonempty_text(wire.get("name"))
    body.take_mark()
    body.take_images()
    body.keys += [] if name is None else ["name"]
    extras = body.finish(TEXT_KEYS)
    return Message(
        *(role, body.content, name),
        weight=_weight(wire),
        extras=NOTES.by_format(extras),
        layout=NOTES.by_format(body.layout),
    )


def _reply(wire: Object, role: str) -> Message:
    body = _Body(wire, wire.get(CONTENT))
    name, call_id, key = nonempty_text(wire.get("name")), None, "name"
    if role == "tool":
        call_id = nonempty_text(wire.get("tool_call_id"))
        if name is None:
            name, key = nonempty_text(wire.get(TOOL_NAME)), TOOL_NAME
    mark = CONTROL.read(wire)
    body.keys += [key for key, value in ((key, name), ("tool_call_id", call_id), (CACHE, mark)) if value is not None]
    body.take_images()
    extras, layout = body.finish(REPLY_KEYS[role]), body.layout
    if role == "function":
        layout["role"] = role
    elif (name is not None or call_id is None) and "form" not in layout:
        layout["form"] = list(wire)
    full_name = None if name is None else recipient_of(name)
    return Message(
        *("tool", body.content, full_name, "commentary", "assistant", call_id),
        weight=_weight(wire),
        extras=NOTES.by_format(extras),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _assistant(wire: Object) -> list[Message]:
    name, reasoning, calls_by_key = nonempty_text(wire.get("name")), read_reasoning(wire), _calls(wire)
    thoughts, calls = reasoning.thoughts, [call for calls_of_key in calls_by_key.values() for call in calls_of_key]
    body = _answer(wire, reasoning)
    body.keys += [*reasoning.keys, *calls_by_key, *([] if name is None else ["name"])]
    says_more = thoughts or calls or "refusal" in body.keys or AUDIO in body.keys
    extras = body.finish(TEXT_KEYS, no_content=None if says_more and IMAGES not in body.keys else "")
    messages = thoughts
    if body.content or not (thoughts or calls):
        channel, intent = ("commentary", "preamble") if calls else ("final", None)
        messages.append(Message("assistant", body.content, channel=channel, intent=intent))
    messages += calls
    weight = _weight(wire)
    for at, message in enumerate(messages):
        message.name, message.weight, message.continues = name, weight, at > 0
    NOTES.add_to(messages[0], extras, body.layout)
    return messages


def _answer(wire: Object, reasoning: Reasoning) -> _Body:
    """Return what a wire message of the assistant has beside thoughts and calls: a text, media, a refusal."""
    value: Json = wire.get(CONTENT)
    templates = reasoning.templates
    if reasoning.answer is not None:
        value = reasoning.answer
    elif CONTENT in templates:
        value = value[len(templates[CONTENT]) :]
    body = _Body(wire, value)
    body.take_mark()
    if wire.get(ANNOTATIONS) and (with_citations := cited(body.content, wire[ANNOTATIONS])) is not None:
        body.content = with_citations
        body.keys.append(ANNOTATIONS)
    refusal = nonempty_text(wire.get("refusal"))
    if refusal is not None:
        body.add("refusal", (Refusal(refusal),))
    else:
        body.take_images()
        body.add(AUDIO, sound_in(wire.get(AUDIO), is_alone=not body.content))
        last = body.content[-1] if isinstance(body.content, tuple) else None
        if isinstance(last, Refusal) and last.text:
            body.layout["refusal"] = "part"
    if templates:
        body.layout["templates"] = templates
    if reasoning.thoughts and reasoning.keys != default_keys(reasoning.thoughts) and CONTENT not in templates:
        body.layout["reasoning"] = reasoning.keys
    return body


def _calls(wire: Object) -> dict[str, list[Message]]:
    """Return the calls of a wire message by their key; a key whose value is not understood is omitted."""
    by_key: dict[str, list[Message]] = {}
    calls = read_calls(wire[TOOL_CALLS]) if wire.get(TOOL_CALLS) else None
    if calls:
        by_key[TOOL_CALLS] = calls
    call = read_function_call(wire[FUNCTION_CALL]) if wire.get(FUNCTION_CALL) else None
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
