"""A wire message of Anthropic Messages → messages, block by block; parts that stand side by side are one message."""

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
from ocml_bridge.wires.noticing import BLOCK, note_names, note_parts, note_role

from .blocks import ends_in_reply, read_block
from .parts import is_odd, read_content
from .syntax import CACHE, EMPTY, HOME, LAWFUL_ID, MESSAGE, NOTES, ROLES, SYSTEM, WIRE_KEYS, WIRE_ORDER


def is_system_prompt(unit: Any) -> bool:
    """Whether a unit is the system prompt beside the messages."""
    return unit.__class__ is dict and len(unit) == 1 and SYSTEM in unit


def read_unit(unit: Object) -> list[Message]:
    """The messages of a wire message, or the one of the system prompt; there is always one at least."""
    if not is_system_prompt(unit):
        return read_message(unit)
    content, layout = _read_value(unit[SYSTEM])
    return [Message(SYSTEM, content, layout=NOTES.by_format(layout))]


def read_message(wire: Object) -> list[Message]:
    """The messages of a wire message, which is an object with a `role`."""
    role: str = wire["role"]
    value: Json = wire.get("content")
    if isinstance(value, list) and not is_empty(value):
        messages = _read_blocks(cast("list[Json]", value), role)
        known = ("role", "content")
    else:
        content, layout = _read_value(value)
        messages = [_spoken(role, content, layout)]
        known = ("role", "content") if content else ("role",)
    for message in messages[1:]:
        message.continues = True
    form, extras = form_of(wire, WIRE_ORDER, WIRE_KEYS, known), rest(wire, ("role", "content"))
    if form is not None:
        messages[0].layout = NOTES.by_format({**NOTES.of(messages[0].layout), MESSAGE: form})
    if extras:
        messages[0].extras = NOTES.by_format({**NOTES.of(messages[0].extras), MESSAGE: extras})
    return messages


def _read_value(value: Json) -> tuple[Content, Object]:
    """Content that is a text, a list of parts, or nothing that we know."""
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
            messages.append(_of_parts(parts, role, alone=False))
            parts = []
        messages.append(message)
    if parts:
        messages.append(_of_parts(parts, role, alone=not messages))
    if role == "assistant":
        _set_preambles(messages)
    return messages


def _of_parts(raws: list[Json], role: str, *, alone: bool) -> Message:
    content, layout = read_content(raws, alone=alone)
    is_silent = not alone and isinstance(content, str) and is_blank(content)
    return _spoken(role, content, {**layout, EMPTY: True} if is_silent else layout)


def _spoken(role: str, content: Content, layout: Object) -> Message:
    return Message(role, content, channel="final" if role == "assistant" else None, layout=NOTES.by_format(layout))


def _set_preambles(messages: Sequence[Message]) -> None:
    """What is said before a call is a preamble."""
    called = False
    for message in reversed(messages):
        if is_call(message):
            called = True
        elif called and message.channel == "final":
            message.channel, message.intent = "commentary", "preamble"


# --- what is noticed --------------------------------------------------------------------------------------------------


def notice(unit: Object, made: Sequence[Message], index: int, log: Log) -> None:
    """Note what is kept although the API does not have it so.

    Args:
        unit: a wire message, or the system prompt.
        made: what was made of it.
        index: the place of the first of these.
        log: where it is noted.
    """
    role: str = unit.get("role", SYSTEM)
    note_role(role, ROLES, f"/messages/{index}", log, api="the API")
    note_names(made, index, log)
    for at, message in enumerate(made, index):
        note_parts(message, f"/messages/{at}", log, is_odd, what=BLOCK)


# --- without contents and ids -----------------------------------------------------------------------------------------
#
# Wire messages that are alike are read once.

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
_SPEAKERS: Final = ("user", "assistant")
"""The roles of what is planned; no set, as a role may be any value."""

