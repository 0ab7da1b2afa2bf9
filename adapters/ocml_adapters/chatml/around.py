"""What stands around the messages of a text: whose spelling it is, its tail, and where its tools are declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ocml_bridge.model import Json, Message, Tool, Transcript, replace

from .families import FAMILIES, Family
from .plain import remember_tail
from .syntax import NOTES

FAMILY: Final = "family"
"""The key of the family that spelled a text."""
TOOLS_AT: Final = "tools_at"
"""The key of how many messages stand before the frame that declares the tools."""
TOOLS_ALONE: Final = "tools_alone"
"""The key of whether that frame is not that of the system's text where it would be, or the other way round."""
TOOLS: Final = "tools"
"""The key of how that frame is spelled."""


class DeclaredTools(NamedTuple):
    """Declared tools and their place.

    Attributes:
        tools: the tools.
        at: how many messages stand before their frame.
        alone: whether the frame has no text of the system's.
        layout: what layout keeps of such a frame.
        extras: what extras keep of it.
    """

    tools: tuple[Tool, ...]
    at: int
    alone: bool
    layout: Mapping[str, Json]
    extras: Mapping[str, Json]


def dialect_of(around: Transcript) -> str | None:
    """The family that a transcript remembers; None for none."""
    name = NOTES.together(around.layout).get(FAMILY)
    return name if isinstance(name, str) and name in FAMILIES else None


def around_of(family: Family | None, tail: str, default: str, turn: Message | None) -> Transcript:
    """A transcript without messages and tools.

    Args:
        family: whose spelling it is.
        tail: what stands behind the last frame.
        default: what does so by default.
        turn: the open turn.
    """
    layout, extras = remember_tail(tail, default)
    if family is not None:
        layout[FAMILY] = family.name
    return Transcript(open_turn=turn, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))


def with_tools(around: Transcript, declared: DeclaredTools, *, before_text: bool) -> Transcript:
    """A transcript without messages, with its tools.

    Args:
        around: the transcript.
        declared: the tools.
        before_text: whether their frame has no text, and one of the system's with text follows.
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
    """Whether declared tools stand in the frame of the system's text where there is one at their place."""
    alone = NOTES.together(around.layout).get(TOOLS_ALONE)
    return not (alone if isinstance(alone, bool) else family.declaration.alone)


def place_of_tools(around: Transcript, most: int) -> int:
    """How many messages stand before the frame of the tools: as remembered, `most` at most; none by default."""
    at = NOTES.together(around.layout).get(TOOLS_AT)
    return at if isinstance(at, int) and 0 <= at <= most else 0
