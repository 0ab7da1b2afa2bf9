"""Blocks that are read alike: tool use, and results of one text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from ocml_bridge.blocks.skeletons import A_WORD, AN_OBJECT, Slot, Slots, next_text

from .alphabet import is_odd_id
from .syntax import CONTENT, TOOL_RESULT, TOOL_USE


def _add_id(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """An id that the API takes."""
    values.append(value)
    return value.__class__ is str and not is_odd_id(value)


def _add_content(value: Any, key: list[Hashable], values: list[str]) -> bool:
    block: Any = value[0] if value.__class__ is list and len(value) == 1 else None
    text: Any = block.get("text") if block.__class__ is dict and len(block) == 1 else None
    values.append(text or "")
    return text.__class__ is str and text != ""


_AN_ID: Final = Slot(_add_id, next_text)


def _with_text(value: Any, values: Iterator[str]) -> Any:
    return [{"text": next(values)}]


SLOTS: Final[Slots] = {
    TOOL_USE: {"toolUseId": _AN_ID, "name": A_WORD, "input": AN_OBJECT},
    TOOL_RESULT: {"toolUseId": _AN_ID, CONTENT: Slot(_add_content, _with_text), "status": A_WORD},
}
