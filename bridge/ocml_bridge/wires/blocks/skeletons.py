"""Split wire messages of blocks into a skeleton and their contents and ids.

Wire messages with the same skeleton are read in the same way, so the plan for a skeleton is made only once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from ...chat.turns import is_blank
from ...json_values.jsontext import text_of
from ...units.grammar import Skeleton, Unit
from ...units.media import Medium, add_medium, next_medium, of_address, of_image
from ..shell import Top

_LONGEST: Final = 200
"""The maximum length of a role or a name in a skeleton, in characters."""


class Slot(NamedTuple):
    """How a member of a block is split.

    Attributes:
        add: appends the value of the member to the key of the skeleton, or to the contents and ids; returns False if
            the block can have no skeleton.
        fill: returns the value with the next content or id in it.
    """

    add: Callable[[Any, list[Hashable], list[str]], bool]
    fill: Callable[[Any, Iterator[str]], Any]


Slots = Mapping[str, Mapping[str, Slot]]
"""The slots of the members of each kind of block other than a text."""


def _add_word(value: Any, key: list[Hashable], _values: list[str]) -> bool:
    key.append(value)
    return value.__class__ is str and len(value) <= _LONGEST


def _add_text(value: Any, _key: list[Hashable], values: list[str]) -> bool:
    values.append(value)
    return value.__class__ is str and not is_blank(value)


def _add_object(value: Any, _key: list[Hashable], values: list[str]) -> bool:
    text = text_of(value) if value.__class__ is dict else None
    values.append(text or "")
    return text is not None


def object_with(text: str) -> dict[str, int]:
    """Return an object with a text in it, as a stand-in for any object."""
    return {text: 0}


def _add_address(value: Any, key: list[Hashable], values: list[str]) -> bool:
    return add_medium(of_address(value), key, values)


def _next_address(value: Any, values: Iterator[str]) -> str:
    return _next_medium(of_address(value), values)


def _add_image(value: Any, key: list[Hashable], values: list[str]) -> bool:
    return add_medium(of_image(value), key, values)


def _next_image(value: Any, values: Iterator[str]) -> str:
    return _next_medium(of_image(value), values)


def _next_medium(medium: Medium | None, values: Iterator[str]) -> str:
    assert medium is not None, "a unit that is filled has a skeleton"
    return next_medium(medium, values)


def _word(value: Any, _values: Iterator[str]) -> Any:
    return value


def next_text(_value: Any, values: Iterator[str]) -> str:
    """Return the next content or id."""
    return next(values)


def _next_object(_value: Any, values: Iterator[str]) -> Any:
    return object_with(next(values))


A_WORD: Final = Slot(_add_word, _word)
"""A word that is part of the skeleton, such as a name."""
A_TEXT: Final = Slot(_add_text, next_text)
"""A text that is a content or an id."""
AN_OBJECT: Final = Slot(_add_object, _next_object)
"""An object whose JSON is a content."""
AN_ADDRESS: Final = Slot(_add_address, _next_address)
"""The URL of a medium."""
AN_IMAGE: Final = Slot(_add_image, _next_image)
"""The data of an image."""


def skeleton(unit: Any, key: str, slots: Slots) -> Skeleton | None:
    """Return the skeleton of a wire message, with its contents and ids; None if it has other members or values.

    Args:
        unit: any value in place of a wire message, or the system prompt.
        key: the key of its blocks.
        slots: the slots of blocks other than texts.
    """
    wire = unit.wire if isinstance(unit, Top) else unit
    if wire.__class__ is not dict:
        return None
    keys, blocks = tuple(wire), cast("Any", wire.get(key))
    is_top = wire is not unit  # a system prompt may also have a role, which is ignored
    role: Any = wire.get("role") if len(keys) == 2 else "" if is_top and len(keys) == 1 else None
    if role.__class__ is not str or len(role) > _LONGEST or blocks.__class__ is not list:
        return None
    if not (role or is_top):
        return None  # the role depends on the document
    shape: list[Hashable] = [is_top, keys, role]
    values: list[str] = []
    for block in blocks:
        if block.__class__ is not dict:
            return None
        if not (_add_text_block(block, shape, values) if "text" in block else _add_block(block, slots, shape, values)):
            return None
    return (tuple(shape), values) if values else None


def _add_text_block(block: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Add a text block, with its other members if they are booleans, such as `thought`."""
    text = block["text"]
    if text.__class__ is not str or is_blank(text):
        return False
    values.append(text)
    key.append(tuple(block))
    if len(block) > 1:
        marks = [value for name, value in block.items() if name != "text"]
        key += marks
        return all(mark.__class__ is bool for mark in marks)
    return True


def _add_block(block: dict[str, Any], slots: Slots, key: list[Hashable], values: list[str]) -> bool:
    if len(block) != 1:
        return False
    [(kind, inner)] = block.items()
    key.append(kind)
    return inner.__class__ is dict and _add(inner, slots.get(kind), key, values)


def _add(block: dict[str, Any], slots: Mapping[str, Slot] | None, key: list[Hashable], values: list[str]) -> bool:
    if slots is None:
        return False
    for name, value in block.items():
        slot = slots.get(name)
        key.append(name)
        if slot is None or not slot.add(value, key, values):
            return False
    return True


def with_values(unit: Any, key: str, slots: Slots, values: Sequence[str]) -> Unit:
    """Return a wire message that has a skeleton, with other contents and ids."""
    following = iter(values)
    wire = cast("dict[str, Any]", unit.wire if isinstance(unit, Top) else unit)
    made = {**wire, key: [_filled(block, slots, following) for block in wire[key]]}
    return Top(made) if isinstance(unit, Top) else made


def _filled(block: dict[str, Any], slots: Slots, values: Iterator[str]) -> dict[str, Any]:
    if "text" in block:
        return {**block, "text": next(values)}
    [(kind, inner)] = block.items()
    return {kind: {name: slots[kind][name].fill(value, values) for name, value in inner.items()}}
