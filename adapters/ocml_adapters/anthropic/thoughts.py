"""Thoughts as blocks, both ways: thinking with its signature, and thinking that is sealed."""

from __future__ import annotations

from ocml_bridge.form import Object, form_of, rest
from ocml_bridge.model import Message

from .notes import by_format, notes_in, with_notes
from .syntax import (
    HOME,
    REDACTED,
    REDACTED_KEYS,
    REDACTED_ORDER,
    THINKING,
    THINKING_KEYS,
    THINKING_ORDER,
)


def read_thinking(block: Object) -> Message | None:
    """The thought that a block is; its text may be empty, and sealed in its signature."""
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    extras = rest(block, ("type", "thinking"))
    layout: Object = {}
    form = form_of(block, THINKING_ORDER, THINKING_KEYS, ("type", "thinking"))
    if form is not None:
        layout["form"] = form
    return Message("assistant", text, None, "analysis", extras=by_format(extras), layout=by_format(layout))


def read_redacted(block: Object) -> Message | None:
    """The sealed thought that a block is, which nobody can read."""
    data = block.get("data")
    if not isinstance(data, str) or not data:
        return None
    extras = {"redacted": data, **rest(block, ("type", "data"))}
    form = form_of(block, REDACTED_ORDER, REDACTED_KEYS, ("type", "data"))
    layout: Object = {} if form is None else {"form": form}
    return Message("assistant", "", None, "analysis", extras=by_format(extras), layout=by_format(layout))


def is_from_here(message: Message) -> bool:
    """Whether a thought was read from a block: the API takes back those that it made, and no others."""
    return (message.extras is not None and HOME in message.extras) or (
        message.layout is not None and HOME in message.layout
    )


def write_thought(message: Message) -> Object:
    """A thought as a block."""
    extras = notes_in(message.extras)
    data = extras.get("redacted")
    if isinstance(data, str) and data and not message.content:
        block: Object = {"type": REDACTED, "data": data}
        return with_notes(message, block, REDACTED_ORDER, ("type", "data"))
    block = {"type": THINKING, "thinking": message.content}
    if not is_from_here(message):
        block["signature"] = ""
    return with_notes(message, block, THINKING_ORDER, ("type", "thinking"))
