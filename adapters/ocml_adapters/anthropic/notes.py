"""What Anthropic Messages keeps of blocks in extras and layout."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ocml_bridge.form import Object, add, shape
from ocml_bridge.model import Message

from .syntax import MESSAGE, NOTES

RESERVED: Final = frozenset({MESSAGE})
"""What has a meaning of its own in the extras of a message: a block with such a member is kept whole."""
_APART: Final = RESERVED | {"type"}
"""What is written of the extras of a message in a way of its own."""


def type_note(kind: str, default: str) -> Object:
    """What tells a block of a tool that the server runs."""
    return {} if kind == default else {"type": kind}


def type_of(message: Message) -> str | None:
    """The type of the block that a call or a reply of a server's tool was read from; None for any other message."""
    kind = NOTES.of(message.extras).get("type")
    ending = "_tool_result" if message.role == "tool" else "_tool_use"
    return kind if isinstance(kind, str) and kind.endswith(ending) else None


def with_notes(message: Message, block: Object, order: tuple[str, ...], fixed: Collection[str]) -> Object:
    """A block with what else its message says, in the spelling that is remembered."""
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    if extras:
        block = add(block, {key: value for key, value in extras.items() if key not in _APART}, order)
    form = layout.get("form")
    return block if form is None else shape(block, form, fixed=fixed, implied=_IMPLIED)


_IMPLIED: Final = ("signature", "id", "content")
"""Members that a block may leave out, or leave empty."""
