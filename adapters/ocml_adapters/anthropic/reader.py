"""Read wire messages of Anthropic Messages, block by block, and split them into skeletons for plans.

A thought, a call or a result is a message; adjacent blocks of other types are the parts of one message.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from types import MappingProxyType
from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_blank, is_call
from ocml_bridge.json_values.form import Object, form_of, is_empty, rest
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Json, Message
from ocml_bridge.units.grammar import Skeleton, Unit
from ocml_bridge.wires.blocks.grammar import EMPTY
from ocml_bridge.wires.blocks.reading import message_of, runs_of
from ocml_bridge.wires.blocks.skeletons import (
    A_FILLED_TEXT,
    A_FLAG,
    A_SHORT_VALUE,
    A_TEXT,
    A_WORD,
    AN_ADDRESS,
    AN_OBJECT,
    DATA,
    Shape,
    Slot,
    a_text,
    an_object,
    items,
    one_of,
    the,
)
from ocml_bridge.wires.findings import BLOCK, report_nameless, report_parts, report_role

from .blocks import CODEC, ends_in_reply
from .parts import is_unknown
from .syntax import CACHE, HOME, IDS, MESSAGE, NOTES, ROLES, SYSTEM, WIRE_KEYS, WIRE_ORDER


def is_system_prompt(unit: Any) -> bool:
    """Return whether a unit is the system prompt, an object with only the member `system` of the request."""
    return unit.__class__ is dict and len(unit) == 1 and SYSTEM in unit


def read_unit(unit: Object) -> list[Message]:
    """Return the messages of a wire message, at least one, or the message of the system prompt."""
    return _read_value(unit[SYSTEM], SYSTEM) if is_system_prompt(unit) else read_message(unit)


def read_message(wire: Object) -> list[Message]:
    """Return the messages of a wire message, which is an object with a `role`."""
    value: Json = wire.get("content")
    messages = _read_value(value, wire["role"])
    for message in messages[1:]:
        message.continues = True
    form = form_of(wire, WIRE_ORDER, WIRE_KEYS, ("role",) if is_empty(value) else ("role", "content"))
    extras = rest(wire, ("role", "content"))
    if form is not None:
        messages[0].layout = NOTES.adding(messages[0].layout, {MESSAGE: form})
    if extras:
        messages[0].extras = NOTES.adding(messages[0].extras, {MESSAGE: extras})
    return messages


def _read_value(value: Json, role: str) -> list[Message]:
    """Return the messages of a text, of a list of blocks, or of any other value."""
    if isinstance(value, list) and not is_empty(value):
        return _read_blocks(cast("list[Json]", value), role)
    message = Message(role, "", channel="final" if role == "assistant" else None)
    if isinstance(value, str):
        message.content = value
        message.layout = NOTES.by_format({EMPTY: "text"} if value.isspace() else {})
    elif not is_empty(value):
        message.content, message.layout = (Foreign(HOME, value),), NOTES.by_format({"content": "bare"})
    return [message]


def _read_blocks(raws: list[Json], role: str) -> list[Message]:
    runs = runs_of(CODEC, raws, role)
    messages = [message_of(CODEC, run, role) for run in runs]
    if len(messages) == 1 and runs[0].message is None and isinstance(messages[0].content, str):
        messages[0].layout = NOTES.adding(messages[0].layout, {"content": "list"})
    if role == "assistant":
        _set_preambles(messages)
    return messages


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

_ID: Final = a_text(IDS.fits)
_ANY: Final = a_text()


def _block(kind: str, optional: Mapping[str, Slot] = MappingProxyType({}), **required: Slot) -> Shape:
    """Return the shape of a block, which may have a cache mark.

    Args:
        kind: its type.
        optional: the slots of other members that it may have.
        required: the slots of the members that it must have.
    """
    return Shape({"type": the(kind), **required}, {CACHE: A_SHORT_VALUE, **optional})


_TEXT: Final = _block("text", text=A_TEXT)
_SOURCE: Final = an_object(
    Shape({"type": the("base64"), "data": DATA}, {"media_type": A_WORD}), Shape({"type": the("url"), "url": AN_ADDRESS})
)
_PARTS: Final = (_TEXT, _block("image", source=_SOURCE))
_CONTENT: Final = one_of(type, {str: _ANY, list: items(an_object(*_PARTS))})
_BLOCKS: Final = {
    "user": (*_PARTS, _block("tool_result", {"is_error": A_FLAG, "content": _CONTENT}, tool_use_id=_ID)),
    "assistant": (
        _TEXT,
        _block("tool_use", {"caller": A_SHORT_VALUE}, id=_ID, name=A_WORD, input=AN_OBJECT),
        _block("thinking", thinking=_ANY, signature=A_FILLED_TEXT),
        _block("redacted_thinking", data=A_FILLED_TEXT),
    ),
    SYSTEM: (_TEXT,),
}
_LISTS: Final = {role: items(an_object(*shapes)) for role, shapes in _BLOCKS.items()}
"""The slots of lists of blocks, by the role of their wire message."""
_ORDERS: Final = frozenset(permutations(WIRE_ORDER))
"""The keys of wire messages, in any order: some clients sort them."""
_SPEAKERS: Final = ("user", "assistant")
"""The roles of most wire messages: no set, because a role may be any value, also an unhashable one."""
_LATER: Final = "later instructions"
"""The key of the skeleton of instructions that follow another wire message; first ones are read in another way."""


def skeleton(unit: Any, before: Any) -> Skeleton | None:
    """Return the skeleton of a unit, with its contents and ids; None if it has other members or values.

    Args:
        unit: any value in place of a wire message, or the system prompt.
        before: the previous unit.
    """
    if unit.__class__ is not dict:
        return None
    keys = tuple(unit)
    if keys in _ORDERS:
        role, content = unit["role"], unit["content"]
        if role not in _SPEAKERS:
            if role != SYSTEM or before.__class__ is not dict or before.get("role") not in _SPEAKERS:
                return None
            role = _LATER
        if content.__class__ is str:
            return None if is_blank(content) else ((role, keys), [content])
        return _skeleton_of_blocks(role, keys, content, before)
    if keys != (SYSTEM,):
        return None
    content = unit[SYSTEM]
    if content.__class__ is str:
        return None if is_blank(content) else (SYSTEM, [content])
    return _skeleton_of_blocks(SYSTEM, keys, content, None)


def _skeleton_of_blocks(role: str, keys: tuple[str, ...], blocks: Any, before: Any) -> Skeleton | None:
    key: list[Hashable] = [role, keys, role == "user" and ends_in_reply(before)]
    values: list[str] = []
    slot = _LISTS[SYSTEM if role == _LATER else role]
    return (tuple(key), values) if slot.add(blocks, key, values) and values else None


def with_values(unit: Unit, values: Sequence[str]) -> Unit:
    """Return a unit that has a skeleton, with other contents and ids; arguments become an object with their text."""
    following = iter(values)
    (member,) = unit.keys() - {"role"}
    content: Any = unit[member]
    is_text = isinstance(content, str)
    return {**unit, member: next(following) if is_text else _LISTS[unit.get("role", SYSTEM)].fill(content, following)}
