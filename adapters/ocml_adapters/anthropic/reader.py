"""Read wire messages of Anthropic Messages, block by block, and split them into skeletons for plans.

A thought, a call or a result is a message; adjacent blocks of other types are the parts of one message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_blank, is_call
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, form_of, is_empty, rest
from ocml_bridge.loss import Log
from ocml_bridge.model import Content, Foreign, Json, Message
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.grammar import Skeleton, Unit
from ocml_bridge.units.media import Medium, add_medium, next_medium, of_address, of_data
from ocml_bridge.wires.findings import BLOCK, report_nameless, report_parts, report_role

from .blocks import ends_in_reply, read_block
from .parts import is_unknown, read_content
from .syntax import CACHE, EMPTY, HOME, MESSAGE, NOTES, ROLES, SYSTEM, VALID_ID, WIRE_KEYS, WIRE_ORDER


def is_system_prompt(unit: Any) -> bool:
    """Return whether a unit is the system prompt, an object with only the member `system` of the request."""
    return unit.__class__ is dict and len(unit) == 1 and SYSTEM in unit


def read_unit(unit: Object) -> list[Message]:
    """Return the messages of a wire message, at least one, or the message of the system prompt."""
    if not is_system_prompt(unit):
        return read_message(unit)
    content, layout = _read_value(unit[SYSTEM])
    return [Message(SYSTEM, content, layout=NOTES.by_format(layout))]


def read_message(wire: Object) -> list[Message]:
    """Return the messages of a wire message, which is an object with a `role`."""
    role: str = wire["role"]
    value: Json = wire.get("content")
    if isinstance(value, list) and not is_empty(value):
        messages = _read_blocks(cast("list[Json]", value), role)
        known = ("role", "content")
    else:
        content, layout = _read_value(value)
        messages = [_text_message(role, content, layout)]
        known = ("role", "content") if content else ("role",)
    for message in messages[1:]:
        message.continues = True
    form, extras = form_of(wire, WIRE_ORDER, WIRE_KEYS, known), rest(wire, ("role", "content"))
    if form is not None:
        messages[0].layout = NOTES.adding(messages[0].layout, {MESSAGE: form})
    if extras:
        messages[0].extras = NOTES.adding(messages[0].extras, {MESSAGE: extras})
    return messages


def _read_value(value: Json) -> tuple[Content, Object]:
    """Return the content of a text, of a list of parts, or of any other value, and its layout."""
    if isinstance(value, str):
        return value, {EMPTY: True} if value.isspace() else {}
    if is_empty(value):
        return "", {}
    if isinstance(value, list):
        return read_content(cast("list[Json]", value), alone=True)
    return (Foreign(HOME, value),), {"content": "bare"}


def _read_blocks(raws: list[Json], role: str) -> list[Message]:
    messages: list[Message] = []
    parts: list[Json] = []
    for raw in raws:
        message = read_block(raw, role)
        if message is None:
            parts.append(raw)
            continue
        if parts:
            messages.append(_message_of_parts(parts, role, alone=False))
            parts = []
        messages.append(message)
    if parts:
        messages.append(_message_of_parts(parts, role, alone=not messages))
    if role == "assistant":
        _set_preambles(messages)
    return messages


def _message_of_parts(raws: list[Json], role: str, *, alone: bool) -> Message:
    content, layout = read_content(raws, alone=alone)
    is_silent = not alone and isinstance(content, str) and is_blank(content)
    return _text_message(role, content, {**layout, EMPTY: True} if is_silent else layout)


def _text_message(role: str, content: Content, layout: Object) -> Message:
    return Message(role, content, channel="final" if role == "assistant" else None, layout=NOTES.by_format(layout))


def _set_preambles(messages: Sequence[Message]) -> None:
    """Make the answers before a call preambles."""
    called = False
    for message in reversed(messages):
        if is_call(message):
            called = True
        elif called and message.channel == "final":
            message.channel, message.intent = "commentary", "preamble"


# --- findings ---------------------------------------------------------------------------------------------------------


def report_findings(unit: Object, messages: Sequence[Message], index: int, log: Log) -> None:
    """Report unknown roles, unknown blocks and calls without a name.

    Args:
        unit: a wire message, or the system prompt.
        messages: its messages.
        index: the index of the first of them in the document.
        log: receives the findings.
    """
    role: str = unit.get("role", SYSTEM)
    report_role(role, ROLES, f"/messages/{index}", log, api="the API")
    report_nameless(messages, index, log)
    for at, message in enumerate(messages, index):
        report_parts(message, f"/messages/{at}", log, is_unknown, what=BLOCK)


# --- skeletons --------------------------------------------------------------------------------------------------------
#
# Wire messages that differ only in their contents and ids have the same skeleton, so they are read by the same plan.

_LONGEST: Final = 200
"""The maximum length of a name in a skeleton, in characters."""
_SPEAKERS: Final = ("user", "assistant")
"""The roles of most wire messages: no set, because a role may be any value, also an unhashable one."""
_LATER: Final = "later instructions"
"""The key of the skeleton of instructions that follow another wire message; first ones are read in another way."""

Add = Callable[[Any, list[Hashable], list[str]], bool]
"""Appends a block to the key of a skeleton, and its contents and ids to the values; returns False if it cannot."""


def skeleton(unit: Any, before: Any) -> Skeleton | None:
    """Return the skeleton of a unit, with its contents and ids; None if it has other members or values.

    Args:
        unit: any value in place of a wire message, or the system prompt.
        before: the previous unit.
    """
    if unit.__class__ is not dict:
        return None
    keys = tuple(unit)
    if keys == WIRE_ORDER:
        role, content = unit["role"], unit["content"]
        if role not in _SPEAKERS:
            if role != SYSTEM or before.__class__ is not dict or before.get("role") not in _SPEAKERS:
                return None
            role = _LATER
        if content.__class__ is str:
            return None if is_blank(content) else (role, [content])
        return _skeleton_of_blocks(role, content, before) if content.__class__ is list and content else None
    if keys != (SYSTEM,):
        return None
    content = unit[SYSTEM]
    if content.__class__ is str:
        return None if is_blank(content) else (SYSTEM, [content])
    return _skeleton_of_blocks(SYSTEM, content, None) if content.__class__ is list and content else None


def _skeleton_of_blocks(role: str, blocks: list[Any], before: Any) -> Skeleton | None:
    adders = _ADDERS[role]
    key: list[Hashable] = [role, role == "user" and ends_in_reply(before)]
    values: list[str] = []
    for block in blocks:
        if block.__class__ is not dict:
            return None
        kind = block.get("type")
        add = adders.get(kind) if kind.__class__ is str else None
        if add is None:
            return None
        if CACHE in block:
            if not _add_mark(block, key):
                return None
            block = {name: value for name, value in block.items() if name != CACHE}
        if not add(block, key, values):
            return None
    return tuple(key), values


def _add_mark(block: Any, key: list[Hashable]) -> bool:
    """Append the cache mark of a block to a key; return False if it is long or unknown."""
    mark = block[CACHE]
    if mark.__class__ is not dict or len(mark) > _MARK_MEMBERS:
        return False
    key.append((*block, *mark.items()))
    return all(value.__class__ is str and len(value) <= _LONGEST for value in mark.values())


_MARK_MEMBERS: Final = 2
"""The maximum number of members of a cache mark: `type` and `ttl`."""


def _add_thought(block: Any, key: list[Hashable], values: list[str]) -> bool:
    text, signature = block.get("thinking"), block.get("signature")
    if not (text.__class__ is signature.__class__ is str and signature) or len(block) != _THOUGHT_MEMBERS:
        return False
    key += (tuple(block), text == "")
    values += (text, signature) if text else (signature,)
    return True


_THOUGHT_MEMBERS: Final = 3


def _add_sealed(block: Any, key: list[Hashable], values: list[str]) -> bool:
    data = block.get("data")
    key.append(tuple(block))
    values.append(data)
    return len(block) == 2 and data.__class__ is str and data != ""


def _add_text(block: Any, key: list[Hashable], values: list[str]) -> bool:
    text = block.get("text")
    if len(block) != 2 or text.__class__ is not str or is_blank(text):
        return False
    key.append(tuple(block))
    values.append(text)
    return True


def _add_image(block: Any, key: list[Hashable], values: list[str]) -> bool:
    source = block.get("source")
    if len(block) != 2 or source.__class__ is not dict or not add_medium(_image_in(source), key, values):
        return False
    packed = key_of({**source, _WHERE[source["type"]]: None})
    key += (tuple(block), packed)
    return len(packed) <= _LONGEST


_WHERE: Final = {"base64": "data", "url": "url"}
"""The member with the data or the address in each type of source."""


def _image_in(source: Any) -> Medium | None:
    """Return the medium of an image's source; None if it has no skeleton."""
    kind = source.get("type")
    if kind == "base64":
        return of_data(source.get("data"))
    return of_address(source.get("url")) if kind == "url" else None


