"""What of the media of a conversation a row has a place for: placeholders in its texts stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.loss import Log
from ocml_bridge.model import FileBreak, Flags, Foreign, Infill, Media, Passages, Refusal, Text, Thought, Tools
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.units.heads import Item

from .syntax import HOME, MEDIA, PLACEHOLDER, WORDS

_OTHERS: Final = (Text, Passages, Tools, Thought, Flags, Refusal, Infill, FileBreak, Foreign)


def has_media(item: Item) -> bool:
    """Whether media are among the parts of a message."""
    content = item[1]
    return not isinstance(content, str) and any(isinstance(part, Media) for part in content)


def has_place(part: Any) -> bool:
    """Whether a column can hold a medium: it has an address and nothing else."""
    return isinstance(part, Media) and part == Media(part.media, url=part.url or "") and part.media in MEDIA


def without_media(items: Sequence[Item], origins: Sequence[int], log: Log) -> Sequence[Item]:
    """The items, without media where a text has in it what would be taken for the place of one.

    Media of answers and results are found where no text has a placeholder, those of whoever asks where none of theirs
    has one.

    Args:
        items: of a conversation, in order.
        origins: for each the index of its message in the document.
        log: takes what is left out.
    """
    marked = [_says_placeholder(item) for item in items]
    if not any(marked):
        return items
    asked = any(marked[at] for at, item in enumerate(items) if _asks(item))
    out = list(items)
    for at, item in enumerate(items):
        if has_media(item) and (asked or not _asks(item)):
            head, content, call_id = item
            path = f"/messages/{origins[at]}/content"
            out[at] = (head, narrow(content, _OTHERS, path, log, target=HOME), call_id)
    return out


def _asks(item: Item) -> bool:
    role = item[0].role
    return WORDS.get(role.lower(), role) not in ("assistant", "tool")


def _says_placeholder(item: Item) -> bool:
    """Whether a text of a message, or the name of what it calls, has a placeholder in it."""
    head, content, _ = item
    texts = [part.text for part in parts_of(content) if isinstance(part, Text)]
    return any(map(PLACEHOLDER.search, (*texts, head.recipient or "")))
