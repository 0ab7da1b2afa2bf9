"""Wire messages without contents and ids: those that are alike are read once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from ocml_bridge import jsontext
from ocml_bridge.units.grammar import Skeleton, Unit

from .blocks import ends_in_reply
from .syntax import LAWFUL_ID, SYSTEM, WIRE_ORDER

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
_SPEAKERS: Final = frozenset({"user", "assistant"})

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
            return (role, [content]) if content else None
        return _of_blocks(role, content, before) if content.__class__ is list and content else None
    if keys != (SYSTEM,):
        return None
    content = unit[SYSTEM]
    if content.__class__ is str:
        return (SYSTEM, [content]) if content else None
    return _of_blocks(SYSTEM, content, None) if content.__class__ is list and len(content) == 1 else None


def _of_blocks(role: str, blocks: list[Any], before: Any) -> Skeleton | None:
    adders = _ADDERS[role]
    key: list[Hashable] = [role, role == "user" and ends_in_reply(before)]
    values: list[str] = []
    last = None
    for block in blocks:
        if block.__class__ is not dict:
            return None
        kind = block.get("type")
        add = adders.get(kind) if kind.__class__ is str else None
        if add is None or (kind == last == "text") or not add(block, key, values):
            return None
        last = kind
    return tuple(key), values


def _add_text(block: Any, key: list[Hashable], values: list[str]) -> bool:
    text = block.get("text")
    if len(block) != 2 or text.__class__ is not str or not text:
        return False
    key.append(tuple(block))
    values.append(text)
    return True


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
    if not (call_id.__class__ is content.__class__ is str) or failed.__class__ is not bool or not content:
        return False
    if LAWFUL_ID.fullmatch(call_id) is None:
        return False
    key += (tuple(block), failed)
    values += (call_id, content)
    return True


_ADDERS: Final[dict[str, dict[str, Add]]] = {
    "user": {"text": _add_text, "tool_result": _add_result},
    "assistant": {"text": _add_text, "tool_use": _add_call},
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
    if block["type"] == "tool_use":
        return {**block, "id": next(values), "input": {next(values): 0}}
    return {**block, "tool_use_id": next(values), "content": next(values)}
