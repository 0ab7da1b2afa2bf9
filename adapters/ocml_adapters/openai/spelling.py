"""Write a group of messages as a wire message of Chat Completions, in the spelling that their layout stores.

Thoughts, at most one text, and calls of the assistant are one group; any other message is a group of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.turns import is_call, name_of, parts_of, text_or_parts
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.formats.adapter import DEFAULT, Options
from ocml_bridge.json_values.form import Object, add, names, shape
from ocml_bridge.json_values.jsontext import parsed_compact
from ocml_bridge.model import Content, Json, Message, Part, Refusal, Text, replace
from ocml_bridge.units.grammar import WrittenUnit

from .annotations import annotations_of
from .calls import is_legacy, write_call, write_function_call
from .marked_thoughts import EXTRA
from .media import without_images, without_sound
from .parts import write_part, write_parts
from .reader import read_message
from .reasoning import write_reasoning
from .syntax import (
    ANNOTATIONS,
    AUDIO,
    BARE_IMAGES,
    CACHE,
    CONTENT,
    FUNCTION_CALL,
    IMAGES,
    IN_CAMEL,
    MESSAGE_ORDER,
    NOTES,
    OBJECT_AS_TEXT,
    TOOL_CALLS,
    TOOL_NAME,
    WEIGHT,
    in_camel,
)
from .thought_lists import ITEM, SEALED


def spelled(group: Sequence[Message], options: Options = DEFAULT, *, named: bool = False) -> WrittenUnit:
    """Return the wire message of a group, and the messages that are read from it.

    Extras and layout are ignored if they would change the contents that are read.

    Args:
        group: the messages, as for `write_message`.
        options: how to write.
        named: whether a reply has the name of its tool in any case.
    """
    wire = write_message(group, options, named=named)
    image = read_message(wire)
    if len(image) == len(group) and all(map(_is_written_alike, group, image)):
        return WrittenUnit(wire, image, None)
    if [message.content for message in image] != [message.content for message in group]:
        clean = [replace(message, extras=None, layout=None) for message in group]
        image = read_message(write_message(clean, options, named=named))
    return WrittenUnit(write_message(image, options), image, None)


def _is_written_alike(message: Message, other: Message) -> bool:
    """Return whether two messages differ only in what `write_message` does not look at."""
    if message == other:
        return True
    own = replace(
        message,
        continues=other.continues,
        extras=NOTES.by_format(NOTES.of(message.extras)),
        layout=NOTES.by_format(NOTES.of(message.layout)),
    )
    return own == other


def write_message(group: Sequence[Message], options: Options, *, named: bool = False) -> Object:
    """Return one wire message.

    Args:
        group: thoughts, at most one text, and calls; or one message of another role.
        options: how to write.
        named: whether a reply has the name of its tool, even if it was read without one.
    """
    first = group[0]
    if first.role == "assistant":
        return _write_assistant(group, options)
    return _write_reply(first, named) if first.role == "tool" else _write_plain(first)


def _write_plain(message: Message) -> Object:
    out: Object = {"role": message.role}
    if message.name:
        out["name"] = message.name
    layout = NOTES.of(message.layout)
    content, images = _without_images(message.content, layout)
    out["content"] = _write_content(content, layout)
    if not isinstance(content, str):
        out |= {key: value for key, value in _members_of_content(content, layout).items() if key == CACHE}
    if images:
        out[IMAGES] = images
    return _spell(out, message, NOTES.of(message.extras), layout)


def _write_reply(message: Message, named: bool) -> Object:
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    form = layout.get("form")
    legacy = layout.get("role") == "function" and not message.call_id
    out: Object = {"role": "function" if legacy else "tool"}
    if message.call_id:
        out["tool_call_id"] = message.call_id
    key = TOOL_NAME if names(form, TOOL_NAME) and TOOL_NAME not in extras else "name"
    was_named = key not in extras and (names(form, key) or (legacy and form is None))
    if message.name and (named or was_named):
        out[key] = name_of(message.name)
    content, images = _without_images(message.content, layout)
    out["content"] = _write_content(content, layout)
    if images:
        out[IMAGES] = images
    out |= CONTROL.write(message.cache)
    return _spell(out, message, extras, layout)


def _write_assistant(group: Sequence[Message], options: Options) -> Object:
    first = group[0]
    extras, layout = NOTES.of(first.extras), NOTES.of(first.layout)
    calls = [message for message in group if is_call(message)]
    thoughts = [message for message in group if not is_call(message) and is_private(message)]
    texts = [message for message in group if not (is_call(message) or is_private(message))]
    out: Object = {"role": "assistant"}
    if first.name:
        out["name"] = first.name
    leading: Json = None
    mark: Object = {}
    if thoughts:
        reasoning = write_reasoning(thoughts, layout.get("reasoning"), layout.get("templates"), extras, options)
        leading = reasoning.pop(CONTENT, None)
        mark = {EXTRA: reasoning.pop(EXTRA)} if EXTRA in reasoning else {}
        out |= reasoning
    out |= _write_answer(texts[0].content, layout) if texts else {"content": None}
    if leading is not None:
        out[CONTENT] = _following(leading, out[CONTENT])
    out |= (_write_calls(calls) if calls else {}) | mark
    # The first message has the extras of its own item or call, which are written there, and those of the wire message.
    written_keys: Sequence[str] = ()
    if first in thoughts:
        written_keys = (ITEM, SEALED)
    elif first in calls:
        written_keys = (FUNCTION_CALL if FUNCTION_CALL in out and len(calls) == 1 else TOOL_CALLS,)
    extras = {key: value for key, value in extras.items() if key not in written_keys}
    return _spell(out, first, extras, layout)


def _write_answer(content: Content, layout: Object) -> Object:
    """Return the members with the text of an answer: its content, and what stands beside that."""
    content, sound = without_sound(content)
    content, images = _without_images(content, layout)
    content, refusal = _set_refusal_apart(content, layout)
    out: Object = {"content": None}
    if content or images or (refusal is None and sound is None):
        out["content"] = _write_content(content, layout)
    if refusal is not None:
        out["refusal"] = refusal
    if not isinstance(content, str):
        out |= _members_of_content(content, layout)
    if images:
        out[IMAGES] = images
    if sound is not None:
        out[AUDIO] = sound
    return out


def _without_images(content: Content, layout: Object) -> tuple[Content, list[Json]]:
    return without_images(content, layout.get(IMAGES), bare=BARE_IMAGES in layout)


def _following(thoughts: Json, content: Json) -> Json:
    """Return content behind its thoughts: a text with a thought between tags, or parts."""
    if isinstance(thoughts, str) and (content is None or isinstance(content, str)):
        return thoughts + (content or "")
    return [*_as_parts(thoughts), *_as_parts(content)]


def _as_parts(content: Json) -> list[Json]:
    """Return content as a list of parts, to follow thinking parts."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [] if content is None else cast("list[Json]", content)


