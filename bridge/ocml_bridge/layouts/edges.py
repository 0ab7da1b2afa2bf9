"""Remove the tokens that tokenizers add at the beginning and the end of texts."""

from __future__ import annotations

import re
from typing import Final

from ..formats.boundary import BEGINS, ENDS
from ..model import Json

END: Final = "|".join(map(re.escape, ENDS))
"""A token after the text of a turn, as a pattern."""
_BEFORE: Final = re.compile(rf"\A(?:\s|{END}|{'|'.join(map(re.escape, BEGINS))})*")
_BEHIND: Final = re.compile(rf"(?:(?:{END})\s*){{1,3}}\Z")
_FRAME: Final = re.compile(r"<\|[^\s|<>]+\|>")


def unframed(text: Json) -> str | None:
    """Return a text without the tokens at its beginning.

    Returns:
        None for any other value, and for a text in frames: labels in it are quoted text.
    """
    if not isinstance(text, str):
        return None
    bare = _BEFORE.sub("", text)
    return None if _FRAME.match(bare) else bare


def unended(text: str) -> str:
    """Return the text of a turn without the tokens after it."""
    return _BEHIND.sub("", text.rstrip()).strip()
