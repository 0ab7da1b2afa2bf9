"""Read and write what stands around the messages: declared tools, tokens at both ends, the line end of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.chat.turns import extract_tools, insert_tools
from ocml_bridge.formats.boundary import EDGES
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of

from .syntax import HOME, NOTES, SYSTEM


def place_of_tools(items: Sequence[Item]) -> int:
    """Return the index after all leading system messages: a developer message with the tools is, or belongs, there."""
    at = 0
    while at < len(items) and items[at][0].role == SYSTEM:
        at += 1
    return at


def with_extracted_tools(items: list[Item], around: Transcript) -> Conversation:
    """Return the conversation; tools that the first developer message declares become the tools of the document.

    They stay in the message if writing them would not give the same messages again, or if its layout has more than the
    spelling of the tools.

    Args:
        items: the messages as they stand in the text; the list may be changed.
        around: the transcript without its messages and without tools.
    """
    at = place_of_tools(items)
    if at == len(items) or items[at][1].__class__ is str:
        return Conversation(items, around)
    # The next message counts, too: if it is a developer message, the tools would be written into it.
    as_written = messages_of(items[at : at + 2])
    left, tools, layout = extract_tools(as_written)
    if tools is None or insert_tools(Transcript(left, tools), layout) != as_written:
        return Conversation(items, around)
    if layout is not None:
        # The message is gone: its layout moves to the document, which can store only the spelling of the tools.
        section = NOTES.of(layout).get("tools")
        if layout != {HOME: {"tools": section}}:
            return Conversation(items, around)
        around = replace(around, layout=NOTES.adding(around.layout, {"tools": section}))
    items[at : at + 1] = map(item_of, left[: len(left) - len(as_written) + 1])
    declaration_at = at if len(left) < len(as_written) else None
    return Conversation(items, replace(around, tools=tools), declaration_at=declaration_at)


LINE_END: Final = re.compile(r"\r?\n")
"""A line end, as at the end of a text file."""

_FINAL: Final = re.compile(r"\r?\n\Z")


def is_edge(text: str) -> bool:
    """Return whether a text consists of tokens that begin or end a conversation, and white space."""
    return EDGES.is_trivia(text) and not text.isspace() and text != ""


def split_tail(text: str) -> tuple[str, str]:
    """Split the text after the messages into a tail and the line end of the file ("" if there is none)."""
    ending = _FINAL.search(text)
    at = len(text) if ending is None else ending.start()
    return (text[:at], text[at:]) if at == 0 or is_edge(text[:at]) else (text, "")


def remembered(
    layout: dict[str, Any], turn: Message | None, *, is_empty: bool, cut_off: bool, is_text: bool
) -> dict[str, Any]:
    """Return the members of a transcript's layout that still fit its messages.

    Args:
        layout: Harmony's layout of the transcript, whose messages may have changed.
        turn: the open turn.
        is_empty: whether there is no message.
        cut_off: whether the last message has no end.
        is_text: whether the output is text, not token ids.
    """
    members: dict[str, Any] = {}
    prompted = layout.get("prompted") is True
    if prompted and (not is_empty or (turn is not None and turn.channel is not None)):
        members["prompted"] = True
    tail, line_end = (text if isinstance(text := layout.get(key), str) else "" for key in ("tail", "line_end"))
    if is_text:
        tail, line_end = split_tail(tail + line_end)
    if not cut_off and ((LINE_END.fullmatch(tail) and not is_text) or (is_edge(tail) and turn is None)):
        members["tail"] = tail
    if not cut_off and is_text and LINE_END.fullmatch(line_end):
        members["line_end"] = line_end
    front = layout.get("front")
    if isinstance(front, str) and is_edge(front) and not prompted and not (is_empty and turn is None):
        members["front"] = front
    return members
