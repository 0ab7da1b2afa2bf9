"""Split private reasoning at its thought markers (OCM 2.2 §7): each opens a section up to the next one or the end."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from ..chat.turns import content_of, parts_of
from ..model import Content, Part, Text, Thought

Kind = Literal["reflect", "introspect", "reason"]
KINDS: Final = ("reflect", "introspect", "reason")
MARKER: Final = re.compile(r"<\|start_(reflect|introspect|reason)\|>")


def marker(thought: Thought) -> str:
    """Return the token of a thought marker."""
    return f"<|start_{thought.kind}|>"


def split(text: str) -> list[Part]:
    """Split a text into thought markers and texts, in order, without empty texts."""
    if "<|start_" not in text:
        return [Text(text)] if text else []
    pieces = MARKER.split(text)
    parts: list[Part] = [Text(pieces[0])] if pieces[0] else []
    for kind, section in zip(pieces[1::2], pieces[2::2], strict=True):
        parts.append(Thought(cast("Kind", kind)))
        if section:
            parts.append(Text(section))
    return parts


def tidy(content: Content) -> Content:
    """Return content without its empty text parts, as it is read back."""
    if isinstance(content, str):
        return content
    return content_of([part for part in parts_of(content) if part != Text("")])


def texts(content: Content) -> list[Text]:
    """Return the text parts of a content, without its markers."""
    return [part for part in parts_of(content) if isinstance(part, Text)]