def _set_refusal_apart(content: Content, layout: Object) -> tuple[Content, str | None]:
    """Return content without the refusal at its end, and the refusal's text; one that was read as a part stays."""
    last = content[-1] if isinstance(content, tuple) and content else None
    if not isinstance(last, Refusal) or not last.text or layout.get("refusal") == "part":
        return content, None
    return text_or_parts(parts_of(content)[:-1]), last.text


def _write_calls(calls: Sequence[Message]) -> Object:
    """Return the members with the calls; the last call is under the deprecated key if it was read from there."""
    legacy = is_legacy(calls[-1])
    out: Object = {}
    if listed := [write_call(call) for call in (calls[:-1] if legacy else calls)]:
        out[TOOL_CALLS] = listed
    if legacy:
        out[FUNCTION_CALL] = write_function_call(calls[-1])
    return out


def _write_content(content: Content, layout: Object) -> Json:
    spelled = layout.get("content")
    if isinstance(content, str):
        return write_parts((Text(content),), layout.get("parts")) if spelled == "list" else _as_read(content, spelled)
    if (text_part := _bare_text(content, layout)) is not None:
        return _as_read(text_part.text, spelled)
    if spelled == "bare" and len(content) == 1:
        return write_part(content[0])
    return write_parts(parts_of(content), layout.get("parts"))


def _as_read(text: str, spelled: Json) -> Json:
    """Return a text, or the object that it was read from."""
    value = parsed_compact(text) if spelled == OBJECT_AS_TEXT else text
    return cast("Object", value) if isinstance(value, dict) else text


def _bare_text(content: Sequence[Part], layout: Object) -> Text | None:
    """Return the text part that is written without a list, with its mark and annotations as members of the message.

    None if content has other parts, or was read as a list.
    """
    part = content[0] if len(content) == 1 else None
    if not isinstance(part, Text) or part.extras is not None or layout.get("content") == "list":
        return None
    return part if part.cache is None or layout.get(CACHE) == "message" else None


def _members_of_content(content: Sequence[Part], layout: Object) -> Object:
    """Return the members that belong to content: annotations, and the mark of a text without a list."""
    text_part = _bare_text(content, layout)
    marked = CONTROL.write(None if text_part is None else text_part.cache)
    annotations = annotations_of(content)
    return {ANNOTATIONS: annotations, **marked} if annotations else marked


def _spell(out: Object, first: Message, extras: Object, layout: Object) -> Object:
    """Add weight and extras to a wire message, and give it the spelling that its first message stores."""
    if first.weight is not None:
        out[WEIGHT] = first.weight
    if extras:
        out = add(out, extras, MESSAGE_ORDER)
    out = shape(out, layout["form"], fixed=("role",)) if "form" in layout else out
    return in_camel(out, layout[IN_CAMEL]) if IN_CAMEL in layout else out
