"""Thought markers in private reasoning (OCM 2.2 §7): each opens a section that runs to the next one or to the end."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from ..chat.turns import content_of, parts_of
from ..model import Content, Part, Text, Thought

Kind = Literal["reflect", "introspect", "reason"]
KINDS: Final = ("reflect", "introspect", "reason")
MARKER: Final = re.compile(r"<\|start_(reflect|introspect|reason)\|>")


def marker(thought: Thought) -> str:
    """The marker's spelling."""
    return f"<|start_{thought.kind}|>"


def split(text: str) -> list[Part]:
    """Text as thoughts and texts, in order; empty texts are left out."""
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
    """Content as reading gives it back: without empty texts beside markers."""
    if isinstance(content, str):
        return content
    return content_of([part for part in parts_of(content) if part != Text("")])


def texts(content: Content) -> list[Text]:
    """The texts of a content, markers left out."""
    return [part for part in parts_of(content) if isinstance(part, Text)]
