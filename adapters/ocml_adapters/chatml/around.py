"""Keep what is around the messages of a text in its document: the family, the tail, and the place of the tools.

The tail is the text after the last frame. Of the frame that declares the tools, the layout keeps what the family would
write otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ocml_bridge.model import Json, Message, Tool, Transcript, replace
from ocml_bridge.text.edges import remember_tail

from .families import FAMILIES, Family
from .syntax import NOTES

FAMILY: Final = "family"
"""Key in the layout of a document: the family that wrote the text."""
TOOLS_AT: Final = "tools_at"
"""Key in the layout of a document: the number of messages before the frame that declares the tools."""
TOOLS_ALONE: Final = "tools_alone"
"""Key in the layout of a document: whether the tools have their own frame, if the family would do it the other way."""
TOOLS: Final = "tools"
"""Key in layout and extras of a document: how the frame that declares the tools is spelled."""


class DeclaredTools(NamedTuple):
    """Declared tools and their place.

    Attributes:
        tools: the tools.
        at: the number of messages before their frame.
        alone: whether the frame has no system text.
        layout: the layout of the frame.
        extras: the extras of the frame.
    """

    tools: tuple[Tool, ...]
    at: int
    alone: bool
    layout: Mapping[str, Json]
    extras: Mapping[str, Json]


def dialect_of(around: Transcript) -> str | None:
    """Return the family that the layout of a document names, or None."""
    name = NOTES.together(around.layout).get(FAMILY)
    return name if isinstance(name, str) and name in FAMILIES else None


def around_of(family: Family | None, tail: str, default: str, turn: Message | None) -> Transcript:
    """Return a document without messages and tools.

    Args:
        family: the family of the text.
        tail: the text after the last frame.
        default: the default tail.
        turn: the open turn.
    """
    layout, extras = remember_tail(tail, default)
    if family is not None:
        layout[FAMILY] = family.name
    return Transcript(open_turn=turn, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))


def with_tools(around: Transcript, declared: DeclaredTools, *, before_text: bool) -> Transcript:
    """Return a document with its tools.

    Args:
        around: a document without messages.
        declared: the tools and their place.
        before_text: whether their frame has no text, and a frame with system text follows.
    """
    layout, extras = NOTES.together(around.layout), NOTES.together(around.extras)
    family = FAMILIES[dialect_of(around) or next(iter(FAMILIES))]
    if declared.at or not declared.tools:
        layout[TOOLS_AT] = declared.at
    if (before_text and not family.declaration.alone) or (not declared.alone and family.declaration.alone):
        layout[TOOLS_ALONE] = declared.alone
    if declared.layout:
        layout[TOOLS] = dict(declared.layout)
    if declared.extras:
        extras[TOOLS] = dict(declared.extras)
    return replace(around, tools=declared.tools, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))


def joins_text(around: Transcript, family: Family) -> bool:
    """Return whether the tools share the frame of a system text that is at their place."""
    if family.declaration.header != "system":
        return False
    alone = NOTES.together(around.layout).get(TOOLS_ALONE)
    return not (alone if isinstance(alone, bool) else family.declaration.alone)


def place_of_tools(around: Transcript, limit: int) -> int:
    """Return the number of messages before the frame of the tools.

    Args:
        around: the document, whose layout may have the number; the default is 0.
        limit: the largest number that is valid.
    """
    at = NOTES.together(around.layout).get(TOOLS_AT)
    return at if isinstance(at, int) and 0 <= at <= limit else 0