def _add_call(block: Any, key: list[Hashable], values: list[str]) -> bool:
    if len(block) != 4:
        return False
    call_id, name, arguments = block.get("id"), block.get("name"), block.get("input")
    if not (call_id.__class__ is name.__class__ is str and arguments.__class__ is dict):
        return False
    if not 0 < len(name) <= _LONGEST:
        return False
    text = jsontext.text_of(arguments)
    if text is None or VALID_ID.fullmatch(call_id) is None:
        return False
    key += (tuple(block), name)
    values += (call_id, text)
    return True


_RESULTS: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def _add_result(block: Any, key: list[Hashable], values: list[str]) -> bool:
    if not block.keys() <= _RESULTS:
        return False
    call_id, content, failed = block.get("tool_use_id"), block.get("content"), block.get("is_error", False)
    if call_id.__class__ is not str or failed.__class__ is not bool or VALID_ID.fullmatch(call_id) is None:
        return False
    key += (tuple(block), failed)
    values.append(call_id)
    if content.__class__ is list and content:
        key.append(("content", len(content)))
        return all(_add_part(part, key, values) for part in content)
    if content.__class__ is not str:
        return False
    key.append(not content)
    if content:
        values.append(content)
    return True


def _add_part(part: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add a part of a result: a text or an image."""
    if part.__class__ is not dict:
        return False
    kind = part.get("type")
    if kind == "text":
        return _add_text(part, key, values)
    return kind == "image" and _add_image(part, key, values)


_ADDERS: Final[dict[str, dict[str, Add]]] = {
    "user": {"text": _add_text, "image": _add_image, "tool_result": _add_result},
    "assistant": {
        "text": _add_text,
        "tool_use": _add_call,
        "thinking": _add_thought,
        "redacted_thinking": _add_sealed,
    },
    SYSTEM: {"text": _add_text},
    _LATER: {"text": _add_text},
}


def with_values(unit: Unit, values: Sequence[str]) -> Unit:
    """Return a unit that has a skeleton, with other contents and ids; arguments become an object with their text."""
    following = iter(values)
    (member,) = unit.keys() - {"role"}
    content: Any = unit[member]
    new = next(following) if isinstance(content, str) else [_filled(block, following) for block in content]
    return {**unit, member: new}


def _filled(block: Any, values: Iterator[str]) -> Any:
    if block["type"] == "text":
        return {**block, "text": next(values)}
    if block["type"] == "image":
        source = block["source"]
        image = _image_in(source)
        assert image is not None, "a unit that is filled has a skeleton"
        return {**block, "source": {**source, _WHERE[source["type"]]: next_medium(image, values)}}
    if block["type"] == "thinking":
        text = next(values) if block["thinking"] else ""
        return {**block, "thinking": text, "signature": next(values)}
    if block["type"] == "redacted_thinking":
        return {**block, "data": next(values)}
    if block["type"] == "tool_use":
        return {**block, "id": next(values), "input": {next(values): 0}}
    call_id, content = next(values), block["content"]
    if content.__class__ is list:
        new: Json = [_filled(part, values) for part in content]
    else:
        new = next(values) if content else content
    return {**block, "tool_use_id": call_id, "content": new}
