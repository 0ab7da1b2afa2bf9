"""Split items into a skeleton and their contents, ids, extra texts and signatures."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.units.grammar import Skeleton
from ocml_bridge.units.long_texts import with_long, without_long
from ocml_bridge.wires.blocks.skeletons import (
    A_FILLED_TEXT,
    A_SHORT_VALUE,
    A_WORD,
    AN_ADDRESS,
    Shape,
    Slot,
    a_text,
    an_object,
    items,
    one_of,
    the,
)

from .item_members import GENERATED_ID

_ADDRESS: Final = one_of(type, {str: AN_ADDRESS, type(None): A_SHORT_VALUE})
_PART: Final = Shape(
    {},
    {"text": A_FILLED_TEXT, "type": A_WORD, "detail": A_WORD, "image_url": _ADDRESS, "file_url": _ADDRESS},
    other=A_SHORT_VALUE,
)
_NO_TEXT: Final = one_of(
    type,
    {
        **dict.fromkeys((type(None), dict, bool, int, float), A_SHORT_VALUE),
        list: items(an_object(_PART)),
        type(GENERATED_ID): the(GENERATED_ID),
    },
)


def _text_or_other(slot: Slot) -> Slot:
    """Return the slot of a member that has another slot if it is a text."""
    add_text, fill_text = slot

    def add(value: Any, key: list[Hashable], values: list[str]) -> bool:
        return (add_text if value.__class__ is str else _NO_TEXT.add)(value, key, values)

    def fill(value: Any, values: Iterator[str]) -> Any:
        return (fill_text if value.__class__ is str else _NO_TEXT.fill)(value, values)

    return Slot(add, fill)


def _add_unknown(value: Any, key: list[Hashable], values: list[str]) -> bool:
    return A_SHORT_VALUE.add(without_long(value, values), key, values)


_TEXT: Final = _text_or_other(a_text())
_WORD: Final = _text_or_other(A_WORD)
_UNKNOWN: Final = _text_or_other(Slot(_add_unknown, with_long))
_ITEM: Final = an_object(
    Shape(
        {},
        {
            # Contents and ids; extras and signatures.
            **dict.fromkeys(("content", "arguments", "input", "output", "code", "call_id"), _TEXT),
            **dict.fromkeys(("id", "encrypted_content"), _TEXT),
            **dict.fromkeys(("type", "role", "name", "namespace", "status", "phase"), _WORD),
        },
        other=_UNKNOWN,
    )
)


def skeleton(item: Any) -> Skeleton | None:
    """Return an item without contents and ids; None if another member has a value that is not part of a key."""
    key: list[Hashable] = []
    values: list[str] = []
    return (tuple(key), values) if _ITEM.add(item, key, values) else None


def with_values(item: Object, values: Sequence[str]) -> Object:
    """Return an item that has a skeleton, with other contents and ids."""
    return _ITEM.fill(item, iter(values))
