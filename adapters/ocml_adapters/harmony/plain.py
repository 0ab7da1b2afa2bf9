"""Harmony that is as we would write it, which most of it is: it is read without looking at each token."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ocml_bridge.model import Message, replace
from ocml_bridge.turns import FUNCTIONS, is_call

from .body import read_body
from .header import LONG, is_header, is_own_spelling, regular
from .message import make
from .syntax import CHANNELS, CONTROL, HOME, MESSAGE, START, STOPS, SYSTEM


def read_plain(text: str) -> list[Message] | None:
    """The messages of a text that is whole messages without anything to mend, to note or to keep; None for any other.

    Tokens stand in it only where they open and end a message, so that this is what `frames` would find.
    """
    before, *frames = text.split(START)
    return None if before or not frames else messages_of(map(_parts, frames))


def _parts(frame: str) -> tuple[str, str, str]:
    header, _, rest = frame.partition(MESSAGE)
    stop = rest.find("<|")
    return header, CONTROL.restore(rest[:stop]), rest[stop:]


def messages_of(frames: Iterable[tuple[str, str, str]]) -> list[Message] | None:
    """The messages of frames, where there is nothing to mend, to note or to keep; None for any others.

    Args:
        frames: of each the raw header, the body without tokens, and the token that ends it.
    """
    messages: list[Message] = []
    for header, text, stop in frames:
        end = STOPS.get(stop)
        head = _head(header) if len(header) < LONG else None
        if head is None or end is None or (head.end == "call" and end != "call"):
            return None
        if head.role == SYSTEM and messages and messages[-1].end == "return":
            return None
        body = read_body(head.role, text)
        if body.opaque or body.section is not None:
            return None
        layout = {HOME: {"plain": True}} if body.plain else None
        messages.append(replace(head, content=body.content, end=end, layout=layout))
    return messages


@lru_cache(maxsize=2048)
def _head(raw: str) -> Message | None:
    """A message with this header and no body; None where there is something to note of the header, or to keep."""
    fields = regular(raw) if is_header(raw) else None
    if fields is None or is_own_spelling(raw, fields, prompted=False):
        return None
    if fields.channel is not None and fields.channel not in CHANNELS:
        return None
    message = make(fields, "", "end", {}, {})
    if is_call(message):
        if (message.recipient or "").startswith(FUNCTIONS) and message.channel not in (None, "commentary"):
            return None
        message.end = "call"
    return message
