"""Tell which media the columns of a row can hold, and drop those that a placeholder in a text would displace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.chat.turns import has_part, parts_of
from ocml_bridge.loss import Log
from ocml_bridge.model import FileBreak, Flags, Foreign, Infill, Media, Passages, Refusal, Text, Thought, Tools
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.units.heads import Item

from .syntax import HOME, MEDIA, PLACEHOLDER, WORDS

_NO_MEDIA: Final = (Text, Passages, Tools, Thought, Flags, Refusal, Infill, FileBreak, Foreign)


def has_place(part: Any) -> bool:
    """Return whether a column can hold a part: a medium with an address and nothing else."""
    return isinstance(part, Media) and part == Media(part.media, url=part.url or "") and part.media in MEDIA


def without_media(items: Sequence[Item], origins: Sequence[int], log: Log) -> Sequence[Item]:
    """Return the items without the media that would be misread, because a text contains a placeholder.

    A placeholder in a message of the user or the system affects all media; any other affects only those of answers and
    results, because then the reader counts placeholders of the user and the system alone.

    Args:
        items: the messages of a conversation, in order.
        origins: for each, the index of its message in the document.
        log: receives the losses.
    """
    misread = [_has_placeholder(item) for item in items]
    if not any(misread):
        return items
    all_misread = any(misread[at] for at, item in enumerate(items) if _is_prompt(item))
    out = list(items)
    for at, item in enumerate(items):
        if has_part(item[1], Media) and (all_misread or not _is_prompt(item)):
            head, content, call_id = item
            path = f"/messages/{origins[at]}/content"
            out[at] = (head, narrow(content, _NO_MEDIA, path, log, target=HOME), call_id)
    return out


def _is_prompt(item: Item) -> bool:
    """Return whether a message is neither of the assistant nor of a tool."""
    role = item[0].role
    return WORDS.get(role.lower(), role) not in ("assistant", "tool")


def _has_placeholder(item: Item) -> bool:
    """Return whether a text of a message, or the recipient of a call, contains a placeholder."""
    head, content, _ = item
    texts = [part.text for part in parts_of(content) if isinstance(part, Text)]
    return any(map(PLACEHOLDER.search, (*texts, head.recipient or "")))
