"""Ids of calls and names of tools in the letters that the API takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.units.heads import Item
from ocml_bridge.wires.tool_alphabet import Alphabet, Spelling, ToolAlphabet

from .syntax import NOTES

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_-", 64))
"""The names that `ToolSpecification` and `ToolUseBlock` take."""
_IDS: Final = Alphabet("a-zA-Z0-9_.:-", 64)


def is_odd_id(call_id: str) -> bool:
    """Whether the API would not take the id of a call."""
    return not _IDS.takes(call_id)


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """Calls and replies with ids that the API takes, but for those that were read with others."""
    ids = {call_id for _, _, call_id in items if call_id}
    if all(map(_IDS.takes, ids)):
        return items
    spelling = Spelling(_IDS, ids)
    return [
        (head, content, spelling(call_id))
        if call_id and (head.bare or not NAMES.is_unchanged(head.message("", None).layout))
        else (head, content, call_id)
        for head, content, call_id in items
    ]
