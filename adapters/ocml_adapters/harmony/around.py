"""What stands around the messages: the tokens of a conversation's edges, and the line end of a text file."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.boundary import EDGES

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