Add = Callable[[Any, list[Hashable], list[str]], bool]
"""Adds a block to a skeleton: to its key, and contents and ids to its values; False for one that is not for plans."""


def skeleton(unit: Any, before: Any) -> Skeleton | None:
    """A wire message without contents and ids; None where it has other members that say something.

    Args:
        unit: any value that stands where a unit does.
        before: the unit before it.
    """
    if unit.__class__ is not dict:
        return None
    keys = tuple(unit)
    if keys == WIRE_ORDER:
        role, content = unit["role"], unit["content"]
        if role not in _SPEAKERS:
            return None
        if content.__class__ is str:
            return None if is_blank(content) else (role, [content])
        return _of_blocks(role, content, before) if content.__class__ is list and content else None
    if keys != (SYSTEM,):
        return None
    content = unit[SYSTEM]
    if content.__class__ is str:
        return None if is_blank(content) else (SYSTEM, [content])
    return _of_blocks(SYSTEM, content, None) if content.__class__ is list and content else None


def _of_blocks(role: str, blocks: list[Any], before: Any) -> Skeleton | None:
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
    """Add the cache mark of a block to a key."""
    mark = block[CACHE]
    if mark.__class__ is not dict or len(mark) > len(_OF_MARKS):
        return False
    key.append((*block, *mark.items()))
    return all(value.__class__ is str and len(value) <= _LONGEST for value in mark.values())


_OF_MARKS: Final = ("type", "ttl")


def _add_thought(block: Any, key: list[Hashable], values: list[str]) -> bool:
    text, signature = block.get("thinking"), block.get("signature")
    if not (text.__class__ is signature.__class__ is str and signature) or len(block) != _THOUGHT_MEMBERS:
        return False
    key += (tuple(block), text == "")
    values += (text, signature) if text else (signature,)
    return True


_THOUGHT_MEMBERS: Final = 3


def _add_sealed(block: Any, key: list[Hashable], values: list[str]) -> bool:
    sealed = block.get("data")
    key.append(tuple(block))
    values.append(sealed)
    return len(block) == 2 and sealed.__class__ is str and sealed != ""


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
"""Kind of a source → the member that is, or leads to, what it has."""


def _image_in(source: Any) -> Medium | None:
    """What an image has as its source; None where it is not for plans."""
    kind = source.get("type")
    if kind == "base64":
        return of_data(source.get("data"))
    return of_address(source.get("url")) if kind == "url" else None


def _add_call(block: Any, key: list[Hashable], values: list[str]) -> bool:
    if len(block) != 4:
        return False
    call_id, name, given = block.get("id"), block.get("name"), block.get("input")
    if not (call_id.__class__ is name.__class__ is str and given.__class__ is dict) or not 0 < len(name) <= _LONGEST:
        return False
    text = jsontext.text_of(given)
    if text is None or LAWFUL_ID.fullmatch(call_id) is None:
        return False
    key += (tuple(block), name)
    values += (call_id, text)
    return True


_RESULTS: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def _add_result(block: Any, key: list[Hashable], values: list[str]) -> bool:
    if not block.keys() <= _RESULTS:
        return False
    call_id, content, failed = block.get("tool_use_id"), block.get("content"), block.get("is_error", False)
    if call_id.__class__ is not str or failed.__class__ is not bool or LAWFUL_ID.fullmatch(call_id) is None:
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
    """Add what stands in a result: a text or an image."""
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
}


def filled(unit: Unit, values: Sequence[str]) -> Unit:
    """A wire message that has a skeleton, with other contents and ids; arguments are an object that holds theirs."""
    following = iter(values)
    (member,) = unit.keys() - {"role"}
    content: Any = unit[member]
    made = next(following) if isinstance(content, str) else [_filled(block, following) for block in content]
    return {**unit, member: made}


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
        made: Json = [_filled(part, values) for part in content]
    else:
        made = next(values) if content else content
    return {**block, "tool_use_id": call_id, "content": made}
