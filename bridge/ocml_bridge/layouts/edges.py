"""The tokens that tokenizers put around texts, in templates whose turns stand between words."""

from __future__ import annotations

import re
from typing import Final

from ..formats.boundary import BEGINS, ENDS
from ..model import Json

END: Final = "|".join(map(re.escape, ENDS))
"""A token behind what somebody says, as a pattern."""
_BEFORE: Final = re.compile(rf"\A(?:\s|{END}|{'|'.join(map(re.escape, BEGINS))})*")
_BEHIND: Final = re.compile(rf"(?:(?:{END})\s*){{1,3}}\Z")
_FRAME: Final = re.compile(r"<\|[^\s|<>]+\|>")


def unframed(text: Json) -> str | None:
    """A text without the tokens at its beginning.

    Returns:
        None for what is no text, and for a text in frames: words that would be labels are quoted in it.
    """
    if not isinstance(text, str):
        return None
    bare = _BEFORE.sub("", text)
    return None if _FRAME.match(bare) else bare


def unended(text: str) -> str:
    """What somebody says without the tokens behind it."""
    return _BEHIND.sub("", text.rstrip()).strip()
