"""Split wire messages into a skeleton and their contents and ids, by a table of slots.

Wire messages with the same skeleton are read in the same way, so the plan for a skeleton is made only once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from ...common.memo import Memo
from ...json_values.jsontext import text_of
from ...model.ownership import key_of
from ...units.grammar import Skeleton, Unit
from ...units.media import Medium, add_medium, next_medium, of_address, of_data, of_image
from ..shell import Top

_LONGEST: Final = 200
"""The maximum length of a word in a skeleton, in characters, and of another value, in bytes."""

Add = Callable[[Any, list[Hashable], list[str]], bool]
Fill = Callable[[Any, Iterator[str]], Any]


class Slot(NamedTuple):
    """How a value is split.

    Attributes:
        add: appends the value to the key of the skeleton, or its contents and ids to the values; returns False if there
            can be no skeleton.
        fill: returns the value with the next contents and ids in it.
    """

    add: Add
    fill: Fill


# --- words ------------------------------------------------------------------------------------------------------------


def _add_word(value: Any, key: list[Hashable], _values: list[str]) -> bool:
    key.append(value)
    return value.__class__ is str and len(value) <= _LONGEST


def _add_flag(value: Any, key: list[Hashable], _values: list[str]) -> bool:
    key.append(value)
    return value.__class__ is bool


def _add_short(value: Any, key: list[Hashable], _values: list[str]) -> bool:
    packed = key_of(value)
    key.append(packed)
    return len(packed) <= _LONGEST


def _same(value: Any, _values: Iterator[str]) -> Any:
    return value


A_WORD: Final = Slot(_add_word, _same)
"""A word that is part of the skeleton, such as a name."""
A_FLAG: Final = Slot(_add_flag, _same)
"""A boolean that is part of the skeleton."""
A_SHORT_VALUE: Final = Slot(_add_short, _same)
"""A value that is part of the skeleton if its JSON is short, such as a cache mark."""


def the(word: Any) -> Slot:
    """Return the slot of a word that is always the same."""

    def add(value: Any, key: list[Hashable], _values: list[str]) -> bool:
        key.append(value)
        return value == word

    return Slot(add, _same)


# --- contents and ids -------------------------------------------------------------------------------------------------


def _add_text(value: Any, _key: list[Hashable], values: list[str]) -> bool:
    values.append(value)
    return value.__class__ is str and value != "" and not value.isspace()


def _next_text(_value: Any, values: Iterator[str]) -> str:
    return next(values)


def a_text(is_valid: Callable[[str], object] | None = None) -> Slot:
    """Return the slot of a text; whether it is empty is part of the skeleton.

    Args:
        is_valid: returns something true for a text that a skeleton can have; None if that is any text.
    """

    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        key.append(not value)
        if value:
            values.append(value)
        return value.__class__ is str and (is_valid is None or bool(is_valid(value)))

    def fill(value: Any, values: Iterator[str]) -> str:
        return next(values) if value else value

    return Slot(add, fill)


A_FILLED_TEXT: Final = a_text(bool)
"""A text that is not empty, such as a signature."""


def _add_object(value: Any, _key: list[Hashable], values: list[str]) -> bool:
    text = text_of(value) if value.__class__ is dict else None
    values.append(text or "")
    return text is not None


def object_with(text: str) -> dict[str, int]:
    """Return an object with a text in it, as a stand-in for any object."""
    return {text: 0}


def _next_object(_value: Any, values: Iterator[str]) -> Any:
    return object_with(next(values))


def _a_medium(medium_of: Callable[[Any], Medium | None]) -> Slot:
    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        return add_medium(medium_of(value), key, values)

    def fill(value: Any, values: Iterator[str]) -> str:
        medium = medium_of(value)
        assert medium is not None, "a unit that is filled has a skeleton"
        return next_medium(medium, values)

    return Slot(add, fill)


A_TEXT: Final = Slot(_add_text, _next_text)
"""A text that is not blank."""
AN_OBJECT: Final = Slot(_add_object, _next_object)
"""An object whose JSON is a content."""
AN_ADDRESS: Final = _a_medium(of_address)
"""The URL of a medium."""
DATA: Final = _a_medium(of_data)
"""The data of a medium."""
AN_IMAGE: Final = _a_medium(of_image)
"""The data of an image."""


# --- values of values -------------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """The members of an object.

    Attributes:
        required: the slots of the members that it must have.
        optional: the slots of the members that it may have.
        other: the slot of all other members; None if it must have none.
    """

    required: Mapping[str, Slot]
    optional: Mapping[str, Slot] = MappingProxyType({})
    other: Slot | None = None

    def members(self, names: tuple[str, ...]) -> _Members:
        """Return the members with these names, and their slots; none if an object of this shape has other ones."""
        slots = ((name, self.required.get(name, self.optional.get(name, self.other))) for name in names)
        known = tuple((name, slot.add, slot.fill) for name, slot in slots if slot is not None)
        return known if len(known) == len(names) and self.required.keys() <= set(names) else ()


_Members = tuple[tuple[str, Add, Fill], ...]


def an_object(*shapes: Shape) -> Slot:
    """Return the slot of an object that has one of these shapes, by the names of its members; an empty one has none."""
    by_names = Memo[tuple[str, ...], _Members](256)

    def learned(names: tuple[str, ...]) -> _Members:
        return by_names.keep(names, next(filter(None, (shape.members(names) for shape in shapes)), ()))

    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        if value.__class__ is not dict:
            return False
        names = tuple(value)
        members = by_names.get(names) or learned(names)
        key.append(names)
        for name, add_member, _ in members:
            if not add_member(value[name], key, values):
                return False
        return members != ()

    def fill(value: Any, values: Iterator[str]) -> Any:
        return {name: fill_member(value[name], values) for name, _, fill_member in learned(tuple(value))}

    return Slot(add, fill)


def items(slot: Slot) -> Slot:
    """Return the slot of a list whose items have a slot."""
    add_item, fill_item = slot

    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        if value.__class__ is not list:
            return False
        key.append((len(value),))
        is_known = True
        for item in value:  # a generator would take longer
            is_known = is_known and add_item(item, key, values)
        return is_known

    def fill(value: Any, values: Iterator[str]) -> Any:
        return [fill_item(item, values) for item in value]

    return Slot(add, fill)


def one_of(kind_of: Callable[[Any], Hashable], slots: Mapping[Any, Slot]) -> Slot:
    """Return the slot of a value that has another slot depending on its kind, which the key shows in each case.

    Args:
        kind_of: returns the kind of a value.
        slots: the slots by kind.
    """

    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        slot = slots.get(kind_of(value))
        return slot is not None and slot.add(value, key, values)

    def fill(value: Any, values: Iterator[str]) -> Any:
        return slots[kind_of(value)].fill(value, values)

    return Slot(add, fill)


# --- wire messages ----------------------------------------------------------------------------------------------------


def blocks(slots: Mapping[str, Mapping[str, Slot]], beside: Mapping[str, Slot] = MappingProxyType({})) -> Slot:
    """Return the slot of a list of blocks: texts, and objects with one member that has their kind as its key.

    Args:
        slots: the slots of the members of each kind of block.
        beside: the slots of members that may be next to that of the kind.
    """
    texts = Shape({"text": A_TEXT}, beside, other=A_FLAG)  # such as `thought`
    others = [Shape({kind: an_object(Shape({}, inner))}, beside) for kind, inner in slots.items()]
    return items(an_object(texts, *others))


def skeleton(unit: Any, key: str, slot: Slot) -> Skeleton | None:
    """Return the skeleton of a wire message, with its contents and ids; None if it has other members or values.

    Args:
        unit: any value in place of a wire message, or the system prompt.
        key: the key of its blocks.
        slot: the slot of its blocks.
    """
    wire = unit.wire if isinstance(unit, Top) else unit
    if wire.__class__ is not dict:
        return None
    keys = tuple(wire)
    is_top = wire is not unit  # a system prompt may also have a role, which is ignored
    role: Any = wire.get("role") if len(keys) == 2 else "" if is_top and len(keys) == 1 else None
    if role.__class__ is not str or len(role) > _LONGEST:
        return None
    if not (role or is_top):
        return None  # the role depends on the document
    shape: list[Hashable] = [is_top, keys, role]
    values: list[str] = []
    return (tuple(shape), values) if slot.add(wire.get(key), shape, values) and values else None


def with_values(unit: Any, key: str, slot: Slot, values: Sequence[str]) -> Unit:
    """Return a wire message that has a skeleton, with other contents and ids."""
    wire = cast("dict[str, Any]", unit.wire if isinstance(unit, Top) else unit)
    made = {**wire, key: slot.fill(wire[key], iter(values))}
    return Top(made) if isinstance(unit, Top) else made
