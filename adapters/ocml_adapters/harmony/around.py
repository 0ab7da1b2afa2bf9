"""What stands around the messages: the tokens of a conversation's edges, and the line end of a text file."""

from __future__ import annotations

import re
from typing import Any, Final

from ocml_bridge.boundary import EDGES
from ocml_bridge.model import Message

LINE_END: Final = re.compile(r"\r?\n")
"""How a text file may end."""
_FINAL: Final = re.compile(r"\r?\n\Z")


def is_edge(text: str) -> bool:
    """Whether a text around the messages is the token that begins or ends a conversation, with white space at most."""
    return EDGES.is_trivia(text) and not text.isspace() and text != ""


def split_tail(text: str) -> tuple[str, str]:
    """What stands behind the messages of a text, and the line end of the file, which says nothing of it."""
    ending = _FINAL.search(text)
    at = len(text) if ending is None else ending.start()
    return (text[:at], text[at:]) if at == 0 or is_edge(text[:at]) else (text, "")


def remembered(
    layout: dict[str, Any], turn: Message | None, *, is_empty: bool, cut_off: bool, is_text: bool
) -> dict[str, Any]:
    """What of a transcript's layout is written.

    Args:
        layout: Harmony's, whose messages may be others by now.
        turn: the open turn.
        is_empty: whether there is no message.
        cut_off: whether the last message has no end.
        is_text: whether it is written as text, not as token ids.
    """
    kept: dict[str, Any] = {}
    prompted = layout.get("prompted") is True
    if prompted and (not is_empty or (turn is not None and turn.channel is not None)):
        kept["prompted"] = True
    tail, line_end = (text if isinstance(text := layout.get(key), str) else "" for key in ("tail", "line_end"))
    if is_text:
        tail, line_end = split_tail(tail + line_end)
    if not cut_off and ((LINE_END.fullmatch(tail) and not is_text) or (is_edge(tail) and turn is None)):
        kept["tail"] = tail
    if not cut_off and is_text and LINE_END.fullmatch(line_end):
        kept["line_end"] = line_end
    front = layout.get("front")
    if isinstance(front, str) and is_edge(front) and not prompted and not (is_empty and turn is None):
        kept["front"] = front
    return kept
